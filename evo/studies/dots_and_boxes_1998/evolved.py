"""Measures of the claims of Weaver and Bossomaier (1998) about evolution."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from evo.studies.claims import (
    FAILS,
    HOLDS,
    IN_PART,
    NOT_MEASURED,
    Finding,
    above,
    below,
    negated,
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
from evo.studies.dots_and_boxes_1998.measurements import Measurements
from evo.studies.intervals import Interval, median_interval

QUICK = 0.85
"""The win rate by whose first appearance learning is timed."""
PUBLISHED_ORDER = (ANTIBODIES, DIRECT_0, ROUND_ROBIN, DIRECT_1)
"""Of the populations in figure 3, best first."""


def start(measured: Measurements) -> Interval:
    """Return the win rate against level 0 of the best of generation 0, mean over populations."""
    starts = [measured.curves.start(name, RANDOM) for name in POPULATIONS]
    return median_interval(np.mean(starts, axis=0))


def best(measured: Measurements, what: str, population: str, opponent: str) -> Interval:
    """Return a value of a population's curve against an opponent, as a median over seeds.

    ``what`` names the method of :class:`.curves.Curves`: ``start``, ``late``, ``gain``...
    """
    return median_interval(getattr(measured.curves, what)(population, opponent))


def gap(measured: Measurements, what: str, more: str, less: str, opponent: str) -> Interval:
    """Return by how much the curve of population ``more`` is above that of population ``less``.

    ``what`` names the method of :class:`.curves.Curves` that gives the values compared.
    """
    one, other = (getattr(measured.curves, what)(name, opponent) for name in (more, less))
    return difference(one, other)


def late_ratio(measured: Measurements, population: str, by: str, opponent: str) -> Interval:
    """Return a population's win rate in the last quarter, divided by that of population ``by``."""
    won, other = (measured.curves.late(name, opponent) for name in (population, by))
    none = np.where(won > 0, np.inf, 1.0)
    return median_interval(np.divide(won, other, out=none, where=other > 0))


def harder(measured: Measurements) -> Interval:
    """Return how much more the weakest population wins against level 0 than the best against 1."""
    least, most = (
        [measured.curves.late(name, opponent) for name in POPULATIONS]
        for opponent in (RANDOM, GREEDY)
    )
    return difference(np.min(least, axis=0), np.max(most, axis=0))


def gained_alone(
    measured: Measurements, opponent: str, by: Sequence[str], others: Sequence[str], least: float
) -> Finding:
    """Judge the claim that populations ``by`` gain more win rate than a limit, and others do not.

    Args:
        measured: the measurements of the study.
        opponent: the opponent in the games.
        by: populations that gain.
        others: populations that do not.
        least: the limit.
    """
    gains = {name: best(measured, "gain", name, opponent) for name in (*by, *others)}
    verdict = weakest(*(above(gains[name], least) for name in by))
    if verdict != FAILS:
        verdict = together(verdict, *(negated(above(gains[name], least)) for name in others))
    found = ", ".join(f"{name} {gained:+.1p} points" for name, gained in gains.items())
    return Finding(found, verdict)


def _games_until(measured: Measurements, population: str) -> np.ndarray:
    return measured.curves.games_until(population, RANDOM, QUICK)


def _after(*intervals: Interval) -> str:
    """Return words on the games after which one or two populations reach a win rate."""
    return f"{QUICK:.0%} after {' against '.join(map(_number_of_games, intervals))}"


def _number_of_games(interval: Interval) -> str:
    middle, low, high = map(_games, interval[:3])
    return middle if interval.low == interval.high else f"{middle} ({low} to {high})"


def _games(value: float) -> str:
    if np.isinf(value):
        return "more games than were played"
    return f"{value / 1e6:.2f} M games" if abs(value) >= 1e6 else f"{value / 1e3:.0f} k games"


def learns_within_a_quarter(measured: Measurements, population: str) -> Finding:
    """Judge whether a population learns dots and boxes within a quarter of the games."""
    until = median_interval(_games_until(measured, population))
    return Finding(_after(until), below(until, measured.curves.games[-1] / 4), until)


def sooner(measured: Measurements, population: str, than: str) -> Finding:
    """Judge whether a population learns after fewer games than population ``than``."""
    one, other = (_games_until(measured, name) for name in (population, than))
    gap = difference(other, one)
    return Finding(_after(median_interval(one), median_interval(other)), above(gap), gap)


def plateau(
    measured: Measurements, population: str, low: float, high: float, change: float
) -> Finding:
    """Judge whether a population's win rate against level 0 ends in a range and rises little late.

    Args:
        measured: the measurements of the study.
        population: name of the population.
        low: least win rate in the last quarter of the games.
        high: greatest win rate in the last quarter of the games.
        change: greatest rise since the second quarter.
    """
    end = best(measured, "late", population, RANDOM)
    risen = best(measured, "change", population, RANDOM)
    found = f"{end:.1%} at the end, {risen:+.1p} points since the second quarter"
    return Finding(found, weakest(within(end, low, high), below(risen, change)), end)


def specialist(measured: Measurements) -> Finding:
    """Judge whether the population evolved directly against level 1 beats level 1 most often."""
    curves = measured.curves
    others = [curves.late(name, GREEDY) for name in POPULATIONS if name != DIRECT_1]
    gap = difference(curves.late(DIRECT_1, GREEDY), np.max(others, axis=0))
    won = best(measured, "late", DIRECT_1, GREEDY)
    found = f"wins {won:.1%}, {gap:+.1p} points above the best of the others"
    return Finding(found, above(gap), gap)


def same_order(measured: Measurements) -> Finding:
    """Judge whether populations end in the same order of strength at the higher mutation rate."""
    if measured.faster is None:
        return Finding("one mutation rate was run", NOT_MEASURED)
    kept = sum(
        _is_above(measured.curves, one, other) == _is_above(measured.faster, one, other)
        for one, other in combinations(PUBLISHED_ORDER, 2)
    )
    ends = ", ".join(
        f"{name} {np.median(measured.faster.late(name, RANDOM)):.1%}" for name in PUBLISHED_ORDER
    )
    verdict = HOLDS if kept == 6 else IN_PART if kept >= 4 else FAILS
    return Finding(f"{kept} of 6 pairs in the same order; {ends}", verdict)


def _is_above(curves: Curves, one: str, other: str) -> bool:
    return difference(curves.late(one, RANDOM), curves.late(other, RANDOM)).middle > 0
