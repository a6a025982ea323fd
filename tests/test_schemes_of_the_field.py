"""Schemes of the field: who meets whom, what it is worth, and who is met again."""

from __future__ import annotations

import functools
import itertools
from collections import Counter

import naive_schemes as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refereed import chance, lead, referee

from tournaments import TournamentError, schemes
from tournaments.schedules.pairs import Cross
from tournaments.schemes.competitive_sharing import shared_sample
from tournaments.schemes.maxsolve import best_solvers, useful_tests
from tournaments.schemes.pareto import pareto_layers

SEEDS = st.integers(0, 2**32)
IN_ROUNDS = ("single-elimination", "swiss")
WITH_ARCHIVES = ("hall-of-fame", "competitive-sharing", "maxsolve")
FIELD = ("random-opponents", *IN_ROUNDS, *WITH_ARCHIVES, "pareto")
OPPONENTS = {"random-opponents": "opponents", "hall-of-fame": "current"}
OPPONENTS |= {"competitive-sharing": "opponents", "maxsolve": "current"}


def made(name, opponents, **options):
    """A scheme with so many opponents, whatever their field is called."""
    if name in OPPONENTS:
        options[OPPONENTS[name]] = opponents
    return schemes.make(name, **options)


# --- random opponents --------------------------------------------------------------------------


@given(size=st.integers(2, 25), seed=SEEDS, data=st.data())
def test_each_individual_is_judged_by_different_others(size, seed, data):
    opponents = data.draw(st.integers(1, size - 1))
    beats = chance(seed)
    scheme = made("random-opponents", opponents)
    scheme.check((size,))
    found = referee(scheme, (size,), beats, (seed, 3, ()))
    met = [(judged, other) for other, judged in found.matches]
    assert len(set(met)) == len(met) == scheme.num_matches((size,))
    assert all(one != other for one, other in met)
    assert Counter(one for one, _ in met) == dict.fromkeys(range(size), opponents)
    expected = naive.judged_points(met, beats)
    assert found.points.tolist() == [float(expected[one]) for one in range(size)]


@given(sizes=st.tuples(st.integers(1, 9), st.integers(1, 9)), seed=SEEDS, data=st.data())
def test_of_two_populations_each_is_judged_by_the_other(sizes, seed, data):
    opponents = data.draw(st.integers(1, min(sizes)))
    beats = chance(seed)
    scheme = made("random-opponents", opponents)
    scheme.check(sizes)
    found = referee(scheme, sizes, beats, (seed, 1, ()))
    assert all(a < sizes[0] <= b for a, b in found.matches)
    cut = sizes[0] * opponents  # the first population is judged first
    met = found.matches[:cut] + [pair[::-1] for pair in found.matches[cut:]]
    assert Counter(one for one, _ in met) == dict.fromkeys(range(sum(sizes)), opponents)
    assert len(set(met)) == len(met) == scheme.num_matches(sizes)
    expected = naive.judged_points(met, beats)
    assert found.points.tolist() == [float(expected[one]) for one in range(sum(sizes))]


# --- hall of fame ------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(8,), (6, 7)])
@pytest.mark.parametrize(("kept", "leaves"), [(0, "oldest"), (3, "oldest"), (3, "random")])
def test_each_champion_joins_the_hall_of_its_population(sizes, kept, leaves):
    scheme = schemes.make("hall-of-fame", current=2, veterans=2, kept=kept, leaves=leaves)
    archives: schemes.Archives = ()
    for generation in range(6):
        beats = chance(generation)
        found = referee(scheme, sizes, beats, (5, generation, archives))
        halls = [parts[0] for parts in archives] or [()] * len(sizes)
        starts = [0, sizes[0] + len(halls[0])]
        for side, size in enumerate(sizes):
            other = len(sizes) - 1 - side
            first = starts[other] + sizes[other]
            hall = range(first, first + len(halls[other]))
            living = range(starts[side], starts[side] + size)
            met = [tuple(pair[:: 1 - 2 * side]) for pair in found.matches]
            veterans = {one: [b for a, b in met if a == one and b in hall] for one in living}
            sample = veterans[starts[side]]
            assert len(set(sample)) == len(sample) == min(2, len(hall))
            assert all(mine == sample for mine in veterans.values()), "all meet the same"
            champion = starts[side] + int(np.argmax(found.points[living]))
            own = list(range(starts[side] + size, starts[side] + size + len(halls[side])))
            now = found.kept[side][0].tolist()
            assert now[-1] == champion
            if kept and len(own) == kept:
                assert now[:-1] == own[1:] if leaves == "oldest" else set(now[:-1]) < set(own)
            else:
                assert now[:-1] == own
        archives = tuple((tuple(range(len(parts[0]))),) for parts in found.kept)
        assert len(archives[0][0]) == min(generation + 1, kept or 99)
    assert len(found.matches) == scheme.num_matches(sizes)


# --- competitive fitness sharing ---------------------------------------------------------------


@given(size=st.integers(2, 16), seed=SEEDS, sampling=st.sampled_from(["random", "shared"]))
def test_beating_whom_few_beat_is_worth_more(size, seed, sampling):
    rng, beats = np.random.default_rng(seed), chance(seed)
    opponents = int(rng.integers(1, size))
    scheme = made("competitive-sharing", opponents, sampling=sampling)
    archives = ((tuple(range(opponents)),),) if sampling == "shared" else ()
    found = referee(scheme, (size,), beats, (seed, 4, archives))
    met = list(dict.fromkeys(b for _, b in found.matches))
    assert len(found.matches) == scheme.num_matches((size,))
    assert (met == list(range(size, size + opponents))) == (sampling == "shared")
    expected = naive.shared_points(list(range(size)), met, beats)
    assert found.points[:size] == pytest.approx([float(one) for one in expected])
    assert len(found.points) == size + (opponents if archives else 0)
    beaten = [{other for other in met if one != other and beats(one, other) > 0}
              for one in range(size)]  # fmt: skip
    assert found.points.sum() == pytest.approx(len(set().union(*beaten)))
    if sampling == "shared":
        assert found.kept[0][0].tolist() == naive.shared_sample(met, beaten, opponents)
    else:
        assert found.kept == ()


def test_a_shared_sample_takes_the_one_that_beats_whom_the_first_does_not():
    beaten = np.array([[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]], dtype=bool)
    assert shared_sample(beaten, 1).tolist() == [0]
    assert shared_sample(beaten, 2).tolist() == [0, 1]  # 3/2 is more than 1
    assert shared_sample(beaten, 3).tolist() == [0, 1, 3]  # and then 3/3 is not


# --- MaxSolve ----------------------------------------------------------------------------------


@given(tests=st.integers(1, 7), candidates=st.integers(1, 9), most=st.integers(1, 5), seed=SEEDS)
def test_an_archive_holds_who_solves_most_and_what_they_solve(tests, candidates, most, seed):
    rng = np.random.default_rng(seed)
    solved = rng.random((tests, candidates)) < 0.5
    fresh = rng.random(candidates) < 0.5
    sets = [set(np.flatnonzero(column).tolist()) for column in solved.T]
    chosen = best_solvers(solved, fresh, most)
    assert chosen.tolist() == naive.solvers(sets, (~fresh).tolist(), most)
    useful = set(useful_tests(solved[:, chosen], most).tolist())
    solvable = set().union(*(sets[one] for one in chosen.tolist()))
    assert useful <= solvable
    assert len(useful) == min(most, len(solvable))
    if len(solvable) <= most:
        assert useful == solvable
    kinds = {frozenset(one for one in chosen.tolist() if test in sets[one]) for test in solvable}
    kept = {frozenset(one for one in chosen.tolist() if test in sets[one]) for test in useful}
    assert len(kept) == min(most, len(kinds)), "none like another as long as there are others"


@pytest.mark.parametrize("sizes", [(12,), (9, 8)])
def test_candidates_meet_kept_tests_and_new_ones(sizes):
    scheme = schemes.make("maxsolve", candidates=3, tests=4, current=2)
    rows = ((0, 1, 2), (2, 3, 4, 5))
    archives = tuple(rows for _ in sizes)
    beats = chance(3)
    found = referee(scheme, sizes, beats, (1, 2, archives))
    itself = len(sizes) == 1  # what is kept as a candidate and as a test
    assert len(found.matches) == scheme.num_matches(sizes) - itself
    cut = len(found.matches) if itself else (sizes[0] + 3) * (4 + 2)
    for side, size in enumerate(sizes):
        own = found.matches[cut:] if side else found.matches[:cut]
        start = side * (sizes[0] + 6)
        other = len(sizes) - 1 - side
        theirs = other * (sizes[0] + 6)
        mine = [pair[:: 1 - 2 * side] for pair in own]
        candidates = {*range(start, start + size), *(start + size + row for row in rows[0])}
        tests = {theirs + sizes[other] + row for row in rows[1]}
        new = {test for _, test in mine} - tests
        assert len(new) == 2
        assert new <= set(range(theirs, theirs + sizes[other]))
        everybody = itertools.product(candidates, tests | new)
        assert {(one, test) for one, test in everybody if one != test} == set(mine)
        solved = Counter(one for one, test in mine if beats(one, test) > 0)
        assert all(found.points[one] == solved[one] for one in candidates)
        assert all(len(part) <= most for part, most in zip(found.kept[side], (3, 4), strict=True))


def test_where_the_stronger_wins_the_archive_keeps_the_strongest_that_was_ever_seen():
    scheme = schemes.make("maxsolve", candidates=2, tests=3, current=3)
    rng, archives = np.random.default_rng(0), ()
    strengths, best = rng.random(8), []
    archive = np.empty(0)
    for generation in range(12):
        known = np.concatenate([strengths, archive])
        beats = functools.partial(lead, known)
        found = referee(scheme, (8,), beats, (0, generation, archives))
        parts = [part.tolist() for part in found.kept[0]]
        rows = list(dict.fromkeys(itertools.chain(*parts)))
        archives = (tuple(tuple(rows.index(one) for one in part) for part in parts),)
        archive = known[rows]
        best.append(max(known[one] for one in parts[0]))
        strengths = rng.random(8) * 0.9  # the population itself does not get better
    assert best == sorted(best)


# --- Pareto ------------------------------------------------------------------------------------


@given(size=st.integers(2, 12), opponents=st.integers(1, 5), seed=SEEDS)
def test_layers_are_those_that_nobody_left_dominates(size, opponents, seed):
    verdicts = np.random.default_rng(seed).integers(-1, 2, (size, opponents)).astype(np.int8)
    assert pareto_layers(verdicts).tolist() == naive.layers(verdicts.tolist())


@given(sizes=st.sampled_from([(2,), (9,), (5, 8), (1, 3)]), seed=SEEDS)
def test_a_layer_is_worth_more_than_any_share_within_one(sizes, seed):
    beats = chance(seed)
    found = referee(schemes.make("pareto"), sizes, beats, (seed, 0, ()))
    groups = (
        [range(sizes[0])] if len(sizes) == 1 else [range(sizes[0]), range(sizes[0], sum(sizes))]
    )
    for own, others in zip(groups, groups[::-1], strict=True):
        layers = np.array(naive.layers([[beats(a, b) for b in others] for a in own]))
        assert np.floor(found.points[own]).tolist() == (layers.max() - layers).tolist()


# --- all of them -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FIELD)
@given(seed=SEEDS, roles=st.booleans())
def test_neither_parts_nor_their_order_leave_a_trace(name, seed, roles):
    if roles and name in IN_ROUNDS:
        return
    sizes = (6, 7) if roles else (13,)
    scheme = made(name, 4)
    archives: schemes.Archives = ()
    if name in WITH_ARCHIVES:
        parts = ((0, 1, 3), (2, 3, 4)) if name == "maxsolve" else ((0, 1, 2, 3, 4),)
        archives = tuple(parts for _ in sizes)
    moment = (seed, 2, archives)
    whole = referee(scheme, sizes, chance(seed), moment)
    again = chance(seed)
    for a, b in whole.matches:  # so that the rule draws in the same order
        again(a, b)
    parted = referee(scheme, sizes, again, moment, np.random.default_rng(seed))
    assert parted.rounds == whole.rounds
    assert parted.points.dtype == np.float64
    assert parted.points.tobytes() == whole.points.tobytes()
    kept = [[part.tolist() for part in parts] for parts in parted.kept]
    assert kept == [[part.tolist() for part in parts] for parts in whole.kept]


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


@pytest.mark.parametrize(
    ("name", "options", "sizes", "complaint"),
    [
        ("random-opponents", {}, (10,), "set scheme.opponents=9"),
        ("random-opponents", {}, (20, 9), "set scheme.opponents=9"),
        ("random-opponents", {"opponents": 1}, (1,), "at least 2"),
        ("single-elimination", {}, (1,), "at least 2"),
        ("single-elimination", {}, (8, 8), "take round-robin or hall-of-fame"),
        ("swiss", {}, (8, 8), "take round-robin or hall-of-fame"),
        ("swiss", {}, (1,), "at least 2"),
        ("swiss", {"rounds": 8}, (8,), "set scheme.rounds=7"),
        ("hall-of-fame", {}, (5,), "set scheme.current=4"),
        ("hall-of-fame", {"leaves": "youngest"}, (50,), "oldest, random"),
        ("competitive-sharing", {}, (10,), "set scheme.opponents=9"),
        ("competitive-sharing", {"sampling": "share"}, (50,), "did you mean 'shared'"),
        ("maxsolve", {}, (10,), "set scheme.current=9"),
        ("pareto", {}, (1001,), "take maxsolve"),
        ("pareto", {}, (1,), "at least 2"),
    ],
)  # fmt: skip
def test_what_a_scheme_cannot_serve_is_refused(name, options, sizes, complaint):
    with pytest.raises(TournamentError, match=complaint):
        schemes.make(name, **options).check(sizes)
