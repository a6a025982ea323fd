"""Connect four: a disc falls to the lowest free square of a column; four in a line win.

Squares are numbered row by row from the bottom; an action is a column. State: header, then the
squares: 0 free, 1 a disc of the first seat, 2 one of the second.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from tournaments.drawing.squares import Squares
from tournaments.kernels.linker import kernel
from tournaments.options import checked, option
from tournaments.rules import HEADER, NetworkRules, Rules, Symmetries

ROWS, COLS = 0, 1
SEATS = ("first", "second")
PICTURE = Squares(
    SEATS,
    lambda board: (int(board[ROWS]), int(board[COLS])),
    from_below=True,
    names_rows=False,
    in_a_row=4,
)


@dataclass(frozen=True)
class Options:
    """The options of the game."""

    rows: int = option(6, "rows of squares", 2, 16)
    cols: int = option(7, "columns of squares", 2, 16)


def make_board(**chosen: int) -> np.ndarray:
    """Return the constants of a board of connect four: its rows and columns, int16 ``[2]``.

    Raises:
        TournamentError: too few or too many rows or columns.
    """
    options = checked(Options, "connect-four: ", chosen)
    return np.array([options.rows, options.cols], dtype=np.int16)


@kernel
def start(board, state, seed):
    """Set up a game of connect four: an empty board."""
    state[:] = 0


@kernel
def legal(board, state, actions):
    """List the legal actions of connect four, the columns that are not full; return the number."""
    count = 0
    for col in range(board[COLS]):
        actions[count] = col
        count += state[HEADER + (board[ROWS] - 1) * board[COLS] + col] == 0
    return count


@kernel
def in_line(board, state, row, col, up, right):
    """Return the number of discs of one seat that follow a square of connect four in a direction.

    Args:
        board: the constants of the game.
        state: the position.
        row: the row of the square, which has a disc.
        col: the column of the square.
        up: the change of row at each step, -1, 0 or 1.
        right: the change of column at each step, -1, 0 or 1.
    """
    mark = state[HEADER + row * board[COLS] + col]
    count = 0
    while 0 <= row < board[ROWS] and 0 <= col < board[COLS]:
        if state[HEADER + row * board[COLS] + col] != mark:
            break
        count += 1
        row += up
        col += right
    return count - 1


@kernel
def play(board, state, action):
    """Drop a disc into a column of connect four.

    The game ends when four discs of a seat are in a line, or when the board is full.
    """
    seat = state[0]
    row = 0
    while state[HEADER + row * board[COLS] + action] != 0:
        row += 1
    state[HEADER + row * board[COLS] + action] = 1 + seat
    longest = in_line(board, state, row, action, -1, 0)
    for up in range(-1, 2):
        both = in_line(board, state, row, action, up, 1)
        longest = max(longest, both + in_line(board, state, row, action, -up, -1))
    free = 0
    for square in range(HEADER, state.size):
        free += state[square] == 0
    state[1 + seat] = longest >= 3
    state[0] = -1 if longest >= 3 or free == 0 else 1 - seat


@kernel
def encode(board, state, inputs):
    """Write the inputs of a network for connect four: the mover's discs, then the other seat's."""
    squares = state.size - HEADER
    for square in range(squares):
        inputs[square] = state[HEADER + square] == 1 + state[0]
        inputs[squares + square] = state[HEADER + square] == 2 - state[0]


def symmetries(board: np.ndarray) -> Symmetries:
    """Return the symmetry of connect four: the mirror of left and right.

    A network has two inputs and a hidden node for each square.
    """
    rows, cols = int(board[ROWS]), int(board[COLS])
    squares = np.arange(rows * cols).reshape(rows, cols)
    columns = np.arange(cols)
    discs = np.stack([squares.ravel(), squares[:, ::-1].ravel()])
    return Symmetries(
        np.hstack([discs, discs + rows * cols]), discs, np.stack([columns, columns[::-1]])
    )


RULES = Rules(
    name="connect-four",
    summary="four in a line, discs fall; rows=6 cols=7",
    seats=SEATS,
    options=asdict(Options()),
    board=make_board,
    state_size=lambda board: HEADER + int(board[ROWS] * board[COLS]),
    num_actions=lambda board: int(board[COLS]),
    start=start,
    legal=legal,
    play=play,
    text=PICTURE.text,
    parse=PICTURE.parse,
    emoji=PICTURE.emoji,
    rulers=PICTURE.rulers,
    draw=PICTURE.draw,
    describe=lambda board, action: f"column {action + 1}",
    network=NetworkRules(
        lambda board: 2 * int(board[ROWS] * board[COLS]), encode, symmetries=symmetries
    ),
)
