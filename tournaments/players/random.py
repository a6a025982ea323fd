"""``random``, for every game: uniformly random play, also named ``level-0``."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.kernels import bitset as action_sets
from tournaments.kernels.hooks import legal, legal_set, legal_set_change, note_legal
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import below
from tournaments.player import CompiledPlayer, Kind
from tournaments.rules import PlayerOffer


@kernel
def choose(board, state, parameters, row, memory, stream):
    """Return a uniformly random legal action. ``memory`` is overwritten by the legal actions."""
    return memory[below(stream, legal(board, state, memory))]


@kernel
def candidates(board, state, parameters, row, memory, words):
    """Fill ``words`` with the set of all legal actions, among which random play draws.

    Returns:
        The number of actions.
    """
    note_legal(board, state, words, memory)
    return action_sets.size(words)


def memory(game: Game, parameters: object) -> np.ndarray:
    """Allocate the memory of random play for one side: a list of actions, int16 [A]."""
    return np.zeros(game.num_actions, dtype=np.int16)


KIND = Kind(
    name="level-0",
    choose=choose,
    memory=memory,
    candidates=candidates,
    plays_evenly=True,
)

# --- games that offer their legal actions as a set -----------------------------------------------


class Memory(NamedTuple):
    """The set of legal actions, uint64 [words], and its size, int64 [1]."""

    actions: np.ndarray
    total: np.ndarray


@kernel
def begin_with_set(board, state, parameters, row, memory):
    """Store the set of legal actions of a position for random play."""
    memory.total[0] = legal_set(board, state, memory.actions)


@kernel
def watch_with_set(board, state, action, parameters, row, memory):
    """Update the set of legal actions for random play after an action."""
    memory.total[0] = legal_set_change(board, state, action, memory.actions)


@kernel
def choose_with_set(board, state, parameters, row, memory, stream):
    """Return a uniformly random legal action from the stored set of legal actions.

    It is the action that :func:`choose` returns, which lists the legal actions.
    """
    return action_sets.nth(memory.actions, below(stream, memory.total[0]))


@kernel
def candidates_with_set(board, state, parameters, row, memory, words):
    """Fill ``words`` with the stored set of all legal actions, among which random play draws.

    Returns:
        The number of actions.
    """
    for index in range(words.size):
        words[index] = memory.actions[index]
    return memory.total[0]


def memory_with_set(game: Game, parameters: object) -> Memory:
    """Allocate the memory of random play for one side: a set of legal actions."""
    return Memory(action_sets.empty(game.num_actions), np.zeros(1, dtype=np.int64))


WITH_SET = replace(
    KIND,
    choose=choose_with_set,
    begin=begin_with_set,
    watch=watch_with_set,
    memory=memory_with_set,
    candidates=candidates_with_set,
)


FEW = 8
"""Number of actions up to which listing them is faster than updating a set."""


def kind(game: Game) -> Kind:
    """Return the fastest kind of random play for a game. All kinds choose the same moves."""
    return WITH_SET if game.rules.sets and game.num_actions > FEW else KIND


def level_0(game: Game) -> CompiledPlayer:
    """Return the random player of a game under the name that the study of 1998 uses."""
    return kind(game).player(game)


def player(game: Game) -> CompiledPlayer:
    """Return the random player of a game."""
    return replace(level_0(game), name="random")


PLAYER = PlayerOffer("level-0 by another name", player)
