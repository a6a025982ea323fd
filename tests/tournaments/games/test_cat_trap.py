"""The cat trap: rules against slow ones, boards as pictures, blocks at the start, exact play."""

from __future__ import annotations

import random as python_random
from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.cat_trap import CatTrap, Tile, winner_of

from tournaments import TournamentError, games
from tournaments.game import State
from tournaments.games.cat_trap.board import BLOCKED, CAT, DIRECTIONS
from tournaments.solver.retrograde import solution


def tile_of(state: State, number: int) -> Tile:
    y, x = divmod(int(number), state.game.options["size"])
    return x, y


def blocked_of(state: State) -> frozenset[Tile]:
    return frozenset(tile_of(state, tile) for tile in np.flatnonzero(state.array[BLOCKED:]))


def move_of(state: State, action: int) -> Tile:
    """The tile that an action steps to, or blocks."""
    after = state.clone()
    after.play(action)
    if state.seat_to_move == 0:
        return tile_of(state, after.array[CAT])
    (tile,) = blocked_of(after) - blocked_of(state)
    return tile


@settings(max_examples=40)
@given(size=st.sampled_from([3, 5, 7, 9]), seed=st.integers(0, 2**32))
@pytest.mark.slow
def test_random_play_is_that_of_the_slow_rules(size, seed):
    rng = python_random.Random(seed)
    state = games.make("cat-trap", size=size).start(seed)
    naive = CatTrap(size, blocked_of(state))
    while not naive.winner:
        assert (state.is_over, state.seat_to_move) == (False, int(naive.mover == "blocker"))
        by_tile = {move_of(state, action): action for action in state.legal_actions()}
        assert set(by_tile) == naive.moves()
        tile = rng.choice(sorted(by_tile))
        state.play(by_tile[tile])
        naive = naive.after(tile)
        assert tile_of(state, state.array[CAT]) == naive.cat
    assert state.scores == ((1, 0) if naive.winner == "cat" else (0, 1))


def test_directions_lead_where_they_say():
    game = games.make("cat-trap", size=5, blocks="none")
    for number, name in enumerate(DIRECTIONS):
        state = game.start()
        state.play(6)  # a corner is blocked
        state.play(number)
        across, down = np.subtract(tile_of(state, state.array[CAT]), (2, 2))
        assert {"up": -1, "down": 1}.get(name.partition("-")[0], 0) == down
        assert (across > 0 or (down and across == 0)) == name.endswith("right")


@settings(max_examples=50)
@given(size=st.sampled_from([3, 5, 7, 11]), seed=st.integers(0, 2**63))
def test_between_a_fifteenth_and_an_eighth_of_the_tiles_are_blocked_at_the_start(size, seed):
    state = games.make("cat-trap", size=size).start(seed)
    count = len(blocked_of(state))
    assert round(0.067 * size**2) <= count <= round(0.13 * size**2)
    assert (size // 2, size // 2) not in blocked_of(state)
    assert not state.is_over


def test_every_number_of_blocks_and_every_tile_comes_up_as_often():
    """By 4,000 starts of 7x7: 3 to 6 blocks evenly, and 48 tiles; within 4.5 s.d."""
    game = games.make("cat-trap")
    starts = np.array([game.start(seed).array[BLOCKED:] for seed in range(4000)])
    counts = np.bincount(starts.sum(axis=1), minlength=7)[3:]
    assert len(counts) == 4
    assert np.abs(counts - 1000).max() < 4.5 * np.sqrt(4000 * 0.25 * 0.75)
    tiles = np.delete(starts.sum(axis=0), 24)
    expected = starts.sum() / 48
    assert np.abs(tiles - expected).max() < 4.5 * np.sqrt(expected)


def test_blocks_may_be_given_by_columns_and_rows():
    state = games.make("cat-trap", size=5, blocks="1:0+4:3").start()
    assert str(state) == dedent(
        """\
        . # . . .
         . . . . .
        . . C . .
         . . . . #
        . . . . .

        blocker to move"""
    )
    assert blocked_of(state) == {(1, 0), (4, 3)}


@pytest.mark.parametrize(
    "blocks",
    [
        "0:0+2:0+4:1+0:2+1:2+4:3+1:4+3:4+0:1+2:4+3:0",
        "1:1+3:2+1:3+0:1+4:1+2:4+4:4+0:3+1:0+3:0+1:4",
        "1:2+1:1+0:4+4:0+3:3+2:4+3:0+4:2+0:2+1:0+3:4+4:1",
    ],
)
def test_small_boards_are_won_by_whom_plain_recursion_names(blocks):
    game = games.make("cat-trap", size=5, blocks=blocks)
    lead = int(solution(game).leads[0])
    expected = winner_of(5, blocked_of(game.start()))
    assert {1: "cat", -1: "blocker"}[lead] == expected


def test_on_three_by_three_the_cat_is_out_at_once():
    assert solution(games.parse("cat-trap:size=3,blocks=none")).leads[0] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 4}, "size=4 given; an odd number from 3 to 15"),
        ({"size": 17}, "size=17 given"),
        ({"blocks": "3:3"}, "the cat stands on the middle tile"),
        ({"blocks": "0:7"}, "'0:7' is no tile: random, none, or tiles such as"),
        ({"blocks": "few"}, "'few' is no tile"),
        ({"size": 3, "blocks": "1:0+0:1+2:1+1:2+0:0+2:0+0:2+2:2"}, "would be trapped at the start"),
    ],
)
def test_a_board_that_cannot_be_is_refused(options, message):
    with pytest.raises(TournamentError, match=message):
        games.make("cat-trap", **options)


@pytest.mark.parametrize(
    "change",
    [("C", "."), (".", "?"), ("blocker to", "cat escapes to"), ("blocker to move", "cat escaped")],
)
def test_a_picture_that_is_no_position_is_refused(change):
    game = games.make("cat-trap")
    state = game.start(1)
    assert game.parse(str(state)) == state
    with pytest.raises(TournamentError, match="not a position of this board"):
        game.parse(str(state).replace(*change))


def test_an_edit_moves_the_cat():
    game = games.make("cat-trap", size=5, blocks="1:1")
    array = game.rules.edit(game.board, game.start(1).array.copy(), "cat=1:1 3:3")
    assert array[CAT] == 6
    assert array[BLOCKED + 6] == 0  # the cat's tile is free
    assert array[BLOCKED + 18] == 1
    assert array[:3].tolist() == [1, 0, 0]
    assert game.rules.edit(game.board, array.copy(), "cat=0:2")[:3].tolist() == [-1, 1, 0]
    for words in ("cat=1:1", "cat=5:0", "cat=", "cat"):
        with pytest.raises(TournamentError, match="cat=2:3 for the cat, are expected"):
            game.rules.edit(game.board, array.copy(), words)
