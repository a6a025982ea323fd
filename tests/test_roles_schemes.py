"""Who meets whom across two populations, and what it is worth there."""

from __future__ import annotations

import itertools
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_roles import antibody_points, direct_points, round_robin_points
from refereed import referee

from tournaments import TournamentError, schemes
from tournaments.arena.outcomes import GameCounter, Played
from tournaments.kernels.rng import match_seeds
from tournaments.schedules.antibodies import Antibodies
from tournaments.schedules.base import Matches, Schedule
from tournaments.schedules.combined import Chain, Placed
from tournaments.schedules.pairs import AgainstPanel, Challenges, EachOther, EachPair
from tournaments.schemes import Scheme

SIZES = st.tuples(st.integers(1, 25), st.integers(1, 25))
SHARES = st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
SEEDS = st.integers(0, 2**32)


def meetings(schedule: Schedule) -> list[tuple[int, int]]:
    pairs = schedule.pairs(0, len(schedule))
    assert (pairs.dtype, pairs.shape) == (np.int32, (len(schedule), 2))
    return [(int(a), int(b)) for a, b in pairs]


def group_of(entrant: int, sizes: tuple[int, ...]) -> int:
    """By counting, population after population."""
    if entrant < 0:
        return entrant
    for group, size in enumerate(sizes):
        if entrant < size:
            return group
        entrant -= size
    raise AssertionError("no such entrant")


# --- who meets whom ----------------------------------------------------------------------------


@given(sizes=SIZES, matches=st.integers(1, 4))
def test_each_individual_meets_the_opponent_in_its_own_seat(sizes, matches):
    scheme = schemes.make("direct", opponent="random", matches=matches)
    met = meetings(scheme.schedule(sizes, 1, 0))
    first = [(one, -1) for one in range(sizes[0]) for _ in range(matches)]
    second = [(-1, sizes[0] + one) for one in range(sizes[1]) for _ in range(matches)]
    assert met == first + second
    assert len(met) == scheme.num_matches(sizes)


@given(sizes=SIZES)
def test_each_individual_meets_each_of_the_other_population_once(sizes):
    scheme = schemes.make("round-robin")
    met = meetings(scheme.schedule(sizes, 1, 0))
    others = range(sizes[0], sizes[0] + sizes[1])
    assert met == list(itertools.product(range(sizes[0]), others))
    assert len(met) == scheme.num_matches(sizes)


@given(sizes=SIZES, shares=SHARES, seed=SEEDS, generation=st.integers(0, 9))
def test_antigens_of_each_population_are_met_by_antibodies_of_the_other(
    sizes, shares, seed, generation
):
    scheme = schemes.make("antibody-antigen", antigens=shares[0], antibodies=shares[1])
    try:
        scheme.check(sizes)
    except TournamentError:
        return
    met = meetings(scheme.schedule(sizes, seed, generation))
    assert len(met) == scheme.num_matches(sizes)
    assert {(a < sizes[0], b >= sizes[0]) for a, b in met} == {(True, True)}
    place = 0
    for side in (0, 1):
        antigens = round(shares[0] * sizes[1 - side])
        antibodies = round(shares[1] * sizes[side])
        here = met[place : place + antigens * antibodies]
        place += len(here)
        assert len(here) == len(set(here)) == antigens * antibodies
        in_a_row = [pair[1 - side] for pair in here][::antibodies]
        assert len(set(in_a_row)) == antigens  # they are distinct
        assert Counter(pair[1 - side] for pair in here) == dict.fromkeys(in_a_row, antibodies)
    assert place == len(met)


def test_antigens_and_antibodies_are_drawn_evenly_and_apart():
    """With 4 and 5 individuals, 2 antigens a side, 2 and 3 antibodies: each pair as often."""
    scheme = schemes.make("antibody-antigen", antigens=0.5, antibodies=0.5)
    draws, sizes = 4000, (4, 5)
    counts, alike = np.zeros((2, 4, 5)), 0
    for generation in range(draws):
        schedule = scheme.schedule(sizes, 0, generation)
        for side, part in enumerate(schedule.parts):
            pairs = part.pairs(0, len(part))
            np.add.at(counts[side], (pairs[:, 0], pairs[:, 1] - 4), 1)
        first, second = (set(part.rows.chosen.tolist()) for part in schedule.parts)
        alike += first == second
    for side, (antigens, antibodies) in enumerate([(2 / 5, 2 / 4), (2 / 4, 2 / 5)]):
        expected = draws * antigens * antibodies
        assert np.abs(counts[side] - expected).max() < 4.5 * np.sqrt(expected)
    # The two antigens of 4 are the two of 5 by chance alone: in one of ten.
    assert abs(alike - draws / 10) < 4.5 * np.sqrt(draws * 0.09)


def test_a_whole_population_may_be_antibodies_of_the_other():
    scheme = schemes.make("antibody-antigen", antigens=1.0, antibodies=1.0)
    scheme.check((3, 4))
    met = meetings(scheme.schedule((3, 4), 5, 1))
    everybody = set(itertools.product(range(3), range(3, 7)))
    assert set(met[:12]) == set(met[12:]) == everybody
    with pytest.raises(TournamentError, match="at most 2 can"):
        scheme.check((3,))


@given(sizes=SIZES, seed=SEEDS)
def test_the_same_seed_and_generation_give_the_same_schedule(sizes, seed):
    scheme = schemes.make("antibody-antigen", antigens=1.0, antibodies=1.0)
    drawn = [
        meetings(scheme.schedule(sizes, *key))
        for key in ((seed, 3), (seed, 3), (seed, 4), (seed + 1, 3))
    ]
    assert drawn[0] == drawn[1]
    if min(sizes) > 7:  # of fewer, two shuffles may well be one
        assert drawn[0] != drawn[2]
        assert drawn[0] != drawn[3]


@pytest.mark.parametrize("sizes", [(0, 5), (5, 0), (1, 1), (1, 5), (2, 9), (24, 24)])
@pytest.mark.parametrize("name", sorted(schemes.SCHEMES))
def test_whatever_is_accepted_can_be_scheduled(name, sizes):
    scheme = schemes.make(name)
    try:
        scheme.check(sizes)
    except TournamentError:
        return
    assert min(sizes) > 0
    played = referee(scheme, sizes, lambda *_: 0)
    assert 0 < len(played.matches) <= scheme.num_matches(sizes)
    if not played.kept:  # or there are more once archives are full
        assert len(played.matches) == scheme.num_matches(sizes)


# --- stretches, numbers and groups -------------------------------------------------------------

COMPOSED: dict[str, tuple[Schedule, tuple[int, ...]]] = {
    **{
        name: (schemes.make(name).schedule((7, 9), 3, 2), (7, 9))
        for name in ("direct", "round-robin", "antibody-antigen")
    },
    "the second side": (Placed(EachOther(4, 6), 1, (2, 0), (11, 0)), (6, 5, 4)),
    "a panel on the first side": (Placed(AgainstPanel.of_all(3, 4, 2), 1, (1, 0), (5, 0)), (5, 3)),
    "some rows against a panel": (
        Placed(AgainstPanel(np.array([0, 2, 5]), 3, 2), 0, (1, 0), (4, 0)),
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
        Challenges(2, 5, np.array([9, 6, -2], dtype=np.int32), 3, 0, 1),
        (5, 6),
    ),
    "challengers of the second side": (
        Challenges(5, 9, np.array([0, -1, 4], dtype=np.int32), 2, 1, 0),
        (5, 6),
    ),
    "challengers against themselves": (
        Challenges(0, 4, np.array([0, 5], dtype=np.int32), 2, 0, 0),
        (6,),
    ),
    "nobody to challenge": (Challenges(0, 4, np.array([], dtype=np.int32), 2, 0, 1), (4, 4)),
}
named = pytest.mark.parametrize("name", COMPOSED)


@named
@given(data=st.data())
def test_stretches_are_those_of_the_whole_at_any_cuts(name, data):
    matches = Matches(COMPOSED[name][0], 1, "games", 2)
    pairs, seeds = matches.part(0, len(matches))
    cuts = data.draw(st.lists(st.integers(0, len(matches)), max_size=6).map(sorted))
    for first, last in itertools.pairwise([0, *cuts, len(matches)]):
        part = matches.part(first, last)
        assert (part[0].dtype, part[0].shape) == (np.int32, (last - first, 2))
        assert np.array_equal(part[0], pairs[first:last])
        assert np.array_equal(part[1], seeds[first:last])


@named
def test_every_match_has_a_number_of_its_own_but_for_those_of_other_challengers(name):
    schedule, _ = COMPOSED[name]
    numbers = schedule.numbers(0, len(schedule)).tolist()
    assert len(numbers) == len(schedule)
    if isinstance(schedule, Challenges):
        each = len(schedule.opponents) * schedule.matches
        assert numbers == list(range(each)) * (schedule.last - schedule.first)
    else:
        assert len(set(numbers)) == len(numbers)


@named
def test_the_groups_that_meet_are_named_each_once(name):
    schedule, sizes = COMPOSED[name]
    met = {(group_of(a, sizes), group_of(b, sizes)) for a, b in meetings(schedule)}
    assert set(schedule.groups) >= met
    assert len(set(schedule.groups)) == len(schedule.groups)
    if name != "chains of chains":  # a part without matches names groups, too
        assert set(schedule.groups) == met


@named
def test_a_schedule_survives_being_sent(name):
    schedule, _ = COMPOSED[name]
    again = pickle.loads(pickle.dumps(schedule))
    assert meetings(again) == meetings(schedule)
    assert again.groups == schedule.groups


def test_matches_of_two_populations_are_seeded_by_their_places():
    for name in ("direct", "round-robin", "antibody-antigen"):
        matches = Matches(COMPOSED[name][0], 5, "games", 6)
        expected = match_seeds(5, "games", 6, len(matches))
        assert np.array_equal(matches.part(0, len(matches))[1], expected)


def test_challengers_meet_the_same_opponents_in_the_same_order():
    schedule, _ = COMPOSED["challengers of the second side"]
    one = [0, 0, -1, -1, 4, 4]
    assert meetings(schedule) == [(other, who) for who in range(5, 9) for other in one]


# --- what it is worth --------------------------------------------------------------------------


def outcomes_of(results: np.ndarray) -> np.ndarray:
    """Outcomes of one game each, in which a leads by so much."""
    outcomes = np.zeros((len(results), 1, 2), dtype=np.int16)
    outcomes[:, 0, 0] = 3 + results
    outcomes[:, 0, 1] = 3
    return outcomes


def fitness_of(
    scheme: Scheme, sizes: tuple[int, int], schedule: Schedule, outcomes: np.ndarray, bounds: Any
) -> tuple[np.ndarray, GameCounter]:
    """Raw fitness of matches that come in parts, each from one bound to another."""
    scoring, counter = scheme.scoring(schedule, sizes), GameCounter(sum(sizes))
    for first, last in bounds:
        played = Played(first, schedule.pairs(first, last), outcomes[first:last])
        scoring.take(played, counter.take(played))
    return scoring.points(), counter


@settings(max_examples=60)
@given(
    name=st.sampled_from(["antibody-antigen", "direct", "round-robin"]),
    sizes=st.tuples(st.integers(2, 20), st.integers(2, 20)),
    seed=SEEDS,
    data=st.data(),
)
def test_fitness_is_that_of_the_slow_scoring_whatever_parts_it_comes_in(name, sizes, seed, data):
    scheme = schemes.make(name)
    schedule = scheme.schedule(sizes, seed, 0)
    rng = np.random.default_rng(seed)
    results = rng.choice([-1, 0, 1], len(schedule), p=[0.5, 0.2, 0.3])
    matches = [(*pair, int(one)) for pair, one in zip(meetings(schedule), results, strict=True)]
    slow = {
        "direct": lambda: direct_points(matches),
        "round-robin": lambda: round_robin_points(matches),
        "antibody-antigen": lambda: antibody_points(matches, len(schedule.parts[0])),
    }[name]()
    outcomes = outcomes_of(results)
    fitness, counter = fitness_of(scheme, sizes, schedule, outcomes, [(0, len(schedule))])
    assert fitness.dtype == np.float64
    assert fitness == pytest.approx([float(slow.get(one, 0)) for one in range(sum(sizes))])
    cuts = data.draw(st.lists(st.integers(0, len(schedule)), max_size=5).map(sorted))
    bounds = list(itertools.pairwise([0, *cuts, len(schedule)]))
    shuffled = data.draw(st.permutations(bounds))
    in_parts, counted = fitness_of(scheme, sizes, schedule, outcomes, shuffled)
    assert np.array_equal(in_parts, fitness)
    assert counted.games == counter.games == len(schedule)
    assert all(
        map(np.array_equal, counted.tally.__dict__.values(), counter.tally.__dict__.values())
    )


def test_games_are_counted_for_the_individuals_of_both_populations():
    schedule = schemes.make("round-robin").schedule((2, 2), 0, 0)
    outcomes = outcomes_of(np.array([1, -1, 0, -1]))  # (0, 2), (0, 3), (1, 2), (1, 3)
    _, counter = fitness_of(schemes.make("round-robin"), (2, 2), schedule, outcomes, [(0, 4)])
    assert counter.tally.games.tolist() == [2, 2, 2, 2]
    assert counter.tally.wins.tolist() == [1, 0, 0, 2]
    assert counter.tally.draws.tolist() == [0, 1, 1, 0]
    assert counter.tally.losses.tolist() == [1, 1, 1, 0]


def test_an_antigen_shares_its_points_among_its_victors_of_the_other_population():
    """One game a match: a win is both, so the number of shares does not matter."""
    sizes = (4, 4)
    for two_wins in (4.0, 1.5):
        scheme = schemes.make(
            "antibody-antigen", antigens=0.25, antibodies=1.0, points=12.0, two_wins=two_wins
        )
        schedule = scheme.schedule(sizes, 0, 0)
        met = meetings(schedule)
        beaten = [met[0], met[1], met[2], met[6]]  # three beat the one antigen, one the other
        results = np.array([pair in beaten[:3] for pair in met[:4]] + [0, 0, -1, 0], dtype=int)
        fitness, _ = fitness_of(scheme, sizes, schedule, outcomes_of(results), [(0, 8)])
        expected = np.zeros(8)
        expected[[a for a, _ in beaten[:3]]] = 4.0
        expected[beaten[3][1]] = 12.0
        assert fitness.tolist() == expected.tolist()


def test_points_of_a_match_that_is_one_game_are_those_of_both_won_or_none():
    scheme = schemes.make("direct", matches=2, two_wins=5, one_win=2.5, no_wins=0.5)
    schedule = scheme.schedule((1, 1), 0, 0)
    fitness, _ = fitness_of(
        scheme, (1, 1), schedule, outcomes_of(np.array([1, 0, -1, -1])), [(0, 4)]
    )
    assert fitness.tolist() == [5.5, 10.0]
    scheme = schemes.make("round-robin", win=3, draw=1, loss=0.5)
    schedule = scheme.schedule((1, 3), 0, 0)
    fitness, _ = fitness_of(scheme, (1, 3), schedule, outcomes_of(np.array([1, 0, -1])), [(0, 3)])
    assert fitness.tolist() == [4.5, 0.5, 1.0, 3.0]
