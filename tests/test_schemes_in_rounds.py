"""Schemes in rounds: single elimination and Swiss tournaments."""

from __future__ import annotations

import itertools
from collections import Counter

import naive_schemes as naive
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from refereed import chance, referee, stronger

from tournaments import schemes
from tournaments.schemes.swiss import pairing

SEEDS = st.integers(0, 2**32)
IN_ROUNDS = ("single-elimination", "swiss")


# --- single elimination ------------------------------------------------------------------------


@given(size=st.integers(2, 70), seed=SEEDS, draws=st.sampled_from([0.0, 0.3, 1.0]))
def test_all_but_one_lose_exactly_one_match(size, seed, draws):
    beats = chance(seed, draws)
    scheme = schemes.make("single-elimination")
    found = referee(scheme, (size,), beats, (seed, 2, ()))
    assert len(found.matches) == size - 1 == scheme.num_matches((size,))
    rounds = (size - 1).bit_length()
    assert len(found.rounds) == rounds
    left, survived = set(range(size)), Counter()
    for number, matches in enumerate(found.rounds):
        later = {one for pair in itertools.chain(*found.rounds[number + 1 :]) for one in pair}
        if number + 1 == rounds:
            later = {int(np.argmax(found.points))}
        players = [one for pair in matches for one in pair]
        assert len(set(players)) == len(players)
        assert set(players) <= left
        for one, other in matches:
            out = {one, other} - later
            assert len(out) == 1, "exactly one of two goes on"
            if beats(one, other):
                assert out == {other if beats(one, other) > 0 else one}
            left -= out
        survived.update(left)
    assert len(left) == 1
    assert found.points.tolist() == [survived[one] for one in range(size)]


@given(size=st.integers(2, 40), seed=SEEDS)
def test_who_beats_everybody_wins_the_tournament_alone(size, seed):
    for name in IN_ROUNDS:
        found = referee(schemes.make(name), (size,), stronger, (seed, 0, ()))
        best = np.flatnonzero(found.points == found.points.max())
        assert best.tolist() == [size - 1], name


def test_lots_decide_drawn_matches_by_seed_and_generation():
    scheme, found = schemes.make("single-elimination"), {}
    for seed, generation in itertools.product(range(5), range(5)):
        moment = (seed, generation, ())
        played = referee(scheme, (2,), lambda *_: 0, moment)
        found[moment] = (played.matches[0], int(np.argmax(played.points)))
        assert played.points.tolist() == referee(scheme, (2,), lambda *_: 0, moment).points.tolist()
    assert set(found.values()) == {((0, 1), 0), ((0, 1), 1), ((1, 0), 0), ((1, 0), 1)}


# --- Swiss -------------------------------------------------------------------------------------


@given(size=st.integers(2, 40), seed=SEEDS, data=st.data())
def test_everybody_plays_in_each_round_and_nobody_meets_twice(size, seed, data):
    rounds = data.draw(st.integers(1, max((size + size % 2) // 2, 1)))
    beats = chance(seed)
    scheme = schemes.make("swiss", rounds=rounds)
    scheme.check((size,))
    found = referee(scheme, (size,), beats, (seed, 1, ()))
    assert len(found.rounds) == rounds
    assert len(found.matches) == scheme.num_matches((size,))
    assert len(set(map(frozenset, found.matches))) == len(found.matches)
    points, idle = naive.judged_points([], beats), []
    for matches in found.rounds:
        players = [one for pair in matches for one in pair]
        missing = set(range(size)) - set(players)
        assert len(players) == len(set(players)) == size - size % 2
        idle += missing
        both = matches + [pair[::-1] for pair in matches]
        for one, earned in naive.judged_points(both, beats).items():
            points[one] = points.get(one, 0) + earned
    assert len(set(idle)) == len(idle) == rounds * (size % 2)
    for one in idle:
        points[one] = points.get(one, 0) + 1
    assert found.points.tolist() == [float(points[one]) for one in range(size)]


@given(power=st.integers(1, 6), seed=SEEDS)
def test_the_unbeaten_meet_each_other(power, seed):
    beats = chance(seed, draws=0.0)
    found = referee(schemes.make("swiss"), (2**power,), beats, (seed, 0, ()))
    unbeaten = set(range(2**power))
    for matches in found.rounds:
        among = [pair for pair in matches if unbeaten & set(pair)]
        assert all(set(pair) <= unbeaten for pair in among)
        unbeaten -= {other if beats(one, other) > 0 else one for one, other in among}
    assert len(unbeaten) == 1
    assert found.points.max() == power


@given(half=st.integers(1, 9), seed=SEEDS)
def test_a_round_is_found_up_to_half_of_all_whoever_has_met(half, seed):
    """Up to there one always exists; here earlier rounds are any, not those of a tournament."""
    rng, size = np.random.default_rng(seed), 2 * half
    met: set[tuple[int, int]] = set()
    for _ in range(half):
        pairs = pairing(rng.permutation(size).tolist(), met)
        assert sorted(itertools.chain(*pairs)) == list(range(size))
        new = {(min(pair), max(pair)) for pair in pairs}
        assert not new & met
        met |= new


def test_all_rounds_can_be_played_even_where_some_meet_twice():
    found = referee(schemes.make("swiss", rounds=7), (8,), chance(1))
    assert [len(matches) for matches in found.rounds] == [4] * 7
