"""The players that play every game: greedy, alpha-beta, mcts, and perfect play by positions."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import choices

from cluster import Entrants, LocalEvaluator
from cluster.evaluator import all_outcomes
from tournaments import TournamentError, games, players
from tournaments.contract import check_player
from tournaments.contract.player import registered_players
from tournaments.game import Game, State
from tournaments.kernels.arithmetic import log
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import Stream
from tournaments.player import identity
from tournaments.schedules.base import Listed, Matches

GAMES = [
    "tic-tac-toe",
    "nim",
    "connect-four:rows=4,cols=4",
    "fox-and-hounds:rows=5,cols=4",
    "dots-and-boxes:rows=2,cols=2",
    "cat-and-mouse:rows=3,cols=4",
]
SOME = st.sampled_from(GAMES)
NAMES = ["greedy", "alpha-beta:depth=3", "mcts:playouts=20", "optimal"]


def position(spec: str, plies: int, seed: int) -> State:
    """A position of a game at random, in which somebody is to move."""
    state, stream = games.parse(spec).start(seed), Stream(seed)
    for _ in range(plies):
        after = state.clone()
        after.play(stream.choice(state.legal_actions()))
        if after.is_over:
            break
        state = after
    return state


def lead(state: State) -> int:
    return state.scores[0] - state.scores[1]


def best_lead(state: State, depth: int) -> int:
    """By plain recursion: the lead of seat 0 so many actions later, both playing for it."""
    if state.is_over or depth == 0:
        return lead(state)
    leads = []
    for action in state.legal_actions():
        after = state.clone()
        after.play(action)
        leads.append(best_lead(after, depth - 1))
    return max(leads) if state.seat_to_move == 0 else min(leads)


def best_actions(state: State, depth: int) -> list[int]:
    sign = 1 if state.seat_to_move == 0 else -1
    worth = {}
    for action in state.legal_actions():
        after = state.clone()
        after.play(action)
        worth[action] = sign * best_lead(after, depth - 1)
    return [action for action, gain in worth.items() if gain == max(worth.values())]


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["tic-tac-toe", *GAMES[1:4]])
@pytest.mark.parametrize("name", NAMES)
def test_the_contract_of_players_holds(spec, name):
    game = games.parse(spec)
    check_player(players.make(name, game), game, games=2)


@settings(max_examples=60)
@given(spec=SOME, plies=st.integers(0, 12), seed=st.integers(0, 10**6), depth=st.integers(1, 4))
def test_alpha_beta_draws_among_what_plain_search_finds_best(spec, plies, seed, depth):
    state = position(spec, plies, seed)
    player = players.make(f"alpha-beta:depth={depth}", state.game)
    chosen = set(np.flatnonzero(choices(player, state, 25, seed)).tolist())
    assert chosen <= set(best_actions(state, depth))


def test_actions_that_are_equal_are_all_drawn():
    state = games.parse("tic-tac-toe").start()
    player = players.make("alpha-beta:depth=2", state.game)
    assert set(np.flatnonzero(choices(player, state, 150))) == set(range(9))


@settings(max_examples=40)
@given(spec=SOME, plies=st.integers(0, 12), seed=st.integers(0, 10**6))
def test_greedy_wins_where_it_can_and_else_takes_most(spec, plies, seed):
    state = position(spec, plies, seed)
    if state.game.name == "cat-and-mouse":
        return  # has a greedy player of its own
    sign, worth = 1 if state.seat_to_move == 0 else -1, {}
    for action in state.legal_actions():
        after = state.clone()
        after.play(action)
        gain = sign * lead(after)
        worth[action] = gain + (np.sign(gain) * 1000 if after.is_over else 0)
    best = {action for action, gain in worth.items() if gain == max(worth.values())}
    player = players.make("greedy", state.game)
    assert set(np.flatnonzero(choices(player, state, 20, seed)).tolist()) <= best


def test_tree_search_takes_a_win_and_stops_one():
    game = games.parse("tic-tac-toe")
    player = players.make("mcts:playouts=400", game)
    win = game.parse("X X .\nO O .\n. . .\n\ncross to move")
    stop = game.parse("X X .\nO . .\n. . .\n\nnought to move")
    for state in (win, stop):
        assert {player.choose(state, Stream(seed)) for seed in range(10)} == {2}


def played(game: Game, a: str, b: str, matches: int) -> np.ndarray:
    """What the first made of each game, +1, 0 or -1."""
    panel = tuple(players.make(name, game) for name in (a, b))
    many = Matches(Listed(np.tile(np.array([[-1, -2]], dtype=np.int32), (matches, 1))), 1, "test")
    outcomes = all_outcomes(LocalEvaluator(1), Entrants(game, panel), many)
    leads = np.sign(outcomes[:, :, 0] - outcomes[:, :, 1])
    return leads * np.array([1, -1])


@pytest.mark.slow
def test_more_playouts_play_better():
    """300 games of 40 playouts against 4; better than even by 6 standard errors."""
    results = played(games.parse("connect-four"), "mcts:playouts=40", "mcts:playouts=4", 150)
    assert results.mean() > 6 / np.sqrt(results.size)


SEARCHERS = ["alpha-beta:depth=4", "mcts:playouts=50"]


@pytest.mark.parametrize(
    "other",
    ["random", "greedy", *(pytest.param(each, marks=pytest.mark.slow) for each in SEARCHERS)],
)
def test_perfect_play_loses_no_drawn_game(other):
    results = played(games.parse("tic-tac-toe"), "optimal", other, 60)
    assert results.min() == 0


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("alpha-beta:depth=0", "depth=0 given; 1 to 60"),
        ("alpha-beta:deep=2", "did you mean 'depth'"),
        ("mcts:playouts=0", "playouts=0 given; 1 to 100,000"),
        ("mcts:exploration=-1", "exploration=-1 given"),
    ],
)
def test_options_that_cannot_be_are_refused(spec, message):
    with pytest.raises(TournamentError, match=message):
        players.make(spec, games.parse("tic-tac-toe"))


@kernel
def logarithms(numbers, results):
    """The logarithm of each number."""
    for place in range(numbers.size):
        results[place] = log(numbers[place])


def test_the_logarithm_is_that_of_the_library_to_the_last_places():
    numbers = np.concatenate([np.arange(1.0, 5000.0), np.geomspace(1e-300, 1e300, 4001)])
    results = np.zeros_like(numbers)
    build(logarithms)(numbers, results)
    expected = np.array([math.log(number) for number in numbers])
    np.testing.assert_allclose(results, expected, rtol=1e-15, atol=1e-16)
    assert [log(number) for number in numbers[:50]] == results[:50].tolist()


@pytest.mark.parametrize("name", games.names())
def test_players_travel_to_other_processes(name):
    game = games.make(name)
    sent = [*registered_players(game), players.make("greedy", games.parse("nim"))]
    for player in sent:
        again = pickle.loads(pickle.dumps(player))
        assert (again.name, again.kind) == (player.name, player.kind)
        assert identity(again) == identity(player)
