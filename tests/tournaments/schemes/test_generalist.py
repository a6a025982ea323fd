"""Generalist: who meets whom, points, and which individuals the archives keep."""

from __future__ import annotations

from fractions import Fraction
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.schemes import judged_points, varied_best
from refereed import chance, lead, referee
from run_checks import snapshot_bytes

import evo
from benchmarks.numbers import course
from tournaments import schemes
from tournaments.schemes import generalist
from tournaments.schemes.base import Roster


@pytest.mark.parametrize("sizes", [(9,), (6, 7)])
@pytest.mark.parametrize(("kept", "current"), [(1, 0), (4, 2), (15, 1)])
def test_matches_points_and_archives_are_those_of_a_slow_count(sizes, kept, current):
    scheme, archives = schemes.make("generalist", kept=kept, current=current), ()
    for generation in range(5):
        roster, beats = Roster(sizes, 5, generation, archives), chance(generation)
        played = referee(scheme, sizes, beats, (5, generation, archives))
        assert len(played.matches) <= scheme.num_matches(sizes)
        cut, next_archives = 0, []
        for side in roster.sides:
            other = roster.opponents_of(side)
            candidates = [*roster.living(side).tolist(), *roster.archived(side).tolist()]
            archive, others = roster.archived(other).tolist(), roster.living(other).tolist()
            count = min(kept + current, len(archive) + len(others))
            opponents, place = [], cut  # the matches of each opponent follow one another
            while len(opponents) < count:
                opponents.append(played.matches[place][1 - side])
                place += len(candidates) - (opponents[-1] in candidates)
            assert opponents[: len(archive)] == archive
            random_ones = opponents[len(archive) :]
            assert sorted({*random_ones} & {*others}) == random_ones
            expected = {(one, rival) for one in candidates for rival in opponents if one != rival}
            mine = [pair[:: 1 - 2 * side] for pair in played.matches[cut : cut + len(expected)]]
            assert set(mine) == expected
            cut += len(expected)
            points = judged_points(mine, beats)
            for one in candidates:
                met = sum(pair[0] == one for pair in mine)
                share = points.get(one, Fraction(0)) / max(met, 1)
                assert played.points[one] == pytest.approx(float(share))
            verdicts = [[beats(one, rival) for rival in opponents] for one in candidates]
            best = [candidates[place] for place in varied_best(verdicts, kept)]
            assert played.kept[side][0].tolist() == best
            next_archives.append((tuple(range(len(best))),))
        assert cut == len(played.matches)
        archives = tuple(next_archives)
    assert len(played.matches) == scheme.num_matches(sizes)


@given(opponents=st.integers(1, 6), most=st.integers(1, 6), seed=st.integers(0, 2**32))
def test_the_best_that_differ_are_those_of_a_slow_choice(opponents, most, seed):
    verdicts = np.random.default_rng(seed).integers(-1, 2, (opponents, 8)).astype(np.int8)
    slow = varied_best(verdicts.T.tolist(), most)
    assert generalist.varied_best(verdicts, most).tolist() == slow


def test_a_specialist_is_kept_before_the_double_of_the_best():
    beats_many, double, beats_the_rest = (1, 1, 1, -1), (1, 1, 1, -1), (-1, -1, -1, 1)
    verdicts = np.array([beats_many, double, beats_the_rest], dtype=np.int8).T
    assert generalist.varied_best(verdicts, 1).tolist() == [0]
    assert generalist.varied_best(verdicts, 2).tolist() == [0, 2]
    assert generalist.varied_best(verdicts, 3).tolist() == [0, 1, 2]


@pytest.mark.parametrize("current", [0, 5])
def test_where_the_stronger_wins_individuals_of_the_generation_keep_the_archive_varied(current):
    scheme, archives = schemes.make("generalist", kept=6, current=current), ()
    rng = np.random.default_rng(0)
    strongest, archive = [], np.empty(0)
    for generation in range(20):
        strengths = rng.random(30)  # the population itself does not get better
        known = np.concatenate([strengths, archive])
        played = referee(
            scheme, (30,), lambda a, b, known=known: lead(known, a, b), (0, generation, archives)
        )
        kept = played.kept[0][0]
        archive, archives = known[kept], ((tuple(range(len(kept))),),)
        strongest.append(archive.max())
        assert len(kept) == 6
    assert strongest == sorted(strongest)
    levels = len({*played.points[:30].tolist()})
    if current:
        assert np.ptp(archive) > 0.2
        assert levels > 8, "individuals are told apart"
    else:
        assert np.ptp(archive) < 0.02
        assert levels <= 3


@pytest.mark.parametrize("game", ["dots-and-boxes:rows=2,cols=2", "cat-and-mouse:rows=3,cols=4"])
def test_a_resumed_run_has_the_same_bytes(game, tmp_path):
    scheme = {"name": "generalist", "kept": 5, "fitness": "score", "aggregate": "worst"}
    options = {"game": game, "scheme": scheme, "population": 7, "snapshot_interval": 1}
    evo.run(tmp_path / "whole", options, generations=6, threads=1)
    evo.run(tmp_path / "parts", options, generations=4, threads=2)
    evo.resume(tmp_path / "parts", 6, threads=1)
    assert snapshot_bytes(tmp_path / "whole") == snapshot_bytes(tmp_path / "parts")


def test_numbers_grow_that_are_lost_without_memory():
    """By the intransitive rule of the numbers game, where round-robin goes in circles."""
    without, kept = (
        mean(float(course(name, "intransitive", seed, 200).windows[-1]) for seed in range(1, 6))
        for name in ("round-robin", "generalist")
    )
    assert kept > without + 0.05
