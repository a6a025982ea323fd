"""Finite-state machines as players: in each state a chance of each move, then a next state.

The next state follows from what both seats carried out, so a machine sees its own slips, too.

Letters: N machines, Q states, A moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.kernels.linker import kernel
from tournaments.player import CompiledPlayer, Kind
from tournaments.repeated.draws import random_share
from tournaments.repeated.rules import FIRST, SECOND

MOST_STATES = 4096
"""States of a machine that plays moves in turn."""


class Machine(NamedTuple):
    """A finite-state machine, which begins in state 0. Kernels read N of them, by a first axis.

    Attributes:
        chances: float64 ``[Q, A]``, of each move in each state.
        following: int64 ``[Q, A, A]``, the next state by its own move and the other's.
    """

    chances: np.ndarray
    following: np.ndarray


@kernel
def begin(board, state, parameters, row, memory):
    """Put a finite-state machine that plays a repeated game into its first state."""
    memory[0] = 0


@kernel
def watch(board, state, action, parameters, row, memory):
    """Put a finite-state machine into its next state once both moves of a round are carried out."""
    if state[0] != 1:
        own = SECOND if action >= 0 else FIRST  # the second seat moved last
        other = FIRST + SECOND - own
        mine, theirs = state[state.size + own], state[state.size + other]
        memory[0] = parameters.following[row, memory[0], mine, theirs]


@kernel
def choose(board, state, parameters, row, memory, stream):
    """Return a random move by the probabilities of the machine's state.

    A move with probability 1 takes no random number.
    """
    chances, here = parameters.chances, memory[0]
    last = np.int64(0)
    for move in range(chances.shape[2]):
        if chances[row, here, move] > 0.0:
            last = np.int64(move)
    if chances[row, here, last] == 1.0:
        return last
    left = random_share(stream)
    for move in range(last):
        if left < chances[row, here, move]:
            return np.int64(move)
        left -= chances[row, here, move]
    return last


def memory(game: Game, parameters: object) -> np.ndarray:
    """Allocate the memory of a finite-state machine: the number of its state, int64 ``[1]``."""
    return np.zeros(1, dtype=np.int64)


KIND = Kind("machine", choose, begin=begin, watch=watch, memory=memory)


def machine_player(
    game: Game,
    machine: Machine,
    name: str,
    maker: Callable[..., Any],
    options: Mapping[str, Any],
) -> CompiledPlayer:
    """Return a player of a repeated game that plays by a finite-state machine.

    Another process makes the same player by ``maker(game, **options)``.
    """
    machines = Machine(machine.chances[None], machine.following[None])
    kind = replace(KIND, name=name.partition(":")[0])  # of one without options it is the identity
    return CompiledPlayer(name, kind, game, machines, maker=maker, options=options)


# --- machines of a few lines ---------------------------------------------------------------------


def machine_with(chances: np.ndarray | Sequence[Sequence[float]], following: Any) -> Machine:
    """Return a finite-state machine, given its probabilities of moves and its next states.

    Args:
        chances: the probability of each move in each state, ``[Q, A]``.
        following: the next states, a whole number or an array that can be broadcast to ``[Q, A,
            A]``.
    """
    table = np.array(chances, dtype=float)
    states = np.broadcast_to(following, (*table.shape, table.shape[1]))
    return Machine(table, np.array(states, dtype=np.int64, order="C"))


def mixed(chances: Sequence[float]) -> Machine:
    """Return a finite-state machine with the same probabilities of moves in every round."""
    return machine_with([chances], 0)


def cycle(sequence: Sequence[int], moves: int) -> Machine:
    """Return a finite-state machine that plays a sequence of moves over and over.

    ``moves`` is the number of possible moves.

    Raises:
        TournamentError: the sequence is too long.
    """
    if len(sequence) > MOST_STATES:
        raise TournamentError(f"{len(sequence)} moves given; at most {MOST_STATES} are allowed")
    following = np.roll(np.arange(len(sequence)), -1)
    return machine_with(np.eye(moves)[list(sequence)], following[:, None, None])


def memory_one(first: Sequence[float], replies: np.ndarray) -> Machine:
    """Return a finite-state machine whose moves in a repeated game depend on the last round.

    Args:
        first: the probabilities of its moves in the first round, ``[A]``.
        replies: the probabilities later, ``[A, A, A]``, by its own last move, the other's last
            move, and the next one.
    """
    moves = len(first)
    chances = np.vstack([np.asarray(first)[None], np.asarray(replies).reshape(-1, moves)])
    return machine_with(chances, 1 + np.arange(moves * moves).reshape(moves, moves))


def by_other(chances: Sequence[Sequence[float]], following: Sequence[Sequence[int]]) -> Machine:
    """Return a finite-state machine whose next state depends on its state and the other's move.

    Args:
        chances: the probability of each move in each state, ``[Q, A]``.
        following: the next state by state and the other's move, ``[Q, A]``.
    """
    return machine_with(chances, np.array(following)[:, None])
