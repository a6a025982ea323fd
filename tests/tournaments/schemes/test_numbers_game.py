"""The numbers game of Watson and Pollack: which schemes climb, and which go in circles.

Seeds are fixed, so a figure is always the same; the margins are what should stand with others too.
"""

from __future__ import annotations

from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.numbers import BITS, RULES, SCHEMES, course, leads, numbers_of

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=2)


def wins(rule: str, one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return int(leads(rule, np.array([one]) - np.array([other]))[0])


@given(PAIRS)
def test_the_rules_are_those_of_the_paper(pair):
    one, other = pair
    apart = [a - b for a, b in zip(one, other, strict=True)]
    far, near = max(apart, key=abs), min(apart, key=abs)
    if abs(far) != abs(near):
        assert wins("focusing", one, other) == np.sign(far)
        assert wins("intransitive", one, other) == np.sign(near)
    for rule in ("focusing", "intransitive"):
        assert wins(rule, one, other) == -wins(rule, other, one)
    assert wins("plain", one[:1], other[:1]) == np.sign(apart[0])


def test_by_the_intransitive_rule_each_of_three_beats_the_next():
    circle = [(1, 6), (4, 5), (2, 4)]
    assert [wins("intransitive", circle[k], circle[k - 2]) for k in range(3)] == [1, 1, 1]
    assert [wins("focusing", (5, 1), (4, 4)), wins("focusing", (4, 4), (5, 1))] == [-1, 1]


def test_numbers_are_the_ones_in_each_part():
    genes = np.zeros((1, BITS), dtype=np.uint8)
    genes[0, [0, 64, 65]] = 1
    assert {rule: numbers_of(rule, genes).tolist()[0][:2] for rule in RULES} == {
        "plain": [3],
        "focusing": [1, 0],
        "intransitive": [2, 1],
    }


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_climbs_where_the_greater_number_wins(scheme):
    """Beyond the half that mutation alone leads to, and no champion loses to an earlier one."""
    run = course(scheme, "plain", 1, 120)
    assert run.windows[-1] > 0.5
    assert run.lost < 0.02
    assert run.beaten < 0.02


@pytest.fixture(scope="module")
def circles():
    """Runs by the intransitive rule, from five seeds each."""
    return {
        scheme: [course(scheme, "intransitive", seed, 200) for seed in range(1, 6)]
        for scheme in ("round-robin", "hall-of-fame")
    }


@pytest.mark.slow
def test_where_a_beats_b_beats_c_beats_a_champions_lose_to_their_ancestors(circles):
    """By whatever scheme: an archive does not make an order of what has none."""
    for runs in circles.values():
        assert mean(run.beaten for run in runs) > 0.05


def test_with_a_hall_of_fame_numbers_grow_that_are_lost_without(circles):
    without, kept = (
        mean(float(run.windows[-1]) for run in circles[name])
        for name in ("round-robin", "hall-of-fame")
    )
    assert kept > without + 0.05
