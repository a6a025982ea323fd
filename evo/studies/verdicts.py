"""Verdicts on claims, by the intervals of what was measured."""

from __future__ import annotations

from typing import NamedTuple

from evo.studies.intervals import Interval

HOLDS, IN_PART, UNDECIDED, FAILS = "holds", "holds in part", "undecided", "does not hold"
VERDICTS = (HOLDS, IN_PART, UNDECIDED, FAILS)
"""The best first."""
EXPLANATION = (
    "A claim holds, or does not, where the whole interval says so. Where the interval holds both "
    "answers the claim is *undecided*. Of several parts all must hold: where some hold and others "
    "do not, the claim *holds in part*."
)
"""How verdicts are found, for pages."""


class Judged(NamedTuple):
    """A claim, the rule by which it is judged, what was measured, and the verdict."""

    claim: str
    rule: str
    found: str
    verdict: str


def above(interval: Interval, least: float = 0.0) -> str:
    """Judge the claim that a number is above a limit."""
    return HOLDS if interval.low > least else UNDECIDED if interval.high > least else FAILS


def below(interval: Interval, most: float) -> str:
    """Judge the claim that a number is below a limit."""
    return above(-interval, -most)


def within(interval: Interval, low: float, high: float) -> str:
    """Judge the claim that a number is in a range."""
    if low <= interval.low and interval.high <= high:
        return HOLDS
    return UNDECIDED if interval.low <= high and interval.high >= low else FAILS


def negated(verdict: str) -> str:
    """Judge the opposite of a claim."""
    return {HOLDS: FAILS, FAILS: HOLDS}.get(verdict, verdict)


def together(*verdicts: str) -> str:
    """Judge a claim of several parts: in part where one holds and another does not."""
    if IN_PART in verdicts or {HOLDS, FAILS} <= set(verdicts):
        return IN_PART
    return next((each for each in (FAILS, UNDECIDED) if each in verdicts), HOLDS)


def weakest(*verdicts: str) -> str:
    """Judge a claim of several parts that must all hold: the worst verdict."""
    return max(verdicts, key=VERDICTS.index)
