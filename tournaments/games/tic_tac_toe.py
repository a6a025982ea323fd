"""Tic-tac-toe: three in a row wins; the smallest example of a game.

Squares are numbered row by row from the top left, and so are the actions. State: header, then a
square each: 0 free, 1 a cross of the first, 2 a nought of the second.
"""

from __future__ import annotations

import numpy as np

from tournaments.drawing.squares import Squares, cross, ring
from tournaments.kernels.linker import kernel
from tournaments.rules import HEADER, NetworkRules, Rules

SQUARES = 9
SEATS = ("cross", "nought")
PICTURE = Squares(
    SEATS, lambda board: (3, 3), figures=(cross, ring), letters="⬜❌⭕❎🔴", in_a_row=3
)


def make_board() -> np.ndarray:
    """Return the constants of tic-tac-toe: the three squares of its eight lines, int16 ``[24]``."""
    lines = [(3 * i, 3 * i + 1, 3 * i + 2) for i in range(3)]
    lines += [(i, i + 3, i + 6) for i in range(3)]
    return np.array([*lines, (0, 4, 8), (2, 4, 6)], dtype=np.int16).ravel()


@kernel
def start(board, state, seed):
    """Set up a game of tic-tac-toe: all squares are free."""
    state[:] = 0


@kernel
def legal(board, state, actions):
    """List the legal actions of tic-tac-toe, the free squares; return their number."""
    count = 0
    for square in range(SQUARES):
        actions[count] = square
        count += state[HEADER + square] == 0
    return count


@kernel
def play(board, state, action):
    """Mark a square in tic-tac-toe.

    The game ends when the mark makes a line, or when no square is free.
    """
    seat = state[0]
    state[HEADER + action] = 1 + seat
    has_won = False
    for line in range(0, board.size, 3):
        mine = 0
        for place in range(3):
            mine += state[HEADER + board[line + place]] == 1 + seat
        has_won = has_won or mine == 3
    free = 0
    for square in range(SQUARES):
        free += state[HEADER + square] == 0
    state[1 + seat] = has_won
    state[0] = -1 if has_won or free == 0 else 1 - seat


@kernel
def encode(board, state, inputs):
    """Write the inputs of a network for tic-tac-toe: the mover's marks, then the other seat's."""
    for square in range(SQUARES):
        inputs[square] = state[HEADER + square] == 1 + state[0]
        inputs[SQUARES + square] = state[HEADER + square] == 2 - state[0]


def describe(board: np.ndarray, action: int) -> str:
    """Return the name of a square of tic-tac-toe: ``1:3`` is row 1 from the top, column 3."""
    return f"{action // 3 + 1}:{action % 3 + 1}"


RULES = Rules(
    name="tic-tac-toe",
    summary="three in a row",
    seats=SEATS,
    options={},
    board=make_board,
    state_size=lambda board: HEADER + SQUARES,
    num_actions=lambda board: SQUARES,
    start=start,
    legal=legal,
    play=play,
    text=PICTURE.text,
    parse=PICTURE.parse,
    describe=describe,
    emoji=PICTURE.emoji,
    rulers=PICTURE.rulers,
    draw=PICTURE.draw,
    network=NetworkRules(lambda board: 2 * SQUARES, encode),
)
