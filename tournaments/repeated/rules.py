"""The rules of every repeated game.

The first seat's move is held until the second seat has moved, without seeing it. Then both moves
are carried out and paid. An action is a move. With noise, each move is replaced by one of the other
moves with the probability of the noise. Both seats see the moves that were carried out.

Board: see the places below, then the payoffs ``[A, A]``, own move first. State: header, the stream
where the game offers noise, then the four numbers of ``OWN``. A text board::

    3 of 100 rounds
    first 20: kick
    second 15: block-kick
    second to move, first holds punch

has the points of each seat and the move that it carried out last. The view of the second seat
omits the held move of the first seat. The text of a game with noise has a line ``stream`` with four
numbers, which the view omits as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tournaments.errors import TournamentError
from tournaments.kernels.chance import STREAM, STREAM_SIZE, chance, seed_chance
from tournaments.kernels.linker import kernel
from tournaments.rules import HEADER

SEATS = ("first", "second")
ROUNDS, MOVES, NOISE, PAYOFFS = 0, 1, 2, 3
"""Places in the board array: the rounds, the number of moves, the noise, the payoffs."""
OWN = 4
"""Number of values of a state that are the game's own, the last of the state."""
ROUND, FIRST, SECOND, HELD = -4, -3, -2, -1
"""Their places: rounds played, last move carried out per seat, held move of the first seat."""
NONE = -1
"""In place of a move: there is none."""
SHARES = 10_000
"""Noise is a whole number of these shares."""

# --- the rules ---------------------------------------------------------------------------------


@kernel
def start(board, state, seed):
    """Set up a repeated game before its first round, with a random stream if moves may go wrong."""
    state[:] = 0
    state[state.size - OWN + 1 :] = NONE
    if board[NOISE] > 0:
        seed_chance(state, seed)


@kernel
def legal(board, state, actions):
    """List all moves of a repeated game, which are always legal; return their number."""
    for move in range(board[MOVES]):
        actions[move] = move
    return np.int64(board[MOVES])


@kernel
def payoff(board, own, other):
    """Return the gain of a seat of a repeated game by its own move against the other's move."""
    return np.int64(board[PAYOFFS + own * np.int64(board[MOVES]) + other])


@kernel
def carried_out(board, state, move):
    """Return the move that is carried out for an intended move of a repeated game with noise."""
    if board[NOISE] > 0 and chance(state, SHARES) < board[NOISE]:
        moves = np.int64(board[MOVES])
        return (move + 1 + chance(state, moves - 1)) % moves
    return move


@kernel
def play(board, state, action):
    """Play a move of a repeated game: hold the first seat's move until the second has moved.

    Then both moves are carried out and paid.
    """
    own = state.size
    if state[0] == 0:
        state[own + HELD] = action
        state[0] = 1
    else:
        first = carried_out(board, state, np.int64(state[own + HELD]))
        second = carried_out(board, state, np.int64(action))
        state[1] += payoff(board, first, second)
        state[2] += payoff(board, second, first)
        state[own + FIRST] = first
        state[own + SECOND] = second
        state[own + HELD] = NONE
        state[own + ROUND] += 1
        state[0] = -1 if state[own + ROUND] == board[ROUNDS] else 0


@kernel
def view(board, state, seat, seen):
    """Write a seat's view of a repeated game: the state without its random stream.

    The second seat does not see the move that the first one holds.
    """
    for place in range(HEADER):
        seen[place] = state[place]
    for place in range(state.size - OWN, state.size):
        seen[place] = state[place]
    for place in range(HEADER, state.size - OWN):
        seen[place] = 0  # the stream
    if seat == 1:
        seen[state.size + HELD] = NONE


@kernel
def has_secret(board, state, seat):
    """Return whether a repeated game hides anything from a seat: a stream, or a held move."""
    return board[NOISE] > 0 or (seat == 1 and state[state.size + HELD] != NONE)


@kernel
def encode(board, state, inputs):
    """Write the inputs of a network for a repeated game: a one, then the last move of each seat.

    The mover comes first.
    """
    moves = np.int64(board[MOVES])
    inputs[0] = 1
    for side in range(2):
        last = state[state.size + FIRST + (side + state[0]) % 2]
        for move in range(moves):
            inputs[1 + side * moves + move] = last == move


# --- the board ---------------------------------------------------------------------------------


Payoffs = Sequence[Sequence[int]] | Callable[..., Sequence[Sequence[int]]]
MOST_MOVES = 8
"""Counts of the moves after the last four are kept for each player."""


def make_board(
    name: str, moves: int, payoffs: Payoffs, *, rounds: int, noise: float = 0.0, **own: Any
) -> np.ndarray:
    """Return the constants of a repeated game.

    Args:
        name: the name of the game.
        moves: the number of moves.
        payoffs: the payoffs, or a function that makes them of the game's own options.
        rounds: the number of rounds.
        noise: the probability that another move is carried out.
        **own: the game's own options.

    Raises:
        TournamentError: moves and payoffs that do not go together, or rounds or noise beyond their
            bounds.
    """
    table = np.array(payoffs(**own) if callable(payoffs) else payoffs)
    if not 2 <= moves <= MOST_MOVES or table.shape != (moves, moves) or table.dtype.kind != "i":
        raise TournamentError(
            f"{name}: {moves} moves and payoffs {table.tolist()} given; 2 to {MOST_MOVES} moves "
            "and as many rows of as many whole numbers are expected"
        )
    most = 32_767 // max(2, int(np.abs(table).max()))  # a round has two plies
    if type(rounds) is not int or not 1 <= rounds <= most:
        raise TournamentError(
            f"{name}: rounds={rounds} given; a whole number from 1 to {most} is expected, as "
            "scores and plies are counted in 16 bits"
        )
    is_number = isinstance(noise, int | float) and not isinstance(noise, bool)
    if not is_number or not 0 <= noise <= 0.5 or noise * SHARES != round(noise * SHARES):
        raise TournamentError(
            f"{name}: noise={noise} given; a probability from 0 to 0.5 with at most four decimals "
            "is expected, such as 0.01"
        )
    shares = round(noise * SHARES)
    return np.array([rounds, moves, shares, *table.ravel()], dtype=np.int16)


def payoffs_of(board: np.ndarray) -> np.ndarray:
    """Return the payoffs of a repeated game: own move by the other's move, int64 ``[A, A]``."""
    moves = int(board[MOVES])
    return board[PAYOFFS:].reshape(moves, moves).astype(np.int64)


def noise_of(board: np.ndarray) -> float:
    """Return the probability that a move of a repeated game is carried out as another one."""
    return float(board[NOISE]) / SHARES


# --- text --------------------------------------------------------------------------------------


def text(moves: tuple[str, ...], board: np.ndarray, state: np.ndarray) -> str:
    """Return a position of a repeated game as text: rounds, points, last moves, seat to move.

    ``moves`` are the names of the moves.
    """
    lines = [f"{state[ROUND]} of {board[ROUNDS]} rounds"]
    for seat, name in enumerate(SEATS):
        last = state[FIRST + seat]
        lines.append(f"{name} {state[1 + seat]}: {'-' if last == NONE else moves[last]}")
    status = "over" if state[0] < 0 else f"{SEATS[state[0]]} to move"
    lines.append(status if state[HELD] == NONE else f"{status}, first holds {moves[state[HELD]]}")
    if len(state) > HEADER + OWN and state[STREAM : STREAM + STREAM_SIZE].any():
        words = state[STREAM : STREAM + STREAM_SIZE].view(np.uint16)
        lines.append("stream " + " ".join(f"{word:04x}" for word in words))
    return "\n".join(lines)


PICTURE = re.compile(
    r"(\d+) of \d+ rounds\nfirst (-?\d+): (\S+)\nsecond (-?\d+): (\S+)\n"
    r"(over|first to move|second to move)(?:, first holds (\S+))?"
    r"(?:\nstream ([0-9a-f]{4}) ([0-9a-f]{4}) ([0-9a-f]{4}) ([0-9a-f]{4}))?"
)


def parse(moves: tuple[str, ...], size: int, board: np.ndarray, picture: str) -> np.ndarray:
    """Return the position of a repeated game that a text shows, a state of ``size`` numbers.

    The text is of the form that :func:`text` returns; ``moves`` are the names of the moves.

    Raises:
        TournamentError: lines that are no position of this game.
    """
    picture = "\n".join(line.strip() for line in picture.strip().split("\n"))
    shown = PICTURE.fullmatch(picture)
    if shown:
        rounds, first, move, second, other, status, held, *words = shown.groups()
        numbers = [int(rounds), int(first), int(second)]
        places = {"-": NONE, **{name: place for place, name in enumerate(moves)}}
        state = np.zeros(size, dtype=np.int16)
        if max(map(abs, numbers)) <= 32_767 and {move, other, held or "-"} <= places.keys():
            state[ROUND], state[1], state[2] = numbers
            state[0] = {"over": -1, "first to move": 0, "second to move": 1}[status]
            state[FIRST:] = places[move], places[other], places[held or "-"]
            if words[0] is not None and size > HEADER + OWN:
                numbers = [int(word, 16) for word in words]
                state[STREAM : STREAM + STREAM_SIZE] = np.array(numbers, np.uint16).view(np.int16)
            if text(moves, board, state) == picture and _can_be(board, state):
                return state
    state = np.zeros(size, dtype=np.int16)
    state[FIRST:] = NONE
    expected = text(moves, board, state).replace("\n", " / ")
    raise TournamentError(f"no position of this game; four lines such as {expected} are expected")


def _can_be(board: np.ndarray, state: np.ndarray) -> bool:
    """Return whether rounds, points, moves and the seat to move of a repeated game fit together."""
    payoffs, played = payoffs_of(board), int(state[ROUND])
    last = state[FIRST], state[SECOND]
    if (state[0] < 0) != (played == board[ROUNDS]) or played > board[ROUNDS]:
        return False
    if state[HELD] != NONE and state[0] != 1:
        return False
    if played == 0 or NONE in last:
        return played == 0 and last == (NONE, NONE) and not state[1:HEADER].any()
    gained = payoffs[last], payoffs[last[::-1]]
    before = [int(score) - int(gain) for score, gain in zip(state[1:HEADER], gained, strict=True)]
    low, high = (played - 1) * payoffs.min(), (played - 1) * payoffs.max()
    return all(low <= score <= high for score in before)
