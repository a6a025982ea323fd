"""``evo verify`` finds what was done to a folder, and nothing where nothing was done."""

from __future__ import annotations

import json
import shutil

import pytest
from results_data import create, evaluation, go_on, row, written_run
from run_checks import cut_short

from evo.cli.main import main
from results import RunWriter
from results.folder import generations
from results.folder.evaluations import write_evaluation
from results.folder.tournament import TournamentWriter
from results.read.sweep import write_description
from results.read.verify import verify


def verified(path):
    """What is not whole, as text by text; whether it is a fault."""
    return {
        (finding.state, finding.file): finding.is_fault
        for finding in verify(path)
        if finding.state != "whole"
    }


@pytest.fixture
def path(tmp_path):
    path = written_run(tmp_path / "run", until=7)
    write_evaluation(path, "a", evaluation(4, 0, {"level-0": 200}))
    return path


def part(path, number):
    return sorted((path / "generations").iterdir())[number]


def test_a_run_is_whole_finished_or_being_written(path, capsys):
    (path / "plots").mkdir()
    with RunWriter.open(path) as writer:
        writer.generation(row(8))
        assert verified(path) == {}
    assert main(["verify", str(path)]) == 0
    assert capsys.readouterr().out == f"checked 12 files of {path}: 12 whole\n"
    with create(path.with_name("new")):
        pass
    assert verified(path.with_name("new")) == {}


@pytest.mark.parametrize(
    ("harm", "state", "file"),
    [
        (lambda path: cut_short(path / "snapshots/generation-000004.parquet"), "damaged", None),
        (lambda path: (path / "snapshots/generation-000007.parquet").unlink(), "missing", None),
        (lambda path: (path / "snapshots/generation-000002.parquet").unlink(), "missing", None),
        (lambda path: (path / "snapshots.sha256").unlink(), "missing", "snapshots.sha256"),
        (lambda path: cut_short(part(path, 0)), "damaged", None),
        (lambda path: part(path, 2).unlink(), "missing", "generations"),
        (lambda path: cut_short(next((path / "evaluations").iterdir())), "damaged", None),
        (lambda path: (path / "run.json").write_text("{}"), "damaged", "run.json"),
        (
            lambda path: (path / "run.json").write_text(
                (path / "run.json").read_text().replace('_interval": 2', '_interval": 1')
            ),
            "damaged",
            "run.json",
        ),
        (lambda path: (path / "snapshots/x.parquet").touch(), "foreign", "snapshots/x.parquet"),
        (
            lambda path: shutil.copy(part(path, 1), path / "generations/x.parquet"),
            "foreign",
            "generations/x.parquet",
        ),
        (
            lambda path: shutil.copy(
                next((path / "evaluations").iterdir()), path / "evaluations/x.parquet"
            ),
            "doubled",
            "evaluations/x.parquet",
        ),
    ],
)
def test_each_harm_is_named_with_what_mends_it(path, harm, state, file, capsys):
    before = {p: p.read_bytes() for p in path.rglob("*") if p.is_file()}
    harm(path)
    after = {p: p.read_bytes() for p in path.rglob("*") if p.is_file()}
    (changed,) = (p for p in {*before, *after} if before.get(p) != after.get(p))
    found = verified(path)
    expected = file or str(changed.relative_to(path))
    assert found[state, expected] is True
    assert main(["verify", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f"{state}: {expected}: ") for line in lines)
    assert main(["verify", str(path), "--json"]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {"file": expected, "state": state} in [
        {name: row[name] for name in ("file", "state")} for row in rows
    ]


def test_what_a_crash_leaves_is_no_fault(path):
    generations.write_rows(path, [row(8)])
    (path / "snapshots/generation-000008.parquet").write_bytes(b"torn")
    (path / ".write-1-dead.tmp").touch()
    shutil.copy(path / "run.json", path / "notes.txt")
    found = verified(path)
    assert not any(found.values())
    assert [state for state, _ in found] == ["left", "left", "left", "foreign"]
    with RunWriter.open(path) as writer:
        go_on(writer, 8)
    assert verified(path) == {("foreign", "notes.txt"): False}


def test_tournaments_are_verified_too(tmp_path):
    folder = tmp_path / "t"
    writer = TournamentWriter(folder)
    writer.write_info(
        {"game": "nim", "seed": 1, "games": 6, "schedule": "round-robin", "players": {}}
    )
    counts = {"games": 6, "wins": 4, "draws": 0, "losses": 2}
    firsts = {"wins_first": 2, "draws_first": 0, "losses_first": 1}
    who = {"round": 1, "player": "a", "opponent": "b", "first_match": 0}
    writer.add_pairs([{**who, **counts, **firsts}])
    rating = {"rating": 0.0, "rating_low": 0.0, "rating_high": 0.0, "score": 0.5, **counts}
    writer.write_ratings([{"rank": n, "player": name, **rating} for n, name in enumerate("ab", 1)])
    writer.close()
    assert verified(folder) == {}
    (pairs,) = (folder / "pairs").iterdir()
    shutil.copy(pairs, pairs.with_name("part-000002.parquet"))
    assert verified(folder) == {("doubled", "pairs/part-000002.parquet"): True}
    pairs.unlink()
    (folder / "pairs/part-000002.parquet").unlink()
    assert verified(folder) == {("missing", "pairs"): True}


def test_the_runs_of_a_sweep_are_verified(tmp_path):
    cells = [{"cell": "a", "variant": "a", "factors": {}}]
    write_description(tmp_path / "s", {"name": "s", "seeds": [1, 2], "cells": cells})
    path = written_run(tmp_path / "s/a/seed-1", until=2)
    assert verified(tmp_path / "s") == {}
    cut_short(path / "snapshots/generation-000002.parquet")
    found = verified(tmp_path / "s")
    assert found == {("damaged", "a/seed-1/snapshots/generation-000002.parquet"): True}


def test_what_is_no_folder_of_ours_is_refused_in_a_line(tmp_path, capsys):
    assert main(["verify", str(tmp_path)]) == 2
    assert "is not a run: it holds no run.json" in capsys.readouterr().err
