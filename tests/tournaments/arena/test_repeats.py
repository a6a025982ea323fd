"""Pairs that play the same games again: found where it is so, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from tournaments import games, players
from tournaments.arena import repeats
from tournaments.arena.match import play_game
from tournaments.arena.repeats import Rehearsal, draws
from tournaments.kernels.rng import match_seeds

SEEDS = tuple(match_seeds(3, "repeats", 0, 30).tolist())


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("tic-tac-toe", False),
        ("dots-and-boxes:rows=2,cols=2", False),
        ("cat-and-mouse", False),
        ("cat-and-mouse:cat_start=any", True),
        ("cat-trap:blocks=none", False),
        ("cat-trap", True),
        ("set", True),
        ("iterated-prisoners-dilemma:noise=0.0", False),
        ("iterated-prisoners-dilemma:noise=0.1", True),
    ],
)
def test_a_game_draws_where_its_start_uses_the_seed(spec, expected):
    game = games.parse(spec)
    starts = {game.start(seed).array.tobytes() for seed in range(30)}
    assert draws(game) == expected == (len(starts) > 1)


class Own:
    """A player by a function of the position, the stream and the number of its choices so far."""

    def __init__(self, name, choose, **attributes):
        self.name, self._choose, self.asked = name, choose, 0
        vars(self).update(attributes)

    def choose(self, state, rng):
        self.asked += 1
        return self._choose(state.legal_actions(), rng, self.asked)


LOWEST = Own("lowest", lambda legal, rng, asked: legal[0])
HIGHEST = Own("highest", lambda legal, rng, asked: legal[-1])
RARELY = Own("rarely", lambda legal, rng, asked: legal[-(len(legal) == 5 and rng.below(2))])
WITHIN = Own("within", lambda legal, rng, asked: legal[asked // 3 % len(legal)])
SEEDED = Own("seeded", lambda legal, rng, asked: legal[0 * rng.below(9)], takes_seed=True)


def are_same(game, pair) -> bool:
    """Whether thirty matches are the same, move for move."""
    courses = {
        (number, tuple(move[1:] for move in play_game(game, *pair, seed, number)))
        for seed in SEEDS
        for number in range(2)
    }
    return len(courses) == 2


@pytest.mark.parametrize(
    ("spec", "a", "b", "expected"),
    [
        ("tic-tac-toe", LOWEST, HIGHEST, True),
        ("tic-tac-toe", LOWEST, RARELY, False),
        ("tic-tac-toe", LOWEST, WITHIN, False),
        ("tic-tac-toe", SEEDED, HIGHEST, True),
        ("tic-tac-toe", "optimal", "optimal", False),  # drawn always, by different moves
        ("tic-tac-toe", "alpha-beta:depth=2", LOWEST, False),
        ("nim:heaps=3", "optimal", LOWEST, True),  # one best move in each position
        ("nim:heaps=1", "mcts:playouts=9", LOWEST, False),  # which draws in vain
        ("nim:heaps=1", "random", "random", True),
        ("cat-and-mouse:rows=4,cols=4", "careful", LOWEST, None),
        ("iterated-prisoners-dilemma:rounds=5,noise=0.0", "tit-for-tat", "grim", True),
        ("iterated-prisoners-dilemma:rounds=5,noise=0.1", "tit-for-tat", "grim", False),
    ],
)
def test_a_pair_repeats_its_games_only_if_all_are_the_same(spec, a, b, expected):
    game = games.parse(spec)
    pair = tuple(players.make(one, game) if isinstance(one, str) else one for one in (a, b))
    found = not draws(game) and Rehearsal(game, pair, SEEDS[:2]).run()
    same = are_same(game, pair)
    assert found <= same
    assert found == (same if expected is None else expected)


def test_whoever_commits_a_fault_does_not_repeat_its_games():
    game = games.parse("tic-tac-toe")
    illegal = Own("illegal", lambda legal, rng, asked: -1)
    assert not Rehearsal(game, (LOWEST, illegal), SEEDS[:2]).run()


def test_a_game_of_others_that_draws_by_itself_is_told_by_its_moves(monkeypatch):
    """Rules in plain Python may draw without a seed; the second match then differs."""
    game = games.parse("tic-tac-toe")
    courses = iter([[[(0, 1)]] * 2, [[(0, 2)]] * 2])
    monkeypatch.setattr(Rehearsal, "_moves", lambda *given: next(courses))
    assert not Rehearsal(game, (LOWEST, HIGHEST), SEEDS[:2]).run()


def test_the_answer_does_not_depend_on_the_seeds():
    game = games.parse("nim:heaps=3")
    pair = players.make("optimal", game), LOWEST
    assert {Rehearsal(game, pair, SEEDS[k : k + 2]).run() for k in range(5)} == {True}
    assert repeats.MATCHES == 16


def test_a_seed_that_is_compared_or_tested_is_used():
    def by_truth(board, state, seed):
        state[3] = 1 if seed else 2

    def by_value(board, state, seed):
        state[3] = seed == 7

    from dataclasses import replace

    game = games.parse("tic-tac-toe")
    for start in (by_truth, by_value):
        assert draws(replace(game, rules=replace(game.rules, start=start)))
    np.testing.assert_equal(draws(game), False)
