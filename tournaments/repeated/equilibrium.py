"""Equilibria of a stage game, exactly: in fractions.

:func:`net_equilibrium` solves the game of net points, in which one seat gains what the other loses,
by the simplex method with Bland's rule (Dantzig 1951; Bland 1977). :func:`equilibria` lists the
extreme equilibria of the game of own scores: the completely labelled pairs of vertices of the two
polytopes of best responses (Mangasarian 1964; Avis, Rosenberg, Savani and von Stengel 2010). All
others are mixtures of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

Mix = tuple[Fraction, ...]
"""A probability for each move."""


def net_equilibrium(payoffs: np.ndarray) -> Mix:
    """What a seat plays in an equilibrium of net points, of which the value is 0.

    Args:
        payoffs: int ``[A, A]``, what a seat gains by its own move against the other's.
    """
    net = payoffs - payoffs.T
    return zero_sum(net.tolist())[0]


def zero_sum(gains: Sequence[Sequence[int | Fraction]]) -> tuple[Mix, Fraction]:
    """The row player's part of an equilibrium of a zero-sum game, and the value of the game."""
    lowest = min(min(row) for row in gains)
    rows, columns = len(gains), len(gains[0])
    # Maximise the sum of y >= 0 where (gains + shift) y <= 1: the prices of the rows are the mix.
    table = [
        [Fraction(gain - lowest + 1) for gain in row]
        + [Fraction(int(place == number)) for place in range(rows)]
        + [Fraction(1)]
        for number, row in enumerate(gains)
    ]
    table.append([Fraction(-1)] * columns + [Fraction(0)] * (rows + 1))
    basis = [columns + row for row in range(rows)]
    while (entering := _first_below_zero(table[-1][:-1])) is not None:
        ratios = [
            (table[row][-1] / table[row][entering], basis[row], row)
            for row in range(rows)
            if table[row][entering] > 0
        ]
        leaving = min(ratios)[2]
        _pivot(table, leaving, entering)
        basis[leaving] = entering
    total = table[-1][-1]
    mix = tuple(price / total for price in table[-1][columns:-1])
    return mix, 1 / total + lowest - 1


def _first_below_zero(numbers: Sequence[Fraction]) -> int | None:
    return next((place for place, number in enumerate(numbers) if number < 0), None)


def _pivot(table: list[list[Fraction]], row: int, column: int) -> None:
    """Make a column zero but for a one in this row."""
    factor = table[row][column]
    table[row] = [number / factor for number in table[row]]
    for place, other in enumerate(table):
        if place != row and other[column] != 0:
            times = other[column]
            table[place] = [a - times * b for a, b in zip(other, table[row], strict=True)]


# --- own scores ----------------------------------------------------------------------------------


def equilibria(first: np.ndarray, second: np.ndarray) -> list[tuple[Mix, Mix]]:
    """The extreme equilibria of a game of two seats, in rising order of their mixes.

    Args:
        first: int ``[A, B]``, what the first seat gains by its move (row) against the second's.
        second: likewise, what the second seat gains.
    """
    # A vertex of a seat's mixes is labelled by the moves that it does not play and by the answers
    # to it that are best; a pair is an equilibrium where every move of both has a label.
    ours = _labelled(second.T.tolist(), 0, len(first))
    theirs = _labelled(first.tolist(), len(first), 0)
    whole = frozenset(range(sum(first.shape)))
    pairs = {(x, y) for x, has in ours for y, wants in theirs if has | wants == whole}
    return sorted(pairs)


def _labelled(
    gains: Sequence[Sequence[int]], own: int, others: int
) -> list[tuple[Mix, frozenset[int]]]:
    """The vertices of the mixes x where (gains + shift) x <= 1, each with its labels.

    Args:
        gains: what each answer of the other seat gains against each own move.
        own, others: where the labels of its own moves and of the answers begin.
    """
    lowest = min(min(row) for row in gains)
    moves = len(gains[0])
    # Each bound is (coefficients, right side); those of x >= 0 are equalities with 0.
    bounds = [([Fraction(int(a == b)) for b in range(moves)], Fraction(0)) for a in range(moves)]
    bounds += [([Fraction(gain - lowest + 1) for gain in row], Fraction(1)) for row in gains]
    labels = [*range(own, own + moves), *range(others, others + len(gains))]
    vertices: dict[Mix, frozenset[int]] = {}
    for held in combinations(range(len(bounds)), moves):
        point = _solved([bounds[place] for place in held])
        if point is None or min(point) < 0 or not any(point):
            continue
        sums = [sum(a * x for a, x in zip(row, point, strict=True)) for row, _ in bounds]
        if any(value > 1 for value in sums[moves:]):
            continue
        tight = [value == right for value, (_, right) in zip(sums, bounds, strict=True)]
        total = sum(point)
        vertices[tuple(x / total for x in point)] = frozenset(
            label for label, is_tight in zip(labels, tight, strict=True) if is_tight
        )
    return list(vertices.items())


def _solved(bounds: Sequence[tuple[list[Fraction], Fraction]]) -> list[Fraction] | None:
    """The point where all bounds hold as equalities; None: there is none, or more than one."""
    table = [[*row, right] for row, right in bounds]
    for column in range(len(table)):
        row = next((row for row in range(column, len(table)) if table[row][column] != 0), None)
        if row is None:
            return None
        table[column], table[row] = table[row], table[column]
        _pivot(table, column, column)
    return [row[-1] for row in table]
