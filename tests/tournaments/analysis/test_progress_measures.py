"""Measures of progress beside slow ones, and what they say of chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import progress as naive

from tournaments.analysis import progress
from tournaments.analysis.progress import Course
from tournaments.kernels.rng import generator

GAMES = 60


def played(strengths: np.ndarray, games: int, index: int = 0) -> np.ndarray:
    """Scores of games in which ``strengths[g, h]`` is the chance that g beats h."""
    size = len(strengths)
    won = generator(1, "test", 0, index).binomial(games, strengths) / games
    scores = np.where(np.tri(size, k=-1, dtype=bool), won, 1 - won.T)
    np.fill_diagonal(scores, np.nan)
    return scores


def equals(size: int) -> np.ndarray:
    return np.full((size, size), 0.5)


@st.composite
def tables(draw, smallest: int = 1) -> np.ndarray:
    """Scores of made-up contests, many of them far from even."""
    size = draw(st.integers(smallest, 9))
    scores = np.full((size, size), 0.5)
    for g in range(size):
        for h in range(g):
            points = draw(st.sampled_from([0, 5, 15, 20, 22, 25, 30, 31, 38, 40, 45, 50, 60]))
            scores[g, h], scores[h, g] = points / GAMES, 1 - points / GAMES
    return scores


def as_set(beats: np.ndarray) -> set:
    return {(int(g), int(h)) for g, h in np.argwhere(beats > 0)}


@given(tables())
def test_what_counts_as_decided_is_what_the_slow_procedure_takes(scores):
    beats = progress.decided(scores, GAMES)
    assert np.array_equal(beats, -beats.T)
    assert as_set(beats) == naive.wins_beyond_chance(scores.tolist(), GAMES)


@given(tables())
def test_dominance_and_cycles_are_those_counted_one_by_one(scores):
    beats = progress.decided(scores, GAMES)
    known, size = as_set(beats), len(scores)
    assert progress.dominant(beats) == naive.dominant(known, size)
    assert tuple(progress.cycles(beats)) == naive.triples(known, size)
    for first in range(1, size):
        share, once = progress.lost_again(beats, first)
        assert (pytest.approx(share), once) == naive.lost_again(known, first, size)


@given(tables(smallest=3))
def test_means_and_the_jackknife_are_those_of_the_loops(scores):
    np.fill_diagonal(scores, np.nan)
    rows = scores.tolist()
    assert progress.against_past(scores)[1:] == pytest.approx(naive.against_past(rows))
    assert progress.master(scores) == pytest.approx(naive.master(rows))
    value, error = naive.later_against_earlier(rows, GAMES)
    found = progress.later_against_earlier(scores, GAMES)
    ends = max(0, value - 1.959964 * error), min(1, value + 1.959964 * error)
    assert found == pytest.approx((value, *ends), abs=1e-6)


def test_the_first_champion_has_no_past_and_an_only_one_no_opponents():
    assert np.isnan(progress.against_past(equals(3))).tolist() == [True, False, False]
    assert np.isnan(progress.master(equals(1))).all()


def test_two_champions_have_the_interval_of_their_games():
    scores = np.array([[np.nan, 0.4], [0.6, np.nan]])
    found = progress.later_against_earlier(scores, 100)
    assert found == pytest.approx((0.6, 0.6 - 0.098, 0.6 + 0.098), abs=1e-4)


def test_teams_play_both_roles():
    """Cat 0 always catches mouse 0 and half the time mouse 1; cat 1 never catches anybody."""
    cats = np.array([[1.0, 0.5], [0.0, 0.0]])
    found = progress.teams(cats)
    assert found.tolist() == [[0.5, 0.75], [0.25, 0.5]]
    assert np.allclose(found, 1 - found.T)


def test_the_share_of_the_past_that_is_beaten():
    beats = np.array([[0, -1, 1], [1, 0, 0], [-1, 0, 0]])
    assert progress.past_beaten(beats)[1:].tolist() == [1.0, 0.0]


def test_equals_are_hardly_ever_decided_and_make_no_cycles():
    """Of 20 tournaments of 30 equals by 200 games a pair; 435 pairs each."""
    found = [progress.decided(played(equals(30), 200, index), 200) for index in range(20)]
    assert sum(np.any(beats) for beats in found) <= 4
    assert sum(progress.cycles(beats).cyclic for beats in found) == 0


def test_intervals_of_a_trend_cover_the_even_score_of_equals():
    """Of 400 such intervals of 95% about 380 hold one half; the jackknife errs to the wide."""
    size, hits = 12, 0
    for index in range(400):
        # Equals in the long run: each champion is strong or weak by luck, in no order.
        luck = generator(2, "luck", 0, index).normal(size=size)
        chances = 1 / (1 + np.exp(luck[None] - luck[:, None]))
        found = progress.later_against_earlier(played(chances, 200, index), 200)
        hits += found.low <= 0.5 <= found.high
    assert 365 <= hits <= 400


@given(st.integers(0, 300))
def test_blocks_hold_every_champion_once_and_at_least_three(champions):
    found = progress.blocks(champions)
    assert len(found) == (0 if champions < 6 else min(10, champions // 3))
    if found:
        places = [place for block in found for place in range(block.start, block.stop)]
        assert places == list(range(champions))
        sizes = [block.stop - block.start for block in found]
        assert min(sizes) >= 3
        assert max(sizes) - min(sizes) <= 1


def test_a_change_is_the_difference_of_block_means():
    course = Course(np.repeat([0.2, 0.6, 0.5], 3), 100)
    assert course.means.tolist() == pytest.approx([0.2, 0.6, 0.5])
    assert course.peak == 1
    assert course.change().value == pytest.approx(0.3)
    assert course.change(course.peak).value == pytest.approx(-0.1)
    assert course.change(course.peak, tests=9).high > course.change(course.peak).high
    assert course.change(2) == (0, 0, 0)


def test_champions_that_win_everything_still_have_an_interval():
    change = Course(np.ones(6), 10).change()
    assert change.value == 0
    assert change.low < 0 < change.high


@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_intervals_of_a_change_cover_no_change(spread):
    """Of 1,000 such intervals of 95%; three standard errors of the count are 21."""
    rng, hits = generator(3, "test"), 0
    for _ in range(1000):
        strengths = np.clip(0.5 + spread * rng.normal(size=30), 0, 1)
        found = Course(rng.binomial(100, strengths) / 100, 100).change()
        hits += found.low <= 0 <= found.high
    assert 920 <= hits <= 975
