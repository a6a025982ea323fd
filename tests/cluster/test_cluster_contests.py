"""Contests give the same scores in this thread, in several threads, and by Ray actors."""

from __future__ import annotations

import numpy as np
import pytest

import cluster
from tournaments import Competition, contest

PLAYERS = np.linspace(0, 1, 12).tolist()


def played(seats, evaluator=None):
    """Scores and fitness of a contest whose function exists nowhere else."""
    spread = 0.5

    def duel(players, seed):
        luck = np.random.default_rng(seed).normal(scale=spread, size=len(players))
        return [player + chance for player, chance in zip(players, luck, strict=True)]

    competition = Competition(contest(duel, seats=seats), seed=3, evaluator=evaluator)
    result = competition.evaluate(PLAYERS)
    return result.fitness.tobytes(), result._rounds[0].outcomes.tobytes()


@pytest.mark.parametrize("seats", [2, 3])
def test_threads_give_the_scores_of_one_thread(seats):
    assert played(seats, cluster.LocalEvaluator(4)) == played(seats)


@pytest.mark.slow
def test_ray_actors_give_the_scores_of_one_thread():
    evaluator = cluster.RayEvaluator(2, check=3)
    try:
        for seats in (2, 3):
            assert played(seats, evaluator) == played(seats)
    finally:
        evaluator.close()
