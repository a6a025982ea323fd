"""What an outcome is worth: worked examples, dictionaries, and the published counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import antibody_fitness, direct_fitness, round_robin_fitness
from refereed import referee

from tournaments import TournamentError, schemes
from tournaments.arena.outcomes import GameCounter, Played, results_of_a
from tournaments.schedules.base import Listed
from tournaments.schemes import Scheme


def outcomes_of(results: list[tuple[int, int]]) -> np.ndarray:
    """Outcomes in which entrant a wins, draws or loses the two games of each match by one box."""
    first = [[(1 + one, 1), (1, 1 + other)] for one, other in results]
    return np.array(first, dtype=np.int16).reshape(-1, 2, 2)


def pairs_of(*rows: tuple[int, int]) -> np.ndarray:
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


def test_a_result_is_read_from_the_seat_that_a_holds():
    outcomes = np.array([[[5, 4], [5, 4]], [[4, 5], [4, 5]], [[2, 2], [0, 9]]], dtype=np.int16)
    assert results_of_a(outcomes).tolist() == [[1, -1], [-1, 1], [0, 1]]
    assert results_of_a(outcomes_of([(1, -1), (0, 1)])).tolist() == [[1, -1], [0, 1]]


def test_games_are_counted_for_both_entrants():
    pairs = pairs_of((0, 1), (1, 2), (2, -1))
    counter = GameCounter(4)
    counter.take(Played(0, pairs, outcomes_of([(1, 1), (0, -1), (-1, 0)])))
    counted = counter.tally
    assert counter.games == 6
    assert counted.wins.tolist() == [2, 0, 1, 0]
    assert counted.draws.tolist() == [0, 1, 2, 0]
    assert counted.losses.tolist() == [0, 3, 1, 0]
    assert counted.games.tolist() == [2, 4, 4, 0]
    assert counted.games.dtype == np.int32


def fitness_of(
    scheme: Scheme, pairs: np.ndarray, outcomes: np.ndarray, individuals: int
) -> np.ndarray:
    """Raw fitness of matches that are all there."""
    scoring, counter = scheme.scoring(Listed(pairs), (individuals,)), GameCounter(individuals)
    played = Played(0, pairs, outcomes)
    scoring.take(played, counter.take(played))
    return scoring.points()


# --- worked examples -----------------------------------------------------------------------------


def test_direct_gives_a_point_for_two_wins_and_half_for_one():
    pairs = pairs_of((0, -1), (0, -1), (1, -1), (1, -1))
    outcomes = outcomes_of([(1, 1), (1, -1), (0, 1), (-1, 0)])
    assert fitness_of(schemes.make("direct"), pairs, outcomes, 3).tolist() == [1.5, 0.5, 0.0]


def test_round_robin_gives_a_point_for_a_match_and_half_for_a_drawn_one():
    pairs = pairs_of((0, 1), (0, 2), (1, 2))
    outcomes = outcomes_of([(1, 0), (1, -1), (-1, -1)])
    assert fitness_of(schemes.make("round-robin"), pairs, outcomes, 3).tolist() == [1.5, 0.0, 1.5]


def test_an_antigen_shares_33_points_among_its_victors():
    """Four shares for two wins, one for one: 33 * 4/6, 33 * 1/6, 33 * 1/6."""
    pairs = pairs_of((1, 0), (2, 0), (3, 0), (4, 0), (0, 4), (1, 4), (2, 4), (3, 4))
    results = [(1, 1), (1, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (0, 0), (-1, 0)]
    scheme = schemes.make("antibody-antigen", antigens=0.4, antibodies=0.8)
    assert scheme.numbers(5) == (2, 4)
    assert fitness_of(scheme, pairs, outcomes_of(results), 5).tolist() == [33.0, 22.0, 5.5, 5.5, 0]


def test_every_published_number_is_a_field_that_can_be_changed():
    pairs, outcomes = pairs_of((0, -1), (1, -1)), outcomes_of([(1, 1), (1, -1)])
    scheme = schemes.make("direct", two_wins=5, one_win=2.5)
    assert fitness_of(scheme, pairs, outcomes, 2).tolist() == [5.0, 2.5]
    scheme = schemes.make("round-robin", win=3, draw=1, loss=0.5)
    assert fitness_of(scheme, pairs_of((0, 1)), outcomes_of([(1, 1)]), 2).tolist() == [3.0, 0.5]
    scheme = schemes.make("antibody-antigen", points=10, two_wins=1, antibodies=0.66)
    pairs = pairs_of((0, 2), (1, 2))
    assert fitness_of(scheme, pairs, outcomes, 3).tolist() == [5.0, 5.0, 0.0]


# --- against dictionaries, and totals ------------------------------------------------------------

RESULTS = {
    "direct": direct_fitness,
    "round-robin": round_robin_fitness,
    "antibody-antigen": antibody_fitness,
}


@given(
    name=st.sampled_from(sorted(RESULTS)),
    individuals=st.integers(4, 30),
    seed=st.integers(0, 2**32),
)
def test_fitness_is_that_of_the_slow_scoring(name, individuals, seed):
    rng = np.random.default_rng(seed)
    scheme = schemes.make(name)
    schedule = scheme.schedule((individuals,), seed, generation=0)
    pairs = schedule.pairs(0, len(schedule))
    results = rng.choice([-1, 0, 1], (len(pairs), 2), p=[0.5, 0.2, 0.3])
    outcomes = outcomes_of([tuple(row) for row in results.tolist()])
    matches = [(*pair, *row) for pair, row in zip(pairs.tolist(), results.tolist(), strict=True)]
    slow = RESULTS[name](matches)
    fitness = fitness_of(scheme, pairs, outcomes, individuals)
    assert fitness.dtype == np.float64
    assert np.array_equal(fitness, in_parts(scheme, schedule, outcomes, individuals, rng))
    assert fitness == pytest.approx([slow.get(one, 0.0) for one in range(individuals)])
    check_totals(name, fitness, pairs, results)


def in_parts(scheme, schedule, outcomes, individuals, rng) -> np.ndarray:
    """The same fitness, of parts that come in any order."""
    scoring, counter = scheme.scoring(schedule, (individuals,)), GameCounter(individuals)
    cuts = np.sort(rng.integers(0, len(schedule) + 1, 3))
    bounds = [0, *cuts.tolist(), len(schedule)]
    for number in rng.permutation(4):
        first, last = bounds[number], bounds[number + 1]
        played = Played(first, schedule.pairs(first, last), outcomes[first:last])
        scoring.take(played, counter.take(played))
    return scoring.points()


def check_totals(name: str, fitness: np.ndarray, pairs: np.ndarray, results: np.ndarray) -> None:
    individuals = len(fitness)
    if name == "round-robin":
        assert fitness.sum() == individuals * (individuals - 1) / 2
    if name == "antibody-antigen":
        beaten = np.unique(pairs[(results > 0).any(axis=1), 1])
        assert fitness.sum() == pytest.approx(33 * len(beaten))
        assert set(np.flatnonzero(fitness)) <= set(pairs[:, 0].tolist())


@pytest.mark.parametrize(
    ("name", "games"), [("direct", 2000), ("round-robin", 9900), ("antibody-antigen", 1650)]
)
def test_a_generation_of_100_takes_the_published_number_of_games(name, games):
    scheme = schemes.make(name)
    scheme.check((100,))
    assert 2 * len(scheme.schedule((100,), seed=0, generation=0)) == games


def test_defaults_are_the_published_ones():
    assert schemes.make("direct").panel == ("level-0",)
    assert schemes.make("direct").best_share == 0.1
    for name in ("round-robin", "antibody-antigen"):
        assert (schemes.make(name).panel, schemes.make(name).best_share) == ((), 0.0)
        assert schemes.make(name).bonus == 0.01
    assert schemes.make("antibody-antigen").numbers(100) == (25, 33)


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "individuals", "complaint"),
    [
        ("direct", {}, 0, "at least 1"),
        ("round-robin", {}, 1, "at least 2"),
        ("antibody-antigen", {}, 1, "0 antigens"),
        ("antibody-antigen", {"antigens": 0.0}, 100, "0 antigens"),
        ("antibody-antigen", {"antibodies": 1.0}, 100, "at most 99"),
    ],
)
def test_a_population_that_a_scheme_cannot_serve_is_refused(name, options, individuals, complaint):
    with pytest.raises(TournamentError, match=complaint):
        schemes.make(name, **options).check((individuals,))


@pytest.mark.parametrize("individuals", range(2, 40))
def test_whatever_is_accepted_can_be_scheduled(individuals):
    for name in schemes.SCHEMES:
        scheme = schemes.make(name)
        try:
            scheme.check((individuals,))
        except TournamentError:
            continue
        played = referee(scheme, (individuals,), lambda *_: 0)
        assert 0 < len(played.matches) <= scheme.num_matches((individuals,))
        if not played.kept:  # or there are more once archives are full
            assert len(played.matches) == scheme.num_matches((individuals,))
        assert max(map(max, played.matches)) < individuals


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        ("round-robbin", {}, "did you mean 'round-robin'"),
        ("direct", {"oponent": "level-1"}, "did you mean 'opponent'"),
        ("direct", {"matches": 0}, "from 1 to 1000000000"),
        ("direct", {"matches": 2.5}, "whole number"),
        ("direct", {"matches": True}, "whole number"),
        ("direct", {"opponent": 3}, "a text is expected"),
        ("direct", {"best_share": 1.5}, "from 0 to 1"),
        ("direct", {"bonus": -0.1}, "from 0 to"),
        ("direct", {"bonus": float("nan")}, "from 0 to"),
        ("direct", {"bonus": float("inf")}, "from 0 to"),
        ("antibody-antigen", {"antigens": 1.01}, "from 0 to 1"),
        ("antibody-antigen", {"points": "many"}, "a number is expected"),
    ],
)
def test_a_wrong_scheme_or_field_is_one_clear_error(name, options, complaint):
    with pytest.raises(TournamentError, match=complaint):
        schemes.make(name, **options)
