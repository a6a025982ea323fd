"""Positions of fox and hounds as numbers.

Bakhshi and Budriunas, "Q-learning for Fox and Hounds Board Game" (2012), section 3.1: the hounds
stand on one of the subsets of the squares, which are counted in the order of their highest squares
(Knuth, "Generating All Combinations and Partitions", 2005), and the fox on one of the squares that
they leave free. One number more, the last, is the fox off the board. On 8x8 squares the paper
counts 35,960 * 28 + 1 = 1,006,881 positions.

Each step changes the sum of the rows of all pieces by one, so that sum tells who is to move, and of
one seat's positions the row of the fox is known to be even, or odd. So a table of one seat counts
every second row for the fox: 35,960 * 16 + 1 = 575,361 numbers on 8x8 squares. That is a seventh
more than half of all, since squares under a hound are counted too; in return no square has to be
compared with those of the hounds.
"""

from __future__ import annotations

from math import comb

import numpy as np

from tournaments.errors import TournamentError
from tournaments.games.fox_and_hounds.board import (
    COLS,
    FOX,
    HOUNDS,
    MOST_POSITIONS,
    ROWS,
    SQUARES,
    TABLE,
    WORD,
    num_hounds,
    num_placements,
)
from tournaments.games.fox_and_hounds.rules import STEPS_OF_FOX, give_turn, is_free, start
from tournaments.kernels.linker import kernel
from tournaments.rules import StateIndex

# --- the hounds ----------------------------------------------------------------------------------


@kernel
def placements(board, hounds, squares):
    """Return the number of placements of one or more hounds on the first ``squares`` squares."""
    width = np.int64(board[SQUARES]) + 1
    place = TABLE + 4 * (width - 1) + 2 * ((hounds - 1) * width + squares)
    return np.int64(board[place]) + (np.int64(board[place + 1]) << WORD)


@kernel
def rank_of_hounds(board, state):
    """Return the rank of the hounds' squares among all placements of the hounds, from 0."""
    width = np.int64(board[SQUARES]) + 1
    place = TABLE + 4 * (width - 1)
    low = np.int64(0)
    high = np.int64(0)
    for hound in range(HOUNDS, HOUNDS + board[COLS]):
        word = np.uint64(place + 2 * state[hound])
        low += board[word]
        high += board[word + np.uint64(1)]
        place += 2 * width
    return low + (high << WORD)


@kernel
def place_hounds(board, rank, state):
    """Put the hounds of fox and hounds on the squares of the placement with a rank, rising."""
    left = np.int64(rank)
    square = np.int64(board[SQUARES])
    for hound in range(board[COLS] - 1, -1, -1):
        square -= 1
        while placements(board, hound + 1, square) > left:
            square -= 1
        left -= placements(board, hound + 1, square)
        state[HOUNDS + hound] = square


@kernel
def rows_of_hounds(board, state):
    """Return the parity (0 or 1) of the number of rows that the hounds have moved so far."""
    total = np.int64(board[COLS]) * (board[ROWS] - 1)
    for hound in range(board[COLS]):
        total += state[HOUNDS + hound] // board[COLS]
    return total & 1


# --- positions -----------------------------------------------------------------------------------


@kernel
def number(board, state):
    """Return the number of a position of fox and hounds among all positions of the seat to move."""
    cols = np.int64(board[COLS])
    squares = cols * ((board[ROWS] + 1) >> 1)
    if state[FOX] < 0:
        return placements(board, cols, np.int64(board[SQUARES])) * squares
    row = state[FOX] // cols
    fox = state[FOX] - row * cols + (row >> 1) * cols
    return rank_of_hounds(board, state) * squares + fox


@kernel
def position(board, seat, number, state):
    """Write the position of fox and hounds that has a number among those of a seat into ``state``.

    The position may be over. The seat would then be to move.

    Returns:
        Whether there is such a position.
    """
    start(board, state, np.uint64(0))
    cols = np.int64(board[COLS])
    squares = cols * ((board[ROWS] + 1) >> 1)
    rank = number // squares
    if rank >= placements(board, cols, np.int64(board[SQUARES])):
        return seat == 0
    place_hounds(board, rank, state)
    fox = number % squares
    row = 2 * (fox // cols) + (rows_of_hounds(board, state) ^ seat)
    square = row * cols + fox % cols
    if row >= board[ROWS] or not is_free(board, state, square):
        return False
    state[FOX] = square
    give_turn(board, state, seat)
    return True


def genes_of_a_seat(rows: int, hounds: int) -> int:
    """Return the number of entries of a table of one seat of fox and hounds, on any board."""
    return comb(rows * hounds, hounds) * hounds * ((rows + 1) // 2) + 1


def count(board: np.ndarray) -> int:
    """Return the number of entries of a table of one seat of fox and hounds on a board.

    Raises:
        TournamentError: there are a billion positions of both seats, or more.
    """
    rows, squares, hounds = int(board[ROWS]), int(board[SQUARES]), num_hounds(board)
    total = num_placements(squares, hounds) + 1
    if total > MOST_POSITIONS:
        raise TournamentError(
            f"fox-and-hounds: {rows} rows with {hounds} hounds have {total:,} positions; "
            f"at most {MOST_POSITIONS:,} are numbered: choose a smaller board"
        )
    return genes_of_a_seat(rows, hounds)


def most_legal(board: np.ndarray) -> tuple[int, int]:
    """Return the largest number of actions of each seat of fox and hounds, fox first."""
    return max(STEPS_OF_FOX, num_hounds(board)), 2 * num_hounds(board)


INDEX = StateIndex(count, number, position, most_legal)
