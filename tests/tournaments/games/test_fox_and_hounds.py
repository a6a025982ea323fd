"""Fox and hounds: rules against slow ones, boards as pictures, random and perfect play."""

from __future__ import annotations

import random as python_random
from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.fox_and_hounds import FoxAndHounds, Square

from cluster import Entrants, LocalEvaluator
from cluster.evaluator import all_outcomes
from evo.play.person import action_named
from tournaments import TournamentError, games, players
from tournaments.game import Game, State
from tournaments.games.fox_and_hounds.board import FOX, HOUNDS
from tournaments.schedules.base import Listed, Matches

BOARDS = st.tuples(
    st.integers(4, 9), st.sampled_from([4, 6, 8, 10]), st.sampled_from(["easier", "standard"])
)


def make(rows: int = 8, cols: int = 8, rule: str = "easier") -> Game:
    return games.make("fox-and-hounds", rows=rows, cols=cols, rule=rule)


def square_of(game: Game, number: int) -> Square:
    """A dark square by its number, as the slow rules have it."""
    row, col = divmod(int(number), game.options["cols"] // 2)
    return 2 * col + row % 2, row


def moved(before: State, action: int) -> tuple[Square | None, Square]:
    """From where to where an action leads."""
    after = before.clone()
    after.play(action)
    fox = [int(state.array[FOX]) for state in (before, after)]
    if fox[0] != fox[1]:
        here = None if fox[0] < 0 else square_of(before.game, fox[0])
        return here, square_of(before.game, fox[1])
    old, new = (set(state.array[HOUNDS:].tolist()) for state in (before, after))
    ((left,), (reached,)) = old - new, new - old
    return square_of(before.game, left), square_of(before.game, reached)


@settings(max_examples=60)
@given(board=BOARDS, seed=st.integers(0, 2**32))
def test_random_play_is_that_of_the_slow_rules(board, seed):
    rng = python_random.Random(seed)
    game, naive = make(*board), FoxAndHounds(*board)
    state = game.start()
    while not naive.winner:
        assert (state.is_over, state.seat_to_move) == (False, int(naive.mover == "hounds"))
        by_move = {moved(state, action): action for action in state.legal_actions()}
        assert sorted(by_move, key=str) == sorted(naive.moves(), key=str)
        move = rng.choice(sorted(naive.moves(), key=str))
        state.play(by_move[move])
        naive.play(move)
        assert list(state.array[HOUNDS:]) == sorted(state.array[HOUNDS:])
    assert state.scores == ((1, 0) if naive.winner == "fox" else (0, 1))
    assert (state.is_over, state.legal_actions()) == (True, [])


def board(text: str, **options) -> State:
    return games.make("fox-and-hounds", **options).parse(dedent(text))


def test_the_fox_chooses_its_square_and_then_makes_the_first_step():
    state = make(4, 4).start()
    names = [state.game.rules.describe(state.game.board, at) for at in state.legal_actions()]
    assert (state.seat_to_move, names) == (0, ["begin at 1", "begin at 2"])
    state.play(state.legal_actions()[1])
    assert str(state) == dedent(
        """\
        _ 1 _ 2
        . _ . _
        _ . _ .
        . _ F _

        fox to move"""
    )
    assert state.game.parse(str(state).replace("1", "h").replace("2", "h")) == state


def test_hounds_have_the_numbers_that_name_their_steps():
    text = "_ . _ .\n2 _ . _\n_ . _ .\nF _ 1 _\n\nhounds to move"
    state = board(text, rows=4, cols=4)
    assert str(state) == text
    state.play(action_named(state, "hound 2 down-r"))
    assert str(state).startswith("_ . _ .\n. _ . _\n_ 2 _ .\nF _ 1 _\n")
    assert state.game.rules.emoji(state.game.board, state.array).split("\n")[2] == "⬜\uff12⬜🟫"


def test_a_fox_beside_the_last_hound_has_won_under_the_easier_rule_alone():
    position = """\
        _ . _ .
        F _ . _
        _ h _ .
        . _ h _

        fox to move"""
    standard = board(position, rows=4, cols=4, rule="standard")
    (up,) = [action for action in standard.legal_actions() if action >= 2]
    standard.play(up)
    assert standard.scores == (1, 0)
    level = """\
        _ . _ .
        . _ h _
        _ F _ h
        . _ . _

        fox to move"""
    for rule, is_over in (("easier", True), ("standard", False)):
        state = board(level, rows=4, cols=4, rule=rule)
        state.play(2)
        assert (state.is_over, str(state).endswith("fox won")) == (is_over, is_over)


def test_who_cannot_move_has_lost():
    surrounded = board(
        """\
        _ . _ .
        h _ . _
        _ . _ .
        F _ h _

        hounds to move""",
        rows=4,
        cols=4,
    )
    surrounded.play(surrounded.legal_actions()[0])
    assert str(surrounded).endswith("hounds won")
    assert surrounded.returns() == (-1, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": 3}, "rows=3 given; a value from 4 to 16"),
        ({"cols": 7}, "cols=7 given; an even number from 4 to 16 is expected"),
        ({"cols": 18}, "cols=18 given"),
        ({"rows": 8.0}, r"rows=8\.0 given"),
        ({"rule": "easy"}, "did you mean 'easier'"),
    ],
)
def test_a_board_that_cannot_be_is_refused(options, message):
    with pytest.raises(TournamentError, match=message):
        games.make("fox-and-hounds", **options)


@pytest.mark.parametrize("broken", ["F", "1", "to move", "_ . _"])
def test_a_picture_that_is_no_position_is_refused(broken):
    game = make(4, 4)
    state = game.start()
    state.play(state.legal_actions()[0])
    assert game.parse(str(state)) == state
    with pytest.raises(TournamentError, match="not a position of this board"):
        game.parse(str(state).replace(broken, "?", 1))
    with pytest.raises(TournamentError, match="not a position of this board"):
        game.parse(str(state).replace("\n\n", "\nx\n"))


@pytest.mark.parametrize(("rule", "published"), [("easier", 0.911), ("standard", 0.904)])
def test_a_random_fox_wins_nine_games_in_ten_against_random_hounds(rule, published):
    """As the exact rules of the study give; 4.5 s.d. of 20,000 games on either side."""
    game = make(rule=rule)
    panel = (players.make("random", game),)
    matches = Matches(Listed(np.full((20_000, 2), -1, dtype=np.int32)), 1, "test", games=1)
    outcomes = all_outcomes(LocalEvaluator(1), Entrants(game, panel), matches)
    won = (outcomes[:, 0, 0] > outcomes[:, 0, 1]).mean()
    assert abs(won - published) < 4.5 * np.sqrt(published * (1 - published) / 20_000) + 0.0005
