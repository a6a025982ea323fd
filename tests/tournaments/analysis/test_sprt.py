"""The sequential test: its ratio, bounds and errors, and the estimate that goes with it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from results.statistics import wilson
from tests.naive import sprt as naive
from tournaments.analysis.sprt import SHARES, Sprt, estimate
from tournaments.errors import ConfigError

DRAWS_AND_PAIRS = np.array([0.1, 0.2, 0.35, 0.25, 0.1])
"""Chances of matches of 0 to 4 halves of a point."""


@pytest.mark.parametrize("low", [-5.0, 0.0])
@pytest.mark.parametrize(
    "counts", [[12, 20, 40, 25, 10], [0, 0, 0, 0, 6], [3, 0, 50, 0, 1], [0, 9, 4, 2, 0]]
)
def test_the_ratio_is_that_of_the_likeliest_chances(counts, low):
    assert Sprt(low, 30).ratios(np.array([counts]))[0] == pytest.approx(
        naive.ratio(counts, low, 30), rel=1e-6, abs=1e-7
    )


def test_without_matches_nothing_is_known():
    assert Sprt().ratios(np.zeros((1, 5))).tolist() == [0.0]
    assert Sprt().decided(np.zeros(3)) is None


def test_the_ratio_changes_sides_with_the_players():
    counts = np.array([[12, 20, 40, 25, 10], [0, 1, 0, 0, 6]])
    ahead, behind = Sprt(-3, 8).ratios(counts), Sprt(-8, 3).ratios(counts[:, ::-1])
    np.testing.assert_allclose(ahead, -behind, rtol=1e-10)


def test_many_matches_agree_with_the_normal_approximation():
    counts = 10_000 * DRAWS_AND_PAIRS
    mean = counts @ SHARES / counts.sum()
    variance = counts @ (SHARES - mean) ** 2 / counts.sum()
    low, high = (1 / (1 + 10 ** (-elo / 400)) for elo in (0, 5))
    expected = counts.sum() * (high - low) * (2 * mean - low - high) / (2 * variance)
    assert Sprt(0, 5).ratios(counts[None])[0] == pytest.approx(expected, rel=0.01)


def test_the_bounds_are_walds():
    lower, upper = Sprt(alpha=0.01, beta=0.1).bounds
    assert (lower, upper) == pytest.approx((math.log(0.1 / 0.99), math.log(0.9 / 0.01)))
    assert Sprt().decided(np.array([1.0, -2.9, 2.9, -3.0, 9.0])) == 3


def test_the_estimate_is_finite_and_holds_what_it_should():
    for counts in ([0] * 5, [0, 0, 0, 0, 100_000], [100_000, 0, 0, 0, 0]):
        points = estimate(counts)
        assert -3000 < points.low < points.elo < points.high < 3000
    lost, won = estimate([0, 0, 0, 0, 50]), estimate([50, 0, 0, 0, 0])
    assert (lost.low, lost.high) == pytest.approx((-won.high, -won.low))
    counts = 10_000 * DRAWS_AND_PAIRS
    points, mean = estimate(counts), DRAWS_AND_PAIRS @ SHARES
    assert points.elo == pytest.approx(400 * math.log10(mean / (1 - mean)), abs=0.01)
    deviation = math.sqrt(DRAWS_AND_PAIRS @ (SHARES - mean) ** 2 / 10_000)
    width = 1.96 * deviation * 400 / math.log(10) / (mean * (1 - mean))
    assert points.high - points.elo == pytest.approx(width, rel=0.01)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"low": 5, "high": 0}, "elo 5 0 given; two numbers of points from -2000 to 2000"),
        ({"high": float("nan")}, "elo 0 nan given"),
        ({"low": float("-inf")}, "elo -inf 5 given"),
        ({"alpha": 0}, "alpha 0 given; a share of errors above 0 and below 0.5"),
        ({"beta": 0.5}, "beta 0.5 given"),
    ],
)
def test_a_test_that_cannot_be_is_refused(options, message):
    with pytest.raises(ConfigError, match=message):
        Sprt(**options)


@pytest.mark.slow
@pytest.mark.parametrize("truth", [0.0, 40.0])
def test_errors_are_as_rare_as_was_asked_for(truth):
    """Run 1,000 tests of 0 against 40 points, of which one is true.

    The 99.9% interval of the share of wrong answers begins at 5% or below, and every test ends
    within 6,000 matches.
    """
    sprt, runs, wrong = Sprt(0, 40), 1000, 0
    mean = 1 / (1 + 10 ** (-truth / 400))
    chances = np.array(naive.likeliest((100 * DRAWS_AND_PAIRS).tolist(), mean))
    rng = np.random.default_rng(7)
    for _ in range(runs):
        place, so_far = None, np.zeros(5)
        for _ in range(30):
            counts = so_far + np.cumsum(rng.multinomial(1, chances, size=200), axis=0)
            ratios, so_far = sprt.ratios(counts), counts[-1]
            if (place := sprt.decided(ratios)) is not None:
                break
        assert place is not None
        wrong += (ratios[place] > 0) != (truth > 0)
    low, high = wilson(wrong, runs, 0.999)
    assert low <= 0.05
    assert high >= 0.01  # nor does it play on for long when it knows
