"""Rules of cat and mouse, against slow ones written apart and against pictures."""

from __future__ import annotations

import pickle
import random as python_random
from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.cat_and_mouse import Grid, study_game
from positions import settings_of_games

from tournaments import TournamentError, games
from tournaments.game import IllegalAction
from tournaments.games.cat_and_mouse import RULES
from tournaments.games.cat_and_mouse.board import PIECES, TURNS
from tournaments.games.cat_and_mouse.rules import EMOJI, emoji
from tournaments.rules import MOST

NAME = "cat-and-mouse"

# --- against the slow rules ----------------------------------------------------------------------


@settings(max_examples=200)
@given(setting=settings_of_games(), seed=st.integers(0, 2**32))
def test_random_play_is_that_of_the_slow_rules(setting, seed):
    options, naive = setting
    rng = python_random.Random(seed)
    state = games.make(NAME, **options).start()
    while naive.winner is None:
        assert (state.seat_to_move, state.scores) == (naive.mover, (0, 0))
        assert state.legal_actions() == naive.legal()
        assert state.game.parse(str(state)) == state
        action = rng.choice(naive.legal())
        state.play(action)
        naive.play(action)
        cells = [cell for side in naive.pieces for cell in side]
        assert [*state.array[PIECES : PIECES + len(cells)]] == [
            -1 if cell is None else cell[1] * options["cols"] + cell[0] for cell in cells
        ]
    assert (state.seat_to_move, state.legal_actions()) == (-1, [])
    assert state.scores == ((1, 0), (0, 1))[naive.winner]
    assert state.array[TURNS] == sum(naive.turns_had)
    assert state.game.parse(str(state)) == state


@settings(max_examples=100)
@given(
    size=st.tuples(st.integers(2, 5), st.integers(2, 5)),
    first=st.sampled_from(["cat", "mouse"]),
    seed=st.integers(0, 2**32),
)
def test_two_policies_play_the_game_of_the_study(size, first, seed):
    """Winner, distance and the number of moves, which counts pairs of mouse and cat from 0."""
    rng = python_random.Random(seed)
    rows, cols = size
    grid = Grid(rows, cols)
    policies = [
        {(c, m): rng.choice([*grid.moves((c, m)[side])]) for c in grid.cells for m in grid.cells}
        for side in range(2)
    ]
    state = games.make(NAME, rows=rows, cols=cols, first=first).start()
    places = [(0, 0), (cols - 1, rows - 1)]
    while not state.is_over:
        seat = state.seat_to_move
        action = policies[seat][tuple(places)]
        state.play(action)
        places[seat] = grid.moves(places[seat])[action]
    apart = abs(places[0][0] - places[1][0]) + abs(places[0][1] - places[1][1])
    moves = (int(state.array[TURNS]) - (2 if first == "cat" else 1)) // 2
    winner = "cat" if state.scores[0] else "mouse"
    assert (winner, moves, apart) == study_game(rows, cols, first, *policies)


# --- pictures ------------------------------------------------------------------------------------


def board(text: str, **options):
    return games.make(NAME, **options).parse(dedent(text))


def shown(text: str) -> str:
    return dedent(text).strip("\n")


def test_the_board_reads_as_a_picture():
    text = shown(
        """
        . . . M
        # . . .
        C . # .

        mouse to move, turns 1
        seen: 1:0-3:2
        """
    )
    state = board(text, rows=3, cols=4, obstacles="2:0+0:1")
    assert str(state) == text
    assert [RULES.describe(state.game.board, action) for action in state.legal_actions()] == [
        "left",
        "down",
    ]
    assert emoji(state.game.board, state.array) == "⬜⬜⬜🐭\n🧱⬜⬜⬜\n🐱⬜🧱⬜"


def test_the_start_is_seen_and_the_placement_after_the_opening_of_the_cat_is_not():
    state = games.make(NAME, rows=2, cols=3).start()
    assert "seen: 0:0-2:1" in str(state)
    state.play(0)
    assert str(state) == shown(
        """
        . . M
        . C .

        mouse to move, turns 1
        seen: 0:0-2:1
        """
    )
    state.play(1)
    assert str(state).endswith("seen: 0:0-2:1 1:0-1:1")


def test_the_mouse_wins_when_a_placement_recurs():
    state = games.make(NAME, rows=3, cols=3, first="mouse").start()
    for action in (1, 0, 0):
        state.play(action)
    assert not state.is_over
    state.play(1)
    assert (state.is_over, state.scores, state.returns()) == (True, (0, 1), (-1, 1))
    assert "mouse wins, turns 4" in str(state)


def test_the_placement_after_the_opening_of_the_cat_may_come_once_more():
    state = games.make(NAME, rows=3, cols=3).start()
    for action in (0, 1, 0, 0, 1):  # back to where the cat's opening led, the mouse to move
        state.play(action)
    assert (state.is_over, state.seat_to_move) == (False, 1)
    state.play(1)
    assert state.scores == (0, 1)


@pytest.mark.parametrize(("mover", "action"), [("cat", 2), ("mouse", 3)])
def test_who_steps_onto_the_other_ends_the_game_for_the_cat(mover, action):
    state = board(f". M\n. C\n\n{mover} to move, turns 7", rows=2, cols=2)
    state.play(action)
    expected = ". C\n. ." if mover == "cat" else ". .\n. C"
    assert str(state) == f"{expected}\n\ncat wins, turns 8"
    assert state.returns() == (1, -1)


@pytest.mark.parametrize(("first", "plies"), [("cat", 7), ("mouse", 8)])
def test_the_mouse_wins_after_the_last_turn_of_the_cat(first, plies):
    options = {"rows": 3, "cols": 3, "first": first, "end": "move-limit", "limit": 4}
    state = games.make(NAME, **options).start()
    places = {0: [0, 1], 1: [1, 0]}
    for ply in range(plies):
        assert not state.is_over
        seat = state.seat_to_move
        state.play(places[seat][ply // 2 % 2])
    assert (state.scores, int(state.array[TURNS])) == ((0, 1), plies)


def test_by_default_the_limit_is_twice_rows_and_columns():
    state = games.make(NAME, rows=2, cols=3, first="mouse", end="move-limit").start()
    for turn in range(10):
        state.play((1, 0)[turn % 2])
        state.play((0, 1)[turn % 2])
    assert (state.is_over, state.scores) == (True, (0, 1))


def test_a_capture_in_the_last_turn_counts():
    state = board(". . .\nC M .\n\ncat to move, turns 8", rows=2, cols=3, end="move-limit", limit=5)
    state.play(0)
    assert state.scores == (1, 0)


def test_a_side_of_two_steps_makes_one_after_the_other_and_meets_whom_it_passes():
    state = board(". . . .\nC M . .\n\ncat to move, turns 2, steps 2", rows=2, cols=4, cat_steps=2)
    state.play(0)
    assert (state.scores, int(state.array[TURNS])) == ((1, 0), 3)
    state = board(". . . .\nC . M .\n\ncat to move, turns 2, steps 2", rows=2, cols=4, cat_steps=2)
    state.play(0)
    assert "cat to move, turns 2, steps 1" in str(state)
    state.play(0)
    assert state.scores == (1, 0)


def test_a_fast_side_that_comes_back_has_made_another_turn():
    """The same placement with the other to move is another one; so nobody wins by it at once."""
    state = games.make(NAME, rows=3, cols=3, first="mouse", mouse_steps=2).start()
    for action in (1, 0):
        state.play(action)
    assert (state.is_over, state.seat_to_move) == (False, 0)


def test_both_mice_must_be_caught_and_a_capture_forgets_the_placements_seen():
    text = ". . .\nC M .\n. . N\n\ncat to move, turns 4\nseen: 0:1-1:1-2:0"
    state = board(text, rows=3, cols=3, mice=2)
    state.play(0)
    assert str(state) == ". . .\n. C .\n. . N\n\nmouse to move, turns 5\nseen: 1:1-0:0-2:0"
    assert state.legal_actions() == [5, 6]
    state.play(5)
    state.play(3)
    assert str(state) == ". . .\n. . .\n. C .\n\ncat wins, turns 7\n" + str(state).splitlines()[-1]
    assert state.scores == (1, 0)


def test_a_side_moves_one_of_its_two_pieces_and_they_may_share_a_cell():
    state = games.make(NAME, rows=3, cols=3, cats=2).start()
    assert state.legal_actions() == [0, 2, 5, 6]
    assert RULES.describe(state.game.board, 6) == "second up"
    for action in (0, 1, 5):
        state.play(action)
    assert str(state).startswith(". M .\n. . .\n. B .")


def test_turns_are_counted_up_to_what_a_state_holds():
    state = board(". M\n. .\n. C\n\ncat to move, turns 31999", rows=3, cols=2)
    for _ in range(2):
        state.play(state.legal_actions()[0])
        assert int(state.array[TURNS]) == 32_000
    assert str(state).splitlines()[-2] == "cat to move, turns 32000"


def test_every_letter_has_a_picture_of_its_own():
    assert len(set(EMOJI.values())) == len(EMOJI)


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("cat to move, turns 0", "not a board of 2 rows"),
        ("C .\n. M\ncat to move, turns 0", "not a board of 2 rows"),
        ("C .\n. M\n\ndog to move, turns 0", "not a board of 2 rows"),
        ("C .\n. M\n\ncat to move, turns 99999", "not a board of 2 rows"),
        ("C .\n. .\n\ncat to move, turns 0", "does not fit the mice"),
        ("C .\n. M\n\ncat wins, turns 3", "does not fit the mice"),
        (". .\n. M\n\ncat to move, turns 0", "each cat once"),
        ("C C\n. M\n\ncat to move, turns 0", "each cat once"),
        ("C # \n. M\n\ncat to move, turns 0", "each cat once"),
        ("C D\n. M\n\ncat to move, turns 0", "each cat once"),
        ("C . M\n. M .\n\ncat to move, turns 0", "each cat once"),
        ("C .\n. M\n\ncat to move, turns 0\nseen: 0:0", "do not fit the board"),
        ("C .\n. M\n\ncat to move, turns 0\nseen: 0:0-2:0", "do not fit the board"),
        ("C .\n. M\n\ncat to move, turns 0\nseen: 9:9-9:9", "do not fit the board"),
        ("C .\n. M\n\ncat to move, turns 0\nseen: 0:0-1:1/mouse", "do not fit the board"),
        ("C .\n. M\n\ncat to move, turns 0\nand so on", "do not fit the board"),
    ],
)
def test_a_picture_of_no_position_is_refused(text, complaint):
    with pytest.raises(TournamentError, match=complaint):
        board(text, rows=2, cols=2)


def test_a_board_without_repetition_knows_no_placements_seen():
    with pytest.raises(TournamentError, match="none under end=move-limit"):
        board("C .\n. M\n\ncat to move, turns 0\nseen: 0:1-1:0", rows=2, cols=2, end="move-limit")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"rows": 1}, "rows=1 given; a value from 2 to 32 is expected"),
        ({"cols": 1}, "cols=1 given"),
        ({"rows": 33}, "from 2 to 32"),
        ({"rows": 2.0}, "rows=2.0"),
        ({"rows": True}, "rows=True"),
        ({"rows": "8"}, "rows='8'"),
        ({"cats": 3}, "cats=3 given; a value from 1 to 2"),
        ({"mice": 0}, "mice=0"),
        ({"cat_steps": 3}, "cat_steps=3"),
        ({"mouse_steps": 0}, "mouse_steps=0"),
        ({"first": "dog"}, "first='dog' given; one of cat, mouse is expected"),
        ({"first": "mause"}, "did you mean 'mouse'"),
        ({"end": "repetitions"}, "did you mean 'repetition'"),
        ({"end": 3}, "end=3 given; a text is expected"),
        ({"limit": 20}, "it takes end=move-limit"),
        ({"end": "move-limit", "limit": -1}, "limit=-1"),
        ({"end": "move-limit", "limit": 16_001}, "from 0 to 16000"),
        ({"cat_start": "0,0"}, "cells such as 0:0 or"),
        ({"cat_start": "a1"}, "cells such as 0:0 or"),
        ({"cat_start": ""}, "cells such as 0:0 or"),
        ({"obstacles": "1:1;2:2"}, "cells such as 0:0 or"),
        ({"cat_start": "7:0"}, "7:0 is not on the board, which goes to 6:7"),
        ({"mouse_start": "0:8"}, "0:8 is not on the board"),
        ({"obstacles": "3:3+9:9"}, "9:9 is not on the board"),
        ({"cat_start": "0:0+1:1"}, "one cell for each of 1 pieces is expected"),
        ({"mouse_start": "3:3", "mice": 2}, "one cell for each of 2 pieces is expected"),
        ({"obstacles": "0:0"}, "cat_start=corner given; an obstacle stands on 0:0"),
        ({"obstacles": "3:3", "mouse_start": "3:3"}, "an obstacle stands on 3:3"),
        ({"cat_start": "6:7"}, "must start apart"),
        ({"obstacles": "0:1+1:0"}, "every piece must be able to reach the others"),
        ({"obstacles": "6:6+5:7"}, "every piece must be able to reach the others"),
        ({"cats": 2, "obstacles": "6:1+5:0"}, "every piece must be able to reach the others"),
        ({"row": 5}, "did you mean 'rows'"),
    ],
)
def test_options_that_make_no_game_are_refused(options, complaint):
    with pytest.raises(TournamentError, match=complaint):
        games.make(NAME, **options)


FOUR = {"cats": 2, "mice": 2}


def test_the_largest_boards_of_each_end_rule_are_taken():
    for rows, cols, others in ((26, 26, {}), (22, 22, {"cat_steps": 2}), (2, 13, FOUR)):
        assert games.make(NAME, rows=rows, cols=cols, **others).state_size <= MOST
        with pytest.raises(TournamentError, match="or end=move-limit, which keeps none"):
            games.make(NAME, rows=rows, cols=cols + 1, **others)
    assert games.make(NAME, rows=32, cols=32, end="move-limit").state_size == PIECES + 2


def test_an_illegal_action_is_named_with_the_legal_ones_and_the_board():
    state = games.make(NAME, rows=2, cols=2).start()
    before = state.clone()
    for action in (1, 3, -1, 4, "0", None):
        with pytest.raises(IllegalAction) as caught:
            state.play(action)
        for part in (repr(action), "[0, 2]", "cat to move"):
            assert part in str(caught.value)
        assert state == before


def test_a_game_is_made_from_what_is_typed_and_travels():
    game = games.parse("cat-and-mouse:rows=5,cols=6,first=mouse,obstacles=2:3+4:4,cat_start=1:0")
    assert (game.seats, game.num_actions) == (("cat", "mouse"), 4)
    assert game.start().seat_to_move == 1
    assert pickle.loads(pickle.dumps(game)) == game
    assert games.parse(game.spec).spec == game.spec
    assert np.array_equal(games.parse(game.spec).board, game.board)
