"""The median of a few values, or the mean of many, and how sure of it one can be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from results.errors import ResultsError
from results.statistics import wilson

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A number with the ends of its interval, and the confidence that the interval has.

    A number that is known exactly has itself for both ends, and the confidence 1.
    """

    middle: float
    low: float
    high: float
    confidence: float = 1.0

    def __neg__(self) -> Interval:
        return Interval(-self.middle, -self.high, -self.low, self.confidence)

    def __format__(self, form: str) -> str:
        """Return the number with the ends of its interval as text.

        If both ends are written alike, the number stands alone. The format ``form`` is that of
        numbers, or ends in ``p``: a share in points, as ``+.1p``.
        """
        values, form = (self.scaled(100), f"{form[:-1]}f") if form[-1:] == "p" else (self, form)
        middle, low, high = (format(value, form) for value in values[:3])
        return middle if low == high else f"{middle} ({low} to {high})"

    @property
    def reach(self) -> float:
        """The distance from the number to the upper end of its interval."""
        return self.high - self.middle

    def scaled(self, factor: float) -> Interval:
        """Return the number and its interval times a factor, such as a share in points."""
        middle, low, high = (factor * value for value in self[:3])
        return Interval(middle, low, high, self.confidence)

    def columns(self, name: str) -> dict[str, float]:
        """Return the number and its interval's ends as columns: ``NAME``, ``NAME_low``..."""
        return {name: self.middle, f"{name}_low": self.low, f"{name}_high": self.high}

    @classmethod
    def of_row(cls, row: Mapping[str, Any], name: str) -> Interval:
        """Return the interval from columns of a row, as :meth:`columns` writes them."""
        return cls(row[name], row[f"{name}_low"], row[f"{name}_high"], CONFIDENCE)


def exactly(value: float) -> Interval:
    """Return the interval of a number that is known exactly: both ends are the number."""
    return Interval(float(value), float(value), float(value))


def median_interval(values: Any) -> Interval:
    """Return the median of independent values, float64 [n], with its confidence interval.

    The ends of the interval are two of the values, in order.

    The median of the distribution lies below the k-th of n values, or above the k-th from the top,
    when fewer than k of n throws of a coin are heads. k is the largest with a confidence of 95%.
    Fewer than six values have no such k, and get their range with its own confidence: 75% for three
    values, 93.75% for five. A single value gets itself, with confidence 0. Infinite values count as
    the largest.
    Source: W. R. Thompson, Annals of Mathematical Statistics 7 (1936) 122-128.

    Raises:
        ResultsError: no value, or a value that is not a number.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64).ravel())
    count = len(ordered)
    if count == 0 or np.isnan(ordered).any():
        raise ResultsError(f"{count} values given, some not numbers; a median needs numbers")
    place = 1
    while 2 * (place + 1) <= count and _confidence(count, place + 1) >= CONFIDENCE:
        place += 1
    lower, upper = ordered[(count - 1) // 2], ordered[count // 2]
    apart = np.isinf(lower) and np.isinf(upper) and lower != upper
    middle = lower if lower == upper else 0.0 if apart else (lower + upper) / 2
    low, high = ordered[place - 1], ordered[count - place]
    return Interval(float(middle), float(low), float(high), _confidence(count, place))


def mean_interval(values: Any) -> Interval:
    """Return the mean of many independent values, float64 [n], within 1.96 standard errors.

    Values may have any distribution. For few values, use :func:`median_interval`, whose weaker
    statement is exact.
    One value gets itself, with confidence 0.

    Raises:
        ResultsError: no value, or a value that is not finite.
    """
    given = np.asarray(values, dtype=np.float64).ravel()
    if given.size == 0 or not np.isfinite(given).all():
        raise ResultsError(f"{given.size} values given, some not finite; a mean needs numbers")
    middle = math.fsum(given.tolist()) / given.size
    if given.size == 1:
        return Interval(middle, middle, middle, 0.0)
    spread = math.fsum(((given - middle) ** 2).tolist()) / (given.size - 1)
    error = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * math.sqrt(spread / given.size)
    return Interval(middle, middle - error, middle + error, CONFIDENCE)


def share_interval(part: int, whole: int) -> Interval:
    """Return the share ``part / whole`` of independent trials with its Wilson interval."""
    low, high = wilson(part, whole)
    return Interval(part / whole, float(low), float(high), CONFIDENCE)


def _confidence(count: int, place: int) -> float:
    """Return the confidence with which a median lies between two of ``count`` ordered values.

    These are the values at ``place``, from 1, counted from either end.
    """
    outside = sum(math.comb(count, heads) for heads in range(place))
    return 1.0 - 2.0 * outside / 2**count
