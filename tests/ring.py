"""A game whose positions repeat: a token on a ring of places, some of which end the game."""

from __future__ import annotations

import numpy as np

from tournaments.kernels.linker import kernel
from tournaments.rules import HEADER, Rules

PLACES = 7
BACK, ON = 0, 1


@kernel
def start(board, state, seed):
    state[:] = 0
    state[HEADER] = 3


@kernel
def legal(board, state, actions):
    actions[0] = 0
    actions[1] = 1
    return 2


@kernel
def play(board, state, action):
    """Back by one or on by two; at place 0 who moved has won, at place 6 who moved has lost."""
    seat = state[0]
    state[HEADER] = (state[HEADER] + (PLACES - 1, 2)[action]) % PLACES
    state[0] = 1 - seat
    if state[HEADER] == 0 or state[HEADER] == PLACES - 1:
        state[0] = -1
        state[1 + (seat if state[HEADER] == 0 else 1 - seat)] = 1


def text(board: np.ndarray, state: np.ndarray) -> str:
    return " ".join(map(str, state))


RULES = Rules(
    name="ring",
    summary="a token goes round",
    seats=("first", "second"),
    options={},
    board=lambda: np.zeros(1, dtype=np.int16),
    state_size=lambda board: HEADER + 1,
    num_actions=lambda board: 2,
    start=start,
    legal=legal,
    play=play,
    text=text,
    parse=lambda board, picture: np.array(picture.split(), dtype=np.int16),
    describe=lambda board, action: ("back", "on")[action],
)
