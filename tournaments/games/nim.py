"""Nim: take any number of stones of one heap; the player who takes the last stone wins.

A player who leaves heaps with an exclusive or of 0 wins (Bouton, "Nim, a game with a complete
mathematical theory", Annals of Mathematics 1901). An action is heap x most + stones - 1, where most
are the stones of the largest heap. State: header, then the stones of each heap.
"""

from __future__ import annotations

import re

import numpy as np

from tournaments.drawing.squares import FREE, NEUTRAL, NO_SQUARE, draw_squares
from tournaments.errors import TournamentError
from tournaments.kernels.linker import kernel
from tournaments.rules import HEADER, NetworkRules, Rules

MOST_HEAPS, MOST_STONES = 12, 99
SEATS = ("first", "second")
MOST, HEAPS = 0, 1
"""Places in the board array: the stones of the largest heap, then those of each."""


def make_board(heaps: str | int = "3-4-5") -> np.ndarray:
    """Return the constants of a game of nim: the size of the largest heap, then of each heap.

    ``heaps`` names the sizes, such as ``3-4-5``. The result is int16.
    """
    stones = [int(word[:9]) if word.isdecimal() else 0 for word in str(heaps).split("-")]
    if len(stones) > MOST_HEAPS or not 1 <= min(stones) <= max(stones) <= MOST_STONES:
        raise TournamentError(
            f"nim: heaps={heaps} given; up to {MOST_HEAPS} heaps of 1 to {MOST_STONES} stones, "
            "joined by -, such as 3-4-5 are expected"
        )
    return np.array([max(stones), *stones], dtype=np.int16)


@kernel
def start(board, state, seed):
    """Set up a game of nim: all heaps full."""
    state[:] = 0
    for heap in range(board.size - HEAPS):
        state[HEADER + heap] = board[HEAPS + heap]


@kernel
def legal(board, state, actions):
    """List the legal actions of nim: to take one stone of a heap up to all of its stones.

    Returns:
        The number of actions.
    """
    count = 0
    for heap in range(board.size - HEAPS):
        for stones in range(state[HEADER + heap]):
            actions[count] = heap * board[MOST] + stones
            count += 1
    return count


@kernel
def play(board, state, action):
    """Take stones of a heap in nim. The seat that takes the last stone wins."""
    seat = state[0]
    state[HEADER + action // board[MOST]] -= action % board[MOST] + 1
    left = 0
    for heap in range(board.size - HEAPS):
        left += state[HEADER + heap]
    state[0] = 1 - seat
    if left == 0:
        state[0] = -1
        state[1 + seat] = 1


@kernel
def encode(board, state, inputs):
    """Write the inputs of a network for nim: which numbers of stones each heap has at least.

    Input ``heap * board[MOST] + k`` tells whether the heap has more than k stones.
    """
    for heap in range(board.size - HEAPS):
        for stones in range(board[MOST]):
            inputs[heap * board[MOST] + stones] = state[HEADER + heap] > stones


def text(board: np.ndarray, state: np.ndarray) -> str:
    """Return a position of nim as text: the heaps, then the seat to move or the winner."""
    status = f"{SEATS[state[0]]} to move" if state[0] >= 0 else f"{SEATS[state[2]]} won"
    return "-".join(str(stones) for stones in state[HEADER:]) + f" {status}"


def parse(board: np.ndarray, picture: str) -> np.ndarray:
    """Return the position of nim that a text shows, such as ``3-4-5 first to move``."""
    state = np.zeros(HEADER + board.size - HEAPS, dtype=np.int16)
    shown = re.fullmatch(r"(\d\d?(?:-\d\d?)*) (first|second) (to move|won)", picture.strip())
    if shown and shown[1].count("-") == board.size - HEAPS - 1:
        state[HEADER:] = [int(stones) for stones in shown[1].split("-")]
        seat, is_over = SEATS.index(shown[2]), not state[HEADER:].any()
        state[0], state[1 + seat] = (-1 if is_over else seat), is_over
        if text(board, state) == picture.strip() and (state[HEADER:] <= board[HEAPS:]).all():
            return state
    expected = "-".join(map(str, board[HEAPS:])) + " first to move"
    raise TournamentError(f"{picture!r} given; stones left, such as {expected!r}, are expected")


def stones_left(board: np.ndarray, state: np.ndarray) -> np.ndarray:
    """Return a drawing of nim as coloured squares: a row per heap, with and without stones."""
    stones, left, heaps = np.arange(board[MOST]), state[HEADER:, None], board[HEAPS:, None]
    return np.select([stones < left, stones < heaps], [NEUTRAL, FREE], NO_SQUARE)


RULES = Rules(
    name="nim",
    summary="take stones of one heap, the last stone wins; heaps=3-4-5",
    seats=SEATS,
    options={"heaps": "3-4-5"},
    board=make_board,
    state_size=lambda board: HEADER + board.size - HEAPS,
    num_actions=lambda board: int((board.size - HEAPS) * board[MOST]),
    start=start,
    legal=legal,
    play=play,
    text=text,
    parse=parse,
    describe=lambda board, move: f"{move % board[MOST] + 1} of heap {move // board[MOST] + 1}",
    draw=lambda scenes: draw_squares(scenes, stones_left),
    network=NetworkRules(lambda board: int((board.size - HEAPS) * board[MOST]), encode),
)
