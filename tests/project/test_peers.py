"""The rules against those of OpenSpiel, move for move (the ``peers`` extra)."""

from __future__ import annotations

import random as python_random

import pytest

from tournaments import games

pytestmark = pytest.mark.peers


@pytest.mark.parametrize(
    ("rows", "cols"), [(1, 1), (1, 2), (2, 1), (2, 2), (2, 5), (3, 3), (4, 3), (5, 5)]
)
def test_dots_and_boxes_is_that_of_openspiel(rows, cols):
    pyspiel = pytest.importorskip("pyspiel")
    game = games.make("dots-and-boxes", rows=rows, cols=cols)
    peer_game = pyspiel.load_game(f"dots_and_boxes(num_rows={rows},num_cols={cols})")
    assert peer_game.num_distinct_actions() == game.num_actions
    rng = python_random.Random(rows * 10 + cols)
    for _ in range(60):
        state, peer = game.start(), peer_game.new_initial_state()
        while not peer.is_terminal():
            assert state.legal_actions() == peer.legal_actions()
            assert state.seat_to_move == peer.current_player()
            action = rng.choice(peer.legal_actions())
            state.play(action)
            peer.apply_action(action)
        assert state.is_over
        assert state.returns() == tuple(peer.returns())
