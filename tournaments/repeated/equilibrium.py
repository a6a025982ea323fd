"""The equilibrium of a stage game of net points, exact: in fractions.

One seat gains what the other loses. The game is solved by the simplex method with Bland's rule
(Dantzig 1951; Bland 1977).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

Mix = tuple[Fraction, ...]
"""A probability for each move."""


def net_equilibrium(payoffs: np.ndarray) -> Mix:
    """Return the mix of moves of a seat in an equilibrium of net points, whose value is 0.

    Args:
        payoffs: int ``[A, A]``, the gain of a seat by its own move (row) against the other's.
    """
    net = payoffs - payoffs.T
    return zero_sum(net.tolist())[0]


def zero_sum(gains: Sequence[Sequence[int | Fraction]]) -> tuple[Mix, Fraction]:
    """Return the row player's mix in an equilibrium of a zero-sum game, and the game's value.

    ``gains`` has the row player's gain for each row and column.
    """
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
    """Make a column of a simplex table zero except for a one in a row, by adding rows."""
    factor = table[row][column]
    table[row] = [number / factor for number in table[row]]
    for place, other in enumerate(table):
        if place != row and other[column] != 0:
            times = other[column]
            table[place] = [a - times * b for a, b in zip(other, table[row], strict=True)]
