"""The study of 1998: intervals, rules and claims over curves that are made up, and other views."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evo.studies.claims import (
    FAILS,
    HOLDS,
    IN_PART,
    NOT_MEASURED,
    UNDECIDED,
    above,
    below,
    together,
    weakest,
    within,
)
from evo.studies.dots_and_boxes_1998.curves import (
    ANTIBODIES,
    DIRECT_0,
    DIRECT_1,
    GREEDY,
    POPULATIONS,
    RANDOM,
    ROUND_ROBIN,
    Curves,
    difference,
)
from evo.studies.dots_and_boxes_1998.facts import published_rate
from evo.studies.dots_and_boxes_1998.measurements import Measurements, Supervised
from evo.studies.dots_and_boxes_1998.views import (
    CLAIMS,
    claim_rows,
    of_as_many_seeds,
    readings_of,
    strengths,
    view_rows,
    views_of,
)
from evo.studies.intervals import Interval, exactly, median_interval
from results import ResultsError

SEEDS, GAMES = 6, np.linspace(0.0, 2e6, 21)
PAPER = {
    (ANTIBODIES, RANDOM): (0.65, 0.92, 0.1),
    (DIRECT_0, RANDOM): (0.65, 0.88, 0.2),
    (ROUND_ROBIN, RANDOM): (0.65, 0.75, 1.0),
    (DIRECT_1, RANDOM): (0.65, 0.70, 0.5),
    (ANTIBODIES, GREEDY): (0.01, 0.05, 0.5),
    (DIRECT_0, GREEDY): (0.01, 0.01, 0.5),
    (ROUND_ROBIN, GREEDY): (0.01, 0.01, 0.5),
    (DIRECT_1, GREEDY): (0.01, 0.10, 0.5),
}
"""The figures as the paper tells them: where a curve begins and ends, and when it gets there."""
OTHERWISE = {
    "random-start": {(name, RANDOM): (0.5, 0.9, 0.2) for name in POPULATIONS},
    "two-of-four": {(DIRECT_0, RANDOM): (0.65, 0.7, 0.2)},
    "direct-fast": {(DIRECT_0, RANDOM): (0.65, 0.88, 1.0)},
    "direct-plateau": {(DIRECT_0, RANDOM): (0.65, 0.7, 0.2)},
    "antibodies-faster": {(ANTIBODIES, RANDOM): (0.65, 0.92, 0.9)},
    "antibodies-higher": {(ANTIBODIES, RANDOM): (0.65, 0.8, 0.1)},
    "antibodies-level": {(ANTIBODIES, RANDOM): (0.65, 0.8, 0.1)},
    "round-robin-slow": {(ROUND_ROBIN, RANDOM): (0.65, 0.95, 0.5)},
    "direct-1-poor": {(DIRECT_1, RANDOM): (0.65, 0.9, 0.5)},
    "level-1-harder": {(DIRECT_1, GREEDY): (0.01, 0.9, 0.5)},
    "specialist": {(ANTIBODIES, GREEDY): (0.01, 0.5, 0.5)},
    "only-antibodies": {(ANTIBODIES, GREEDY): (0.01, 0.0, 0.5)},
    "half": {(ANTIBODIES, GREEDY): (0.01, 0.02, 0.5)},
    "generalises": {
        (ANTIBODIES, RANDOM): (0.65, 0.6, 0.5),
        (ANTIBODIES, GREEDY): (0.01, 0.0, 0.5),
    },
    "alone": {
        (ROUND_ROBIN, RANDOM): (0.65, 0.95, 0.5),
        (ROUND_ROBIN, GREEDY): (0.01, 0.2, 0.5),
    },
    "efficient": {(ROUND_ROBIN, RANDOM): (0.65, 0.95, 0.01)},
}
"""For each claim curves that speak against it."""
FACTS = {
    "level-1 against level-0": 0.9964,
    "level-2 against level-0": 0.9967,
    "level-2 against level-1": 0.8405,
    "box-completion-network against level-1": 0.5,
    "third-side-network against level-1": 0.84,
    "games of round-robin": 9900,
    "games of antibody-antigen": 1650,
    "games of direct-level-0": 2000,
    "games of round-robin by antibody-antigen": 6.0,
    "weights": 465,
    "connections": 432,
    "genome bytes": 582,
    "unused bits": 6,
    "least weight": 0.0,
    "completing": 1.0,
    "as level 1": 1.0,
    "as level 2": 1.0,
}
TRAINED = Supervised(
    mean={RANDOM: np.array([0.5, 0.6, 0.61]), GREEDY: np.array([0.003, 0.004, 0.004])},
    highest={RANDOM: np.array([0.6, 0.65, 0.66]), GREEDY: np.array([0.005, 0.006, 0.008])},
    fresh={RANDOM: 0.6, GREEDY: 0.005},
    seconds=10.0,
)


def curve(start: float, end: float, there: float, seeds: int = SEEDS) -> np.ndarray:
    """Straight to its end, and level from then on; float64 [seeds, K]."""
    return np.tile(np.interp(GAMES / GAMES[-1], [0.0, there], [start, end]), (seeds, 1))


def curves(changes: dict | None = None) -> Curves:
    return Curves(GAMES, {key: curve(*how) for key, how in {**PAPER, **(changes or {})}.items()})


def mixed(one: Curves, other: Curves, of_other: int) -> Curves:
    """Some seeds of one and some of another."""
    rates = {
        key: np.vstack([rows[of_other:], other.rates[key][:of_other]])
        for key, rows in one.rates.items()
    }
    return Curves(GAMES, rates)


def measured(changes: dict | None = None, **more) -> Measurements:
    seconds = dict.fromkeys(POPULATIONS, 2.5)
    given = {"faster": curves(), "seconds": seconds, "supervised": {"": TRAINED}, **more}
    facts = {name: exactly(value) for name, value in given.pop("facts", FACTS).items()}
    return Measurements(curves(changes), facts, **given)


def verdict(key: str, given: Measurements) -> str:
    (claim,) = [one for one in CLAIMS if one.key == key]
    return claim.judge(given).verdict


# --- intervals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("count", range(1, 13))
def test_the_interval_of_a_median_has_the_confidence_that_it_says(count):
    """Counted over all ways in which values can lie above or below what they were drawn from."""
    found = median_interval(range(count))
    hits = 0
    for sides in product((0, 1), repeat=count):
        lower = sum(sides)  # so many values lie below the median of their source
        hits += int(found.low) < lower <= int(found.high)
    assert found.confidence == pytest.approx(hits / 2**count)
    assert found.confidence >= 0.95 or (found.low, found.high) == (0, count - 1)
    if found.confidence >= 0.95 and found.low + 1 < found.high - 1:  # a narrower one has less
        inner = sum(
            found.low + 1 < sum(one) <= found.high - 1 for one in product((0, 1), repeat=count)
        )
        assert inner / 2**count < 0.95


@given(st.lists(st.floats(-1e6, 1e6) | st.just(np.inf), min_size=1, max_size=30))
def test_a_median_lies_in_its_interval_and_mirrors(values):
    found = median_interval(values)
    assert found.low <= found.middle <= found.high
    assert min(values) <= found.low
    assert found.high <= max(values)
    turned = median_interval([-one for one in values])
    assert (-turned)[:3] == found[:3]


@pytest.mark.parametrize("values", [[], [0.5, np.nan]])
def test_a_median_of_nothing_or_of_no_numbers_is_refused(values):
    with pytest.raises(ResultsError, match="needs numbers"):
        median_interval(values)


# --- rules ---------------------------------------------------------------------------------------

ROUND_HALF = Interval(0.5, 0.4, 0.6)


def as_published(published: float) -> str:
    given = measured(facts={"pair": 0.84})
    return published_rate(given, "pair", published).verdict


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (above(ROUND_HALF, 0.39), HOLDS),
        (above(ROUND_HALF, 0.45), UNDECIDED),
        (above(ROUND_HALF, 0.55), UNDECIDED),
        (above(ROUND_HALF, 0.6), FAILS),
        (above(Interval(-0.06, -0.1, -0.02)), FAILS),
        (below(ROUND_HALF, 0.61), HOLDS),
        (below(ROUND_HALF, 0.55), UNDECIDED),
        (below(ROUND_HALF, 0.4), FAILS),
        (within(ROUND_HALF, 0.4, 0.9), HOLDS),
        (within(ROUND_HALF, 0.5, 0.9), UNDECIDED),
        (within(ROUND_HALF, 0.7, 0.9), FAILS),
        (as_published(0.835), HOLDS),
        (as_published(0.831), IN_PART),
        (as_published(0.82), FAILS),
        (together(HOLDS, HOLDS), HOLDS),
        (together(HOLDS, FAILS), IN_PART),
        (together(FAILS, FAILS), FAILS),
        (together(HOLDS, UNDECIDED), UNDECIDED),
        (together(HOLDS, UNDECIDED, FAILS), IN_PART),
        (together(FAILS, UNDECIDED), FAILS),
        (weakest(HOLDS, IN_PART), IN_PART),
        (weakest(IN_PART, UNDECIDED), UNDECIDED),
        (weakest(HOLDS, FAILS, IN_PART), FAILS),
    ],
)
def test_each_rule_comes_out_each_way(found, expected):
    assert found == expected


# --- claims --------------------------------------------------------------------------------------


def test_had_the_paper_found_all_that_it_says_every_claim_would_hold():
    found = claim_rows(measured())
    assert {row["claim"]: row["verdict"] for row in found if row["verdict"] != HOLDS} == {}
    keys = [row["claim"] for row in found]
    assert len(set(keys)) == len(keys)
    assert len(keys) >= 30
    assert {row["seeds_holding"] for row in found if row["seeds"]} == {SEEDS}


@pytest.mark.parametrize("key", OTHERWISE)
def test_a_claim_fails_where_the_curves_speak_against_it_and_is_undecided_between(key):
    against = measured(OTHERWISE[key])
    assert verdict(key, against) == FAILS
    (row,) = [row for row in claim_rows(against) if row["claim"] == key]
    assert row["seeds_holding"] == 0
    doubtful = replace(against, curves=mixed(curves(), against.curves, 2))  # of six seeds
    assert verdict(key, doubtful) == UNDECIDED


@pytest.mark.parametrize("key", ["two-of-four", "only-antibodies"])
def test_a_claim_of_some_alone_holds_in_part_where_others_do_it_too(key):
    more = {(ROUND_ROBIN, RANDOM): (0.65, 0.9, 0.5), (ROUND_ROBIN, GREEDY): (0.01, 0.03, 0.5)}
    assert verdict(key, measured(more)) == IN_PART


def test_the_same_order_is_asked_of_the_higher_rate():
    turned = {(DIRECT_1, RANDOM): (0.65, 0.99, 0.5)}  # last of four before, now first
    one_pair = {(DIRECT_0, RANDOM): (0.65, 0.95, 0.5)}
    assert verdict("higher-rate", measured(faster=curves(one_pair))) == IN_PART
    assert verdict("higher-rate", measured(faster=curves(turned))) == FAILS
    assert verdict("higher-rate", measured(faster=None)) == NOT_MEASURED


@pytest.mark.parametrize(
    ("key", "changes", "expected"),
    [
        ("level-1-0", {"level-1 against level-0": 0.99}, IN_PART),
        ("level-2-0", {"level-2 against level-0": 0.9}, FAILS),
        ("level-2-1", {"level-2 against level-1": 0.8}, FAILS),
        ("genome", {"unused bits": 5}, IN_PART),
        ("genome", {"unused bits": 5, "genome bytes": 581}, FAILS),
        ("weights", {"connections": 465}, IN_PART),
        ("zero", {"least weight": 0.0626}, FAILS),
        ("box-completion", {"as level 1": 0.9}, IN_PART),
        ("box-completion", {"as level 1": 0.9, "completing": 0.99}, FAILS),
        ("box-completion", {"completing": None}, NOT_MEASURED),
        ("third-side", {"as level 2": 0.99}, FAILS),
        ("third-side", {"as level 2": None}, NOT_MEASURED),
        ("games", {"games of antibody-antigen": 1, "games of direct-level-0": 1}, IN_PART),
        ("six-times", {"games of round-robin by antibody-antigen": 5.5}, FAILS),
    ],
)
def test_what_hangs_on_no_run_is_judged_by_what_is_found(key, changes, expected):
    facts = {name: value for name, value in {**FACTS, **changes}.items() if value is not None}
    assert verdict(key, measured(facts=facts)) == expected


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        ("trained-inferior", {"highest": {**TRAINED.highest, RANDOM: np.array([0.6, 0.99])}}),
        ("evolution-superior", {"highest": {**TRAINED.highest, RANDOM: np.array([0.6, 0.99])}}),
        ("trained-trails", {"highest": {**TRAINED.highest, GREEDY: np.array([0.0, 0.3])}}),
        ("trained-slow", {"mean": {RANDOM: np.array([0.9, 0.5, 0.8])}}),
        ("trained-random", {"mean": {GREEDY: np.array([0.0, 0.05])}}),
        ("trained-cost", {"seconds": 1000.0}),
    ],
)
def test_claims_of_training_fail_where_networks_learn_and_are_not_judged_without_them(key, changes):
    learned = replace(TRAINED, **changes)
    assert verdict(key, measured(supervised={"": learned})) == FAILS
    both = {"one": TRAINED, "other": learned}
    assert verdict(key, measured(supervised=both)) == IN_PART
    assert verdict(key, measured(supervised={})) == NOT_MEASURED


# --- other views ---------------------------------------------------------------------------------


def test_games_until_a_rate_are_between_points_and_infinite_where_it_is_not_reached():
    one = Curves(np.array([0.0, 10.0, 20.0]), {("a", RANDOM): np.array([[0.5, 0.7, 0.9]])})
    found = [one.games_until("a", RANDOM, rate)[0] for rate in (0.4, 0.6, 0.9, 0.95)]
    assert found == pytest.approx([0.0, 5.0, 20.0, np.inf])
    never = np.array([np.inf, np.inf, 3.0])
    assert difference(never, never) == Interval(0.0, 0.0, 0.0, 0.75)
    assert difference(never, np.array([1.0, 2.0, 3.0]))[:3] == (np.inf, 0.0, np.inf)


def test_views_judge_the_same_claims_by_other_curves():
    flattered = measured({(ANTIBODIES, RANDOM): (0.65, 0.8, 0.1)})
    rows = view_rows(views_of(flattered, curves()), flattered)
    by_fresh = {row["claim"]: row for row in rows if row["view"] == "by fresh games"}
    assert set(by_fresh) == {one.key for one in CLAIMS if one.of_curves}
    assert by_fresh["antibodies-higher"]["verdict"] == HOLDS
    assert by_fresh["antibodies-higher"]["compared_with"] == FAILS
    assert [key for key, row in by_fresh.items() if row["is_changed"]] != []
    early = {row["claim"]: row["verdict"] for row in rows if "tenth" in row["view"]}
    assert early["direct-plateau"] != HOLDS


def test_by_fresh_games_trained_networks_count_by_theirs_too():
    lucky = replace(TRAINED, highest={**TRAINED.highest, RANDOM: np.array([0.6, 0.99])})
    given = measured(supervised={"": lucky})
    rows = view_rows(views_of(given, curves()), given)
    found = {row["view"]: row["verdict"] for row in rows if row["claim"] == "trained-inferior"}
    assert found["by fresh games"] == HOLDS
    assert found["mutation rate 0.5%"] == FAILS


def test_another_reading_takes_the_place_of_the_population_that_it_changes():
    usual = curves({(DIRECT_0, RANDOM): (0.65, 0.95, 0.2)})
    scaled = {
        (f"{DIRECT_0}--unscaled", name): curve(*PAPER[DIRECT_0, name], 3)
        for name in (RANDOM, GREEDY)
    }
    other = Curves(GAMES, scaled)
    whole = replace(measured(), curves=usual)
    views, like = readings_of(whole, other), of_as_many_seeds(whole, other)
    (seen,) = views.values()
    assert (seen.curves.seeds, like.curves.seeds) == (3, 3)
    found = {row["claim"]: row for row in view_rows(views, like)}["antibodies-higher"]
    assert (found["verdict"], found["compared_with"]) == (HOLDS, FAILS)
    (row,) = strengths(usual, other)
    assert row["population"] == DIRECT_0
    assert row["level_0_difference"] == pytest.approx(-0.07)
    assert row["level_1_difference"] == 0.0
