"""Kernels of one cat and one mouse play as those of any number of pieces do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments import games
from tournaments.games.cat_and_mouse import RULES
from tournaments.games.cat_and_mouse import players as heuristics
from tournaments.games.cat_and_mouse.board import A_ROW, COLS, DUEL, TABLE, draw_direction, place_of
from tournaments.kernels.linker import build
from tournaments.kernels.rng import Stream, mix

NAME = "cat-and-mouse"
CHOICES = [
    build(choose, {"legal": RULES.legal}, compiled=False)
    for choose in (heuristics.choose_greedy, heuristics.choose_careful)
]


@pytest.mark.parametrize("cols", range(2, 33))
def test_a_cell_is_divided_by_the_columns_exactly(cols):
    board = np.zeros(TABLE, dtype=np.int16)
    board[[COLS, A_ROW]] = games.make(NAME, rows=2, cols=cols).board[[COLS, A_ROW]]
    cells = np.arange(32 * cols)
    x, y = place_of(board, cells)
    assert (x.tolist(), y.tolist()) == ((cells % cols).tolist(), (cells // cols).tolist())


@given(st.sets(st.integers(0, 3), min_size=1), st.integers(0, 2**32))
def test_one_of_a_set_of_directions_is_drawn_as_from_their_list(directions, seed):
    board = games.make(NAME).board
    bits = sum(1 << direction for direction in directions)
    with np.errstate(over="ignore"):
        chosen = draw_direction(board, bits, Stream(seed).state)
    assert chosen == Stream(seed).choice(sorted(directions))


@pytest.mark.parametrize(
    "options",
    [
        {"rows": 4, "cols": 5},
        {"rows": 5, "cols": 4, "first": "mouse", "end": "move-limit", "limit": 7},
        {"rows": 4, "cols": 4, "obstacles": "1:1+3:2", "first": "mouse"},
        {"rows": 4, "cols": 4, "cat_start": "any", "mouse_start": "any"},
    ],
)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_a_duel_is_played_as_any_game(options, seed):
    """On a board that denies that it is one, the other kernels play."""
    board = games.make(NAME, **options).board
    assert board[DUEL] == 1
    other = board.copy()
    other[DUEL] = 0
    state, also = (np.zeros(games.make(NAME, **options).state_size, np.int16) for _ in range(2))
    actions, others = np.zeros(4, np.int16), np.zeros(4, np.int16)
    memory = heuristics.memory(games.make(NAME, **options), None)
    moves = Stream(seed)
    with np.errstate(over="ignore"):
        RULES.start(board, state, mix(np.uint64(seed)))
        RULES.start(other, also, mix(np.uint64(seed)))
        while state[0] >= 0:
            assert state.tolist() == also.tolist()
            count = RULES.legal(board, state, actions)
            assert count == RULES.legal(other, also, others)
            assert actions[:count].tolist() == others[:count].tolist()
            for choose in CHOICES:
                streams = Stream(seed).state, Stream(seed).state
                chosen = choose(board, state, None, 0, memory, streams[0])
                assert chosen == choose(other, also, None, 0, memory, streams[1])
            action = moves.choice(actions[:count].tolist())
            RULES.play(board, state, action)
            RULES.play(other, also, action)
    assert state.tolist() == also.tolist()
    assert RULES.measure(board, state) == RULES.measure(other, also)
