"""The likelihood ratio of a sequential test the slow way: the likeliest chances, by small moves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence


def log_likelihood(seen: Sequence[float], chances: Sequence[float]) -> float:
    """Of so many matches of each sort, where each sort has its chance."""
    return sum(number * math.log(chance) for number, chance in zip(seen, chances, strict=True))


def likeliest(seen: Sequence[float], mean: float) -> list[float]:
    """Return the likeliest probabilities of the results 0, 1/4 .. 1 with a given mean.

    From chances of that mean, mass moves among three sorts at a time, so that sum and mean stay.
    """
    chances = start(mean)
    shares = [sort / 4 for sort in range(5)]
    for _ in range(400):
        before = list(chances)
        for i, j, k in itertools.combinations(range(5), 3):
            ways = [0.0] * 5
            ways[i], ways[j], ways[k] = shares[k] - shares[j], shares[i] - shares[k], 0.0
            ways[k] = -ways[i] - ways[j]
            climb(seen, chances, ways)
        if max(abs(a - b) for a, b in zip(before, chances, strict=True)) < 1e-13:
            break
    return chances


def start(mean: float) -> list[float]:
    """Chances of a mean, all above 0: those of four throws of a coin."""
    return [math.comb(4, sort) * mean**sort * (1 - mean) ** (4 - sort) for sort in range(5)]


def climb(seen: Sequence[float], chances: list[float], ways: Sequence[float]) -> None:
    """Move the chances along a way, in place, to where the slope of the likelihood is 0."""
    ends = [-chance / way for chance, way in zip(chances, ways, strict=True) if way]
    low, high = (max(end for end in ends if end < 0), min(end for end in ends if end > 0))
    for _ in range(60):
        middle = (low + high) / 2
        slope = sum(
            number * way / (chance + middle * way)
            for number, chance, way in zip(seen, chances, ways, strict=True)
            if way
        )
        low, high = (middle, high) if slope > 0 else (low, middle)
    for sort in range(5):
        chances[sort] += middle * ways[sort]


def ratio(seen: Sequence[float], low: float, high: float) -> float:
    """The logarithm of the likelihood ratio of a difference of ``high`` Elo points to ``low``."""
    counts = [max(number, 1e-3) for number in seen]
    means = [1 / (1 + 10 ** (-elo / 400)) for elo in (low, high)]
    first, second = (log_likelihood(counts, likeliest(counts, mean)) for mean in means)
    return second - first
