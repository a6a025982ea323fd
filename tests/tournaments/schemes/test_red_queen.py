"""The Red Queen: who meets whom, points, pools, and how often hard opponents are met."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from fractions import Fraction
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_checks import snapshot_bytes

import evo
from benchmarks.numbers import course
from tournaments import Competition, TournamentError, contest, schemes
from tournaments.contract.schemes import archives_of, decide
from tournaments.schemes.base import Roster
from tournaments.schemes.red_queen import LEVELS, weighted_sample


def played_by_chance(scheme, roster):
    """Play a generation with random results.

    Returns:
        The matches of each round as (entrant a, entrant b, twice the points of a), and the
        generation as :func:`decide` returns it.
    """
    rng, rounds = np.random.default_rng(roster.generation), []

    def results(pairs):
        made = rng.integers(-1, 2, (len(pairs), 3 - len(roster.sizes)))
        points = zip(pairs.tolist(), (made + 1).sum(axis=1).tolist(), strict=True)
        rounds.append([(*pair, halves) for pair, halves in points])
        return made

    contest = scheme.contest(roster.sizes, roster.seed, roster.generation, roster.archives)
    return rounds, decide(contest, results, roster.total)


def seen_by(side, matches, count):
    """Return the matches of a population as (individual, opponent, twice its points).

    The first ``count`` matches are those of the first population.
    """
    if side == 0:
        return matches[:count]
    return [(b, a, 2 - halves) for a, b, halves in matches[count:]]


def share_of(individual, matches, games):
    own = [halves for one, _, halves in matches if one == individual]
    return Fraction(sum(own), 2 * games * len(own)) if own else Fraction(0)


@pytest.mark.parametrize("sizes", [(8,), (6, 7)])
@pytest.mark.parametrize(("opponents", "deep", "kept"), [(3, 2, 0), (2, 3, 4), (3, 0, 3)])
def test_matches_points_and_pools_are_those_of_a_slow_count(sizes, opponents, deep, kept):
    scheme = schemes.make("red-queen", opponents=opponents, deep=deep, deep_matches=2, kept=kept)
    games, archives = 3 - len(sizes), ()
    levels = [[] for _ in sizes]  # of the members of each pool, the oldest first
    for generation in range(9):
        roster = Roster(sizes, 5, generation, archives)
        rounds, played = played_by_chance(scheme, roster)
        assert len(rounds) == 1 + (deep > 0)
        assert sum(map(len, rounds)) <= scheme.num_matches(sizes)
        champions, measured = [], [{} for _ in sizes]
        for side in roster.sides:
            other = roster.opponents_of(side)
            living, pool = roster.living(side).tolist(), roster.archived(other).tolist()
            counts = (sizes[0] * opponents, min(deep, sizes[0]) * opponents * 2)
            mine = [
                seen_by(side, matches, count) if games == 1 else matches
                for matches, count in zip(rounds, counts, strict=False)
            ]
            met = sorted({opponent for _, opponent, _ in mine[0]})
            everybody = itertools.product(living, met)
            expected = {(one, opponent) for one, opponent in everybody if one != opponent}
            assert {match[:2] for match in mine[0]} == expected
            assert len(mine[0]) == len(expected)
            assert len(met) == opponents
            assert len({*met} & {*pool}) == min(opponents, len(pool)), "members before others"
            assert {*met} <= {*pool, *roster.living(other).tolist()}
            first = {one: share_of(one, mine[0], games) for one in living}
            best = sorted(living, key=lambda one: (-first[one], one))[:deep]
            if deep:
                again = [pair for pair in expected if pair[0] in best for _ in range(2)]
                assert sorted(match[:2] for match in mine[1]) == sorted(again)
            everything = [*itertools.chain(*mine)]
            shares = [float(share_of(one, everything, games)) for one in living]
            assert played.points[living].tolist() == pytest.approx(shares)
            champions.append(living[int(np.argmax(shares))])
            for member in {*met} & {*pool}:
                lost = [
                    1 - share_of(one, [each for each in everything if each[1] == member], games)
                    for one in living
                ]
                measured[other][pool.index(member)] = 10 * sum(lost, Fraction(0)) / len(lost)
        for side in roster.sides:
            pool, now = roster.archived(side).tolist(), [*levels[side], Fraction(LEVELS)]
            for place, level in measured[side].items():
                now[place] = level
            pool.append(champions[side])
            pool_kept, *parts = [part.tolist() for part in played.kept[side]]
            found = [
                next((k for k, part in enumerate(parts, 1) if one in part), 0) for one in pool_kept
            ]
            if kept and len(pool) > kept:
                rounded = [round(level) for level in now[:-1]]
                easiest = rounded.index(min(rounded))
                del pool[easiest], now[easiest]
            assert pool_kept == pool
            assert all(abs(a - b) <= Fraction(1, 2) for a, b in zip(found, now, strict=True))
            levels[side] = [Fraction(level) for level in found]
        archives = archives_of(roster, played.kept)
    assert len(archives[0][0]) == (kept or 9)


@given(seed=st.integers(0, 2**32), weights=st.lists(st.integers(1, 11), max_size=9))
def test_a_weighted_sample_has_distinct_positions(seed, weights):
    rng, count = np.random.default_rng(seed), 3
    sample = weighted_sample(rng, np.array(weights, dtype=np.int64), count).tolist()
    assert sample == sorted(set(sample))
    assert len(sample) == min(count, len(weights))
    assert all(0 <= place < len(weights) for place in sample)


def test_members_are_drawn_one_after_another_in_proportion_to_their_weights():
    weights, count, draws = [1, 3, 11, 5], 2, 5000
    expected = defaultdict(float)
    for order in itertools.permutations(range(4), count):
        chance, left = 1.0, sum(weights)
        for place in order:
            chance, left = chance * weights[place] / left, left - weights[place]
        for place in order:
            expected[place] += chance
    rng, drawn = np.random.default_rng(0), np.zeros(4)
    for _ in range(draws):
        drawn[weighted_sample(rng, np.array(weights), count)] += 1
    for place in range(4):
        deviation = math.sqrt(draws * expected[place] * (1 - expected[place]))
        assert abs(drawn[place] - draws * expected[place]) < 4.5 * deviation


@pytest.mark.parametrize("sizes", [(5,), (4, 5)])
def test_hard_opponents_are_met_more_often(sizes):
    """One member of ten has level 10, three have level 4, and six have level 0."""
    parts: list[tuple[int, ...]] = [()] * (LEVELS + 1)
    parts[0], parts[10], parts[4] = tuple(range(10)), (3,), (0, 5, 9)
    scheme, draws = schemes.make("red-queen", opponents=1), 3000
    met = np.zeros((len(sizes), 10))
    for generation in range(draws):
        roster = Roster(sizes, 1, generation, (tuple(parts),) * len(sizes))
        schedule = scheme.meet(roster)[0]
        pairs = schedule.pairs(0, len(schedule))
        for side in roster.sides:
            own = np.isin(pairs[:, side], roster.living(side))
            (opponent,) = {*pairs[own, 1 - side].tolist()}
            pool = roster.archived(roster.opponents_of(side)).tolist()
            met[side, pool.index(opponent)] += 1
            if len(sizes) == 1:
                break
    weights = np.array([5, 1, 1, 11, 1, 5, 1, 1, 1, 5])
    chances = weights / weights.sum()
    deviations = np.sqrt(draws * chances * (1 - chances))
    assert (np.abs(met - draws * chances) < 4.5 * deviations).all()


def test_further_matches_do_not_raise_fitness_by_themselves():
    """Each player scores by luck alone; the mean share of those that play more is as good."""
    game = contest(lambda players, seed: np.random.default_rng(seed).random(2).tolist())
    competition = Competition(game, "red-queen:opponents=5,deep=30,deep_matches=20", seed=3)
    fitness = competition.evaluate([0.0] * 30).fitness
    assert fitness.mean() == pytest.approx(0.5, abs=0.05)
    assert fitness.max() < 0.65
    few = Competition(game, "red-queen:opponents=5,deep=1,deep_matches=400", seed=3)
    best_twice = few.evaluate([0.0] * 30).fitness
    assert np.sort(best_twice)[0] < 0.5 < np.sort(best_twice)[-1]  # luck of ten games
    assert np.abs(best_twice - 0.5).min() < 0.03  # and of four thousand


@pytest.mark.parametrize("is_same", [False, True])
def test_all_individuals_may_play_the_same_games_in_both_rounds(is_same):
    scheme = schemes.make("red-queen", opponents=3, deep=4, deep_matches=2, same_games=is_same)
    pool = (tuple(range(5)), *[()] * LEVELS)
    contest = scheme.contest((9,), 1, 1, (pool,))
    for matches in contest.rounds(1):
        pairs, seeds = matches.part(0, len(matches))
        of = defaultdict(set)
        for (one, opponent), seed in zip(pairs.tolist(), seeds.tolist(), strict=True):
            of[one].add((opponent, seed))
        games = [*of.values()]
        assert all((each == games[0]) is is_same for each in games[1:])
        assert {len(each) for each in games} == {len(pairs) // len(games)}


def test_a_pool_that_cannot_hold_the_opponents_is_refused():
    with pytest.raises(TournamentError, match=r"set scheme\.opponents=5"):
        schemes.make("red-queen", kept=5).check((20,))
    schemes.make("red-queen", kept=5, opponents=5).check((20,))


@pytest.mark.parametrize("game", ["dots-and-boxes:rows=2,cols=2", "cat-and-mouse:rows=3,cols=4"])
def test_a_resumed_run_has_the_same_bytes(game, tmp_path):
    scheme = {"name": "red-queen", "opponents": 3, "deep": 3, "kept": 5}
    scheme |= {"same_games": True, "fitness": "score", "aggregate": "softmin"}
    options = {"game": game, "scheme": scheme, "population": 7, "snapshot_interval": 1}
    evo.run(tmp_path / "whole", options, generations=9, threads=1)
    evo.run(tmp_path / "parts", options, generations=7, threads=2)
    evo.resume(tmp_path / "parts", 9, threads=1)
    whole, parts = snapshot_bytes(tmp_path / "whole"), snapshot_bytes(tmp_path / "parts")
    assert whole == parts


@pytest.mark.slow
def test_champions_lose_to_fewer_ancestors_than_without_memory():
    """By the intransitive rule of the numbers game, where round-robin goes in circles."""
    without, queen = (
        [course(name, "intransitive", seed, 200) for seed in range(1, 6)]
        for name in ("round-robin", "red-queen")
    )
    gain = [mean(float(run.windows[-1]) for run in runs) for runs in (without, queen)]
    assert gain[1] > gain[0] + 0.05
    beaten = [mean(run.beaten for run in runs) for runs in (without, queen)]
    assert beaten[1] < beaten[0] / 2
