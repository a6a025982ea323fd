"""Rules of dots and boxes, against slow ones written apart and against pictures."""

from __future__ import annotations

import random as python_random
from dataclasses import replace
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.dots_and_boxes import DotsAndBoxes

from tournaments import TournamentError, games
from tournaments.contract.check import ContractError, check_game
from tournaments.game import Game, IllegalAction
from tournaments.games.dots_and_boxes import RULES
from tournaments.games.dots_and_boxes.rules import COLS, DRAWN, EDGES, LEFT, ROWS, make_board
from tournaments.games.dots_and_boxes.rules import action_value as value_of_edge
from tournaments.games.dots_and_boxes.rules import legal_set as edges_as_set
from tournaments.kernels.linker import kernel
from tournaments.rules import Rules

SIZES = st.one_of(st.tuples(st.integers(1, 6), st.integers(1, 6)), st.just((10, 10)))
SOME_SIZES = [(1, 1), (1, 4), (4, 1), (2, 3), (3, 3), (5, 5), (10, 10)]


@settings(max_examples=60)
@given(size=SIZES, seed=st.integers(0, 2**32))
def test_random_play_is_that_of_the_slow_rules(size, seed):
    rng = python_random.Random(seed)
    state = games.make("dots-and-boxes", rows=size[0], cols=size[1]).start()
    naive = DotsAndBoxes(*size)
    while not naive.over():
        assert (state.seat_to_move, state.is_over) == (naive.mover, False)
        assert state.legal_actions() == naive.legal()
        action = rng.choice(naive.legal())
        state.play(action)
        naive.play(action)
        assert state.scores == tuple(naive.scores)
    assert (state.seat_to_move, state.is_over, state.legal_actions()) == (-1, True, [])
    assert sum(state.scores) == size[0] * size[1]
    lead = np.sign(naive.scores[0] - naive.scores[1])
    assert state.returns() == (lead, -lead)


@pytest.mark.parametrize(("rows", "cols"), SOME_SIZES)
def test_edges_are_numbered_horizontal_ones_first_row_by_row(rows, cols):
    game = games.make("dots-and-boxes", rows=rows, cols=cols)
    assert game.num_actions == 2 * rows * cols + rows + cols
    for r in range(rows + 1):
        for c in range(cols):
            assert RULES.describe(game.board, r * cols + c) == f"h({r},{c})"
    for r in range(rows):
        for c in range(cols + 1):
            action = (rows + 1) * cols + r * (cols + 1) + c
            assert RULES.describe(game.board, action) == f"v({r},{c})"


def board(text: str, rows: int, cols: int):
    return games.make("dots-and-boxes", rows=rows, cols=cols).parse(dedent(text))


def test_an_edge_that_closes_two_boxes_scores_both_and_earns_one_more_move():
    state = board(
        """
        .-.-.
        |   |
        .-.-.

        second to move, first 0, second 0
        """,
        1,
        2,
    )
    state.play(5)
    assert (state.scores, state.is_over) == ((0, 2), True)
    assert state.returns() == (-1, 1)


def test_the_turn_stays_after_a_box_and_passes_otherwise():
    state = board(
        """
        .-. .
        | |
        . . .

        first to move, first 0, second 0
        """,
        1,
        2,
    )
    passed = state.clone()
    passed.play(1)
    assert (passed.seat_to_move, passed.scores) == (1, (0, 0))
    state.play(2)
    assert (state.seat_to_move, state.scores) == (0, (1, 0))


def test_nobody_need_complete_a_box():
    state = board(
        """
        .-. .
        | |
        . . .

        first to move, first 0, second 0
        """,
        1,
        2,
    )
    assert state.legal_actions() == [1, 2, 3, 6]


def test_a_tie_is_possible_on_an_even_board():
    state = board(
        """
        .-.-.
        | |
        .-.-.

        second to move, first 1, second 0
        """,
        1,
        2,
    )
    state.play(6)
    assert (state.scores, state.returns(), state.is_over) == ((1, 1), (0, 0), True)


def test_an_illegal_action_is_named_with_the_legal_ones_and_the_board():
    game = games.make("dots-and-boxes", rows=1, cols=1)
    state = game.start()
    state.play(0)
    before = state.clone()
    for action in (0, -1, 4, "0", None, 1.5):
        with pytest.raises(IllegalAction) as caught:
            state.play(action)
        for part in (repr(action), "[1, 2, 3]", "second to move"):
            assert part in str(caught.value)
        assert state == before
    for action in (1, 2, 3):
        state.play(action)
    with pytest.raises(IllegalAction, match="the game is over"):
        state.play(0)


def test_the_board_reads_as_a_picture():
    text = dedent(
        """\
        . .-. .
          |
        . . .-.
              |
        . . . .

        first to move, first 0, second 0"""
    )
    state = board(text, 2, 3)
    assert str(state) == text
    assert state.legal_actions() == sorted(set(range(17)) - {1, 5, 10, 16})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("first to move, first 0, second 0", "not a 1x1 board"),
        (". .\n\n. .\n", "not a 1x1 board"),
        (". .\n\n. .\n\nthird to move, first 0, second 0", "not a 1x1 board"),
        (". .\n\n. .\n\n. .\n\nfirst to move, first 0, second 0", "not a 1x1 board"),
        (". . .\n\n. .\n\nfirst to move, first 0, second 0", "not a 1x1 board"),
        (".|.\n\n. .\n\nfirst to move, first 0, second 0", "not a 1x1 board"),
        (". .\n-\n. .\n\nfirst to move, first 0, second 0", "not a 1x1 board"),
        (". .\n\n. .\n\nfirst to move, first 1, second 0", "does not fit"),
        (". .\n\n. .\n\nover, first 0, second 0", "does not fit"),
        (".-.\n| |\n.-.\n\nfirst to move, first 1, second 0", "does not fit"),
    ],
)
def test_a_picture_of_no_position_is_refused(text, complaint):
    with pytest.raises(TournamentError, match=complaint):
        board(text, 1, 1)


@pytest.mark.parametrize("value", [0, -3, 2.5, "3", True, 200])
def test_sizes_that_make_no_board_are_refused(value):
    with pytest.raises(TournamentError):
        games.make("dots-and-boxes", rows=value, cols=90)


def test_unknown_games_and_options_get_the_nearest_name():
    with pytest.raises(TournamentError, match="did you mean 'dots-and-boxes'"):
        games.make("dots-and-boxs")
    with pytest.raises(TournamentError, match="did you mean 'rows'"):
        games.make("dots-and-boxes", row=3)
    with pytest.raises(TournamentError, match="not an option"):
        games.parse("dots-and-boxes:rows")


def test_a_game_is_made_from_what_is_typed():
    game = games.parse("dots-and-boxes:rows=2,cols=5")
    assert (game.spec, game.num_actions) == ("dots-and-boxes:rows=2,cols=5", 27)
    assert games.parse("dots-and-boxes").spec == "dots-and-boxes:rows=3,cols=3"


def test_a_box_knows_its_four_edges():
    table = make_board(rows=2, cols=2)
    assert list(table[:EDGES]) == [2, 2]
    assert (table[ROWS], table[COLS], table[EDGES]) == (2, 2, 12)


# --- the contract finds broken parts of a game ---------------------------------------------------


@kernel
def greedy_encode(board, state, inputs):
    """Leaves the last input as it was."""
    for edge in range(board[EDGES] - 1):
        inputs[edge] = state[DRAWN + edge]


@kernel
def changing_encode(board, state, inputs):
    for edge in range(board[EDGES]):
        inputs[edge] = 0
    state[1] += 1


@kernel
def blind_change(board, state, action, before, inputs, changed):
    """Forgets to list what it changed."""
    inputs[action] = 1.0
    return 0


@kernel
def short_set(board, state, words):
    """Forgets the first action."""
    edges_as_set(board, state, words)
    words[0] &= words[0] - np.uint64(1)
    return state[LEFT]


@kernel
def uncounted_set(board, state, words):
    edges_as_set(board, state, words)
    return board[EDGES]


@kernel
def unchanged_set(board, state, edge, words):
    return state[LEFT]


@kernel
def greedy_value(board, state, number, edge, values, scratch):
    """Sees the boxes that are closed now, and nothing of what follows."""
    after = values[number | (1 << edge)]
    return value_of_edge(board, state, number, edge, values, scratch) - after


@kernel
def lost_position(board, state):
    return -1


PARTS = ("network", "solver", "sets")


def changed(change: dict[str, Any]) -> Rules:
    """The rules with something in place of what they say, in whichever part it stands."""
    rules = RULES
    for name, value in change.items():
        found = [part for part in PARTS if hasattr(getattr(rules, part), name)]
        for part in found:
            rules = replace(rules, **{part: replace(getattr(rules, part), **{name: value})})
        if not found:
            rules = replace(rules, **{name: value})
    return rules


@pytest.mark.parametrize(
    ("change", "law"),
    [
        ({"encode": greedy_encode}, "fill every input"),
        ({"encode": changing_encode}, "must not change"),
        ({"encode_change": blind_change}, "encode_change"),
        ({"legal_set": short_set}, r"legal_set\(\) must"),
        ({"legal_set": uncounted_set}, r"legal_set\(\) must"),
        ({"legal_set_change": unchanged_set}, r"legal_set_change\(\) must"),
        ({"action_value": greedy_value}, r"action_value\(\) must"),
        ({"position": lost_position}, "outside its table"),
        ({"seats": ("one", "one")}, "two seats"),
    ],
)
def test_a_broken_game_is_found_and_the_law_named(change, law):
    game = Game(changed(change), {"rows": 2, "cols": 2})
    with pytest.raises(ContractError, match=law):
        check_game(game, games=20, max_plies=200)
