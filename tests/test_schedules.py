"""Who meets whom."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tournaments.rng import generator
from tournaments.schedules import against_panel, antibodies_against_antigens, round_robin


def meetings(pairs: np.ndarray) -> list[tuple[int, int]]:
    assert pairs.dtype == np.int32
    return [(int(a), int(b)) for a, b in pairs]


@given(individuals=st.integers(1, 20), matches=st.integers(1, 5), panel=st.integers(1, 3))
def test_each_individual_meets_each_member_of_the_panel(individuals, matches, panel):
    expected = [
        (individual, -1 - member)
        for individual in range(individuals)
        for member in range(panel)
        for _ in range(matches)
    ]
    assert meetings(against_panel(individuals, matches, panel)) == expected


@given(individuals=st.integers(2, 40))
def test_each_pair_meets_once(individuals):
    expected = list(combinations(range(individuals), 2))
    assert meetings(round_robin(individuals)) == expected


@given(data=st.data(), individuals=st.integers(2, 40), seed=st.integers(0, 2**32))
def test_each_antigen_is_met_by_so_many_others_once_each(data, individuals, seed):
    antigens = data.draw(st.integers(1, individuals))
    antibodies = data.draw(st.integers(1, individuals - 1))
    rng = np.random.default_rng(seed)
    met = meetings(antibodies_against_antigens(individuals, antigens, antibodies, rng))
    assert len(met) == len(set(met)) == antigens * antibodies
    assert all(antibody != antigen for antibody, antigen in met)
    assert {0 <= one < individuals for pair in met for one in pair} == {True}
    counts = Counter(antigen for _, antigen in met)
    assert len(counts) == antigens
    assert set(counts.values()) == {antibodies}
    in_a_row = [antigen for _, antigen in met][::antibodies]
    assert len(set(in_a_row)) == antigens


def test_antigens_and_antibodies_are_drawn_evenly():
    """Each ordered pair of 6 individuals meets with probability 2/6 * 2/5."""
    counts = np.zeros((6, 6))
    draws = 6000
    for index in range(draws):
        pairs = antibodies_against_antigens(6, 2, 2, generator(0, "pairs", 0, index))
        np.add.at(counts, (pairs[:, 0], pairs[:, 1]), 1)
    assert (np.diag(counts) == 0).all()
    expected = draws * 2 / 6 * 2 / 5
    off_diagonal = counts[~np.eye(6, dtype=bool)]
    assert np.abs(off_diagonal - expected).max() < 4.5 * np.sqrt(expected)


def test_the_same_stream_gives_the_same_schedule():
    drawn = [antibodies_against_antigens(20, 5, 7, generator(s, "pairs")) for s in (1, 1, 2)]
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])
