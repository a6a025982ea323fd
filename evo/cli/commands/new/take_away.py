"""take-away: take one to three stones in turn; the player who takes the last stone wins.

CHANGE: describe your game here. The state begins with a header: state[0] is the seat to move, or -1
at the end; state[1] and state[2] are the scores of the seats. The part from state[HEADER] on is
specific to your game.
"""

from __future__ import annotations

import re

import numpy as np

from tournaments.errors import TournamentError
from tournaments.kernels.linker import kernel
from tournaments.rules import HEADER, NetworkRules, Rules

STONES, MOST = 0, 1
"""Indices into the board array."""
LEFT = HEADER
"""Index of the number of stones left, in the state."""
STATE_SIZE = HEADER + 1
SEATS = ("first", "second")
PATTERN = rf"(\d{{1,2}}) left, ({'|'.join(SEATS)}) (to move|won)"
EXAMPLE = f"4 left, {SEATS[0]} to move"
"""The text of a position: a pattern, and an example for messages."""


def make_board(stones: int = 10, most: int = 3) -> np.ndarray:
    """Return the constants of a game, int16 [2]. CHANGE: your options and their valid values."""
    for name, value in (("stones", stones), ("most", most)):
        if not isinstance(value, int) or not 1 <= value <= 99:
            raise TournamentError(f"take-away: {name}={value!r} given; 1 to 99 are expected")
    return np.array([stones, most], dtype=np.int16)


# CHANGE: the three kernels are the game. They are compiled, so use loops over numbers, no lists and
# no new arrays. Functions that they call must be kernels, too.


@kernel
def start(board, state, seed):
    """Set up the initial state with all stones. state[0] = 0, so the first seat begins."""
    state[:] = 0
    state[LEFT] = board[STONES]


@kernel
def legal(board, state, actions):
    """Write the legal actions in ascending order and return their number.

    Action a takes a + 1 stones.
    """
    most = board[MOST]
    count = min(most, state[LEFT])
    for action in range(count):
        actions[action] = action
    return count


@kernel
def play(board, state, action):
    """Play a legal action in place. At the end, state[0] is -1 and the scores are set."""
    seat = state[0]
    state[LEFT] -= action + 1
    state[0] = 1 - seat
    if state[LEFT] == 0:
        state[0] = -1
        state[1 + seat] = 1


@kernel
def encode(board, state, inputs):
    """Write the inputs of a network: one input for each number of stones left.

    CHANGE: write anything that distinguishes positions, from the view of the seat to move.
    """
    for stones in range(board[STONES]):
        inputs[stones] = state[LEFT] == stones + 1


def text(board: np.ndarray, state: np.ndarray) -> str:
    """Return a position as text."""
    status = f"{SEATS[state[0]]} to move" if state[0] >= 0 else f"{SEATS[state[2]]} won"
    return f"{state[LEFT]} left, {status}"


def parse(board: np.ndarray, picture: str) -> np.ndarray:
    """Return the state for a text of :func:`text`. Raise TournamentError for any other text."""
    state = np.zeros(STATE_SIZE, dtype=np.int16)
    shown = re.fullmatch(PATTERN, picture.strip())
    if shown is not None:
        state[LEFT], seat, is_over = int(shown[1]), SEATS.index(shown[2]), shown[3] == "won"
        state[0] = -1 if is_over else seat
        state[1 + seat] = is_over
        fits = state[LEFT] <= board[STONES]
        if fits and is_over == (state[LEFT] == 0):
            return state
    raise TournamentError(f"{picture!r} given; such as {EXAMPLE!r} is expected")


RULES = Rules(
    name="take-away",
    summary="take 1 to 3 stones, the last one wins; stones=10 most=3",
    seats=SEATS,
    options={"stones": 10, "most": 3},
    board=make_board,
    state_size=lambda board: STATE_SIZE,
    num_actions=lambda board: int(board[MOST]),
    start=start,
    legal=legal,
    play=play,
    text=text,
    parse=parse,
    describe=lambda board, action: f"take {action + 1}",
    network=NetworkRules(lambda board: int(board[STONES]), encode),
)
