"""Small games that hide and draw, as a package of somebody else might offer them.

``MATCHING`` (matching pennies): each seat shows heads or tails, the second not knowing what the
first has shown; equal sides are a point for seat 0, others for seat 1.

``RACE``: in turn each goes a field for sure, or as many as a die of three sides tells, its least
number being an option; who comes to the last field first wins. With ``least=0`` positions repeat.

``DICE``: a turn is throws of a die of three sides; a 1 loses what it has brought, to hold banks it;
the larger sum after so many turns wins. Told apart in ``tests/naive/dice_race.py``.
"""

from __future__ import annotations

import numpy as np

from tournaments.errors import TournamentError
from tournaments.kernels.chance import (
    STREAM,
    STREAM_SIZE,
    chance,
    seed_chance,
    stream_line,
    take_stream_line,
)
from tournaments.kernels.linker import kernel
from tournaments.rules import HEADER, ChanceRules, NetworkRules, Rules

SEATS = ("even", "odd")
ROUND, HELD, LAST_0, LAST_1 = HEADER, HEADER + 1, HEADER + 2, HEADER + 3


@kernel
def start_matching(board, state, seed):
    state[:] = 0
    state[HELD] = -1
    state[LAST_0] = -1
    state[LAST_1] = -1


@kernel
def legal_matching(board, state, actions):
    actions[0] = 0
    actions[1] = 1
    return 2


@kernel
def play_matching(board, state, action):
    if state[0] == 0:
        state[HELD] = action
        state[0] = 1
    else:
        state[LAST_0] = state[HELD]
        state[LAST_1] = action
        state[1 + (state[HELD] != action)] += 1
        state[HELD] = -1
        state[ROUND] += 1
        state[0] = 0 if state[ROUND] < board[0] else -1


@kernel
def view_matching(board, state, seat, seen):
    for place in range(state.size):
        seen[place] = state[place]
    if seat == 1:
        seen[HELD] = -1


@kernel
def encode_matching(board, state, inputs):
    for place in range(3):
        inputs[place] = state[HELD + place]


def text(board, state):
    return " ".join(map(str, state))


def parse(board, picture):
    try:
        return np.array(picture.split() or ["none"], dtype=np.int16)
    except ValueError:
        raise TournamentError(f"{picture!r} given; the numbers of a state are expected") from None


MATCHING = Rules(
    name="matching-pennies",
    summary="equal or not",
    seats=SEATS,
    options={"rounds": 5},
    board=lambda rounds=5: np.array([rounds], dtype=np.int16),
    state_size=lambda board: HEADER + 4,
    num_actions=lambda board: 2,
    start=start_matching,
    legal=legal_matching,
    play=play_matching,
    view=view_matching,
    text=text,
    parse=parse,
    describe=lambda board, action: ("heads", "tails")[action],
    network=NetworkRules(lambda board: 3, encode_matching),
)

# --- a race --------------------------------------------------------------------------------------

PLACES = STREAM + STREAM_SIZE
SIDES = 3


@kernel
def start_race(board, state, seed):
    state[:] = 0
    seed_chance(state, seed)


@kernel
def outcomes_of_race(board, state, action):
    return 1 if action == 0 else SIDES


@kernel
def settle_race(board, state, action, outcome):
    seat = state[0]
    fields = 1 if action == 0 else board[1] + outcome
    state[PLACES + seat] = min(state[PLACES + seat] + fields, board[0])
    state[0] = 1 - seat
    if state[PLACES + seat] == board[0]:
        state[0] = -1
        state[1 + seat] = 1


@kernel
def play_race(board, state, action):
    outcome = chance(state, SIDES) if action == 1 else 0
    settle_race(board, state, action, outcome)


RACE = Rules(
    name="race",
    summary="to the last field",
    seats=SEATS,
    options={"fields": 5, "least": 1},
    board=lambda fields=5, least=1: np.array([fields, least], dtype=np.int16),
    state_size=lambda board: PLACES + 2,
    num_actions=lambda board: 2,
    start=start_race,
    legal=legal_matching,
    play=play_race,
    chance=ChanceRules(outcomes_of_race, settle_race),
    text=text,
    parse=parse,
    describe=lambda board, action: ("a step", "the die")[action],
)

# --- a race with a die that may be thrown again --------------------------------------------------

TURN, LEFT = PLACES, PLACES + 1
MOST_OF_A_TURN = 6


@kernel
def start_dice(board, state, seed):
    state[:] = 0
    state[LEFT] = board[0]
    seed_chance(state, seed)


@kernel
def legal_dice(board, state, actions):
    count = 0
    if state[TURN] < MOST_OF_A_TURN:
        actions[count] = 0
        count += 1
    if state[TURN] > 0:
        actions[count] = 1
        count += 1
    return count


@kernel
def outcomes_of_dice(board, state, action):
    return SIDES if action == 0 else 1


@kernel
def settle_dice(board, state, action, outcome):
    if action == 0 and outcome > 0:
        state[TURN] += 1 + outcome
        return
    if action == 1:
        state[1 + state[0]] += state[TURN]
    state[TURN] = 0
    state[LEFT] -= 1
    state[0] = 1 - state[0] if state[LEFT] > 0 else -1


@kernel
def play_dice(board, state, action):
    outcome = chance(state, SIDES) if action == 0 else 0
    settle_dice(board, state, action, outcome)


def text_of_dice(board, state):
    shown = [*state[:HEADER], *state[PLACES:]]
    return " ".join(map(str, shown)) + "\n" + stream_line(state)


def parse_dice(board, picture):
    state = np.zeros(PLACES + 2, dtype=np.int16)
    try:
        numbers = [int(word) for word in take_stream_line(picture, state).split()]
        state[:HEADER], state[PLACES:] = numbers[:HEADER], numbers[HEADER:]
    except ValueError:
        raise TournamentError(f"{picture!r} given; five numbers are expected") from None
    return state


DICE = Rules(
    name="dice-race",
    summary="throw again, or hold",
    seats=SEATS,
    options={"turns": 4},
    board=lambda turns=4: np.array([turns], dtype=np.int16),
    state_size=lambda board: PLACES + 2,
    num_actions=lambda board: 2,
    start=start_dice,
    legal=legal_dice,
    play=play_dice,
    chance=ChanceRules(outcomes_of_dice, settle_dice),
    text=text_of_dice,
    parse=parse_dice,
    describe=lambda board, action: ("throw", "hold")[action],
)
