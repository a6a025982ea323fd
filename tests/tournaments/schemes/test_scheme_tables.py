"""Schemes whose matches have more than two players, and fitness from scores and outcomes."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from contextlib import closing
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evo
from cluster import LocalEvaluator
from tournaments import Competition, TournamentError, contest, schemes
from tournaments.schemes.aggregation import aggregate

PLAYERS = [0.1, 0.25, 0.3, 0.5, 0.45, 0.9, 0.2]


def lucky(players, seed):
    luck = np.random.default_rng(seed).random(len(players))
    return [player + 0.3 * chance for player, chance in zip(players, luck, strict=True)]


def groups_of(result):
    """Return the entrants of each match of a result, by round."""
    return [played.pairs for played in result._rounds]


@pytest.mark.parametrize("seats", [3, 4])
def test_random_tables_have_different_others_each_as_often_by_chance(seats):
    competition = Competition(
        contest(lambda players, seed: [0.0] * seats, seats=seats), "random-opponents:opponents=6"
    )
    met = Counter()
    for _ in range(40):
        (tables,) = groups_of(competition.evaluate(PLAYERS))
        assert tables[:, 0].tolist() == np.repeat(range(7), 6).tolist()
        assert all(len({*table}) == seats for table in tables.tolist())
        met.update((table[0], other) for table in tables.tolist() for other in table[1:])
    expected = 40 * 6 * (seats - 1) / 6
    assert set(met) == {*permutations(range(7), 2)}
    deviation = math.sqrt(expected * (1 - (seats - 1) / 6))
    assert all(abs(count - expected) < 4 * deviation for count in met.values())


def test_random_tables_pay_their_first_player_alone():
    result = Competition(contest(lucky, seats=3), "random-opponents:opponents=4").evaluate(PLAYERS)
    points = defaultdict(float)
    rows = result._rounds[0]
    for table, games in zip(rows.pairs.tolist(), rows.outcomes, strict=True):
        own = [games[g][g % 3] for g in range(3)]
        for place in (1, 2):
            others = [games[g][(place + g) % 3] for g in range(3)]
            ahead = sum(map(np.sign, np.subtract(own, others)))
            points[table[0]] += 0.5 + 0.5 * np.sign(ahead)
    assert result.fitness.tolist() == [points[each] for each in range(7)]


def test_direct_fills_the_other_seats_with_groups_of_the_panel():
    game = contest(lucky, seats=3)
    scheme = "direct:matches=2"
    three = Competition(game, scheme, opponents=[0.1, 0.5, 0.8]).evaluate(PLAYERS)
    (tables,) = groups_of(three)
    met = [[-1 - a, -1 - b] for a, b in combinations(range(3), 2) for _ in range(2)]
    assert tables[:6, 1:].tolist() == met
    assert three.fitness.argmax() == 5
    one = Competition(game, scheme, opponents=[0.1]).evaluate(PLAYERS)
    assert groups_of(one)[0][:2].tolist() == [[0, -1, -1]] * 2


def test_a_hall_of_fame_sits_at_tables_and_takes_in_each_champion():
    competition = Competition(contest(lucky, seats=3), "hall-of-fame:current=2,veterans=3")
    assert len(groups_of(competition.evaluate(PLAYERS))[0]) == 7 * 2
    (tables,) = groups_of(competition.evaluate(PLAYERS))
    assert len(tables) == 7 * (2 + 3)
    assert (tables[14:, 1:] == 7).all()  # the hall has one member, in both other seats
    (tables,) = groups_of(competition.evaluate(PLAYERS))
    assert {*tables[14:, 1:].flat} == {7, 8}
    assert competition.scheme.num_tables((7,), 3) == len(tables)


@pytest.mark.parametrize("individuals", [6, 7, 8])
def test_swiss_tables_are_of_neighbours_and_all_rest_as_often(individuals):
    players = np.linspace(0, 10, individuals)  # the better one wins
    scheme = schemes.make("swiss", rounds=individuals - 1)
    result = Competition(contest(lucky, seats=3), scheme).evaluate([*players])
    seated = Counter()
    for tables in groups_of(result):
        assert len(tables) == individuals // 3
        assert len({*tables.flat}) == tables.size
        seated.update(tables.flat)
    assert max(seated.values()) - min(seated.values()) <= 1
    assert result.fitness.argmax() == individuals - 1
    assert scheme.num_tables((individuals,), 3) == (individuals - 1) * (individuals // 3)
    last = groups_of(result)[-1]
    assert np.ptp(last[0]) < individuals - 1  # the best do not sit with the worst


def test_who_pairs_two_refuses_tables():
    game = contest(lucky, seats=3)
    for name in schemes.names():
        if schemes.make(name).takes_tables:
            continue
        with pytest.raises(TournamentError, match=f"{name} given for matches of 3 players"):
            Competition(game, name).evaluate(PLAYERS)
    with pytest.raises(TournamentError, match="population=2 given for matches of 3"):
        Competition(game).evaluate(PLAYERS[:2])


@pytest.mark.parametrize("scheme", ["round-robin", "swiss", "hall-of-fame:current=2,veterans=2"])
def test_vectors_evolve_at_tables(here, scheme):
    (here / "arena.py").write_text(
        "import tournaments\n"
        "def score(players, seed): return [float(sum(each)) for each in players]\n"
        "score = tournaments.contest(score, seats=3)\n"
    )
    settings = {
        "game": "./arena.py:score",
        "genome": {"encoding": "real-vector", "length": 2},
        "scheme": scheme,
    }
    run = evo.run("a", settings, population=9, generations=8)
    sums = [run.weights(generation).sum(axis=1).mean() for generation in (0, 8)]
    assert sums[1] > sums[0] + 0.5


# --- scores and aggregation ----------------------------------------------------------------------


@pytest.mark.parametrize("by", ["placing", "score"])
@pytest.mark.parametrize("aggregation", ["mean", "worst", "quantile", "softmin"])
@pytest.mark.parametrize("seats", [2, 3])
def test_fitness_is_what_a_slow_count_makes_of_the_outcomes(by, aggregation, seats):
    options = {"fitness": by, "aggregate": aggregation, "quantile": 0.4, "softness": 3.0}
    if (by, aggregation) == ("placing", "mean"):
        return  # what the scheme pays
    scheme = schemes.make("round-robin", matches=2, **options)
    result = Competition(contest(lucky, seats=seats), scheme, seed=2).evaluate(PLAYERS)
    rows, outcomes = result._rounds[0], defaultdict(list)
    for table, games in zip(rows.pairs.tolist(), rows.outcomes, strict=True):
        for mine, theirs in permutations(range(seats), 2):
            for turn, scores in enumerate(games):
                own, other = scores[(mine + turn) % seats], scores[(theirs + turn) % seats]
                value = own if by == "score" else (own > other) + 0.5 * (own == other)
                outcomes[table[mine], table[theirs]].append(value)
    for player in range(len(PLAYERS)):
        means = sorted(np.mean(met) for pair, met in outcomes.items() if pair[0] == player)
        place = 0.4 * (len(means) - 1)
        low = int(place)
        expected = {
            "mean": np.mean(means),
            "worst": means[0],
            "quantile": means[low] + (place - low) * (means[low + 1] - means[low]),
            "softmin": -np.log(np.mean(np.exp(-3.0 * np.array(means)))) / 3.0,
        }[aggregation]
        assert result.fitness[player] == pytest.approx(expected)


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=20), st.floats(0.01, 100))
def test_a_soft_minimum_is_between_the_worst_and_the_mean(outcomes, softness):
    outcomes = np.array(outcomes)
    worst, soft, mean = (
        aggregate(outcomes, schemes.make("direct", aggregate=each, softness=softness))
        for each in ("worst", "softmin", "mean")
    )
    assert worst - 1e-9 <= soft <= mean + 1e-9


@pytest.mark.slow
def test_every_scheme_takes_every_aggregation_and_negative_scores_evolve(here):
    (here / "arena.py").write_text(
        "def duel(players, seed): return [-abs(p).sum() for p in players]"
    )
    for name in schemes.names():
        if name == "direct":
            continue  # which needs an opponent
        scheme = {"name": name, "fitness": "score", "aggregate": "worst"}
        settings = {
            "game": "./arena.py:duel",
            "genome": {"encoding": "real-vector", "length": 2},
            "scheme": scheme,
        }
        run = evo.run(f"runs/{name}", settings, population=24, generations=6)
        rows = run.population(6)
        assert (rows["raw_fitness"] <= 0).all()
        assert (rows["fitness"] >= 0).all()
        assert np.abs(run.weights(6)).sum(axis=1).mean() < np.abs(run.weights(0)).sum(axis=1).mean()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name != "red-queen"))
        for name in schemes.names()
        if name != "direct"  # which needs an opponent
    ],
)
def test_fitness_does_not_depend_on_how_matches_are_cut_into_parts(name):
    scheme = schemes.make(name, fitness="score", aggregate="softmin")
    game, players = contest(lucky), list(np.random.default_rng(2).random(12))
    fitness = set()
    for chunk in (1, 2, 5, 1000):
        with closing(LocalEvaluator(1, chunk=chunk)) as evaluator:
            competition = Competition(game, scheme, seed=3, evaluator=evaluator)
            result = [competition.evaluate(players) for _ in range(2)][-1]
        fitness.add(result.fitness.tobytes())
    assert len(fitness) == 1


def test_the_champion_of_a_hall_of_fame_is_that_of_the_aggregation():
    def specialist(players, seed):
        """By the mean, 0 is the best of three; by the worst outcome, 1 is."""
        a, b = players
        scores = [[0, 10, -2], [-1, 0, 1], [3, -3, 0]]
        return [scores[a][b], scores[b][a]]

    kept = {}
    for aggregation in ("mean", "worst"):
        scheme = schemes.make(
            "hall-of-fame", fitness="score", aggregate=aggregation, current=2, veterans=1
        )
        competition = Competition(contest(specialist), scheme)
        competition.evaluate([0, 1, 2])
        kept[aggregation] = competition._archives[0].members.names
    assert kept == {"mean": ("int@0",), "worst": ("int-2@0",)}


def test_the_same_games_are_met_by_all_and_change_with_the_generation():
    seeds = defaultdict(list)

    def noting(players, seed):
        seeds[players[0] if players[0] >= 0 else players[1]].append(seed)
        return [0.0, 0.0]

    for same in (False, True):
        seeds.clear()
        scheme = schemes.make("direct", matches=3, same_games=same)
        competition = Competition(contest(noting), scheme, opponents=[-1.0])
        competition.evaluate([0.0, 1.0, 2.0])
        first = {player: {*each} for player, each in seeds.items()}
        assert (first[0.0] == first[1.0] == first[2.0]) is same
        seeds.clear()
        competition.evaluate([0.0, 1.0, 2.0])
        assert first[0.0].isdisjoint(seeds[0.0])


def distance_from_the_optimum(aggregation: str, seed: int) -> float:
    """Evolve predators and prey in the problem Bilinear; return how far their best stay off.

    M. A. Hevia Fajardo and P. K. Lehre, "How fitness aggregation methods affect the performance of
    competitive CoEAs on bilinear problems" (GECCO 2023): a (1, lambda) algorithm with the worst
    case finds the optimum, where predators have 0.6 n ones and prey 0.4 n, and with the mean it
    does not.
    """
    bits, size, rng = 30, 12, np.random.default_rng(seed)

    def bilinear(players, seed):
        predator, prey = (int(each.sum()) for each in players)
        payoff = prey * (predator - 0.6 * bits) - 0.4 * bits * predator
        return [payoff, -payoff]

    scheme = schemes.make("round-robin", fitness="score", aggregate=aggregation)
    competition = Competition(contest(bilinear, seats=("predator", "prey")), scheme)
    best, far = [rng.random(bits) < 0.5 for _ in range(2)], []
    for _ in range(40):
        groups = [one ^ (rng.random((size, bits)) < 0.6 / bits) for one in best]
        fitness = competition.evaluate(*map(list, groups)).fitness
        best = [
            group[rng.choice(np.flatnonzero(points == points.max()))]
            for group, points in zip(groups, fitness, strict=True)
        ]
        far.append(abs(best[0].sum() - 0.6 * bits) + abs(best[1].sum() - 0.4 * bits))
    return np.mean(far[20:])


@pytest.mark.slow
def test_the_worst_case_solves_bilinear_where_the_mean_does_not():
    for seed in (1, 2):
        assert distance_from_the_optimum("worst", seed) < 1
        assert distance_from_the_optimum("mean", seed) > 3


def test_programs_that_could_remember_the_same_games_are_refused(here):
    (here / "bot.py").write_text("#!/usr/bin/env python3\n")
    (here / "bot.py").chmod(0o755)
    scheme = schemes.make("direct", opponent="./bot.py", same_games=True)
    with pytest.raises(TournamentError, match="is a program that lives through all games"):
        Competition("nim", scheme).evaluate(["random"])
    table = {"name": "direct", "opponent": "./bot.py", "same_games": True}
    with pytest.raises(TournamentError, match="leave same_games out"):
        evo.run("a", game="nim", scheme=table)
    assert not (here / "a").exists()
