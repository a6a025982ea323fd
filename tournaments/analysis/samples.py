"""Rank comparison of two samples: the shift between them, its interval, and its p-value."""

from __future__ import annotations

from functools import partial
from math import comb
from typing import NamedTuple

import numpy as np
from scipy.stats import mannwhitneyu

SIGNIFICANCE = 0.05
MOST_EXACT = 8
"""Size of the smaller sample up to which p is exact, if all values differ."""


class Shift(NamedTuple):
    """The shift from one sample to another.

    Attributes:
        median: median of all differences between a value of one sample and a value of the other
            (Hodges and Lehmann 1963).
        low, high: its 95% interval: the shifts that the test below does not reject; infinite if the
            samples are too small to reject any.
        p: p-value of the two-sided test of Mann and Whitney (1947), exact for small samples without
            ties.
    """

    median: float
    low: float
    high: float
    p: float


def shift_between(one: np.ndarray, other: np.ndarray) -> Shift:
    """Return the shift between two samples, its interval and its p-value, by a rank test.

    The samples are float64 ``[n]`` and ``[m]``, neither of them empty.
    """
    differences = np.subtract.outer(one, other).ravel()
    # Two of so many orders are the most extreme ones; the approximation for ties knows no bound.
    least = min(1.0, 2 / comb(len(one) + len(other), len(one)))
    pooled = np.concatenate([one, other])
    is_exact = min(len(one), len(other)) <= MOST_EXACT and len(np.unique(pooled)) == len(pooled)
    test = partial(_p_value, method="exact" if is_exact else "asymptotic")
    median, p = float(np.median(differences)), test(one, other)
    steps = np.unique(differences.round(12))  # between two of them ranks do not change
    ends = np.r_[-np.inf, steps, np.inf]
    shifts = np.r_[steps[0] - 1, (steps[1:] + steps[:-1]) / 2, steps[-1] + 1]
    tests = test(one[:, None] - shifts, other[:, None] + 0 * shifts)
    kept = np.flatnonzero(np.maximum(tests, least) > SIGNIFICANCE)
    low, high = (ends[kept[0]], ends[kept[-1] + 1]) if len(kept) else (median, median)
    return Shift(median, float(low), float(high), float(np.maximum(p, least)))


def _p_value(one: np.ndarray, other: np.ndarray, method: str) -> np.ndarray:
    """Return p, 1 where all values are equal: scipy 1.18 and later return NaN there."""
    return np.nan_to_num(mannwhitneyu(one, other, method=method).pvalue, nan=1.0)


def holm(p: np.ndarray) -> np.ndarray:
    """Return p-values corrected for their number by the procedure of Holm (1979)."""
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    factors = np.arange(len(p), 0, -1)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return corrected
