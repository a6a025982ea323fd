"""Two samples compared by ranks, against counting by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tournaments.analysis.samples import holm, shift_between


def p_by_counting(one, other) -> float:
    """The share of all ways to deal the values out that are as far from even, without ties."""
    pooled = np.concatenate([one, other])
    middle = len(one) * len(other) / 2

    def wins(places) -> int:
        rest = np.delete(pooled, places)
        return int((pooled[list(places)][:, None] > rest).sum())

    found = abs(wins(range(len(one))) - middle)
    ways = [abs(wins(places) - middle) for places in combinations(range(len(pooled)), len(one))]
    return float(np.mean(np.array(ways) >= found))


@pytest.mark.parametrize(("n", "m"), [(3, 3), (4, 4), (3, 6), (6, 5)])
def test_p_and_interval_are_those_of_all_ways_to_deal_the_values_out(n, m):
    rng = np.random.Generator(np.random.Philox(n))
    one, other = rng.normal(1, 1, n), rng.normal(0, 1, m)
    shift = shift_between(one, other)
    assert shift.p == pytest.approx(p_by_counting(one, other))
    assert shift.median == np.median(one[:, None] - other)
    for end, inwards in ((shift.low, 1e-9), (shift.high, -1e-9)):
        if np.isfinite(end):
            assert p_by_counting(one - end - inwards, other) > 0.05
            assert p_by_counting(one - end + inwards, other) <= 0.05
    assert np.isfinite([shift.low, shift.high]).all() == (p_by_counting(one + 99, other) <= 0.05)


def test_equal_values_differ_by_nothing():
    assert shift_between(np.ones(5), np.ones(5)) == (0, 0, 0, 1)


@pytest.mark.parametrize(("n", "p"), [(3, 0.1), (4, 2 / 70)])
def test_values_that_are_all_alike_are_no_more_significant_than_any(n, p):
    """The normal approximation, which ties ask for, gave 0.047 and 0.013."""
    shift = shift_between(np.ones(n), np.full(n, 0.9))
    assert shift.p == pytest.approx(p)
    assert np.isfinite([shift.low, shift.high]).all() == (p < 0.05)


def test_the_procedure_of_holm():
    assert holm(np.array([0.01, 0.04, 0.03])).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert holm(np.array([0.2])).tolist() == [0.2]
    assert holm(np.array([0.5, 0.9])).tolist() == [1.0, 1.0]
    assert holm(np.array([])).tolist() == []
