"""Functions and objects of a user in tournaments and evaluations."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import evo
from tournaments.errors import ConfigError, PlayerFault, TournamentError

GAME = "tic-tac-toe"


def by_order(order, state, rng):
    return min(state.legal_actions(), key=lambda action: order[action])


up, down = (partial(by_order, order) for order in (np.arange(9), -np.arange(9)))


class Drawing:
    def choose(self, state, rng):
        return rng.choice(state.legal_actions())


def test_a_tournament_takes_functions_and_objects_and_goes_on_where_it_stopped(tmp_path):
    players = [up, down, Drawing()]
    table = evo.tournament(GAME, players, games=4, out=tmp_path / "t", threads=1)
    assert table.names == ["by_order", "by_order-2", "Drawing"]
    assert table.games.sum() == 2 * (2 + 4 + 4)  # the first two play without randomness
    again = evo.tournament(GAME, players, games=4, out=tmp_path / "t", threads=1)
    np.testing.assert_array_equal(again.counts, table.counts)
    with pytest.raises(ConfigError, match="'by_order' is no longer the player that it was"):
        evo.tournament(GAME, [down, up, Drawing], games=4, out=tmp_path / "t", threads=1)


def test_what_is_given_by_its_name_is_given_once():
    with pytest.raises(ConfigError, match="player 'random' given twice"):
        evo.tournament(GAME, ["random", "random", up], games=2)


def test_a_run_is_evaluated_against_functions(tmp_path):
    run = evo.run(
        tmp_path / "run",
        {"scheme": "round-robin"},
        game="dots-and-boxes:rows=1,cols=1",
        population=3,
        generations=0,
        threads=1,
    )

    def greedy(state, rng):
        return state.legal_actions()[0]

    rows = evo.evaluate(run.path, [greedy, Drawing()], games=4, threads=1)
    names = rows["opponent"].unique()
    assert [name.partition("@")[0] for name in names] == ["greedy", "Drawing"]
    assert rows["games"].tolist() == [4] * 6

    def broken(state, rng):
        raise OSError("no network")

    where = r"dots-and-boxes:rows=1,cols=1\)"
    with pytest.raises(PlayerFault, match=f"'broken' raised OSError: no network .*seed.*{where}"):
        evo.evaluate(run.path, [broken], games=2, threads=1, faults="abort")


def test_a_player_is_made_for_a_game_as_typed():
    assert evo.player("random", "nim:heaps=1-2").name == "random"
    with pytest.raises(TournamentError, match="unknown game 'nom'"):
        evo.player("random", "nom")
