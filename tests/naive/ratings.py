"""Bradley-Terry ratings the slow way: the likelihood written down, and climbed by small steps."""

from __future__ import annotations

import math
from collections.abc import Sequence

Game = tuple[int, int, float, float]
"""Two players, the points of the first, and how many games."""


def log_likelihood(strengths: Sequence[float], games: Sequence[Game], prior: float) -> float:
    """Of the points, and of so many games that each drew against a player of strength 0."""
    total = 0.0
    for a, b, points, number in games:
        lead = strengths[a] - strengths[b]
        total += points * log_odds(lead) + (number - points) * log_odds(-lead)
    for strength in strengths:
        total += prior / 2 * (log_odds(strength) + log_odds(-strength))
    return total


def log_odds(lead: float) -> float:
    """The logarithm of the probability to win with this lead."""
    return -math.log1p(math.exp(-lead)) if lead > 0 else lead - math.log1p(math.exp(lead))


def strengths_of(players: int, games: Sequence[Game], prior: float) -> list[float]:
    """Each player in turn moved to where the likelihood is highest, until nobody moves."""
    strengths = [0.0] * players
    for _ in range(3000):
        before = list(strengths)
        for player in range(players):
            strengths[player] = highest(player, strengths, games, prior)
        if max(abs(x - y) for x, y in zip(before, strengths, strict=True)) < 1e-9:
            break
    return strengths


def highest(player: int, strengths: Sequence[float], games: Sequence[Game], prior: float) -> float:
    """Where the slope for one player is 0, the others being as they are; by bisection."""
    low, high = -40.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        slope = prior * (0.5 - 1 / (1 + math.exp(-middle)))
        for a, b, points, number in games:
            if player in (a, b):
                mine, other = (points, b) if player == a else (number - points, a)
                slope += mine - number / (1 + math.exp(strengths[other] - middle))
        low, high = (middle, high) if slope > 0 else (low, middle)
    return (low + high) / 2


def standard_errors(
    strengths: Sequence[float], games: Sequence[Game], prior: float
) -> list[list[float]]:
    """The covariances of the strengths: the inverse of minus the second differences."""
    players, step = len(strengths), 1e-3

    def moved(*moves: tuple[int, float]) -> float:
        changed = list(strengths)
        for player, by in moves:
            changed[player] += by
        return log_likelihood(changed, games, prior)

    rows = [
        [
            -sum(x * y * moved((i, x * step), (j, y * step)) for x in (1, -1) for y in (1, -1))
            / (4 * step * step)
            for j in range(players)
        ]
        for i in range(players)
    ]
    return inverse(rows)


def inverse(rows: list[list[float]]) -> list[list[float]]:
    """By Gauss and Jordan."""
    size = len(rows)
    work = [row + [float(i == j) for j in range(size)] for i, row in enumerate(rows)]
    for pivot in range(size):
        work[pivot] = [value / work[pivot][pivot] for value in work[pivot]]
        for other in range(size):
            if other != pivot:
                factor = work[other][pivot]
                work[other] = [
                    x - factor * y for x, y in zip(work[other], work[pivot], strict=True)
                ]
    return [row[size:] for row in work]
