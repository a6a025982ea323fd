"""The table of faults: its columns, its files, and the order in which it is numbered."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from results.folder import faults
from results.format.schema import COLUMNS, FORFEIT

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"


def row(**fields) -> dict:
    return {
        **dict.fromkeys(("match", "game", "seat", "ply", "generation"), 0),
        **dict.fromkeys(("what", "population", "opponent_population"), ""),
        **dict.fromkeys(("genome", "opponent_genome"), ""),
        "purpose": "matches",
        "verdict": FORFEIT,
        "cause": "raised",
        "player": "bot",
        "opponent": "random",
        "id": -1,
        "opponent_id": 7,
        "match_seed": 2**64 - 1,
        **fields,
    }


def test_the_page_has_each_column():
    lines = [
        f"| `{column.name}` | {column.type} | {'yes' if column.nullable else 'no'} | "
        f"{column.description} |"
        for column in COLUMNS["faults"]
    ]
    assert PAGE.read_text(encoding="utf-8").endswith("\n".join(lines) + "\n")


def test_rows_are_read_as_they_were_written_each_once_and_evolution_comes_first(tmp_path):
    assert len(faults.faults_of(tmp_path)) == 0
    later = [row(generation=3), row(generation=2, match=1)]
    for rows in ([row(purpose="evaluation/random/8")], later, later, later[:1], []):
        faults.write_faults(tmp_path, rows)
    frame = faults.faults_of(tmp_path)
    assert frame["purpose"].tolist() == ["matches", "matches", "evaluation/random/8"]
    assert frame["generation"].tolist() == [2, 3, 0]
    assert frame["match_seed"].tolist() == [2**64 - 1] * 3
    assert frame["match_seed"].dtype == np.uint64
    assert frame["id"].isna().all()
    assert frame["opponent_id"].tolist() == [7] * 3


def test_many_rows_of_long_genomes_are_dealt_to_files_that_can_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr(faults, "MOST_TEXT", 100)
    faults.write_faults(tmp_path, [row(match=number, genome="ab" * 20) for number in range(5)])
    assert len(list((tmp_path / "faults").iterdir())) == 3
    assert faults.faults_of(tmp_path)["match"].tolist() == list(range(5))
