"""What is peculiar to each scheme: who meets whom, what it is worth, and who is met again.

What all schemes have in common is in ``test_scheme_contract.py``.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import dots_and_boxes as naive
from naive import schemes as naive_schemes
from refereed import chance, lead, referee, stronger

from tournaments import TournamentError, schemes
from tournaments.arena.outcomes import GameCounter, Played, results_of_a
from tournaments.contract.schemes import decide
from tournaments.schemes.competitive_sharing import shared_sample
from tournaments.schemes.maxsolve import best_solvers, useful_tests
from tournaments.schemes.pareto import pareto_layers
from tournaments.schemes.scoring import ByScore

SEEDS = st.integers(0, 2**32)
ROLES = st.tuples(st.integers(1, 9), st.integers(1, 9))


def outcomes_of(results: list[tuple[int, int]]) -> np.ndarray:
    """Outcomes in which entrant a wins, draws or loses the two games of each match by one box."""
    first = [[(1 + one, 1), (1, 1 + other)] for one, other in results]
    return np.array(first, dtype=np.int16).reshape(-1, 2, 2)


def matches_of(scheme, sizes, moment=(0, 0, ())) -> list[tuple[int, int]]:
    """The pairs of the first round."""
    schedule = scheme.contest(sizes, *moment).schedule
    return [(a, b) for a, b in schedule.pairs(0, len(schedule)).tolist()]


def fitness_of(scheme, sizes, results: dict[tuple[int, int], list[tuple[int, ...]]]) -> list[float]:
    """Raw fitness where the matches of each pair come to these results, one after another."""
    left = {pair: list(rows) for pair, rows in results.items()}
    contest = scheme.contest(sizes)

    def decided(pairs):
        return np.array([left[pair].pop(0) for pair in map(tuple, pairs.tolist())])

    return decide(contest, decided, sum(sizes)).points.tolist()


# --- games -------------------------------------------------------------------------------------


def test_points_are_relative_unless_all_meet_the_same_opponents():
    names = set(schemes.REGISTRY.names())
    relative = {name for name in names if schemes.REGISTRY.load(name).is_relative}
    assert names - relative == {"direct"}


def test_a_result_is_read_from_the_seat_that_a_holds():
    outcomes = np.array([[[5, 4], [5, 4]], [[4, 5], [4, 5]], [[2, 2], [0, 9]]], dtype=np.int16)
    assert results_of_a(outcomes).tolist() == [[1, -1], [-1, 1], [0, 1]]
    assert results_of_a(outcomes_of([(1, -1), (0, 1)])).tolist() == [[1, -1], [0, 1]]


def test_games_are_counted_for_both_entrants():
    pairs = np.array([(0, 1), (1, 2), (2, -1)], dtype=np.int32)
    counter = GameCounter(4)
    counter.take(Played(0, pairs, outcomes_of([(1, 1), (0, -1), (-1, 0)])))
    assert counter.games == 6
    assert counter.tally.wins.tolist() == [2, 0, 1, 0]
    assert counter.tally.draws.tolist() == [0, 1, 2, 0]
    assert counter.tally.losses.tolist() == [0, 3, 1, 0]
    assert counter.tally.games.tolist() == [2, 4, 4, 0]
    assert counter.tally.games.dtype == np.int32


# --- the study's own: direct, round-robin, antibodies --------------------------------------------


def test_direct_gives_a_point_for_two_wins_and_half_for_one():
    results = {(0, -1): [(1, 1), (1, -1)], (1, -1): [(0, 1), (-1, 0)], (2, -1): [(0, 0), (-1, -1)]}
    scheme = schemes.make("direct", matches=2)
    assert fitness_of(scheme, (3,), results) == [1.5, 0.5, 0.0]
    changed = schemes.make("direct", matches=2, two_wins=5, one_win=2.5, no_wins=1)
    assert fitness_of(changed, (3,), results) == [7.5, 3.5, 2.0]


def test_round_robin_gives_a_point_for_a_match_and_half_for_a_drawn_one():
    results = {(0, 1): [(1, 0)], (0, 2): [(1, -1)], (1, 2): [(-1, -1)]}
    assert fitness_of(schemes.make("round-robin"), (3,), results) == [1.5, 0.0, 1.5]
    changed = schemes.make("round-robin", win=3, draw=1, loss=0.5)
    assert fitness_of(changed, (3,), results) == [4.0, 1.0, 4.0]
    twice = {pair: 2 * rows for pair, rows in results.items()}
    assert fitness_of(schemes.make("round-robin", matches=2), (3,), twice) == [3.0, 0.0, 3.0]


def test_an_antigen_shares_its_points_among_its_victors():
    """Four shares for two wins, one for one: of 33, 22 and 5.5 and 5.5, and an antigen unbeaten."""
    scheme = schemes.make("antibody-antigen", antigens=0.4, antibodies=0.8)
    assert scheme.numbers(5) == (2, 4)
    met = matches_of(scheme, (5,))
    made = [(1, 1), (1, -1), (0, 1), (-1, 0), (0, 0), (-1, -1), (0, -1), (-1, 0)]
    results = {pair: [result] for pair, result in zip(met, made, strict=True)}
    expected = np.zeros(5)
    expected[[a for a, _ in met[:3]]] = 22.0, 5.5, 5.5
    assert fitness_of(scheme, (5,), results) == expected.tolist()


def test_a_match_of_two_populations_is_both_games_won_or_none():
    scheme = schemes.make("direct", matches=2, two_wins=5, one_win=2.5, no_wins=0.5)
    results = {(0, -1): [(1,), (0,)], (-1, 1): [(-1,), (-1,)]}
    assert fitness_of(scheme, (1, 1), results) == [5.5, 10.0]
    scheme = schemes.make("round-robin", win=3, draw=1, loss=0.5)
    results = {(0, 1): [(1,)], (0, 2): [(0,)], (0, 3): [(-1,)]}
    assert fitness_of(scheme, (1, 3), results) == [4.5, 0.5, 1.0, 3.0]


def turned(match):
    """A match of two populations as the second of its entrants sees it."""
    a, b, *results = match
    return (b, a, *(-result for result in results))


SLOW = {
    "direct": naive.direct_fitness,
    "round-robin": naive.round_robin_fitness,
    "antibody-antigen": naive.antibody_fitness,
}


@given(
    name=st.sampled_from(sorted(SLOW)),
    sizes=st.one_of(
        st.tuples(st.integers(4, 30)), st.tuples(st.integers(2, 20), st.integers(2, 20))
    ),
    seed=SEEDS,
)
def test_fitness_is_that_of_the_slow_scoring(name, sizes, seed):
    """Where seats have roles, a game is taken for a match of two that both went like it."""
    scheme, rng = schemes.make(name), np.random.default_rng(seed)
    contest, total = scheme.contest(sizes, seed), sum(sizes)
    played = []

    def results(pairs):
        made = rng.choice([-1, 0, 1], (len(pairs), contest.games), p=[0.5, 0.2, 0.3])
        played.extend(
            (*pair, row[0], row[-1]) for pair, row in zip(pairs.tolist(), made, strict=True)
        )
        return made

    fitness = decide(contest, results, total).points
    second = range(total, total)
    if len(sizes) == 2 and name != "round-robin":  # who earns comes first
        own = sizes[0] * scheme.matches if name == "direct" else len(contest.schedule.parts[0])
        second = range(own, len(played))
    slow = SLOW[name]([turned(m) if place in second else m for place, m in enumerate(played)])
    assert fitness == pytest.approx([slow.get(one, 0.0) for one in range(total)])
    if name == "round-robin":
        assert fitness.sum() == len(played)
    if name == "antibody-antigen" and len(sizes) == 1:
        beaten = {antigen for _, antigen, *made in played if 1 in made}
        assert fitness.sum() == pytest.approx(33 * len(beaten))


@given(sizes=st.one_of(st.tuples(st.integers(1, 9)), ROLES), panel=st.integers(1, 3))
def test_in_direct_evolution_each_meets_the_panel_in_its_own_seat(sizes, panel):
    if len(sizes) == 2:
        panel = 1
    names = [f"level-{number}" for number in range(panel)]
    scheme = schemes.make("direct", opponents=names, matches=2)
    assert scheme.panel == tuple(names)
    met = [(one, -1 - other) for one in range(sizes[0]) for other in range(panel) for _ in "ab"]
    met += [(-1, one) for one in range(sizes[0], sum(sizes)) for _ in "ab"]
    assert matches_of(scheme, sizes) == met


@given(sizes=ROLES)
def test_in_round_robin_each_meets_each_of_the_other_population(sizes):
    others = range(sizes[0], sum(sizes))
    met = list(itertools.product(range(sizes[0]), others))
    assert matches_of(schemes.make("round-robin"), sizes) == met
    often = [pair for pair in met for _ in range(3)]
    assert matches_of(schemes.make("round-robin", matches=3), sizes) == often


@given(
    sizes=st.tuples(st.integers(1, 25), st.integers(1, 25)),
    shares=st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)),
    seed=SEEDS,
)
def test_antigens_of_each_population_are_met_by_antibodies_of_the_other(sizes, shares, seed):
    scheme = schemes.make("antibody-antigen", antigens=shares[0], antibodies=shares[1])
    try:
        scheme.check(sizes)
    except TournamentError:
        return
    met = matches_of(scheme, sizes, (seed, 3, ()))
    for side in (0, 1):
        antigens, antibodies = round(shares[0] * sizes[1 - side]), round(shares[1] * sizes[side])
        here, met = met[: antigens * antibodies], met[antigens * antibodies :]
        assert len(set(here)) == antigens * antibodies
        in_a_row = [pair[1 - side] for pair in here][::antibodies]
        assert Counter(pair[1 - side] for pair in here) == dict.fromkeys(in_a_row, antibodies)
        assert len(set(in_a_row)) == antigens
    assert not met


def test_antigens_and_antibodies_are_drawn_evenly_and_apart():
    """With 4 and 5 individuals, 2 antigens a side, 2 and 3 antibodies: each pair as often."""
    scheme = schemes.make("antibody-antigen", antigens=0.5, antibodies=0.5)
    draws, sizes = 4000, (4, 5)
    counts, alike = np.zeros((2, 4, 5)), 0
    for generation in range(draws):
        parts = scheme.contest(sizes, 0, generation).schedule.parts
        for side, part in enumerate(parts):
            pairs = part.pairs(0, len(part))
            np.add.at(counts[side], (pairs[:, 0], pairs[:, 1] - 4), 1)
        first, second = (set(part.rows.drawn.tolist()) for part in parts)
        alike += first == second
    for side, (antigens, antibodies) in enumerate([(2 / 5, 2 / 4), (2 / 4, 2 / 5)]):
        expected = draws * antigens * antibodies
        assert np.abs(counts[side] - expected).max() < 4.5 * np.sqrt(expected)
    # The two antigens of 4 are the two of 5 by chance alone: in one of ten.
    assert abs(alike - draws / 10) < 4.5 * np.sqrt(draws * 0.09)


def test_a_whole_population_may_be_antibodies_of_the_other():
    scheme = schemes.make("antibody-antigen", antigens=1.0, antibodies=1.0)
    scheme.check((3, 4))
    met = matches_of(scheme, (3, 4), (5, 1, ()))
    everybody = set(itertools.product(range(3), range(3, 7)))
    assert set(met[:12]) == set(met[12:]) == everybody


# --- points by the score -----------------------------------------------------------------------


@given(
    sizes=st.one_of(st.tuples(st.integers(1, 9)), ROLES),
    a_box=st.sampled_from([0.0, 0.5, 3.0]),
    seed=SEEDS,
)
def test_points_by_the_score_are_those_of_plain_counting(sizes, a_box, seed):
    """In two parts, of random scores; an entrant below 0 is a fixed opponent."""
    scheme = schemes.make("direct", matches=3, two_wins=8.0, one_win=2.5, score=a_box)
    contest, total = scheme.contest(sizes), sum(sizes)
    pairs = contest.schedule.pairs(0, len(contest.schedule))
    rng = np.random.default_rng(seed)
    outcomes = rng.integers(0, 10, (len(pairs), contest.games, 2)).astype(np.int16)
    counter, cut = GameCounter(total), int(rng.integers(0, len(pairs) + 1))
    for first, last in ((cut, len(pairs)), (0, cut)):
        played = Played(first, pairs[first:last], outcomes[first:last])
        contest.scoring.take(played, counter.take(played))
    points = [0.0] * total
    for (a, b), games in zip(pairs.tolist(), outcomes.tolist(), strict=True):
        side, won = 0 if b < 0 else 1, 0
        for number, scores in enumerate(games):
            mine, other = scores if (number + side) % 2 == 0 else reversed(scores)
            won += mine > other
            points[max(a, b)] += a_box * mine
        points[max(a, b)] += {0: 0.0, 1: 2.5, 2: 8.0}[won * (3 - contest.games)]
    assert contest.scoring.points().tolist() == points


def test_points_are_never_negative_though_a_game_counts_below_zero():
    scoring = ByScore(2, (0.0, 0.0, 0.0), 0, 0.5)
    pairs = np.array([[0, -1], [1, -1]], dtype=np.int32)
    outcomes = np.array([[[-7, 0], [0, 3]], [[2, 0], [0, 5]]], dtype=np.int16)
    played = Played(0, pairs, outcomes)
    scoring.take(played, GameCounter(2).take(played))
    assert scoring.points().tolist() == [0.0, 3.5]


# --- random opponents --------------------------------------------------------------------------


@given(sizes=st.one_of(st.tuples(st.integers(2, 25)), ROLES), seed=SEEDS, data=st.data())
def test_each_individual_is_judged_by_different_others(sizes, seed, data):
    others = sizes[0] - 1 if len(sizes) == 1 else min(sizes)
    opponents = data.draw(st.integers(1, others))
    beats, scheme = chance(seed), schemes.make("random-opponents", opponents=opponents)
    scheme.check(sizes)
    played = referee(scheme, sizes, beats, (seed, 3, ()))
    cut = sizes[0] * opponents if len(sizes) == 2 else 0  # the first population is judged first
    met = played.matches[:cut] + [pair[::-1] for pair in played.matches[cut:]]
    assert Counter(judged for judged, _ in met) == dict.fromkeys(range(sum(sizes)), opponents)
    assert len(set(met)) == len(met)
    expected = naive_schemes.judged_points(met, beats)
    assert played.points.tolist() == [float(expected[one]) for one in range(sum(sizes))]


# --- single elimination ------------------------------------------------------------------------


@given(size=st.integers(2, 70), seed=SEEDS, draws=st.sampled_from([0.0, 0.3, 1.0]))
def test_all_but_one_lose_exactly_one_match(size, seed, draws):
    beats = chance(seed, draws)
    played = referee(schemes.make("single-elimination"), (size,), beats, (seed, 2, ()))
    rounds = (size - 1).bit_length()
    assert len(played.rounds) == rounds
    left, survived = set(range(size)), Counter()
    for number, matches in enumerate(played.rounds):
        later = {one for pair in itertools.chain(*played.rounds[number + 1 :]) for one in pair}
        if number + 1 == rounds:
            later = {int(np.argmax(played.points))}
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
    assert played.points.tolist() == [survived[one] for one in range(size)]
    worth = schemes.make("single-elimination", round_points=2.5)
    again = referee(worth, (size,), beats, (seed, 2, ()))
    assert again.points.tolist() == [2.5 * survived[one] for one in range(size)]


@given(size=st.integers(2, 40), seed=SEEDS)
def test_who_beats_everybody_wins_the_tournament_alone(size, seed):
    for name in ("single-elimination", "swiss"):
        played = referee(schemes.make(name), (size,), stronger, (seed, 0, ()))
        best = np.flatnonzero(played.points == played.points.max())
        assert best.tolist() == [size - 1], name


def test_lots_decide_drawn_matches_by_seed_and_generation():
    scheme, champions = schemes.make("single-elimination"), set()
    for seed, generation in itertools.product(range(5), range(5)):
        played = referee(scheme, (2,), lambda *_: 0, (seed, generation, ()))
        champions.add((played.matches[0], int(np.argmax(played.points))))
    assert champions == {((0, 1), 0), ((0, 1), 1), ((1, 0), 0), ((1, 0), 1)}


# --- Swiss -------------------------------------------------------------------------------------


@given(size=st.integers(2, 40), seed=SEEDS, data=st.data())
def test_everybody_plays_in_each_round_and_nobody_meets_twice(size, seed, data):
    rounds = data.draw(st.integers(1, max((size + size % 2) // 2, 1)))
    beats, scheme = chance(seed), schemes.make("swiss", rounds=rounds)
    played = referee(scheme, (size,), beats, (seed, 1, ()))
    assert len(played.rounds) == rounds
    assert len(set(map(frozenset, played.matches))) == len(played.matches)
    both = [*played.matches, *(pair[::-1] for pair in played.matches)]
    points, idle = naive_schemes.judged_points(both, beats), []
    for matches in played.rounds:
        players = [one for pair in matches for one in pair]
        assert len(players) == len(set(players)) == size - size % 2
        idle += set(range(size)) - set(players)
    assert len(set(idle)) == len(idle) == rounds * (size % 2)
    expected = [float(points.get(one, 0) + idle.count(one)) for one in range(size)]
    assert played.points.tolist() == expected


@given(power=st.integers(1, 6), seed=SEEDS)
def test_the_unbeaten_meet_each_other(power, seed):
    beats = chance(seed, draws=0.0)
    played = referee(schemes.make("swiss"), (2**power,), beats, (seed, 0, ()))
    unbeaten = set(range(2**power))
    for matches in played.rounds:
        among = [pair for pair in matches if unbeaten & set(pair)]
        assert all(set(pair) <= unbeaten for pair in among)
        unbeaten -= {other if beats(one, other) > 0 else one for one, other in among}
    assert len(unbeaten) == 1
    assert played.points.max() == power


def test_all_rounds_can_be_played_even_where_some_meet_twice():
    played = referee(schemes.make("swiss", rounds=7), (8,), chance(1))
    assert [len(matches) for matches in played.rounds] == [4] * 7


# --- hall of fame ------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(8,), (6, 7)])
@pytest.mark.parametrize(("kept", "leaves"), [(0, "oldest"), (3, "oldest"), (3, "random")])
def test_each_champion_joins_the_hall_of_its_population(sizes, kept, leaves):
    scheme = schemes.make("hall-of-fame", current=2, veterans=2, kept=kept, leaves=leaves)
    archives: schemes.Archives = ()
    for generation in range(6):
        beats = chance(generation)
        played = referee(scheme, sizes, beats, (5, generation, archives))
        halls = [parts[0] for parts in archives] or [()] * len(sizes)
        starts = [0, sizes[0] + len(halls[0])]
        for side, size in enumerate(sizes):
            other = len(sizes) - 1 - side
            first = starts[other] + sizes[other]
            hall = range(first, first + len(halls[other]))
            living = range(starts[side], starts[side] + size)
            met = [tuple(pair[:: 1 - 2 * side]) for pair in played.matches]
            veterans = {one: [b for a, b in met if a == one and b in hall] for one in living}
            sample = veterans[starts[side]]
            assert len(set(sample)) == len(sample) == min(2, len(hall))
            assert all(mine == sample for mine in veterans.values()), "all meet the same"
            champion = starts[side] + int(np.argmax(played.points[living]))
            own = list(range(starts[side] + size, starts[side] + size + len(halls[side])))
            now = played.kept[side][0].tolist()
            assert now[-1] == champion
            if kept and len(own) == kept:
                assert now[:-1] == own[1:] if leaves == "oldest" else set(now[:-1]) < set(own)
            else:
                assert now[:-1] == own
        archives = tuple((tuple(range(len(parts[0]))),) for parts in played.kept)
        assert len(archives[0][0]) == min(generation + 1, kept or 99)
    assert len(played.matches) == scheme.num_matches(sizes)


# --- competitive fitness sharing ---------------------------------------------------------------


@given(size=st.integers(2, 16), seed=SEEDS, sampling=st.sampled_from(["random", "shared"]))
def test_beating_whom_few_beat_is_worth_more(size, seed, sampling):
    beats = chance(seed)
    opponents = int(np.random.default_rng(seed).integers(1, size))
    scheme = schemes.make("competitive-sharing", opponents=opponents, sampling=sampling)
    archives = ((tuple(range(opponents)),),) if sampling == "shared" else ()
    played = referee(scheme, (size,), beats, (seed, 4, archives))
    met = list(dict.fromkeys(b for _, b in played.matches))
    assert len(played.matches) == scheme.num_matches((size,))
    assert (met == list(range(size, size + opponents))) == (sampling == "shared")
    expected = naive_schemes.shared_points(list(range(size)), met, beats)
    assert played.points[:size] == pytest.approx([float(one) for one in expected])
    beaten = [
        {other for other in met if one != other and beats(one, other) > 0} for one in range(size)
    ]
    assert played.points.sum() == pytest.approx(len(set().union(*beaten)))
    if sampling == "shared":
        assert played.kept[0][0].tolist() == naive_schemes.shared_sample(met, beaten, opponents)
    else:
        assert played.kept == ()


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
    best = best_solvers(solved, fresh, most)
    assert best.tolist() == naive_schemes.solvers(sets, (~fresh).tolist(), most)
    useful = set(useful_tests(solved[:, best], most).tolist())
    solvable = set().union(*(sets[one] for one in best.tolist()))
    assert useful <= solvable
    assert len(useful) == min(most, len(solvable))
    kinds = {frozenset(one for one in best.tolist() if test in sets[one]) for test in solvable}
    kept = {frozenset(one for one in best.tolist() if test in sets[one]) for test in useful}
    assert len(kept) == min(most, len(kinds)), "none like another as long as there are others"


@pytest.mark.parametrize("sizes", [(12,), (9, 8)])
def test_candidates_meet_kept_tests_and_new_ones(sizes):
    scheme = schemes.make("maxsolve", candidates=3, tests=4, current=2)
    rows = ((0, 1, 2), (2, 3, 4, 5))
    beats = chance(3)
    played = referee(scheme, sizes, beats, (1, 2, tuple(rows for _ in sizes)))
    itself = len(sizes) == 1  # what is kept as a candidate and as a test
    assert len(played.matches) == scheme.num_matches(sizes) - itself
    cut = len(played.matches) if itself else (sizes[0] + 3) * (4 + 2)
    for side, size in enumerate(sizes):
        own = played.matches[cut:] if side else played.matches[:cut]
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
        assert all(played.points[one] == solved[one] for one in candidates)
        assert all(len(part) <= most for part, most in zip(played.kept[side], (3, 4), strict=True))


def test_where_the_stronger_wins_the_archive_keeps_the_strongest_that_was_ever_seen():
    scheme = schemes.make("maxsolve", candidates=2, tests=3, current=3)
    rng, archives = np.random.default_rng(0), ()
    strengths, best = rng.random(8), []
    archive = np.empty(0)
    for generation in range(12):
        known = np.concatenate([strengths, archive])
        beats = functools.partial(lead, known)
        played = referee(scheme, (8,), beats, (0, generation, archives))
        parts = [part.tolist() for part in played.kept[0]]
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
    assert pareto_layers(verdicts).tolist() == naive_schemes.layers(verdicts.tolist())


@given(sizes=st.sampled_from([(2,), (9,), (5, 8), (1, 3)]), seed=SEEDS)
def test_a_layer_is_worth_more_than_any_share_within_one(sizes, seed):
    beats = chance(seed)
    played = referee(schemes.make("pareto"), sizes, beats, (seed, 0, ()))
    groups = [range(sizes[0]), range(sizes[0], sum(sizes))][: len(sizes)]
    for own, others in zip(groups, groups[::-1], strict=True):
        layers = np.array(naive_schemes.layers([[beats(a, b) for b in others] for a in own]))
        assert np.floor(played.points[own]).tolist() == (layers.max() - layers).tolist()


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "sizes", "complaint"),
    [
        ("direct", {}, (0,), "at least 1"),
        ("direct", {"opponents": ["random", "greedy"]}, (4, 4), "in games with roles"),
        ("direct", {"opponent": "a", "opponents": ["b"]}, (4,), r"opponent='a' and opponents=\['b"),
        ("round-robin", {}, (1,), "at least 2"),
        ("antibody-antigen", {}, (1,), "0 antigens"),
        ("antibody-antigen", {"antigens": 0.0}, (100,), "0 antigens"),
        ("antibody-antigen", {"antibodies": 1.0}, (100,), "at most 99"),
        ("random-opponents", {}, (10,), "set scheme.opponents=9"),
        ("random-opponents", {}, (20, 9), "set scheme.opponents=9"),
        ("random-opponents", {"opponents": 1}, (1,), "at least 2"),
        ("single-elimination", {}, (1,), "at least 2"),
        ("single-elimination", {}, (8, 8), "take round-robin or hall-of-fame"),
        ("swiss", {}, (8, 8), "take round-robin or hall-of-fame"),
        ("swiss", {}, (1,), "at least 2"),
        ("swiss", {"rounds": 8}, (8,), "set scheme.rounds=7"),
        ("hall-of-fame", {}, (5,), "set scheme.current=4"),
        ("competitive-sharing", {}, (10,), "set scheme.opponents=9"),
        ("maxsolve", {}, (10,), "set scheme.current=9"),
        ("pareto", {}, (1001,), "take maxsolve"),
        ("pareto", {}, (1,), "at least 2"),
    ],
)
def test_a_population_that_a_scheme_cannot_serve_is_refused(name, options, sizes, complaint):
    with pytest.raises(TournamentError, match=complaint):
        schemes.make(name, **options).check(sizes)


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        ("round-robbin", {}, "did you mean 'round-robin'"),
        ("direct", {"oponent": "level-1"}, "did you mean 'opponent'"),
        ("direct", {"matches": 0}, "from 1 to 1000000000"),
        ("direct", {"matches": 2.5}, "whole number"),
        ("direct", {"matches": True}, "whole number"),
        ("direct", {"opponent": 3}, "a text is expected"),
        ("direct", {"opponents": "level-1"}, "opponents='level-1' given; a list of texts"),
        ("direct", {"opponents": [1]}, r"opponents=\[1\] given; a list of texts"),
        ("direct", {"score": -1.0}, "score=-1.0 given"),
        ("direct", {"best_share": 1.5}, "from 0 to 1"),
        ("direct", {"bonus": -0.1}, "from 0 to"),
        ("direct", {"bonus": float("nan")}, "from 0 to"),
        ("direct", {"bonus": float("inf")}, "from 0 to"),
        ("antibody-antigen", {"antigens": 1.01}, "from 0 to 1"),
        ("antibody-antigen", {"points": "many"}, "a number is expected"),
        ("hall-of-fame", {"leaves": "youngest"}, "oldest, random"),
        ("competitive-sharing", {"sampling": "share"}, "did you mean 'shared'"),
    ],
)
def test_a_wrong_scheme_or_field_is_one_clear_error(name, options, complaint):
    with pytest.raises(TournamentError, match=complaint):
        schemes.make(name, **options)


def test_one_opponent_in_a_list_is_that_opponent_for_roles_as_well():
    schemes.make("direct", opponents=["random"]).check((4, 4))
