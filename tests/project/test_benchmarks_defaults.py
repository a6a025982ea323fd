"""The table of default runs: what is reached is measured in the right seats and games."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from benchmarks import defaults
from benchmarks.defaults import BARS, Bar, bar_row
from tournaments import games, players


def test_every_game_has_a_bar_that_its_players_can_be_measured_by():
    assert {bar.game.partition(":")[0] for bar in BARS} == {*games.names()}
    for bar in BARS:
        for spec in bar.played or (bar.game,):
            game = games.parse(spec)
            assert bar.seat in ("", *game.seats)
            if bar.measure != "rank":
                players.make(bar.opponent, game)


def test_a_row_is_that_of_the_median_run():
    bar = Bar("nim", "won", "random", 0.75)
    row = bar_row(bar, [(0.9, 0.88, 0.75), (0.7, 0.68, 0.75), (0.8, 0.78, 0.75)], 12.0)
    assert row == "| nim |  | random | won | 75.0% | 80.0% | 78.0% | yes | 12 |"
    rank = Bar("nim", "rank", "the classics", 4)
    assert "| 4.0 | 5.0 | 5.0 | no |" in bar_row(rank, [(5, 5, 4)], 1.0)


def test_games_count_in_the_seats_that_are_named():
    first = players.make("optimal", games.make("nim"))
    won = defaults._games(first, "nim", Bar("nim", "won", "optimal", 0.5, "first"), 20)
    assert won.tolist() == [True] * 20  # perfect play wins nim from the first seat
    both = defaults._games(first, "nim", Bar("nim", "points", "optimal", 0.5), 20)
    assert np.sort(both).tolist() == [0.0] * 10 + [1.0] * 10


@pytest.mark.slow
def test_a_quick_table_has_a_row_a_bar(monkeypatch, capsys):
    dilemma = "iterated-prisoners-dilemma"
    monkeypatch.setattr(sys, "argv", ["defaults", "--quick", "--only", dilemma])
    defaults.main()
    _, _, *rows = capsys.readouterr().out.splitlines()
    assert [row.split(" | ")[0] for row in rows] == [f"| {dilemma}", f"| {dilemma}:noise=0.05"]


@pytest.mark.slow
def test_the_dilemma_breeds_a_player_of_the_upper_third(monkeypatch, capsys):
    dilemma = "iterated-prisoners-dilemma"
    monkeypatch.setattr(sys, "argv", ["defaults", "--seeds", "1", "--only", dilemma])
    defaults.main()
    _, _, *rows = capsys.readouterr().out.splitlines()
    assert all("| yes |" in row for row in rows)
