"""A small game that keeps the contract, and mistakes that authors of games make, each by itself.

In turn each marks a square of a row; a mark is worth the square's number, and who has more when
all are marked wins. A mistake is what it changes of the rules, and what the check has to say of it:
the hook, and words of the law.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.kernels.linker import kernel
from tournaments.rules import HEADER, NetworkRules, PlayerOffer, Rules

SQUARES = 5
MARKS = "12"
CALLS = [0]
"""What a hook has no business with."""


def make_board() -> np.ndarray:
    return np.arange(SQUARES, dtype=np.int16)


@kernel
def start(board, state, seed):
    state[:] = 0


@kernel
def legal(board, state, actions):
    count = 0
    for square in range(board.size):
        if state[HEADER + square] == 0:
            actions[count] = square
            count += 1
    return count


@kernel
def play(board, state, action):
    seat = state[0]
    state[HEADER + action] = 1 + seat
    state[1 + seat] += board[action]
    free = 0
    for square in range(board.size):
        free += state[HEADER + square] == 0
    state[0] = 1 - seat if free > 0 else -1


@kernel
def encode(board, state, inputs):
    for square in range(board.size):
        inputs[square] = state[HEADER + square]


def text(board: np.ndarray, state: np.ndarray) -> str:
    return " ".join(map(str, state))


def parse(board: np.ndarray, picture: str) -> np.ndarray:
    try:
        numbers = np.array(picture.split(), dtype=np.int16)
    except ValueError:
        numbers = np.zeros(0, dtype=np.int16)
    if numbers.size != HEADER + board.size:
        raise TournamentError(f"{picture!r} given; {HEADER + board.size} numbers are expected")
    return numbers


RULES = Rules(
    name="row-of-squares",
    summary="who marks the greater squares",
    seats=("first", "second"),
    options={},
    board=make_board,
    state_size=lambda board: HEADER + board.size,
    num_actions=lambda board: board.size,
    start=start,
    legal=legal,
    play=play,
    text=text,
    parse=parse,
    describe=lambda board, action: f"square {action}",
    most_plies=lambda board: board.size,
)


class Mistake(NamedTuple):
    """What is wrong.

    Attributes:
        changes: of the rules.
        hook: that the message names.
        law: words of the message.
        has_position: whether the message has the position.
    """

    changes: dict[str, Any]
    hook: str
    law: str
    has_position: bool = True


def no_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that its author has forgotten to mark."""
    return function


# --- legal ---------------------------------------------------------------------------------------


@kernel
def legal_counts(board, state, actions):
    state[1] += 1
    return legal(board, state, actions)


@kernel
def legal_settles(board, state, actions):
    """Changes the position once: asked again, it does nothing."""
    state[1] = 3
    return legal(board, state, actions)


@kernel
def legal_falls(board, state, actions):
    count = legal(board, state, actions)
    for place in range(count // 2):
        held = actions[place]
        actions[place] = actions[count - 1 - place]
        actions[count - 1 - place] = held
    return count


@kernel
def legal_doubles(board, state, actions):
    actions[0] = 2
    actions[1] = 2
    return 2


@kernel
def legal_beyond(board, state, actions):
    actions[0] = 99
    return 1


@kernel
def legal_says_more(board, state, actions):
    return legal(board, state, actions) + 1 - (state[1] + state[2] == 0)


@kernel
def legal_says_too_many(board, state, actions):
    legal(board, state, actions)
    return 1000


@kernel
def legal_says_nothing(board, state, actions):
    legal(board, state, actions)


@kernel
def legal_of_none(board, state, actions):
    return 0


@kernel
def legal_of_all(board, state, actions):
    """Squares that are marked, too: the last mark of all is beyond the row."""
    for square in range(board.size):
        actions[square] = square
    return board.size


@kernel
def play_unmarked(board, state, action):
    """Cannot play what :func:`legal_of_all` lists."""
    free = np.zeros(0)
    if state[HEADER + action] != 0:
        state[0] = free[action]
    play(board, state, action)


@kernel
def legal_reads_beyond(board, state, actions):
    count = 0
    for square in range(board.size + 1):
        actions[count] = square
        count += state[HEADER + square] == 0
    return count


# --- play ----------------------------------------------------------------------------------------


@kernel
def play_next(board, state, action):
    """Heeds its action not: marks the first free square."""
    for square in range(board.size):
        if state[HEADER + square] == 0:
            play(board, state, square)
            break


@kernel
def play_alone(board, state, action):
    play(board, state, action)
    state[0] = min(state[0], 0)


@kernel
def play_nothing(board, state, action):
    pass


@kernel
def play_elsewhere(board, state, action):
    state = board  # noqa: F841  (a name for another array)


@kernel
def play_raises(board, state, action):
    state[HEADER + board.size + action] = 1


@kernel
def play_forever(board, state, action):
    while state[0] >= 0:
        state[1] = 1


@kernel
def play_in_circles(board, state, action):
    """The game never ends."""
    state[HEADER] = 1 - state[HEADER]
    state[HEADER + 1] = action
    state[0] = 1 - state[0]


@kernel
def play_by_count(board, state, action):
    CALLS[0] += 1
    play(board, state, action)
    state[1] += CALLS[0]


@kernel
def play_on_board(board, state, action):
    board[action] = 0
    play(board, state, action)


@kernel
def play_overflows(board, state, action):
    play(board, state, action)
    for _ in range(100):
        state[1] += 1000


@kernel
def play_for_three(board, state, action):
    play(board, state, action)
    state[0] = 2


@kernel
def play_divides(board, state, action):
    play(board, state, action)
    state[1] = 7 // (state[1] - state[1])


# --- start ---------------------------------------------------------------------------------------


@kernel
def start_leaves(board, state, seed):
    """Takes it that the state is zeros."""
    state[0] = 0


@kernel
def start_over(board, state, seed):
    state[:] = 0
    state[0] = -1


@kernel
def start_by_count(board, state, seed):
    CALLS[0] += 1
    state[:] = 0
    state[HEADER] = CALLS[0] % 2


@kernel
def start_third(board, state, seed):
    state[:] = 0
    state[0] = 5


# --- texts ---------------------------------------------------------------------------------------


def text_without_seat(board: np.ndarray, state: np.ndarray) -> str:
    return " ".join(["0", *map(str, state[1:])])


def text_sleeps(board: np.ndarray, state: np.ndarray) -> str:
    time.sleep(1e6)
    return ""


def text_exits(board: np.ndarray, state: np.ndarray) -> str:
    os._exit(3)


def text_crashes(board: np.ndarray, state: np.ndarray) -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


def parse_anything(board: np.ndarray, picture: str) -> np.ndarray:
    numbers = [int(word) for word in picture.split() if word.lstrip("-").isdecimal()]
    return np.resize(np.array([*numbers, 0], dtype=np.int16), HEADER + board.size)


def parse_raises(board: np.ndarray, picture: str) -> np.ndarray:
    return np.array(picture.split(), dtype=np.int16)


def describe_raises(board: np.ndarray, action: int) -> str:
    return "abc"[action]


# --- kernels -------------------------------------------------------------------------------------


@no_kernel
def play_unmarked_kernel(board, state, action):
    play(board, state, action)


@no_kernel
def helper(state):
    return state[0]


@kernel
def play_by_helper(board, state, action):
    play(board, state, action)
    state[1] += 0 * helper(state)


@kernel
def legal_by_numpy(board, state, actions):
    free = np.flatnonzero(state[HEADER:] == 0)
    actions[: free.size] = free
    return free.size


@kernel
def play_itself(board, state, action):
    if action < 0:
        play_itself(board, state, action + 1)
    play(board, state, action)


@kernel
def play_by_list(board, state, action):
    marks = [1, 2]
    state[HEADER + action] = marks[state[0]]
    play(board, state, action)


@kernel
def play_by_array(board, state, action):
    play(board, state, action)
    state[HEADER:] = state[HEADER:] + 0


@kernel
def play_wraps(board, state, action):
    """Whole numbers of Python grow, compiled ones are of 64 bits."""
    number = action + 1
    for _ in range(70):
        number *= 2
    play(board, state, action)
    if number == 0:
        state[1] += 1


@kernel
def play_waits(board, state, action):
    """Never returns, compiled."""
    number = action + 1
    for _ in range(70):
        number *= 2
    while number == 0:
        state[2] = number
    play(board, state, action)


@kernel
def play_prints(board, state, action):
    """Would wait for ever, compiled: it holds no lock of the interpreter's."""
    print(action)
    play(board, state, action)


@kernel
def play_of_two(board, state):
    state[0] = -1


@kernel
def legal_divides(board, state, actions):
    if 7 // (board.size - state[0] - state[HEADER] - 4) < 0:
        actions[0] = 0
    return legal(board, state, actions)


@kernel
def encode_half(board, state, inputs):
    for square in range(board.size):
        inputs[square] = state[HEADER + square] / 2


MISTAKES = {
    # laws of legal
    "legal changes": Mistake({"legal": legal_counts}, "legal", "must not change the position"),
    "legal settles": Mistake({"legal": legal_settles}, "legal", "must not change the position"),
    "legal falls": Mistake({"legal": legal_falls}, "legal", "must rise and differ"),
    "legal doubles": Mistake({"legal": legal_doubles}, "legal", "must rise and differ"),
    "legal beyond": Mistake({"legal": legal_beyond}, "legal", "must lie in"),
    "legal says more": Mistake({"legal": legal_says_more}, "legal", "as many actions as it"),
    "legal too many": Mistake({"legal": legal_says_too_many}, "legal", "not 1000"),
    "legal says nothing": Mistake({"legal": legal_says_nothing}, "legal", "not None"),
    "legal of none": Mistake({"legal": legal_of_none}, "legal", "until the game is over"),
    "legal of all": Mistake({"legal": legal_of_all}, "play", "must change the position|must end"),
    "legal reads beyond": Mistake({"legal": legal_reads_beyond}, "legal", "IndexError"),
    # laws of play
    "play heeds nothing": Mistake({"play": play_next}, "play", "must heed its action"),
    "seat never moves": Mistake({"play": play_alone}, "play", "'second'.* never moves"),
    "play of nothing": Mistake({"play": play_nothing}, "play", "must change the position"),
    "play elsewhere": Mistake({"play": play_elsewhere}, "play", "must change the position, in"),
    "play raises": Mistake({"play": play_raises}, "play", "IndexError"),
    "play for ever": Mistake({"play": play_forever}, "play", "must return, .*, by action 0, at"),
    "no end": Mistake({"play": play_in_circles}, "play", "random play must end"),
    "play by count": Mistake({"play": play_by_count}, "play", "'CALLS', a list", False),
    "play on board": Mistake({"play": play_on_board}, "play", "read-only"),
    "play overflows": Mistake({"play": play_overflows}, "play", "int16 overflows"),
    "play for three": Mistake({"play": play_for_three}, "seat_to_move", "0, 1 or -1, not 2"),
    "play divides": Mistake({"play": play_divides}, "play", "must not divide by zero"),
    # start
    "start leaves": Mistake({"start": start_leaves}, "start", r"leaves state\[1\]"),
    "start over": Mistake({"start": start_over}, "start", "a game that is over"),
    "start of a third": Mistake({"start": start_third}, "seat_to_move", "0, 1 or -1, not 5"),
    # texts
    "text forgets": Mistake({"text": text_without_seat}, "parse", "must be the position itself"),
    "text sleeps": Mistake({"text": text_sleeps}, "text", "must return, and has not within"),
    "text exits": Mistake(
        {"text": text_exits}, "hook", "ended the process with exit status 3.*state: .0", False
    ),
    "text crashes": Mistake(
        {"text": text_crashes}, "hook", "crashed the process .SIGKILL.*state: .0", False
    ),
    "parse of junk": Mistake({"parse": parse_anything}, "parse", "is taken for one", False),
    "parse raises": Mistake({"parse": parse_raises}, "parse", "raises ValueError", False),
    "names alike": Mistake(
        {"describe": lambda board, action: "a square"}, "describe", "a name of its own", False
    ),
    "names end": Mistake({"describe": describe_raises}, "describe", "IndexError", False),
    # types
    "board a list": Mistake({"board": lambda: [1, 2]}, "board", "a list; give an array", False),
    "board of reals": Mistake({"board": lambda: np.zeros(5)}, "board", "must be int16", False),
    "a number for a function": Mistake(
        {"num_actions": 5}, "num_actions", "a function is expected", False
    ),
    "actions a real": Mistake(
        {"num_actions": lambda board: 5.0}, "num_actions", "a whole number", False
    ),
    "actions beyond": Mistake(
        {"num_actions": lambda board: board[99]},
        "num_actions",
        "raised IndexError",
        False,
    ),
    "board raises": Mistake(
        {"board": lambda: [][0]},
        "board",
        "raised IndexError",
        False,
    ),
    "no play": Mistake({"play": None}, "play", "a function is expected", False),
    "state too short": Mistake(
        {"state_size": lambda board: HEADER + board.size - 1}, "legal", "IndexError"
    ),
    "state of two": Mistake({"state_size": lambda board: 2}, "state_size", "at least", False),
    "three seats": Mistake({"seats": ("a", "b", "c")}, "seats", "two seats", False),
    "seats of numbers": Mistake({"seats": (0, 1)}, "seats", "a tuple of texts is", False),
    "seats of lines": Mistake({"seats": ("a\nb", "c")}, "seats", "a line each", False),
    "summary of nothing": Mistake({"summary": None}, "summary", "a text is expected", False),
    "roles a text": Mistake({"has_roles": "yes"}, "has_roles", "True or False", False),
    "options a list": Mistake({"options": []}, "options", "a dict of values by name", False),
    "yardsticks a text": Mistake({"yardsticks": "random"}, "yardsticks", "a tuple", False),
    "players of functions": Mistake(
        {"players": {"mine": lambda game: game}}, "players", "a dict of PlayerOffer", False
    ),
    "encode alone": Mistake({"network": encode_half}, "network", "a NetworkRules object", False),
    "inputs a real": Mistake(
        {"network": NetworkRules(lambda board: 5.0, encode)}, "num_inputs", "not 5.0", False
    ),
    # pictures
    "text a number": Mistake({"text": lambda board, state: 3}, "text", "must give a text"),
    "names of blanks": Mistake(
        {"describe": lambda board, action: " " * (action + 1)}, "describe", "a line of", False
    ),
    "names numbers": Mistake(
        {"describe": lambda board, action: action + 1}, "describe", "a line of text", False
    ),
    "no drawing": Mistake({"draw": lambda scenes: None}, "draw", "must give a board", False),
    "no emoji": Mistake({"emoji": lambda board, state: None}, "emoji", "a text", False),
    "rulers a number": Mistake({"rulers": lambda board: 5}, "rulers", "must give a text", False),
    "edit raises": Mistake({"edit": lambda *given: {}[0]}, "edit", "raises KeyError", False),
    # kernels
    "two arguments": Mistake(
        {"play": play_of_two}, "play", r"3 arguments \(board, state, action\)", False
    ),
    "print": Mistake({"play": play_prints}, "play", "uses print", False),
    "legal divides": Mistake({"legal": legal_divides}, "legal", "must not divide by zero"),
    "no kernel": Mistake({"play": play_unmarked_kernel}, "play", "must be a kernel", False),
    "helper is no kernel": Mistake({"play": play_by_helper}, "play", "'helper', a function", False),
    "numpy": Mistake({"legal": legal_by_numpy}, "legal", "np.flatnonzero", False),
    "recursion": Mistake({"play": play_itself}, "play", "calls itself", False),
    "half inputs": Mistake(
        {"network": NetworkRules(lambda board: board.size, encode_half)}, "encode", "a whole number"
    ),
}
"""Found without a compiler."""

COMPILED = {
    "a list": Mistake(
        {"play": play_by_list}, "play", r"it allocates, in `marks = \[1, 2\]`", False
    ),
    "an array": Mistake(
        {"play": play_by_array}, "play", r"it allocates, in `state\[HEADER:\] = ", False
    ),
    "players raise": Mistake(
        {"players": {"mine": PlayerOffer("mine", lambda game: game.nothing)}},
        "offers",
        "must not raise: AttributeError",
        False,
    ),
    "compiled otherwise": Mistake({"play": play_wraps}, "play", "do the same compiled"),
    "compiled for ever": Mistake({"play": play_waits}, "play", "it does not return"),
}
"""Found by the compiler, or by what is compiled."""


def game_of(mistake: Mistake) -> Game:
    """The game with a mistake."""
    return Game(replace(RULES, **mistake.changes), {})
