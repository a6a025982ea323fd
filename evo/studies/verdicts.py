"""Verdicts on claims, by the intervals of what was measured."""

from __future__ import annotations

from typing import NamedTuple

from evo.studies.intervals import Interval

HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"
VERDICTS = (HOLDS, IN_PART, FAILS)
"""The best first."""


class Judged(NamedTuple):
    """A claim, the rule by which it is judged, what came of it, and the verdict."""

    claim: str
    rule: str
    found: str
    verdict: str


def above(interval: Interval, least: float = 0.0) -> str:
    """Holds where the whole interval is above, in part where only its middle is."""
    return HOLDS if interval.low > least else IN_PART if interval.middle > least else FAILS


def below(interval: Interval, most: float) -> str:
    """Holds where the whole interval is below, in part where only its middle is."""
    return above(-interval, -most)


def within(interval: Interval, low: float, high: float) -> str:
    """Holds where the middle is in a range, in part where the interval has a part of it."""
    if low <= interval.middle <= high:
        return HOLDS
    return IN_PART if interval.low <= high and interval.high >= low else FAILS


def together(*verdicts: str) -> str:
    """Of several parts: holds where all do, does not where none does even in part."""
    if all(verdict == HOLDS for verdict in verdicts):
        return HOLDS
    return FAILS if all(verdict == FAILS for verdict in verdicts) else IN_PART


def weakest(*verdicts: str) -> str:
    """Of several parts that each must hold: the worst verdict."""
    return max(verdicts, key=VERDICTS.index)
