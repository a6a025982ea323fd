"""Nash shares and alpha-rank the slow way: by all supports, and by a population that walks."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

Matrix = list[list[Fraction]]


def vertices(payoffs: Matrix) -> list[list[Fraction]]:
    """Return the equilibria that are no mixture of other equilibria.

    Each is the only equilibrium of its support and of the players that do as well against it.
    """
    size, corners = len(payoffs), []
    for number in range(1, size + 1):
        for support in itertools.combinations(range(size), number):
            for level in itertools.combinations(range(size), number - 1):
                shares = only_solution(payoffs, support, level)
                if shares is not None and is_equilibrium(payoffs, shares):
                    corners.append(shares)
    return [shares for place, shares in enumerate(corners) if shares not in corners[:place]]


def is_equilibrium(payoffs: Matrix, shares: list[Fraction]) -> bool:
    """Whether nobody has less than nothing, and nobody gains against the mixture."""
    gains = [sum(a * p for a, p in zip(row, shares, strict=True)) for row in payoffs]
    return min(shares) >= 0 and max(gains) <= 0


def only_solution(
    payoffs: Matrix, support: tuple[int, ...], level: tuple[int, ...]
) -> list[Fraction] | None:
    """Shares of these players against which those of ``level`` make nothing; None: none or many."""
    rows = [[payoffs[i][j] for j in support] + [Fraction(0)] for i in level]
    rows.append([Fraction(1)] * (len(support) + 1))
    for column in range(len(support)):
        pivot = next((r for r in range(column, len(rows)) if rows[r][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [value / rows[column][column] for value in rows[column]]
        for other in range(len(rows)):
            if other != column:
                factor = rows[other][column]
                pairs = zip(rows[other], rows[column], strict=True)
                rows[other] = [a - factor * b for a, b in pairs]
    shares = [Fraction(0)] * len(payoffs)
    for place, player in enumerate(support):
        shares[player] = rows[place][-1]
    return shares


def entropy(shares: list[float]) -> float:
    return -sum(share * math.log(share) for share in shares if share > 0)


def greatest_entropy(payoffs: Matrix) -> list[float]:
    """The equilibrium of greatest entropy: a mixture of corners, each moved towards in turn."""
    corners = [[float(share) for share in corner] for corner in vertices(payoffs)]
    shares = [sum(column) / len(corners) for column in zip(*corners, strict=True)]
    weights = [1 / len(corners)] * len(corners)
    for _ in range(2000):
        for to, by in itertools.combinations(range(len(corners)), 2):
            ways = [a - b for a, b in zip(corners[to], corners[by], strict=True)]
            low, high = -weights[to], weights[by]
            for _ in range(50):
                middle = (low + high) / 2
                moved = [share + middle * way for share, way in zip(shares, ways, strict=True)]
                pairs = zip(moved, ways, strict=True)
                rise = sum(-way * math.log(max(share, 1e-300)) for share, way in pairs if way)
                low, high = (middle, high) if rise > 0 else (low, middle)
            weights[to], weights[by] = weights[to] + middle, weights[by] - middle
            shares = [share + middle * way for share, way in zip(shares, ways, strict=True)]
        if len(corners) < 3:
            break
    return shares


def walked(payoffs: list[list[float]], alpha: float, population: int) -> list[float]:
    """alpha-rank by its definition: the chain of populations of one kind, until it rests."""
    size = len(payoffs)
    moves = [[0.0] * size for _ in range(size)]
    for kind, mutant in itertools.permutations(range(size), 2):
        lead = alpha * (payoffs[mutant][kind] - payoffs[kind][mutant])
        # the gambler's ruin of one mutant whose odds to lose a step are exp(-lead)
        odds = math.fsum(math.exp(-lead * steps) for steps in range(population))
        moves[kind][mutant] = 1 / odds / (size - 1)
    for kind in range(size):
        moves[kind][kind] = 1 - sum(moves[kind])
    for _ in range(40):  # 2^40 steps
        moves = [
            [sum(row[k] * moves[k][j] for k in range(size)) for j in range(size)] for row in moves
        ]
        moves = [[value / sum(row) for value in row] for row in moves]
    return moves[0]
