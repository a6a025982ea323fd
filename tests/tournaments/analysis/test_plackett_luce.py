"""Ratings of games of two or more players: against a slow likelihood, and known strengths."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from tournaments import TournamentError
from tournaments.analysis.plackett_luce import TIE_DEVIATION, plackett_luce
from tournaments.analysis.ratings import ELO, bradley_terry


def slow_loss(values, players, games):
    """The negative logarithm of the posterior, by its definition."""
    worth, ties = np.exp(values[:players]), values[players:]

    def weight(chosen):
        mean = math.prod(worth[each] for each in chosen) ** (1 / len(chosen))
        return mean * (math.exp(ties[len(chosen) - 2]) if len(chosen) > 1 else 1.0)

    total = sum(0.5 * math.log((1 + each) * (1 + 1 / each)) for each in worth)
    total += sum(each**2 for each in ties) / (2 * TIE_DEVIATION**2)
    for group, scores in games:
        left = {*group}
        for value in sorted({*scores}, reverse=True):
            best = [who for who, score in zip(group, scores, strict=True) if score == value]
            if len(left) > 1:
                every = [
                    weight(each)
                    for size in range(1, min(len(ties) + 1, len(left)) + 1)
                    for each in combinations(sorted(left), size)
                ]
                total -= math.log(weight(best) / sum(every))
            left -= {*best}
    return total


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_ratings_are_the_greatest_of_the_slow_likelihood(seats):
    rng = np.random.default_rng(seats)
    groups = np.array([rng.permutation(5)[:seats] for _ in range(30)])
    scores = np.round(rng.normal(size=groups.shape) + groups / 3)  # some are equal
    most = max(max(np.unique(row, return_counts=True)[1]) for row in scores) - 1
    assert most >= 1
    games = list(zip(groups.tolist(), scores.tolist(), strict=True))
    found = minimize(slow_loss, np.zeros(5 + most), (5, games), method="BFGS", tol=1e-9)
    expected = ELO * (found.x[:5] - found.x[:5].mean())
    assert plackett_luce(5, groups, scores).ratings == pytest.approx(expected, abs=0.1)


def test_pairs_without_ties_have_the_ratings_of_bradley_and_terry():
    rng = np.random.default_rng(1)
    groups = np.array([rng.permutation(6)[:2] for _ in range(200)])
    scores = rng.normal(size=groups.shape) + groups / 4
    won = (scores[:, 0] > scores[:, 1]).astype(float)
    for anchor in (None, 3):
        pairs = bradley_terry(6, groups, won, np.ones(200), anchor)
        tables = plackett_luce(6, groups, scores, anchor)
        assert tables.ratings == pytest.approx(pairs.ratings, abs=1e-3)
        assert tables.deviations == pytest.approx(pairs.deviations, abs=1e-3)


def test_the_order_of_games_and_void_games_change_nothing():
    rng = np.random.default_rng(2)
    groups = np.array([rng.permutation(6)[:3] for _ in range(60)])
    scores = rng.integers(0, 4, groups.shape).astype(float)
    whole = plackett_luce(6, groups, scores)
    order = rng.permutation(60)
    void = np.vstack([scores[order], [[np.nan] * 3]])
    other = plackett_luce(6, np.vstack([groups[order], groups[:1]]), void)
    assert other.ratings == pytest.approx(whole.ratings, abs=1e-6)
    assert other.deviations == pytest.approx(whole.deviations, abs=1e-6)


def test_known_strengths_are_covered_by_the_intervals():
    """In 100 simulations, each interval of 95% covers the strength in 88 to 100."""
    strengths = np.array([-1.0, -0.6, 0.0, 0.2, 0.5, 0.9])
    rng, covered = np.random.default_rng(7), np.zeros(6, dtype=int)
    triples = np.array([*combinations(range(6), 3)] * 6)  # 60 games of each player
    for _ in range(100):
        scores = strengths[triples] + rng.gumbel(size=triples.shape)
        fitted = plackett_luce(6, triples, scores)
        truth = ELO * (strengths - strengths.mean())
        covered += (fitted.low <= truth) & (truth <= fitted.high)
    assert (covered >= 88).all(), covered
    assert covered.mean() < 99  # they are no wider than they must be


def test_who_wins_everything_has_a_finite_rating():
    groups = np.array([[0, 1, 2]] * 500)
    fitted = plackett_luce(3, groups, np.tile([3.0, 2.0, 1.0], (500, 1)))
    assert fitted.ratings[0] > fitted.ratings[1] > fitted.ratings[2]
    assert np.isfinite([fitted.ratings, fitted.deviations]).all()
    assert plackett_luce(3, np.zeros((0, 3), int), np.zeros((0, 3))).ratings.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("groups", "scores"),
    [([[0, 1, 3]], [[1, 2, 3]]), ([[0, 1, 1]], [[1, 2, 3]]), ([[0, 1, 2]], [[1, 2]])],
)
def test_impossible_games_are_refused(groups, scores):
    with pytest.raises(TournamentError, match="expected"):
        plackett_luce(3, np.array(groups), np.array(scores, dtype=float))
