"""Othello on 6x6 squares, as somebody wrote it who read the pages and nothing else.

Squares are numbered row by row, an action is a square, and the last action passes. State: header,
then the squares: 0 free, 1 a disc of the first seat, 2 one of the second.
"""

from __future__ import annotations

import numpy as np

from tournaments.errors import TournamentError
from tournaments.kernels.linker import kernel
from tournaments.rules import HEADER, Rules

SIZE = 6
PASS = SIZE * SIZE
LETTERS = ".xo"


@kernel
def start(board, state, seed):
    state[:] = 0
    middle = SIZE // 2
    state[HEADER + (middle - 1) * SIZE + middle - 1] = 2
    state[HEADER + middle * SIZE + middle] = 2
    state[HEADER + (middle - 1) * SIZE + middle] = 1
    state[HEADER + middle * SIZE + middle - 1] = 1
    state[1] = 2
    state[2] = 2


@kernel
def flips(state, seat, square, down, right):
    """How many discs a disc on a square turns over in one direction."""
    row = square // SIZE + down
    col = square % SIZE + right
    count = 0
    while 0 <= row < SIZE and 0 <= col < SIZE and state[HEADER + row * SIZE + col] == 2 - seat:
        count += 1
        row += down
        col += right
    if 0 <= row < SIZE and 0 <= col < SIZE and state[HEADER + row * SIZE + col] == 1 + seat:
        return count
    return 0


@kernel
def can_play(state, seat, square):
    if state[HEADER + square] != 0:
        return False
    for down in range(-1, 2):
        for right in range(-1, 2):
            if (down != 0 or right != 0) and flips(state, seat, square, down, right) > 0:
                return True
    return False


@kernel
def can_move(state, seat):
    square = 0
    while square < PASS and not can_play(state, seat, square):
        square += 1
    return square < PASS


@kernel
def legal(board, state, actions):
    count = 0
    for square in range(PASS):
        if can_play(state, state[0], square):
            actions[count] = square
            count += 1
    if count == 0:
        actions[0] = PASS
        count = 1
    return count


@kernel
def play(board, state, action):
    seat = state[0]
    if action < PASS:
        turned = 0
        for down in range(-1, 2):
            for right in range(-1, 2):
                if down != 0 or right != 0:
                    count = flips(state, seat, action, down, right)
                    turned += count
                    for step in range(1, count + 1):
                        state[HEADER + action + step * (down * SIZE + right)] = 1 + seat
        state[HEADER + action] = 1 + seat
        state[1 + seat] += turned + 1
        state[2 - seat] -= turned
    state[0] = 1 - seat
    if not can_move(state, 1 - seat) and not can_move(state, seat):
        state[0] = -1


def text(board: np.ndarray, state: np.ndarray) -> str:
    rows = state[HEADER:].reshape(SIZE, SIZE).tolist()
    lines = ["".join(LETTERS[mark] for mark in row) for row in rows]
    return "\n".join([*lines, f"{int(state[0])} to move"])


def parse(board: np.ndarray, picture: str) -> np.ndarray:
    *lines, last = picture.split("\n")
    if [len(line) for line in lines] != [SIZE] * SIZE or not set("".join(lines)) <= set(LETTERS):
        raise TournamentError(f"{picture!r} given; {SIZE} rows of {LETTERS} are expected")
    marks = [LETTERS.index(letter) for line in lines for letter in line]
    header = [int(last.split()[0]), marks.count(1), marks.count(2)]
    return np.array([*header, *marks], dtype=np.int16)


RULES = Rules(
    name="othello",
    summary="Othello on 6x6 squares",
    seats=("first", "second"),
    options={},
    board=lambda: np.zeros(1, dtype=np.int16),
    state_size=lambda board: HEADER + PASS,
    num_actions=lambda board: PASS + 1,
    start=start,
    legal=legal,
    play=play,
    text=text,
    parse=parse,
    describe=lambda board, action: "pass" if action == PASS else str(action),
    most_plies=lambda board: 2 * PASS,
)
