"""Operators of ours that have DEAP's names do what DEAP's do, given the same random numbers."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from deap import tools
from hypothesis import given
from hypothesis import strategies as st

from evo.config import config as configuration
from evo.evolution.start import learner_of
from evo.learners.genetic.individual import DeapIndividual
from evo.learners.genetic.selection import elite_rows, tournament, truncation
from evo.learners.genetic.variation import gaussian, two_point, uniform
from tournaments.errors import ConfigError
from tournaments.kernels.rng import generator


def population(fitness: Sequence[float]) -> list[DeapIndividual]:
    return [DeapIndividual([0], row, value) for row, value in enumerate(fitness)]


class Dictated:
    """Puts numbers in the place of a function of ``random`` that DEAP calls."""

    def __init__(self, name: str, numbers: Sequence[float]) -> None:
        self.name, self.numbers = name, iter(numbers)

    def __enter__(self) -> None:
        self.before = getattr(random, self.name)
        setattr(random, self.name, self._next)

    def __exit__(self, *failure: object) -> None:
        setattr(random, self.name, self.before)
        assert next(self.numbers, None) is None  # DEAP drew as many

    def _next(self, *arguments: object) -> object:
        number = next(self.numbers)
        if self.name == "choice":
            return arguments[0][number]  # type: ignore[index]
        if self.name == "randint":
            assert arguments[0] <= number <= arguments[1]  # type: ignore[operator]
        return number


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_two_point_crossover_is_deaps(length: int, seed: int):
    first, second = np.arange(length, dtype=np.uint8), 100 + np.arange(length, dtype=np.uint8)
    expected = DeapIndividual(first), DeapIndividual(second)
    points = generator(seed, "mate").integers(1, [[length + 1], [length]], (2, 1))
    with Dictated("randint", points[:, 0].tolist()):
        tools.cxTwoPoint(*expected)
    returned = two_point(first, second, generator(seed, "mate"))
    assert returned[0] is first  # in place
    assert np.array_equal(returned, expected)


@given(st.integers(1, 12), st.floats(0.0, 1.0), st.integers(0, 10**6))
def test_uniform_crossover_is_deaps(length: int, probability: float, seed: int):
    first, second = np.arange(length, dtype=np.float32), 100 + np.arange(length, dtype=np.float32)
    expected = DeapIndividual(first), DeapIndividual(second)
    with Dictated("random", generator(seed, "mate").random(length).tolist()):
        tools.cxUniform(*expected, probability)
    returned = uniform(first, second, generator(seed, "mate"), probability=probability)
    assert returned[1] is second
    assert np.array_equal(returned, expected)


@pytest.mark.parametrize("operator", [two_point, uniform])
def test_only_the_rows_that_are_named_are_joined(operator):
    genes = np.arange(60, dtype=np.uint8).reshape(6, 10)
    before = genes.copy()
    operator(genes[0::2], genes[1::2], generator(2, "mate"), rows=np.array([1]))
    assert np.array_equal(genes[[0, 1, 4, 5]], before[[0, 1, 4, 5]])
    assert not np.array_equal(genes[2:4], before[2:4])
    assert np.array_equal(np.sort(genes[2:4], axis=0), before[2:4])


FITNESS = st.lists(st.integers(0, 4).map(float), min_size=1, max_size=9)


@given(FITNESS, st.integers(1, 6), st.integers(1, 5), st.integers(0, 10**6))
def test_tournaments_are_deaps(fitness: list[float], count: int, size: int, seed: int):
    drawn = generator(seed, "select").integers(0, len(fitness), (count, size))
    with Dictated("choice", drawn.ravel().tolist()):
        expected = tools.selTournament(population(fitness), count, size)
    chosen = tournament(np.array(fitness), count, generator(seed, "select"), size)
    assert chosen.tolist() == [one.row for one in expected]


@given(FITNESS, st.integers(1, 6), st.floats(0.01, 1.0), st.integers(0, 10**6))
def test_truncation_is_deaps_best_and_then_deaps_random(
    fitness: list[float], count: int, share: float, seed: int
):
    best = tools.selBest(population(fitness), -int(-share * len(fitness) // 1))
    assert elite_rows(np.array(fitness), len(best)).tolist() == [one.row for one in best]
    drawn = generator(seed, "select").integers(0, len(best), count)
    with Dictated("choice", drawn.tolist()):
        expected = tools.selRandom(best, count)
    chosen = truncation(np.array(fitness), count, generator(seed, "select"), share)
    assert chosen.tolist() == [one.row for one in expected]


def test_gaussian_mutation_steps_as_often_and_as_far_as_deaps():
    genes = np.zeros((400, 465), dtype=np.float32)
    gaussian(genes, generator(1, "mutate"), probability=0.02, sigma=3.0)
    theirs = DeapIndividual(np.zeros(20_000, dtype=np.float32))
    random.seed(1)
    tools.mutGaussian(theirs, mu=0.0, sigma=3.0, indpb=0.2)
    stepped, expected = genes[genes != 0], np.asarray(theirs)[np.asarray(theirs) != 0]
    assert abs(len(stepped) / genes.size - 0.02) < 0.002
    assert abs(len(expected) / theirs.size - 0.2) < 0.02
    for numbers in (stepped, expected):
        assert abs(numbers.std() - 3.0) < 0.2
        assert abs(numbers.mean()) < 0.2
    assert len(set((genes != 0).sum(axis=1).tolist())) > 10  # rows do not share their number


def test_gaussian_mutation_ends_at_the_limit():
    genes = np.zeros(1000, dtype=np.float32)
    gaussian(genes, generator(1, "mutate"), probability=1.0, sigma=3.0, limit=2.5)
    assert (genes.min(), genes.max()) == (-2.5, 2.5)
    assert np.count_nonzero(genes) == 1000


REFUSED = [
    (
        "selection",
        "tournament",
        {"tournament_size": 0},
        "tournament_size=0 given; a value from 1 to 1000",
    ),
    ("selection", "tournament", {"tournament_size": "3"}, "'3' given; a whole number is expected"),
    ("selection", "tournament", {"tournsize": 3}, "tournament takes no argument 'tournsize'"),
    ("selection", "truncation", {"share": 0.0}, "share=0.0 given; a number above 0 and up to 1"),
    ("selection", "truncation", {"share": True}, "share=True given"),
    ("crossover", "uniform", {"probability": 1.5}, "probability=1.5 given; a value from 0 to 1"),
    ("crossover", "two-points", {}, "did you mean 'two-point'?"),
]


@pytest.mark.parametrize(("kind", "name", "options", "message"), REFUSED)
def test_a_wrong_argument_is_refused_before_a_run(kind: str, name: str, options, message: str):
    learner = {kind: name, f"{kind}_options": options}
    with pytest.raises(ConfigError) as refusal:
        learner_of(configuration.from_dict({"learner": learner}))
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)
