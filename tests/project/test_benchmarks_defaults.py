"""The table of learners and schemes: what goes together is run, and its means are right."""

from __future__ import annotations

import pytest

from benchmarks.defaults import Found, opponents_of, row, runs_of
from tournaments import games


def test_a_row_has_the_means_of_its_runs():
    game = games.make("nim")
    assert opponents_of(game) == ["random", "mcts:playouts=50", "optimal"]
    shares = [
        {"random": (0.5, 0.4), "mcts:playouts=50": (0.25, 0.0), "optimal": (0.0, 0.0)},
        {"random": (0.7, 0.6), "mcts:playouts=50": (0.75, 0.5), "optimal": (0.1, 0.0)},
    ]
    runs = [Found(100, seed + 1.0, each) for seed, each in enumerate(shares)]
    line = row(game, "genetic, direct", runs)
    assert line == "| genetic, direct | 60.0% (50.0%) | 50.0% (25.0%) | 5.0% (0.0%) | 1.5 |"


def test_who_looks_ahead_does_not_meet_what_hides():
    assert opponents_of(games.make("karate")) == ["random", "markov"]


@pytest.mark.slow
def test_a_way_that_does_not_go_with_a_game_is_left_out_and_others_are_measured():
    game = games.parse("cat-and-mouse:rows=2,cols=3,end=move-limit")
    assert not list(runs_of(game, "openai-es, direct", 200, 1, 4))
    (run,) = runs_of(game, "genetic, direct", 200, 1, 4)
    assert run.games >= 200
    assert set(run.shares) == {"random", "mcts:playouts=50", "optimal"}
