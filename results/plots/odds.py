"""Win rates by odds: an axis on which 0.4% and 2% are as far apart as 98% and 99.6%."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

SMALLEST = 1e-6
"""The smallest share that is drawn apart from 0."""
_SMALL = tuple(m * 10.0**-k for k in range(6, 1, -1) for m in (1, 3))
LEVELS = (*_SMALL, 0.1, 0.25, 0.5, 0.75, 0.9, *(1 - share for share in reversed(_SMALL)))
"""Shares that have a tick."""
_GAP = 0.05
"""Minimum distance of ticks as a share of the axis: the height of a label."""


def odds_axis(axes: Axes, rates: np.ndarray) -> None:
    """Have the vertical axis show shares by their log odds, so far that all ``rates`` are seen.

    Shares of 0 and 1, whose odds have no logarithm, lie at its ends, which are named so.
    """
    inner = np.clip(rates[(rates > 0) & (rates < 1)], SMALLEST, 1 - SMALLEST)
    low, high = min([0.4, *inner / 2]), max([0.6, *(1 + inner) / 2])

    def log_odds(share: np.ndarray) -> np.ndarray:
        inside = np.clip(share, low, high)
        return np.log(inside) - np.log1p(-inside)

    def share(log_odds: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-np.asarray(log_odds, float)))

    axes.set_yscale("function", functions=(log_odds, share))
    axes.set_ylim(low, high)
    ends = [low] * bool((rates <= 0).any()) + [high] * bool((rates >= 1).any())
    inside = [level for level in LEVELS if low < level < high]
    first, last = log_odds(np.array([low, high]))
    ticks = list(ends)
    for level in sorted(inside, key=lambda level: abs(level - 0.5)):  # those about 1/2 first
        places = log_odds(np.array([level, *ticks]))
        if not len(ticks) or np.abs(places[1:] - places[0]).min() > _GAP * (last - first):
            ticks.append(level)
    names = {low: "0%", high: "100%"}
    axes.yaxis.set_major_locator(FixedLocator(sorted(ticks)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: names.get(y, f"{100 * y:.6g}%")))
