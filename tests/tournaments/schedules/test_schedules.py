"""Who meets whom, whole and in stretches."""

from __future__ import annotations

import itertools
import pickle
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.kernels.rng import match_seeds
from tournaments.schedules.antibodies import Antibodies
from tournaments.schedules.base import Listed, Matches, Schedule
from tournaments.schedules.combined import STRETCHES, Chain, MatchStretch, Placed, Stretches
from tournaments.schedules.pairs import Challenges, Cross, EachOther, EachPair, against_panel


def meetings(schedule: Schedule) -> list[tuple[int, int]]:
    pairs = schedule.pairs(0, len(schedule))
    assert (pairs.dtype, pairs.shape) == (np.int32, (len(schedule), 2))
    return [(int(a), int(b)) for a, b in pairs]


@given(individuals=st.integers(1, 20), matches=st.integers(1, 5), panel=st.integers(1, 3))
def test_each_individual_meets_each_member_of_the_panel(individuals, matches, panel):
    expected = [
        (individual, -1 - member)
        for individual in range(individuals)
        for member in range(panel)
        for _ in range(matches)
    ]
    assert meetings(against_panel(np.arange(individuals), matches, panel)) == expected


def test_some_individuals_play_the_matches_that_they_play_among_all():
    whole = Matches(against_panel(np.arange(9), 4, panel=2), 1, "games", 3)
    some = Matches(against_panel(np.array([2, 5, 8]), 4, panel=2), 1, "games", 3)
    pairs, seeds = whole.part(0, len(whole))
    theirs = np.isin(pairs[:, 0], [2, 5, 8])
    assert np.array_equal(some.part(0, len(some))[0], pairs[theirs])
    assert np.array_equal(some.part(0, len(some))[1], seeds[theirs])


@given(individuals=st.integers(2, 40))
def test_each_pair_meets_once(individuals):
    expected = list(combinations(range(individuals), 2))
    assert meetings(EachPair(individuals)) == expected


@given(data=st.data(), individuals=st.integers(2, 3_000_000))
def test_a_stretch_of_a_long_round_robin_is_where_it_should_be(data, individuals):
    """(a, b) is preceded by all pairs of those before a, and by those of a with b's elders."""
    schedule = EachPair(individuals)
    first = data.draw(st.integers(0, len(schedule) - 1))
    pairs = schedule.pairs(first, min(first + 50, len(schedule)))
    for place, (a, b) in enumerate(pairs.tolist(), first):
        assert 0 <= a < b < individuals
        assert a * individuals - a * (a + 1) // 2 + (b - a - 1) == place


@given(data=st.data(), individuals=st.integers(2, 40), seed=st.integers(0, 2**32))
def test_each_antigen_is_met_by_so_many_others_once_each(data, individuals, seed):
    antigens = data.draw(st.integers(1, individuals))
    antibodies = data.draw(st.integers(1, individuals - 1))
    met = meetings(Antibodies(individuals, antigens, antibodies, seed))
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
    for generation in range(draws):
        pairs = Antibodies(6, 2, 2, 0, generation).pairs(0, 4)
        np.add.at(counts, (pairs[:, 0], pairs[:, 1]), 1)
    assert (np.diag(counts) == 0).all()
    expected = draws * 2 / 6 * 2 / 5
    off_diagonal = counts[~np.eye(6, dtype=bool)]
    assert np.abs(off_diagonal - expected).max() < 4.5 * np.sqrt(expected)


def test_the_same_seed_gives_the_same_schedule():
    drawn = [meetings(Antibodies(20, 5, 7, *key)) for key in ((1, 0), (1, 0), (2, 0), (1, 1))]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]
    assert drawn[0] != drawn[3]


def group_of(entrant: int, sizes: tuple[int, ...]) -> int:
    """By counting, population after population."""
    if entrant < 0:
        return entrant
    for group, size in enumerate(sizes):
        if entrant < size:
            return group
        entrant -= size
    raise AssertionError("no such entrant")


SCHEDULES: dict[str, tuple[Schedule, tuple[int, ...]]] = {
    "a panel": (against_panel(np.arange(7), 3, panel=2), (7,)),
    "some against a panel": (against_panel(np.array([1, 4]), 5), (7,)),
    "each pair": (EachPair(9), (9,)),
    "antibodies": (Antibodies(15, 4, 6, seed=3, generation=2), (15,)),
    "listed": (Listed(np.arange(20, dtype=np.int32).reshape(10, 2) - 3), (17,)),
    "the second side": (Placed(EachOther(4, 6), 1, (2, 0), (11, 0)), (6, 5, 4)),
    "a panel on the first side": (
        Placed(against_panel(np.arange(3), 4, 2), 1, (1, 0), (5, 0)),
        (5, 3),
    ),
    "some rows against a panel": (
        Placed(against_panel(np.array([0, 2, 5]), 3, 2), 0, (1, 0), (4, 0)),
        (4, 6),
    ),
    "within a population": (Placed(EachPair(5), 0, (1, 1), (3, 3)), (3, 5)),
    "chains of chains": (
        Chain(
            (
                Chain((EachPair(3), Placed(EachOther(3, 2), 0, (0, 1), (0, 3)))),
                Chain(()),
                Placed(Antibodies(2, 3, 1, 7, 1, hosts=3, name="/x"), 1, (1, 0), (3, 0)),
                EachPair(1),
            )
        ),
        (3, 2),
    ),
    "challengers of the first side": (
        Challenges(np.arange(2, 5), np.array([9, 6, -2], dtype=np.int32), 3, 0, 1),
        (5, 6),
    ),
    "challengers of the second side": (
        Challenges(np.arange(5, 9), np.array([0, -1, 4], dtype=np.int32), 2, 1, 0),
        (5, 6),
    ),
    "challengers against themselves": (
        Challenges(np.arange(4), np.array([0, 5], dtype=np.int32), 2, 0, 0),
        (6,),
    ),
    "nobody to challenge": (
        Challenges(np.arange(4), np.array([], dtype=np.int32), 2, 0, 1),
        (4, 4),
    ),
}
named = pytest.mark.parametrize("name", SCHEDULES)


@named
@given(data=st.data())
def test_stretches_are_those_of_the_whole_at_any_cuts(name, data):
    matches = Matches(SCHEDULES[name][0], 1, "games", 2)
    pairs, seeds = matches.part(0, len(matches))
    cuts = data.draw(st.lists(st.integers(0, len(matches)), max_size=6).map(sorted))
    for first, last in itertools.pairwise([0, *cuts, len(matches)]):
        part = matches.part(first, last)
        assert (part[0].dtype, part[0].shape) == (np.int32, (last - first, 2))
        assert np.array_equal(part[0], pairs[first:last])
        assert np.array_equal(part[1], seeds[first:last])


@named
def test_every_match_has_a_number_of_its_own_but_for_those_of_other_challengers(name):
    schedule, _ = SCHEDULES[name]
    numbers = schedule.numbers(0, len(schedule)).tolist()
    assert len(numbers) == len(schedule)
    if isinstance(schedule, Challenges) and schedule.is_same_games:
        each = len(schedule.opponents) * schedule.matches
        assert numbers == list(range(each)) * len(schedule.individuals)
    else:
        assert len(set(numbers)) == len(numbers)


@named
def test_the_groups_that_meet_are_named_each_once(name):
    schedule, sizes = SCHEDULES[name]
    met = {(group_of(a, sizes), group_of(b, sizes)) for a, b in meetings(schedule)}
    assert set(schedule.groups) >= met
    assert len(set(schedule.groups)) == len(schedule.groups)
    if name != "chains of chains":  # a part without matches names groups, too
        assert set(schedule.groups) == met


@named
def test_a_schedule_survives_being_sent(name):
    schedule, _ = SCHEDULES[name]
    again = pickle.loads(pickle.dumps(schedule))
    assert meetings(again) == meetings(schedule)
    assert again.groups == schedule.groups


def test_challengers_meet_the_same_opponents_in_the_same_order():
    schedule, _ = SCHEDULES["challengers of the second side"]
    one = [0, 0, -1, -1, 4, 4]
    assert meetings(schedule) == [(other, who) for who in range(5, 9) for other in one]


@given(data=st.data(), side=st.sampled_from([0, 1]))
def test_a_cross_has_every_pair_but_nobody_against_itself(data, side):
    entrants = st.lists(st.integers(0, 12), unique=True, max_size=8)
    one, other = data.draw(entrants), data.draw(entrants)
    cross = Cross(np.array(one, dtype=np.int32), np.array(other, dtype=np.int32), side, (0, 0))
    expected = [(a, b)[:: 1 - 2 * side] for b in other for a in one if a != b]
    first, last = sorted(data.draw(st.lists(st.integers(0, len(expected)), min_size=2, max_size=2)))
    assert len(cross) == len(expected)
    pairs = cross.pairs(first, last)
    assert pairs.dtype == np.int32
    assert list(map(tuple, pairs.tolist())) == expected[first:last]


@pytest.mark.parametrize("name", ["each pair", "antibodies", "the second side", "chains of chains"])
def test_matches_are_seeded_by_their_place(name):
    matches = Matches(SCHEDULES[name][0], 5, "games", 6)
    assert np.array_equal(matches.part(3, 9)[1], match_seeds(5, "games", 6, 9)[3:])


@given(
    stretches=st.lists(
        st.tuples(st.integers(-4, -1), st.integers(-4, -1), st.integers(0, 9), st.integers(1, 9)),
        min_size=1,
        max_size=5,
    ),
    seed=st.integers(0, 2**63 - 1),
    data=st.data(),
)
def test_stretches_are_seeded_as_if_each_pair_were_alone(stretches, seed, data):
    made = Stretches.of(
        [MatchStretch(a, b, f"{a}/{b}", first, count) for a, b, first, count in stretches], seed
    )
    assert len(made) == sum(count for *_, count in stretches)
    expected_pairs, expected_seeds = [], []
    for a, b, first, count in stretches:
        alone = Matches(Listed(np.full((first + count, 2), (a, b), np.int32)), seed, f"{a}/{b}")
        pairs, seeds = alone.part(first, first + count)
        expected_pairs.append(pairs)
        expected_seeds.append(seeds)
    start = data.draw(st.integers(0, len(made)))
    end = data.draw(st.integers(start, len(made)))
    pairs, seeds = Matches(made, seed, STRETCHES).part(start, end)
    assert (pairs.dtype, seeds.dtype) == (np.int32, np.uint64)
    np.testing.assert_array_equal(pairs, np.concatenate(expected_pairs)[start:end])
    np.testing.assert_array_equal(seeds, np.concatenate(expected_seeds)[start:end])
    assert set(made.groups) == {(a, b) for a, b, *_ in stretches}
