"""Games that draw: expectations, beside plain recursion over the rules."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from games_with_secrets import RACE, SIDES

from tournaments import players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.outcomes import results_of_a
from tournaments.game import Game
from tournaments.kernels.rng import match_seeds
from tournaments.player import compiled
from tournaments.solver import every_game
from tournaments.solver.retrograde import solution


def lead(fields, lowest, mover=None):
    """What the seat to move gains under best play of both, or a fixed one of the other's.

    ``mover(own, other)`` -> the chance that the other seat throws the die.
    """

    @cache
    def worth(own, other, is_free):
        def after(steps):
            return 1.0 if own + steps >= fields else -worth(other, own + steps, not is_free)

        step = after(1)
        die = sum(after(lowest + side) for side in range(SIDES)) / SIDES
        if is_free or mover is None:
            return max(step, die)
        share = mover(own, other)
        return share * die + (1 - share) * step

    return worth


def test_leads_are_what_best_play_may_expect():
    game = Game(RACE, {"fields": 6})
    graph, leads, _ = solution(game)
    worth = lead(6, 1)
    for state, value in zip(graph.states.tolist(), leads.tolist(), strict=True):
        if state[0] in (0, 1):
            own, other = state[7 + state[0]], state[8 - state[0]]
            assert (1 - 2 * state[0]) * value == pytest.approx(worth(own, other, True))


def test_positions_that_repeat_are_passed_over_until_nothing_changes():
    """With a die of 0, 1 and 2 fields, v = max(step, die) is solved by hand from the end."""
    _, leads, _ = solution(Game(RACE, {"fields": 1, "least": 0}))
    assert leads[0] == pytest.approx(1.0)  # a step wins at once
    graph, leads, _ = solution(Game(RACE, {"fields": 2, "least": 0}))
    # At 0-1 a step, or a die of 0 or 1, loses to a step; a die of 2 wins: -1/3. So at 0-0 a step is
    # worth 1/3, and the die, which may change nothing but the mover, (-v + 1/3 + 1) / 3 = 1/3.
    assert leads[0] == pytest.approx(1 / 3)
    assert len(graph.states) > 4


@pytest.mark.slow
def test_perfect_play_gains_what_it_expects():
    game = Game(RACE, {"fields": 6})
    perfect, random = (compiled(players.make(name, game)) for name in ("optimal", "random"))
    proof = every_game.best_responses(game).proof(perfect, lambda line: None)
    assert proof.exploitability == pytest.approx(0.0, abs=1e-9)
    held = every_game.best_responses(game).proof(random, lambda line: None)
    first = -lead(6, 1, lambda own, other: 0.5)(0, 0, True)  # random moves second
    second = lead(6, 1, lambda own, other: 0.5)(0, 0, False)
    best = lead(6, 1)(0, 0, True)
    assert held.exploitability == pytest.approx(((best - second) + (-best - first)) / 2)
    computed = every_game.meetings(game)
    meeting = computed.meeting(perfect, random, lambda line: None)
    assert meeting.regret == pytest.approx(0.0, abs=1e-9)
    pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (4_000, 1))
    seeds = match_seeds(1, "games", 0, len(pairs))
    won = results_of_a(play_pairs(Entrants(game, (perfect, random)), pairs, seeds)) > 0
    assert won.mean(axis=0) == pytest.approx(meeting.wins, abs=4 * 0.5 / np.sqrt(len(pairs)))
