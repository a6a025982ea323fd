"""The claims of Weaver and Bossomaier (1998) about evolution, and how each is judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from itertools import combinations

import numpy as np

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
from evo.studies.dots_and_boxes_1998.rules import (
    NOT_MEASURED,
    Claim,
    Evidence,
    Finding,
    points,
    reached,
    share,
    stating,
)
from evo.studies.intervals import Interval, median_interval
from evo.studies.verdicts import (
    FAILS,
    HOLDS,
    IN_PART,
    above,
    below,
    negated,
    together,
    weakest,
    within,
)

QUICK = 0.85
"""The win rate by whose first appearance learning is timed."""
A_TENTH = 0.1
"""One game in ten."""
PUBLISHED_ORDER = (ANTIBODIES, DIRECT_0, ROUND_ROBIN, DIRECT_1)
"""Of the populations in figure 3, best first."""


def _until(curves: Curves, name: str) -> Interval:
    return median_interval(curves.games_until(name, RANDOM, QUICK))


def _is_above(curves: Curves, one: str, other: str) -> bool:
    return difference(curves.late(one, RANDOM), curves.late(other, RANDOM)).middle > 0


def _sooner(curves: Curves, name: str, later: str) -> Finding:
    """After how many games fewer a population learns than another."""
    one, other = (curves.games_until(each, RANDOM, QUICK) for each in (later, name))
    interval = difference(one, other)
    text = reached(QUICK, median_interval(other), median_interval(one))
    return Finding(text, above(interval), interval)


def _ratio(one: float, other: float) -> float:
    return one / other if other > 0 else np.inf if one > 0 else 1.0


# --- claims ---------------------------------------------------------------------------------------

CLAIMS: list[Claim] = []
stated = partial(stating, CLAIMS)


@stated(
    "random-start",
    "4.1",
    "The best of a random population is notably better than level 0",
    "it wins more than 55%",
)
def _random_start(evidence: Evidence) -> Finding:
    starts = np.mean([evidence.curves.start(name, RANDOM) for name in POPULATIONS], axis=0)
    interval = median_interval(starts)
    return Finding(f"wins {share(interval)}", above(interval, 0.55), interval)


@stated(
    "two-of-four",
    "4.1",
    "Only two of the four populations improve significantly against level 0: antibody/antigen "
    "and direct (level 0)",
    "more than ten points are gained by each of these, and by no other",
)
def _two_of_four(evidence: Evidence) -> Finding:
    gains = {name: median_interval(evidence.curves.gain(name, RANDOM)) for name in PUBLISHED_ORDER}
    return _gained_alone(gains, (ANTIBODIES, DIRECT_0), A_TENTH)


def _gained_alone(gains: Mapping[str, Interval], by: Collection[str], least: float) -> Finding:
    """Judge the claim that these populations gain so much, and that no other does."""
    gained = weakest(*(above(gains[name], least) for name in by))
    others = [negated(above(gain, least)) for name, gain in gains.items() if name not in by]
    text = ", ".join(f"{name} {points(gain)}" for name, gain in gains.items())
    return Finding(text, FAILS if gained == FAILS else together(gained, *others))


@stated(
    "direct-fast",
    "4.1",
    "Direct evolution (level 0) learns quickly",
    "85% within a quarter of the games",
)
def _direct_learns_fast(evidence: Evidence) -> Finding:
    interval = _until(evidence.curves, DIRECT_0)
    return Finding(
        reached(QUICK, interval), below(interval, evidence.curves.games[-1] / 4), interval
    )


@stated(
    "direct-plateau",
    "4.1",
    "It plateaus at nearly nine games in ten",
    "85% to 90% in the last quarter, and less than three points above the second quarter",
)
def _direct_plateau(evidence: Evidence) -> Finding:
    interval = median_interval(evidence.curves.late(DIRECT_0, RANDOM))
    change = median_interval(evidence.curves.change(DIRECT_0, RANDOM))
    verdict = weakest(within(interval, 0.85, 0.9), below(change, 0.03))
    text = f"{share(interval)} at the end, {points(change)} since the second quarter"
    return Finding(text, verdict, interval)


@stated(
    "antibodies-faster",
    "4.1",
    "Antibody/antigen learns more quickly than direct evolution",
    "85% after fewer games",
)
def _antibodies_faster(evidence: Evidence) -> Finding:
    return _sooner(evidence.curves, ANTIBODIES, DIRECT_0)


@stated(
    "antibodies-higher",
    "4.1",
    "It plateaus slightly higher than direct evolution",
    "more than direct evolution (level 0) in the last quarter",
)
def _antibodies_higher(evidence: Evidence) -> Finding:
    curves = evidence.curves
    late = curves.late(ANTIBODIES, RANDOM)
    interval = difference(late, curves.late(DIRECT_0, RANDOM))
    text = f"{points(interval)} above direct evolution"
    return Finding(text, above(interval), interval)


@stated(
    "antibodies-level",
    "4.1",
    "It plateaus at just over nine games in ten",
    "90% to 95% in the last quarter",
)
def _antibodies_nine_in_ten(evidence: Evidence) -> Finding:
    interval = median_interval(evidence.curves.late(ANTIBODIES, RANDOM))
    return Finding(f"{share(interval)} at the end", within(interval, 0.9, 0.95), interval)


@stated(
    "round-robin-slow",
    "4.1",
    "Round-robin learns so slowly that it improves by only one game in ten",
    "less than 15 points gained",
)
def _round_robin_slow(evidence: Evidence) -> Finding:
    interval = median_interval(evidence.curves.gain(ROUND_ROBIN, RANDOM))
    return Finding(f"{points(interval)} in all", below(interval, 0.15), interval)


@stated(
    "direct-1-poor",
    "4.1",
    "Direct evolution (level 1) generalises badly: less improvement against level 0 than "
    "round-robin",
    "round-robin gains more",
)
def _direct_1_generalises_badly(evidence: Evidence) -> Finding:
    curves = evidence.curves
    interval = difference(curves.gain(ROUND_ROBIN, RANDOM), curves.gain(DIRECT_1, RANDOM))
    text = f"round-robin gains {points(interval)} more"
    return Finding(text, above(interval), interval)


@stated(
    "higher-rate",
    "4.1",
    "The same relations at the higher mutation rate",
    "all six pairs of populations end in the same order; in part: four or five",
    of_curves=False,
)
def _same_at_the_higher_rate(evidence: Evidence) -> Finding:
    if evidence.faster is None:
        return Finding("one mutation rate was run", NOT_MEASURED)
    kept = sum(
        _is_above(evidence.curves, one, other) == _is_above(evidence.faster, one, other)
        for one, other in combinations(PUBLISHED_ORDER, 2)
    )
    ends = ", ".join(
        f"{name} {np.median(evidence.faster.late(name, RANDOM)):.1%}" for name in PUBLISHED_ORDER
    )
    verdict = HOLDS if kept == 6 else IN_PART if kept >= 4 else FAILS
    return Finding(f"{kept} of 6 pairs in the same order; {ends}", verdict)


@stated(
    "level-1-harder",
    "4.2",
    "The populations have far less success against level 1",
    "each wins 25 points more against level 0 than any against level 1",
)
def _greedy_is_harder(evidence: Evidence) -> Finding:
    best = [evidence.curves.late(name, GREEDY) for name in POPULATIONS]
    least = [evidence.curves.late(name, RANDOM) for name in POPULATIONS]
    interval = difference(np.min(least, axis=0), np.max(best, axis=0))
    text = f"the weakest against level 0 wins {points(interval)} more than the best against level 1"
    return Finding(text, above(interval, 0.25), interval)


@stated(
    "specialist",
    "4.2",
    "Direct evolution (level 1) is clearly the most successful against level 1",
    "more than the best of the others in the last quarter",
)
def _specialist_best(evidence: Evidence) -> Finding:
    curves = evidence.curves
    others = [curves.late(name, GREEDY) for name in POPULATIONS if name != DIRECT_1]
    late = curves.late(DIRECT_1, GREEDY)
    interval = difference(late, np.max(others, axis=0))
    text = f"wins {share(median_interval(late))}, {points(interval)} above the best of the others"
    return Finding(text, above(interval), interval)


@stated(
    "only-antibodies",
    "4.2",
    "Of the others only antibody/antigen improves against level 1",
    "it gains, and neither of the two others does",
)
def _only_antibodies_improve(evidence: Evidence) -> Finding:
    others = (ANTIBODIES, DIRECT_0, ROUND_ROBIN)
    gains = {name: median_interval(evidence.curves.gain(name, GREEDY)) for name in others}
    return _gained_alone(gains, (ANTIBODIES,), 0.0)


@stated(
    "half",
    "4.2",
    "It ends half as successful as the specialist",
    "0.4 to 0.6 of the specialist's win rate",
)
def _half_as_successful(evidence: Evidence) -> Finding:
    specialist = evidence.curves.late(DIRECT_1, GREEDY)
    won = evidence.curves.late(ANTIBODIES, GREEDY)
    ratios = [_ratio(one, other) for one, other in zip(won, specialist, strict=True)]
    interval = median_interval(ratios)
    ends = f"{interval.low:.2f} to {interval.high:.2f}"
    text = f"{interval.middle:.2f} ({ends}) of the specialist's share"
    return Finding(text, within(interval, 0.4, 0.6), interval)


@stated(
    "generalises",
    "5.1, 6",
    "Antibody/antigen generalises to new opponents: good against both levels",
    "above each specialist against the opponent that it was not evolved against",
)
def _generalises(evidence: Evidence) -> Finding:
    curves = evidence.curves
    random = difference(curves.late(ANTIBODIES, RANDOM), curves.late(DIRECT_1, RANDOM))
    greedy = difference(curves.late(ANTIBODIES, GREEDY), curves.late(DIRECT_0, GREEDY))
    text = (
        f"against level 0 {points(random)} above the specialist in level 1, against level 1 "
        f"{points(greedy)} above the specialist in level 0"
    )
    return Finding(text, together(above(random), above(greedy)))


@stated(
    "alone",
    "5.1",
    "No other population shows this, which validates implicit fitness sharing",
    "above round-robin, the other population that met neither level, against both",
)
def _alone_in_generalising(evidence: Evidence) -> Finding:
    curves = evidence.curves
    gaps = [
        difference(curves.late(ANTIBODIES, opponent), curves.late(ROUND_ROBIN, opponent))
        for opponent in (RANDOM, GREEDY)
    ]
    text = " and ".join(
        f"{points(gap)} against {name}" for gap, name in zip(gaps, (RANDOM, GREEDY), strict=True)
    )
    return Finding(f"above round-robin by {text}", together(*(above(gap) for gap in gaps)))


@stated(
    "efficient",
    "6",
    "Antibody/antigen is significantly more efficient than round-robin",
    "85% against level 0 after fewer games",
)
def _more_efficient(evidence: Evidence) -> Finding:
    return _sooner(evidence.curves, ANTIBODIES, ROUND_ROBIN)
