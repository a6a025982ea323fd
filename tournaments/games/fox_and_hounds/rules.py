"""Fox and hounds: the fox must slip past the hounds, the hounds must surround it.

All stand on the dark squares of a board and step to a free dark square next to theirs, the hounds
to lower rows alone. The hounds begin on all dark squares of the highest row. The fox first chooses
a dark square of row 0, and then makes the first step. A side without a move loses (Bakhshi and
Budriunas, "Q-learning for Fox and Hounds Board Game", 2012). The fox wins by one of two rules:

* ``easier``, the study's: no hound stands on a higher row than the fox.
* ``standard``: the fox is on the highest row.

Dark squares are numbered row by row from row 0, ``row * (cols / 2) + column``. Actions: 0 to 3 are
the fox's steps, down-left, down-right, up-left, up-right; then two a hound, down-left and
down-right, the hounds by rising squares; then the squares of row 0 where the fox may begin.

State: header (seat 0 is the fox), the fox's square (-1: not chosen yet), the hounds' squares,
rising. A text board shows dark squares as ``.``, light ones as ``_`` and hounds by their numbers,
for which a pasted board may have ``h``::

    _ 1 _ 2
    . _ . _
    _ . _ .
    F _ . _

    fox to move
"""

from __future__ import annotations

import re

import numpy as np

from tournaments.errors import TournamentError
from tournaments.games.fox_and_hounds.board import (
    COLS,
    DIRECTIONS,
    FOX,
    HOUNDS,
    IS_STANDARD,
    OFF_THE_BOARD,
    ROWS,
    SEATS,
    SQUARES,
    TABLE,
    num_hounds,
    state_size,
)
from tournaments.kernels.linker import kernel

STEPS_OF_FOX = 4

# --- the rules ---------------------------------------------------------------------------------


@kernel
def start(board, state, seed):
    """Set up fox and hounds: the hounds on the highest row, the fox off the board.

    The fox then chooses its first square.
    """
    state[:] = 0
    state[FOX] = OFF_THE_BOARD
    for hound in range(board[COLS]):
        state[HOUNDS + hound] = board[SQUARES] - board[COLS] + hound


@kernel
def is_free(board, state, square):
    """Return whether a square of fox and hounds is on the board and without a piece."""
    free = square >= 0 and state[FOX] != square
    for hound in range(board[COLS]):
        free = free and state[HOUNDS + hound] != square
    return free


@kernel
def legal(board, state, actions):
    """List the legal steps of fox and hounds; for a fox off the board, the squares of row 0.

    Returns:
        The number of actions.
    """
    count = 0
    if state[FOX] < 0:
        for square in range(board[COLS]):
            actions[count] = STEPS_OF_FOX + 2 * board[COLS] + square
            count += 1
    elif state[0] == 0:
        for direction in range(STEPS_OF_FOX):
            actions[count] = direction
            count += is_free(board, state, board[TABLE + 4 * state[FOX] + direction])
    else:
        for hound in range(board[COLS]):
            for direction in range(2):
                actions[count] = STEPS_OF_FOX + 2 * hound + direction
                square = board[TABLE + 4 * state[HOUNDS + hound] + direction]
                count += is_free(board, state, square)
    return count


@kernel
def has_moves(board, state):
    """Return whether the seat to move in fox and hounds has a legal step."""
    if state[0] == 0:
        for direction in range(STEPS_OF_FOX):
            if is_free(board, state, board[TABLE + 4 * state[FOX] + direction]):
                return True
        return False
    for hound in range(board[COLS]):
        for direction in range(2):
            if is_free(board, state, board[TABLE + 4 * state[HOUNDS + hound] + direction]):
                return True
    return False


@kernel
def play(board, state, action):
    """Play a step of fox and hounds, and end the game if a side has won.

    The fox wins when it is past the hounds. A side without a step loses.
    """
    cols = board[COLS]
    if state[FOX] < 0:
        state[FOX] = action - STEPS_OF_FOX - 2 * cols  # and it is the fox's turn again
        return
    seat = state[0]
    if seat == 0:
        state[FOX] = board[TABLE + 4 * state[FOX] + action]
    else:
        step_of_hound(board, state, action - STEPS_OF_FOX)
    give_turn(board, state, 1 - seat)


@kernel
def give_turn(board, state, seat):
    """Give the turn to a seat of fox and hounds, or end the game.

    It ends if the fox is past the hounds or the seat has no step.
    """
    last_hound = state[HOUNDS + board[COLS] - 1] // board[COLS]
    highest = board[ROWS] - 1 if board[IS_STANDARD] else last_hound
    state[0] = seat
    if state[FOX] // board[COLS] >= highest:
        state[0] = -1
        state[1] = 1
    elif not has_moves(board, state):
        state[0] = -1
        state[2 - seat] = 1


@kernel
def step_of_hound(board, state, step):
    """Move a hound one step in a position of fox and hounds, and sort the hounds by square.

    ``step`` is twice the number of the hound, plus the direction (0 or 1).
    """
    place = HOUNDS + step // 2
    square = board[TABLE + 4 * state[place] + step % 2]
    while place > HOUNDS and state[place - 1] > square:
        state[place] = state[place - 1]
        place -= 1
    state[place] = square


@kernel
def measure(board, state):
    """Return the number of rows between the fox and the highest row, the game's measure."""
    return board[ROWS] - 1 - state[FOX] // board[COLS]


@kernel
def encode(board, state, inputs):
    """Write the inputs of a network for fox and hounds, two per dark square.

    The first is whether the fox is there, the second whether a hound is.
    """
    inputs[:] = 0
    if state[FOX] >= 0:
        inputs[state[FOX]] = 1
    for hound in range(board[COLS]):
        inputs[board[SQUARES] + state[HOUNDS + hound]] = 1


# --- text --------------------------------------------------------------------------------------

NUMBERS = "12345678"
"""Of hounds, of which a board has eight at most."""
EMOJI = str.maketrans("_.F" + NUMBERS, "⬜🟫🦊１２３４５６７８")  # noqa: RUF001  two wide


def _lines(board: np.ndarray, state: np.ndarray) -> list[str]:
    """Return a position of fox and hounds as rows of letters, the highest row first."""
    rows, cols = int(board[ROWS]), int(board[COLS])
    dark = ["."] * int(board[SQUARES])
    if state[FOX] >= 0:
        dark[state[FOX]] = "F"
    for number, square in zip(NUMBERS, state[HOUNDS : HOUNDS + cols], strict=False):
        dark[square] = number
    pairs = ("{}_", "_{}")
    return [
        "".join(pairs[row % 2].format(letter) for letter in dark[row * cols : (row + 1) * cols])
        for row in reversed(range(rows))
    ]


def emoji(board: np.ndarray, state: np.ndarray) -> str:
    """Return a position of fox and hounds as emoji, without further text.

    A square is two characters wide.
    """
    return "\n".join(_lines(board, state)).translate(EMOJI)


def text(board: np.ndarray, state: np.ndarray) -> str:
    """Return a position of fox and hounds as text: the board, the seat to move or the winner."""
    if state[0] < 0:
        status = f"{SEATS[state[2]]} won"
    else:
        status = f"{SEATS[state[0]]} to {'begin' if state[FOX] < 0 else 'move'}"
    return "\n".join([*(" ".join(line) for line in _lines(board, state)), "", status])


_STATUS = re.compile(r"(fox|hounds) (won|to move)|fox to begin")


def parse(board: np.ndarray, picture: str) -> np.ndarray:
    """Return the position of fox and hounds that a text shows.

    The text is of the form that :func:`text` returns.

    Raises:
        TournamentError: lines that are not a position of this board.
    """
    rows, cols = int(board[ROWS]), int(board[COLS])
    *picture_lines, last = picture.strip().split("\n")
    lines = ["".join(line.split()) for line in picture_lines]
    status = _STATUS.fullmatch(last.strip())
    state = np.zeros(state_size(board), dtype=np.int16)
    letters = "".join(line.replace("_", "") for line in reversed(lines[:rows]))
    hounds = [square for square, letter in enumerate(letters) if letter in "h" + NUMBERS]
    if status and len(hounds) == cols and len(letters) == board[SQUARES]:
        state[FOX] = letters.find("F")
        state[HOUNDS:] = hounds
        if status[2] == "won":
            state[0], state[1 + SEATS.index(status[1])] = -1, 1
        else:
            state[0] = SEATS.index(status[1] or SEATS[0])
        given, shown = (
            re.sub(f"[{NUMBERS}]", "h", "\n".join(each))
            for each in (lines[:rows], _lines(board, state))
        )
        is_bare = given == shown and not any(lines[rows:])
        if is_bare and (state[FOX] < 0) == (status[1] is None):
            return state
    start(board, state, np.uint64(0))
    raise TournamentError(
        f"not a position of this board: {rows} rows with {cols} hounds, one fox unless it is to "
        "begin, and a last line such as 'hounds to move' are expected:\n" + text(board, state)
    )


def describe(board: np.ndarray, action: int) -> str:
    """Return the name of an action of fox and hounds: ``up-left``, ``hound 1 down-left``.

    The first choice of the fox is ``begin at 2``.
    """
    step = action - STEPS_OF_FOX
    if step < 0:
        return DIRECTIONS[action]
    if step < 2 * num_hounds(board):
        return f"hound {step // 2 + 1} {DIRECTIONS[step % 2]}"
    return f"begin at {step - 2 * num_hounds(board) + 1}"
