"""Nim: take any number of stones of one heap; who takes the last stone wins.

Who leaves heaps of which the exclusive or is 0 wins (Bouton, "Nim, a game with a complete
mathematical theory", Annals of Mathematics 1901). An action is heap x most + stones - 1, where most
are the stones of the largest heap. State: header, then the stones of each heap.
"""

from __future__ import annotations

import numpy as np

from tournaments.errors import TournamentError
from tournaments.kernels.linker import kernel
from tournaments.rules import HEADER, NetworkRules, Rules

MOST_HEAPS, MOST_STONES = 12, 99
SEATS = ("first", "second")
MOST, HEAPS = 0, 1
"""Places in the board array: the stones of the largest heap, then those of each."""


def make_board(heaps: str | int = "3-4-5") -> np.ndarray:
    """The largest heap, then each, int16."""
    words = str(heaps).split("-")
    stones = [int(word) if word.isdigit() else 0 for word in words]
    if len(stones) > MOST_HEAPS or not 1 <= min(stones) <= max(stones) <= MOST_STONES:
        raise TournamentError(
            f"nim: heaps={heaps} given; up to {MOST_HEAPS} heaps of 1 to {MOST_STONES} stones, "
            "joined by -, such as 3-4-5 are expected"
        )
    return np.array([max(stones), *stones], dtype=np.int16)


@kernel
def start(board, state, seed):
    """All heaps are whole."""
    state[:] = 0
    for heap in range(board.size - HEAPS):
        state[HEADER + heap] = board[HEAPS + heap]


@kernel
def legal(board, state, actions):
    """From one stone of a heap to all of it."""
    count = 0
    for heap in range(board.size - HEAPS):
        for stones in range(state[HEADER + heap]):
            actions[count] = heap * board[MOST] + stones
            count += 1
    return count


@kernel
def play(board, state, action):
    """Take stones; the last one wins."""
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
    """For each heap and number of stones up to the largest, whether the heap has as many."""
    for heap in range(board.size - HEAPS):
        for stones in range(board[MOST]):
            inputs[heap * board[MOST] + stones] = state[HEADER + heap] > stones


def text(board: np.ndarray, state: np.ndarray) -> str:
    """The heaps, then who is to move, or who has won."""
    status = f"{SEATS[state[0]]} to move" if state[0] >= 0 else f"{SEATS[state[2]]} won"
    return "-".join(str(stones) for stones in state[HEADER:]) + f" {status}"


def parse(board: np.ndarray, picture: str) -> np.ndarray:
    """The state that :func:`text` shows so."""
    heaps, _, status = picture.strip().partition(" ")
    words, state = heaps.split("-"), np.zeros(HEADER + board.size - HEAPS, dtype=np.int16)
    if len(words) == board.size - HEAPS and all(word.isdigit() for word in words):
        state[HEADER:] = [int(word) for word in words]
        state[0] = -1
        for seat, name in enumerate(SEATS):
            state[1 + seat] = status.strip() == f"{name} won"
            state[0] += (1 + seat) * (status.strip() == f"{name} to move")
        if text(board, state) == picture.strip() and (state[HEADER:] <= board[HEAPS:]).all():
            return state
    raise TournamentError(
        f"{picture!r} is no position of {len(board) - HEAPS} heaps; one such as "
        f"'{'-'.join(map(str, board[HEAPS:]))} first to move' is expected"
    )


def describe(board: np.ndarray, action: int) -> str:
    """How many stones, and of which heap."""
    return f"{action % board[MOST] + 1} of heap {action // board[MOST] + 1}"


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
    describe=describe,
    network=NetworkRules(lambda board: int((board.size - HEAPS) * board[MOST]), encode),
)
