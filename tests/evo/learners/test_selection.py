"""Who reproduces, and how often."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evo.learners.by_scheme import linear_scaling
from evo.learners.genetic.selection import (
    elite_rows,
    proportional,
    stochastic_universal,
)
from tournaments.errors import ConfigError
from tournaments.kernels.rng import generator

SELECTIONS = [proportional, stochastic_universal]

fitness_lists = st.lists(
    st.one_of(st.just(0.0), st.floats(1e-6, 1e6)), min_size=1, max_size=30
).map(np.array)


# --- selection ---------------------------------------------------------------------------------


def test_proportional_selection_chooses_in_proportion_to_fitness():
    fitness = np.array([1.0, 0.0, 2.0, 0.5, 6.5])
    draws = 200_000
    rows = proportional(fitness, draws, generator(1, "select"))
    shares = fitness / fitness.sum()
    found = np.bincount(rows, minlength=5) / draws
    assert (np.abs(found - shares) <= 5 * np.sqrt(shares * (1 - shares) / draws)).all()


def test_draws_of_proportional_selection_do_not_depend_on_one_another():
    rows = proportional(np.array([1.0, 1.0]), 100_000, generator(2, "select"))
    assert abs(np.corrcoef(rows[:-1], rows[1:])[0, 1]) < 5 / math.sqrt(100_000)


@pytest.mark.parametrize("select", SELECTIONS)
@given(fitness=fitness_lists, count=st.integers(0, 60), seed=st.integers(0, 10**6))
def test_individuals_without_fitness_are_never_chosen(select, fitness, count: int, seed: int):
    rows = select(fitness, count, generator(seed, "select"))
    assert len(rows) == count
    assert ((rows >= 0) & (rows < len(fitness))).all()
    if fitness.any():
        assert (fitness[rows] > 0).all()


class AlwaysZero:
    """A generator whose draws all fall on the very start of the wheel."""

    def random(self, count: int | None = None) -> Any:
        return 0.0 if count is None else np.zeros(count)

    def permutation(self, rows: np.ndarray) -> np.ndarray:
        return rows


@pytest.mark.parametrize("select", SELECTIONS)
def test_a_mark_at_the_start_of_the_wheel_passes_over_those_without_fitness(select):
    assert (select(np.array([0.0, 0.0, 3.0, 0.0]), 4, AlwaysZero()) == 2).all()
    # Marks at 0, 1, 2 and 3 of 4: on a border they belong to the one that begins there.
    rows = stochastic_universal(np.array([1.0, 0.0, 1.0, 2.0]), 4, AlwaysZero())  # type: ignore
    assert rows.tolist() == [0, 2, 3, 3]


class AlmostOne:
    """A generator whose draws all fall as near the end of the wheel as there are numbers."""

    def random(self, count: int | None = None) -> Any:
        least_below = np.nextafter(1.0, 0.0)
        return least_below if count is None else np.full(count, least_below)

    def permutation(self, rows: np.ndarray) -> np.ndarray:
        return rows


@pytest.mark.parametrize("select", SELECTIONS)
@pytest.mark.parametrize(
    ("fitness", "last"),
    [([0.0, 0.1, 0.7, 0.0], 2), ([5e-324, 0.0], 0), ([0.0, 0.0, 0.0], 2), ([1.0, 3.0], 1)],
)
def test_a_mark_that_is_rounded_up_to_the_end_falls_on_the_last_with_fitness(
    select, fitness: list[float], last: int
):
    """Of a thousand marks the last, 999 and a number just below one, is rounded to the end."""
    rows = select(np.array(fitness), 1000, AlmostOne())
    assert rows.max() == rows[-1] == last


@pytest.mark.parametrize("select", SELECTIONS)
def test_where_nobody_has_fitness_all_are_alike(select):
    rows = select(np.zeros(4), 40_000, generator(3, "select"))
    shares = np.bincount(rows, minlength=4) / 40_000
    assert np.abs(shares - 0.25).max() < 5 * math.sqrt(0.25 * 0.75 / 40_000)


@pytest.mark.parametrize("select", SELECTIONS)
@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf")])
def test_fitness_that_has_no_place_on_a_wheel_is_refused(select, wrong: float):
    with pytest.raises(ConfigError, match=r"proportional selection.*raise scheme\.bonus"):
        select(np.array([1.0, wrong, 2.0]), 5, generator(1, "select"))


@pytest.mark.parametrize(
    ("fitness", "named"), [([1.0, -2.0], "-2.0"), ([1.0, math.inf], "inf"), ([math.nan], "nan")]
)
def test_the_fitness_that_is_refused_is_named(fitness: list[float], named: str):
    with pytest.raises(ConfigError, match=rf"met the fitness \S*{named}\b"):
        proportional(np.array(fitness), 1, generator(1, "select"))


@given(fitness=fitness_lists, count=st.integers(1, 60), seed=st.integers(0, 10**6))
def test_universal_selection_gives_each_its_expected_number_rounded_down_or_up(
    fitness, count: int, seed: int
):
    if not fitness.any():
        return
    rows = stochastic_universal(fitness, count, generator(seed, "select"))
    found = np.bincount(rows, minlength=len(fitness))
    expected = count * fitness / fitness.sum()
    assert (found >= np.floor(expected - 1e-9)).all()
    assert (found <= np.ceil(expected + 1e-9)).all()


def test_universal_selection_is_in_proportion_and_in_random_order():
    fitness = np.array([1.0, 2.0, 4.0])
    rng = generator(4, "select")
    rows = np.array([stochastic_universal(fitness, 4, rng) for _ in range(20_000)])
    # In every place of the order each has its share.
    for place in rows.T:
        shares = np.bincount(place, minlength=3) / len(place)
        assert np.abs(shares - fitness / 7).max() < 5 * math.sqrt(0.25 / len(place))


# --- scaling -----------------------------------------------------------------------------------


@given(fitness=fitness_lists, share=st.floats(0, 1))
def test_scaling_keeps_the_mean_and_the_order_and_makes_none_negative(fitness, share: float):
    scaled = linear_scaling(fitness, share)
    assert (scaled >= 0).all()
    assert scaled.mean() == pytest.approx(fitness.mean(), rel=1e-6)
    order = np.argsort(fitness, kind="stable")
    assert (np.diff(scaled[order]) >= 0).all()


@given(fitness=fitness_lists, share=st.floats(0, 1))
def test_the_best_takes_its_share_or_the_worst_is_brought_to_zero(fitness, share: float):
    factor = share * len(fitness)
    scaled = linear_scaling(fitness, share)
    mean, best, worst = fitness.mean(), fitness.max(), fitness.min()
    if factor <= 1 or best - worst <= 1e-9 * best:
        assert np.array_equal(scaled, fitness)
        return
    # The slope of the line through (mean, mean) and (best, factor * mean), or the steepest allowed.
    wanted = (factor - 1) * mean / (best - mean)
    steepest = mean / (mean - worst)
    expected = mean + min(wanted, steepest) * (fitness - mean)
    assert scaled == pytest.approx(expected, rel=1e-6, abs=1e-6 * best)


def test_the_best_of_a_hundred_takes_a_tenth_of_the_next_population():
    fitness = np.full(100, 10.0)
    fitness[17] = 11.0
    fitness[18] = 9.9
    scaled = linear_scaling(fitness, 0.1)
    assert scaled.min() > 0
    assert scaled[17] == pytest.approx(0.1 * 100 * fitness.mean())
    assert scaled[17] / scaled.sum() == pytest.approx(0.1)


def test_where_the_share_would_make_the_worst_negative_the_worst_gets_nothing():
    fitness = np.linspace(1.0, 10.0, 100)  # the best is less than twice the mean
    scaled = linear_scaling(fitness, 0.1)
    assert scaled[0] == 0.0
    assert scaled.mean() == pytest.approx(fitness.mean())
    assert scaled[-1] == pytest.approx(2 * fitness.mean())  # as far above as the worst below


@pytest.mark.parametrize(("worst", "kept"), [(0.85, False), (0.89, False), (0.905, True)])
def test_the_share_is_kept_just_as_long_as_the_worst_stays_above_zero(worst: float, kept: bool):
    """The mean is 1.008 to 1.009, so the border is (10 mean - 2) / 9, about .8985."""
    fitness = np.array([worst, 2.0] + [1.0] * 98)
    scaled = linear_scaling(fitness, 0.1)
    assert scaled.mean() == pytest.approx(fitness.mean(), rel=1e-12)
    assert (scaled[0] > 1e-3) == kept
    assert (scaled[1] == pytest.approx(10 * fitness.mean())) == kept


def test_a_share_that_is_an_equal_one_scales_nothing():
    fitness = np.array([1.0, 2.0, 3.0, 6.0])
    assert np.array_equal(linear_scaling(fitness, 0.25), fitness)


@pytest.mark.parametrize("value", [0.0, 0.01, 3.0])
def test_equal_fitness_stays_as_it_is(value: float):
    assert np.array_equal(linear_scaling(np.full(100, value), 0.1), np.full(100, value))


def test_fitness_that_differs_by_rounding_is_equal():
    """0.1 + 0.1 + 0.1 is not 0.3: the mean of such may round to the worst of them."""
    fitness = np.full(100, 0.3)
    fitness[0] = 0.1 + 0.1 + 0.1
    assert fitness[0] != fitness[1]
    assert np.array_equal(linear_scaling(fitness, 0.1), fitness)
    assert np.array_equal(linear_scaling(-np.sort(-fitness)[::-1], 0.1), np.sort(fitness))


def test_scaling_leaves_its_argument_alone():
    fitness = np.array([1.0, 2.0, 5.0])
    for share in (0.0, 0.9):
        scaled = linear_scaling(fitness, share)
        scaled[:] = -1
        assert fitness.tolist() == [1.0, 2.0, 5.0]


# --- elites ------------------------------------------------------------------------------------


def test_elites_are_the_best_and_of_equals_the_first():
    fitness = np.array([2.0, 5.0, 1.0, 5.0, 2.0, 5.0])
    assert elite_rows(fitness, 0).tolist() == []
    assert elite_rows(fitness, 1).tolist() == [1]
    assert elite_rows(fitness, 4).tolist() == [1, 3, 5, 0]
    assert elite_rows(np.zeros(5), 3).tolist() == [0, 1, 2]


@given(fitness=fitness_lists, count=st.integers(0, 40))
def test_nobody_outside_the_elite_is_better_than_one_in_it(fitness, count: int):
    rows = elite_rows(fitness, count)
    assert len(set(rows)) == len(rows) == min(count, len(fitness))
    others = np.delete(fitness, rows)
    if len(rows) and len(others):
        assert fitness[rows].min() >= others.max()
