"""A competition by threads, and by Ray actors, is the one that this thread plays."""

from __future__ import annotations

from contextlib import closing
from functools import partial

import numpy as np
import pytest

import cluster
import tournaments
from cluster import ClusterError, LocalEvaluator
from tournaments import games
from tournaments.game import Game

GAME = games.make("tic-tac-toe")


def mixture() -> list[object]:
    def by_order(order, state, rng):
        return min(state.legal_actions(), key=lambda action: order[action])

    orders = np.random.default_rng(1)
    own = [partial(by_order, orders.permutation(9)) for _ in range(3)]
    return [*own, lambda state, rng: rng.choice(state.legal_actions()), "random"]


def check_same(evaluator, game: Game = GAME) -> None:
    by_itself = tournaments.Competition(game, "hall-of-fame:current=2", seed=4)
    elsewhere = tournaments.Competition(game, "hall-of-fame:current=2", 4, evaluator)
    for _ in range(3):
        expected, result = (each.evaluate(mixture()) for each in (by_itself, elsewhere))
        np.testing.assert_array_equal(result.fitness, expected.fitness)
        assert result.matches.equals(expected.matches)


def test_a_competition_by_threads_is_the_same():
    with closing(LocalEvaluator(2, chunk=3)) as evaluator:
        check_same(evaluator)


@pytest.mark.slow  # starts Ray
def test_a_competition_by_ray_is_the_same_and_says_who_does_not_travel(ray, tmp_path):
    with closing(cluster.RayEvaluator(2, chunk=3)) as evaluator:
        check_same(evaluator)
        competition = tournaments.Competition(GAME, evaluator=evaluator)
        with (tmp_path / "log").open("w") as log:

            def writes(state, rng):
                print(state, file=log)
                return state.legal_actions()[0]

            with pytest.raises(ClusterError, match="make your own players so that pickle"):
                competition.evaluate([writes, "random"])
