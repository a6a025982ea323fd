"""Perfect play: ``optimal``, for every game that can be solved.

The player looks each legal action's successor up in the game's table of exact values
(:mod:`tournaments.solver`), and plays uniformly among the best.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.kernels.bitset import bit
from tournaments.kernels.hooks import action_value, legal, position
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import below
from tournaments.player import CompiledPlayer, Kind
from tournaments.rules import PlayerOffer
from tournaments.solver import num_positions, values


class Memory(NamedTuple):
    """Scratch: the legal actions and what each is worth, int16 [A], and a state."""

    actions: np.ndarray
    worth: np.ndarray
    state: np.ndarray


@kernel
def look_up(board, state, parameters, memory):
    """Note the legal actions and what each is worth; return how many, and the best worth.

    ``parameters`` is the table of exact values. No branch depends on a value: so the processor
    looks all actions up side by side, while a branch that it guessed wrong would wait for the table
    each time.
    """
    actions, worth = memory.actions, memory.worth
    count = legal(board, state, actions)
    number = position(board, state)
    best = -32768
    for index in range(count):
        value = action_value(board, state, number, actions[index], parameters, memory.state)
        worth[index] = value
        best = max(best, value)
    return count, best


@kernel
def choose(board, state, parameters, row, memory, stream):
    """One of the best actions."""
    count, best = look_up(board, state, parameters, memory)
    return one_of_best(memory.actions, memory.worth, count, best, stream)


@kernel
def candidates(board, state, parameters, row, memory, words):
    """What :func:`choose` draws from: the best actions."""
    count, best = look_up(board, state, parameters, memory)
    ties = 0
    for index in range(words.size):
        words[index] = 0
    for index in range(count):
        if memory.worth[index] == best:
            words[memory.actions[index] >> 5] |= bit(memory.actions[index])
            ties += 1
    return ties


@kernel
def one_of_best(actions, worth, count, best, stream):
    """One of the actions that are worth ``best``, each as likely as the others.

    These move to the front of ``actions``.
    """
    ties = 0
    for index in range(count):
        actions[ties] = actions[index]
        ties += worth[index] == best
    return actions[below(stream, ties)]


def memory(game: Game, parameters: object) -> Memory:
    """One side's memory."""
    actions, worth = np.zeros((2, game.num_actions), dtype=np.int16)
    return Memory(actions, worth, np.zeros(game.state_size, dtype=np.int16))


KIND = Kind(name="optimal", choose=choose, memory=memory, candidates=candidates)


def player(game: Game) -> CompiledPlayer:
    """The perfect player.

    Raises:
        TournamentError: the game cannot be solved, or not at this size.
    """
    return CompiledPlayer("optimal", KIND, game, values(game), maker=player, options={})


def can_be_solved(game: Game) -> bool:
    """Whether the game can be solved; where not, an error says why."""
    return num_positions(game) > 0


SUMMARY = "perfect play, at random among its best moves"
PLAYER = PlayerOffer(SUMMARY, player, can_be_solved)
