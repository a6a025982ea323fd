"""``evo check-game``: what it prints of a game that keeps the laws, and of one that does not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import games_with_mistakes as squares
import pytest

from evo.cli.main import main
from tournaments import games
from tournaments.game import Game
from tournaments.kernels.linker import interpreted


@interpreted
def play_plainly(board, state, action):
    squares.play(board, state, action)


@pytest.fixture
def given(monkeypatch):
    """Makes a game the one that is named on the command line."""

    def name(rules):
        monkeypatch.setattr(games, "parse", lambda spec: Game(rules, {}))

    return name


def test_a_file_that_never_comes_to_its_end_is_told_with_its_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("endless.py").write_text("import math\n\nwhile True:\n    pass\n")
    assert main(["check-game", "./endless.py", "--seconds", "0.01"]) == 1
    law = "its file, or board(), must return, and has not within 0.12 seconds (it is at endless.py"
    assert f"evo: ./endless.py breaks the contract: {law}" in capsys.readouterr().err


def test_a_game_that_keeps_the_laws_is_described(given, capsys):
    given(replace(squares.RULES, play=play_plainly))
    assert main(["check-game", "row-of-squares", "--games", "3"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("row-of-squares keeps the contract: 3 games at random of 5 to 5 ")
    assert said.err.splitlines()[1] == "game 1 of 3 at random"
    assert main(["check-game", "row-of-squares", "--games", "3", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["games"], row["turns_first"], row["turns_second"]) == (3, 9, 6)
    assert (row["branching_mean"], row["branching_most"]) == (3, 5)


def test_a_broken_law_is_a_line_and_the_position(given, capsys):
    given(replace(squares.RULES, play=squares.play_nothing))
    assert main(["check-game", "row-of-squares"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    law, position = said.err.splitlines()[-2:]
    assert law.startswith(
        "evo: row-of-squares breaks the contract: play() must change the position"
    )
    assert "at ply 0 of game 1" in law
    assert position == "0 0 0 0 0 0 0 0"


def test_what_is_no_game_is_refused(capsys):
    assert main(["check-game", "tic-tac-tow"]) == 2
    assert "did you mean 'tic-tac-toe'" in capsys.readouterr().err
    assert main(["check-game", "tic-tac-toe", "--games", "0"]) == 2
    assert capsys.readouterr().err == "evo: --games 0 given; 1 or more is expected\n"
    assert main(["check-game", "tic-tac-toe", "--seconds", "0"]) == 2
    assert "--seconds 0 given; a number above 0 " in capsys.readouterr().err
