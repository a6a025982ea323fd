"""The boards of fox and hounds: the options of the game, and the constants of its rules."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from tournaments.options import checked, option
from tournaments.rules import HEADER

SEATS = ("fox", "hounds")
EASIER, STANDARD = "easier", "standard"
FEWEST, MOST_ROWS = 4, 16
OFF_THE_BOARD = -1
"""The square of a fox that has not chosen one yet."""

# Places in the board array. COLS are the dark squares of a row, and so the hounds. The table has of
# each dark square those next to it (-1: none), in the order of DIRECTIONS; behind it stand the
# words of binomials, see below.
ROWS, COLS, SQUARES, IS_STANDARD, TABLE = 0, 1, 2, 3, 4
DIRECTIONS = ("down-left", "down-right", "up-left", "up-right")
"""Steps of the fox; the first two are those of a hound, too."""
# Places in the state array, after the header: the fox, then the hounds, squares rising.
FOX, HOUNDS = HEADER, HEADER + 1


@dataclass(frozen=True)
class Options:
    """Options of the game.

    Attributes:
        rows: rows of squares
        cols: columns of light and dark squares, an even number
        rule: what a fox must reach: easier, the row of the last hound; standard, the row where the
            hounds begin
    """

    rows: int = option(8, low=FEWEST, high=MOST_ROWS)
    cols: int = option(8, low=FEWEST, high=MOST_ROWS, even=True)
    rule: str = option(EASIER, known=(EASIER, STANDARD))


def make_board(**chosen: int | str) -> np.ndarray:
    """Return the constants of a game of fox and hounds, int16.

    Raises:
        TournamentError: options that make no game; the message says how to mend them.
    """
    options = checked(Options, "fox-and-hounds: ", chosen)
    rows, cols = options.rows, options.cols // 2
    head = (rows, cols, rows * cols, int(options.rule == STANDARD))
    table = [*np.ravel(_neighbours(rows, cols)), *_binomials(rows * cols, cols)]
    return np.array([*head, *table], dtype=np.int16)


def _neighbours(rows: int, cols: int) -> list[list[int]]:
    """Return the neighbours of each dark square of fox and hounds, in the order of DIRECTIONS.

    The first dark square of a row is the first square in even rows and the second in odd rows.
    """
    squares = []
    for row in range(rows):
        for col in range(cols):
            left = col - 1 + row % 2
            beside = [(row - 1, left), (row - 1, left + 1), (row + 1, left), (row + 1, left + 1)]
            squares.append(
                [y * cols + x if 0 <= y < rows and 0 <= x < cols else -1 for y, x in beside]
            )
    return squares


WORD = 15
"""Bits of a binomial that one number of a board holds; each has two."""
MOST_POSITIONS = 1 << (2 * WORD)


def num_placements(squares: int, hounds: int) -> int:
    """Return the number of placements of the hounds and the fox on ``squares`` dark squares."""
    return comb(squares, hounds) * (squares - hounds)


def _binomials(squares: int, hounds: int) -> list[int]:
    """Return the binomial coefficients that number the placements of the hounds.

    They are in the order of the number of hounds (from 1) and of squares (from 0), each as a low
    word and a high word. The list is empty if the board has too many positions.
    """
    if num_placements(squares, hounds) >= MOST_POSITIONS:
        return []
    numbers = [comb(n, hound) for hound in range(1, hounds + 1) for n in range(squares + 1)]
    return [word for n in numbers for word in (n & ((1 << WORD) - 1), n >> WORD)]


def num_hounds(board: np.ndarray) -> int:
    """Return the number of hounds of fox and hounds: one per dark square of a row."""
    return int(board[COLS])


def state_size(board: np.ndarray) -> int:
    """Return the length of a position of fox and hounds: the header, the fox and the hounds."""
    return HOUNDS + num_hounds(board)


def num_actions(board: np.ndarray) -> int:
    """Return the number of actions of fox and hounds.

    They are the steps of the fox and the hounds, and the first squares of the fox.
    """
    return 4 + 3 * num_hounds(board)
