"""How a claim is judged: verdicts computed from numbers and their intervals, and never written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evo.studies.dots_and_boxes_1998.curves import Curves
from evo.studies.intervals import Interval
from evo.studies.verdicts import FAILS, HOLDS, IN_PART, together

NOT_MEASURED = "not measured"
SAMPLE = 10_000
"""Games that a published win rate is taken to rest on; their number is lost from the text."""


@dataclass(frozen=True)
class Supervised:
    """What came of training by back-propagation (section 4.3).

    Attributes:
        mean: mean win rate of the trained networks, by opponent, a number a checkpoint from before
            training on, float64 [K].
        highest: that of the best of them at each checkpoint, by opponent, float64 [K].
        fresh: what the best at the last checkpoint wins of other games, by opponent.
        seconds: of one processor, to train all of them.
    """

    mean: Mapping[str, np.ndarray]
    highest: Mapping[str, np.ndarray]
    fresh: Mapping[str, float]
    seconds: float

    @property
    def measured_again(self) -> Supervised:
        """The same with the best by fresh games alone."""
        return replace(self, highest={name: np.array([rate]) for name, rate in self.fresh.items()})


@dataclass(frozen=True)
class Facts:
    """What holds whatever a run comes to.

    Attributes:
        rates: win rates of players by name and opponent.
        games_a_generation: by population.
        weights, connections, genome_bytes, unused_bits: of the 24-9-24 network; thresholds are
            weights, and no connections.
        least_weight: the distance of the nearest weight from zero.
        completing: share of the edge sets with a box to complete in which the network of section
            3.6 completes one whatever it draws; None: not looked at.
        as_level_1: share of all edge sets in which it draws from the same edges as level 1.
        as_level_2: the same of the network with a layer more, and level 2.
    """

    rates: Mapping[tuple[str, str], Interval]
    games_a_generation: Mapping[str, int]
    weights: int
    connections: int
    genome_bytes: int
    unused_bits: int
    least_weight: float
    completing: float | None = None
    as_level_1: float | None = None
    as_level_2: float | None = None


@dataclass(frozen=True)
class Evidence:
    """What claims are judged by.

    Attributes:
        curves: at the lower mutation rate, by the estimates that chose the best.
        facts: see there.
        faster: the same curves at the higher mutation rate; None: not run.
        seconds: of one processor that a run of each population took, in the median.
        supervised: by how the first weights were drawn; none: networks were not trained.
    """

    curves: Curves
    facts: Facts
    faster: Curves | None = None
    seconds: Mapping[str, float] | None = None
    supervised: Mapping[str, Supervised] | None = None


@dataclass(frozen=True)
class Finding:
    """What is known of a claim: words with numbers, the interval that decides, a verdict."""

    measured: str
    verdict: str
    interval: Interval | None = None


Judge = Callable[[Evidence], Finding]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper that can be tested.

    Attributes:
        key: what it is called in tables.
        section: of the paper.
        text: the claim in our words.
        rule: when it holds, and when it holds in part.
        judge: what the evidence says.
        of_curves: whether it hangs on the runs, so that other views of them can be judged.
    """

    key: str
    section: str
    text: str
    rule: str
    judge: Judge
    of_curves: bool


def stating(
    claims: list[Claim], key: str, section: str, text: str, rule: str, *, of_curves: bool = True
) -> Callable[[Judge], Judge]:
    """A decorator: what it stands over judges a claim, which is added to a list of them."""

    def add(judge: Judge) -> Judge:
        claims.append(Claim(key, section, text, rule, judge, of_curves))
        return judge

    return add


# --- rules ---------------------------------------------------------------------------------------


def as_published(interval: Interval, published: float) -> str:
    """Holds where a sample of 10,000 games would show the published rate in 95 cases of 100.

    In part where it is no more than a point off.
    """
    error = 1.96 * float(np.sqrt(interval.middle * (1 - interval.middle) / SAMPLE))
    apart = abs(interval.middle - published)
    return HOLDS if apart <= error else IN_PART if apart <= 0.01 else FAILS


def equal(*pairs: tuple[Any, Any]) -> str:
    """Of numbers that are known: holds where each is as it is said."""
    return together(*(HOLDS if measured == said else FAILS for measured, said in pairs))


# --- numbers in words ----------------------------------------------------------------------------


def share(interval: Interval, digits: int = 1) -> str:
    """A share in percent, with its interval where it has one."""
    if interval.low == interval.high:
        return f"{interval.middle:.{digits}%}"
    return interval.percent(digits)


def points(interval: Interval) -> str:
    """A difference of shares in points."""
    ends = (
        f" ({100 * interval.low:+.1f} to {100 * interval.high:+.1f})"
        if interval.low < interval.high
        else ""
    )
    return f"{100 * interval.middle:+.1f}{ends} points"


def reached(rate: float, *intervals: Interval) -> str:
    """After how many games a win rate was reached, of one or against another."""
    games = " against ".join(_number_of_games(interval) for interval in intervals)
    return f"{rate:.0%} after {games}"


def _number_of_games(interval: Interval) -> str:
    ends = (
        f" ({_games(interval.low)} to {_games(interval.high)})"
        if interval.low < interval.high
        else ""
    )
    return f"{_games(interval.middle)}{ends}"


def _games(value: float) -> str:
    if np.isinf(value):
        return "more games than were played"
    return f"{value / 1e6:.2f} M games" if abs(value) >= 1e6 else f"{value / 1e3:.0f} k games"
