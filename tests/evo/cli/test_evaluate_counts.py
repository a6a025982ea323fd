"""``evo evaluate --counts``: a file of what opponents did, by which a player begins."""

from __future__ import annotations

import json

import pytest

from evo.cli.main import main
from tournaments import games, players


def test_players_and_records_are_counted_and_a_reader_begins_by_them(tmp_path, capsys):
    record, file = tmp_path / "game.json", tmp_path / "counts.json"
    rows = [{"seat": "first", "action": 1}] * 9
    content = {"game": "karate:rounds=9", "players": ["you", "markov"], "moves": rows}
    record.write_text(json.dumps(content))
    sources = ["--opponents", "cycle:moves=kick+punch", str(record), "--games", "2"]
    assert main(["evaluate", "karate:rounds=6", "--counts", str(file), *sources]) == 0 == 0
    assert f"{file}: 21 moves of 3 games" in capsys.readouterr().out
    held = json.loads(file.read_text())
    assert held["counts"][0] == [2 * 3, 2 * 3 + 9, 0, 0]
    game = games.make("karate")
    learnt = players.make(f"markov:counts={file}", game).parameters.learnt
    assert learnt[:4].tolist() == pytest.approx([4 * (n + 0.25) / 22 for n in (6, 15, 0, 0)])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nim", "counts.json", "random"], "nim is no repeated game"),
        (["karate", "counts.npy", "random"], "a name that ends in .json"),
        (["karate", "counts.json", "no.json"], "no.json given"),
    ],
)
def test_what_cannot_be_counted_is_refused_in_one_line(
    arguments, words, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    game, file, opponent = arguments
    assert main(["evaluate", game, "--counts", file, "--opponents", opponent]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not (tmp_path / "counts.json").exists()
