"""Win rates, their confidence intervals, and the fittest individual, without files or frames."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from results.errors import ResultsError

EXTREME = 0.1
"""Rates below this, or above 1 minus this, are distinguished by their odds."""


def wants_odds(rates: np.ndarray) -> bool:
    """Return whether shares lie so near 0 or 1 that a plain axis would draw them on one line."""
    inner = rates[(rates > 0) & (rates < 1)]
    return bool(len(inner)) and float(np.minimum(inner, 1 - inner).min()) < EXTREME


def wilson(wins: Any, games: Any, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Return the Wilson score interval of a win rate, lower and upper end, float64.

    ``wins`` and ``games`` are numbers or arrays that broadcast. The lower end is exactly 0 without
    a win, the upper exactly 1 without a loss. Zero games give 0 and 1. ``confidence`` is between 0
    and 1.
    Source: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927) 209-212.
    """
    won, played = np.broadcast_arrays(np.asarray(wins, float), np.asarray(games, float))
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    centre = won + z2 / 2
    spread = np.sqrt(z2 * (z2 / 4 + won * (1 - won / np.maximum(played, 1))))
    low, high = (centre - spread) / (played + z2), (centre + spread) / (played + z2)
    empty = played == 0
    return np.where((won == 0) | empty, 0.0, low), np.where((won == played) | empty, 1.0, high)


def running_rate(
    wins: Sequence[float] | np.ndarray, games: Sequence[float] | np.ndarray, window: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the win rate of all games of the counts around each, and its 95% Wilson interval.

    Args:
        wins: wins of each count, such as a snapshot, [K].
        games: games of each count, at least one, [K].
        window: number of pooled counts, odd. Near both ends, only those in reach are pooled.

    Returns:
        The rate, and the lower and the upper end of the interval, float64 [K] each.
    """
    half = window // 2
    parts = [slice(max(0, place - half), place + half + 1) for place in range(len(games))]
    won, played = (np.array([sum(each[part]) for part in parts], float) for each in (wins, games))
    return won / played, *wilson(won, played)


def rate(points: np.ndarray, games: np.ndarray) -> np.ndarray:
    """Return the points per game, float64; NaN for zero games."""
    return np.divide(points, games, out=np.full(games.shape, np.nan), where=games > 0)


def fittest(fitness: np.ndarray, individual: np.ndarray) -> int:
    """Return the row of the fittest individual.

    Ties go to the lowest ``individual``; NaN is lowest.

    Raises:
        ResultsError: the arrays are empty.
    """
    if not len(fitness):
        raise ResultsError("no individual given; a snapshot holds some of each population")
    known = np.where(np.isnan(fitness), -np.inf, fitness)
    return int(np.lexsort((individual, -known))[0])
