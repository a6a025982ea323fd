"""The claims of "Solving the game Set" (2010), and how each is judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evo.studies.intervals import Interval, exactly
from evo.studies.verdicts import Judged, above, together, within

WITH_LAST, WITHOUT_LAST = 0, 1
"""Readings of the tables in play."""


def judge(record: Mapping[str, Any]) -> list[Judged]:
    """The verdicts on all claims, by what was measured."""
    ratios = record["speeds"]["ratios"]
    return [
        _about_three_percent(record["exact"]["share"]),
        _one_in_33(record["exact"]["share"]),
        _one_in_ten(record["play"]["readings"]),
        _tripled(record["play"]["readings"], record["exact"]["share"]),
        _three_or_more(record["play"]["readings"]),
        _six_times(ratios["python_triples_by_pairs"]),
        _slower(ratios["python_groups_by_pairs"], "in Python"),
        _slower(ratios["compiled_groups_by_pairs"], "compiled (the article has no such)"),
    ]


def one_in(share: float) -> str:
    """A share as people say it."""
    return f"1 in {1 / share:.1f}"


def _about_three_percent(share: float) -> Judged:
    return Judged(
        "About 3% of random tables of twelve cards have no set",
        "the exact share is from 2.5% to 3.5%",
        f"{share:.4%}",
        within(exactly(share), 0.025, 0.035),
    )


def _one_in_33(share: float) -> Judged:
    return Judged(
        "That is 1 in 33, as the instructions of the card game say",
        "the exact share is from 1 in 33.5 to 1 in 32.5",
        one_in(share),
        within(exactly(share), 1 / 33.5, 1 / 32.5),
    )


def _both(readings: list[dict[str, Any]], name: str) -> tuple[Interval, Interval]:
    return readings[WITH_LAST][name], readings[WITHOUT_LAST][name]


def _told(one: str, other: str) -> str:
    return f"{one} with the last table of a game, {other} without it"


def _one_in_ten(readings: list[dict[str, Any]]) -> Judged:
    shares = _both(readings, "none")
    return Judged(
        "In play there is no set about 1 time in 10",
        "the share is from 9% to 11%, with the last table and without it",
        _told(*(share.percent(2) for share in shares)),
        together(*(within(share, 0.09, 0.11) for share in shares)),
    )


def _tripled(readings: list[dict[str, Any]], exact: float) -> Judged:
    times = [
        Interval(share.middle / exact, share.low / exact, share.high / exact, share.confidence)
        for share in _both(readings, "none")
    ]
    return Judged(
        "That is three times as often as at random",
        "2.5 to 3.5 times the exact share, with the last table and without it",
        _told(*(f"{ratio.middle:.2f} times" for ratio in times)),
        together(*(within(ratio, 2.5, 3.5) for ratio in times)),
    )


def _three_or_more(readings: list[dict[str, Any]]) -> Judged:
    shares = _both(readings, "many")
    return Judged(
        "In play there are three sets or more 43% of the time",
        "from 42.5% to 44%, which is 43% rounded or cut off, with the last table and without it",
        _told(*(share.percent(2) for share in shares)),
        together(*(within(share, 0.425, 0.44) for share in shares)),
    )


def times_as_long(ratio: Interval) -> str:
    """A ratio with its least and greatest."""
    return f"{ratio.middle:.2f} times as long ({ratio.low:.2f} to {ratio.high:.2f})"


def _six_times(ratio: Interval) -> Judged:
    return Judged(
        "Pairs are about 6 times as fast as triples, in Python",
        "triples take 5 to 7 times as long; in part: longer",
        times_as_long(ratio),
        together(within(ratio, 5.0, 7.0), above(ratio, 1.0)),
    )


def _slower(ratio: Interval, where: str) -> Judged:
    return Judged(
        f"Groups are slower than pairs, {where}",
        "they take longer in each round",
        times_as_long(ratio),
        above(ratio, 1.0),
    )
