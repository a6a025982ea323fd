"""Ratings: what they are the maximum of, what intervals hold, and who is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import ratings as naive_ratings

from tournaments.analysis.ratings import ELO, PRIOR_GAMES, bradley_terry
from tournaments.errors import TournamentError

RESULTS = st.integers(2, 5).flatmap(
    lambda players: st.tuples(
        st.just(players),
        st.lists(
            st.tuples(
                st.integers(0, players - 1),
                st.integers(1, players - 1),
                st.integers(0, 40),
                st.integers(20, 40),
            ),
            max_size=6,
        ),
    )
)
"""A number of players, and for some pairs (a, b - a) points in halves and games."""


def fitted(players: int, games: list[naive_ratings.Game], anchor: int | None = None):
    pairs = np.array([game[:2] for game in games], dtype=np.int32).reshape(-1, 2)
    points, numbers = (np.array([game[place] for game in games]) for place in (2, 3))
    return bradley_terry(players, pairs, points, numbers, anchor)


@given(RESULTS)
@settings(max_examples=15)
def test_ratings_and_intervals_are_those_of_the_likelihood(results):
    players, met = results
    games = [(a, (a + by) % players, half / 2, number) for a, by, half, number in met]
    strengths = naive_ratings.strengths_of(players, games, PRIOR_GAMES)
    covariances = naive_ratings.standard_errors(strengths, games, PRIOR_GAMES)
    for anchor in (None, players - 1):
        found = fitted(players, games, anchor)
        weights = [1 / players if anchor is None else float(i == anchor) for i in range(players)]
        mean = sum(w * s for w, s in zip(weights, strengths, strict=True))
        for player in range(players):
            assert found.ratings[player] == pytest.approx(
                ELO * (strengths[player] - mean), abs=0.01
            )
            mine = [float(i == player) - weight for i, weight in enumerate(weights)]
            variance = sum(
                mine[i] * mine[j] * covariances[i][j]
                for i in range(players)
                for j in range(players)
            )
            expected = ELO * math.sqrt(max(variance, 0))
            assert found.deviations[player] == pytest.approx(expected, rel=2e-3, abs=0.05)


def test_two_players_are_as_far_apart_as_their_odds_say():
    """Ten to one, the prior being nothing beside so many games, is 400 points."""
    found = fitted(2, [(0, 1, 1e7, 1.1e7)])
    assert found.ratings[0] - found.ratings[1] == pytest.approx(400, abs=0.01)
    assert found.ratings.sum() == pytest.approx(0, abs=1e-9)
    # the odds' own standard error, 1 / sqrt(n p q); half of the difference is each one's
    error = ELO / math.sqrt(1.1e7 * (10 / 11) * (1 / 11)) / 2
    np.testing.assert_allclose(found.half_widths, 1.96 * error, rtol=1e-3)


def test_the_unbeaten_and_the_winless_stay_finite():
    found = fitted(4, [(0, 1, 1000, 1000), (1, 2, 500, 1000), (2, 3, 1000, 1000)])
    assert np.isfinite(found.ratings).all()
    assert np.isfinite(found.half_widths).all()
    assert found.ratings[0] > found.ratings[1] + 500
    assert found.low[0] > found.high[1]
    assert found.ratings[3] < found.ratings[2] - 500
    more = fitted(4, [(0, 1, 9000, 9000), (1, 2, 500, 1000), (2, 3, 1000, 1000)])
    assert more.ratings[0] > found.ratings[0]  # more games won in a row tell more


def test_a_full_newton_step_would_leave_the_likelihood_where_games_are_very_uneven():
    games = [(2, 1, 1e3, 1e3), (3, 1, 1, 1), (0, 3, 1e6, 1e6), (3, 4, 1e2, 1e2), (2, 0, 1e7, 1e7)]
    strengths = naive_ratings.strengths_of(5, games, PRIOR_GAMES)
    expected = ELO * (np.array(strengths) - np.mean(strengths))
    np.testing.assert_allclose(fitted(5, games).ratings, expected, atol=0.1)


def test_each_player_is_taken_to_have_drawn_one_game_against_strength_zero():
    """Ten games won against one who won none: 10 (1 - s(2x)) = s(x) - 1/2, s the logistic."""
    low, high = 0.0, 10.0
    for _ in range(100):
        x = (low + high) / 2
        won, prior = 1 / (1 + math.exp(-2 * x)), 1 / (1 + math.exp(-x))
        low, high = (x, high) if 10 * (1 - won) > prior - 0.5 else (low, x)
    found = fitted(2, [(0, 1, 10.0, 10)])
    assert found.ratings.tolist() == pytest.approx(
        [400 / math.log(10) * x, -400 / math.log(10) * x]
    )


def test_those_who_have_not_met_anybody_are_in_the_middle_with_a_wide_interval():
    found = fitted(3, [(0, 1, 700, 1000)])
    assert found.ratings[2] == pytest.approx(0, abs=1e-9)
    assert found.half_widths[2] > 10 * abs(found.ratings[0] - found.ratings[1]) / 5
    nobody = fitted(2, [])
    np.testing.assert_array_equal(nobody.ratings, 0.0)


def test_the_anchor_is_exactly_zero_and_the_others_keep_their_distances():
    games = [(0, 1, 60, 100), (1, 2, 70, 100), (0, 2, 80, 100)]
    free, held = fitted(3, games), fitted(3, games, anchor=2)
    assert (held.ratings[2], held.deviations[2]) == (0.0, 0.0)
    np.testing.assert_allclose(held.ratings - held.ratings[0], free.ratings - free.ratings[0])


def test_a_pair_may_come_in_parts_and_in_either_order():
    parts = fitted(2, [(0, 1, 30, 50), (1, 0, 20, 40)])
    whole = fitted(2, [(0, 1, 50, 90)])
    np.testing.assert_allclose(parts.ratings, whole.ratings)
    np.testing.assert_allclose(parts.low, whole.low)


def test_95_percent_intervals_hold_the_truth_in_95_percent_of_tournaments():
    rng = np.random.default_rng(1)
    players, tournaments, games = 8, 250, 40
    pairs = np.array([(i, j) for i in range(players) for j in range(i)])
    held = 0
    for _ in range(tournaments):
        strengths = rng.normal(0, 1, players)
        chance = 1 / (1 + np.exp(strengths[pairs[:, 1]] - strengths[pairs[:, 0]]))
        points = rng.binomial(games, chance)
        found = bradley_terry(players, pairs, points, np.full(len(pairs), games))
        truth = ELO * (strengths - strengths.mean())
        held += int(((found.low <= truth) & (truth <= found.high)).sum())
    # 2,000 intervals, eight of a tournament depending on each other: 1.5 points are three errors
    assert held / (players * tournaments) == pytest.approx(0.95, abs=0.015)


def test_a_thousand_players_are_fitted_to_the_maximum():
    rng = np.random.default_rng(2)
    pairs = np.array([(i, (i + by) % 1000) for i in range(1000) for by in (1, 2, 30)])
    games = np.full(len(pairs), 20.0)
    points = rng.integers(0, 21, len(pairs)).astype(float)
    found = bradley_terry(1000, pairs, points, games)
    strengths = found.ratings / ELO
    chance = 1 / (1 + np.exp(strengths[pairs[:, 1]] - strengths[pairs[:, 0]]))
    surplus = np.zeros(1000)
    np.add.at(surplus, pairs[:, 0], points - games * chance)
    np.add.at(surplus, pairs[:, 1], games * chance - points)
    # what is left is the pull of the prior, towards a strength that the shift to mean 0 hides
    assert np.abs(surplus).max() <= 0.5 * PRIOR_GAMES


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2, [[0, 2]], [1], [2]), "players 0..2 given; there are 2"),
        ((2, [[0, 1]], [3], [2]), "points outside 0..games"),
        ((2, [[0, 1]], [1, 1], [2, 2]), "with 1 pairs"),
        ((2, [[0, 1]], [1], [2], 5), "players 0..5 given"),
    ],
)
def test_wrong_input_is_refused(arguments, message):
    with pytest.raises(TournamentError, match=message):
        bradley_terry(*arguments)
