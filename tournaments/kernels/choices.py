"""Kernels of players that weigh their actions and play one of the best.

Such a player is one kernel of its own, ``weigh(board, state, parameters, row, memory)``: it writes
the actions to choose among into ``memory.actions`` and what each is worth into ``memory.worth``,
and returns how many they are and the best worth. :func:`best_of` makes the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from tournaments.kernels.bitset import bit
from tournaments.kernels.hooks import legal, play
from tournaments.kernels.linker import hook, kernel
from tournaments.kernels.rng import below

Kernel = Callable[..., Any]


@hook
def weigh(board, state, parameters, row, memory):
    """List the actions and the worth of each in ``memory.actions`` and ``memory.worth``.

    A player that weighs its actions fills this hook.

    Returns:
        The number of actions, and the highest worth.
    """


@kernel
def choose(board, state, parameters, row, memory, stream):
    """Draw one of the actions that the player's ``weigh`` gives the highest worth."""
    count, best = weigh(board, state, parameters, row, memory)
    return one_of_best(memory.actions, memory.worth, count, best, stream)


@kernel
def candidates(board, state, parameters, row, memory, words):
    """Write the actions that the player's ``weigh`` gives the highest worth into a set of bits.

    Returns:
        The number of these actions.
    """
    count, best = weigh(board, state, parameters, row, memory)
    ties = 0
    for index in range(words.size):
        words[index] = np.uint64(0)
    for index in range(count):
        if memory.worth[index] == best:
            words[memory.actions[index] >> 5] |= bit(memory.actions[index])
            ties += 1
    return ties


@kernel
def one_of_best(actions, worth, count, best, stream):
    """Draw one of the actions whose worth is ``best``, each with the same probability.

    These actions move to the front of ``actions``. ``count`` is the number of all actions.
    """
    ties = 0
    for index in range(count):
        actions[ties] = actions[index]
        ties += worth[index] == best
    return actions[below(stream, ties)]


def best_of(weigh: Kernel, suffix: str = "") -> list[Kernel]:
    """Return the kernels ``choose`` and ``candidates`` of a player that weighs its actions.

    ``weigh`` lists the actions and the worth of each, see :func:`weigh`. Assign the result in the
    module of ``weigh`` to the names ``choose`` and ``candidates``, with the suffix: players travel
    between processes by these names.
    """
    names = {"weigh": weigh, "__name__": weigh.__module__}
    kernels = copied((choose, candidates), suffix, names)
    kernels[1].__weigh__ = weigh  # type: ignore[attr-defined]
    return kernels


LEAST_WORTH = np.int64(-(1 << 62))


@hook
def worth_after(board, seat, state, parameters):
    """Return the worth of a position for the seat that has just moved, int64.

    A player that weighs positions fills this hook.
    """


@kernel
def weigh_by_playing(board, state, parameters, row, memory):
    """List the legal actions, and the worth of the position that each leads to.

    Returns:
        The number of actions, and the highest worth.
    """
    count = legal(board, state, memory.actions)
    best = LEAST_WORTH
    for index in range(count):
        for place in range(state.size):
            memory.state[place] = state[place]
        play(board, memory.state, memory.actions[index])
        worth = worth_after(board, state[0], memory.state, parameters)
        memory.worth[index] = worth
        best = max(best, worth)
    return count, best


def best_by_playing(worth: Kernel, suffix: str = "", play: Kernel = play) -> list[Kernel]:
    """Return the kernels of a player that plays each action and weighs the position after it.

    Args:
        worth: the kernel that fills :func:`worth_after`.
        suffix: see :func:`best_of`.
        play: the kernel that plays an action; by default that of the game.
    """
    names = {"worth_after": worth, "play": play, "__name__": worth.__module__}
    (weighing,) = copied((weigh_by_playing,), suffix, names)
    return best_of(weighing, suffix)


def copied(kernels: Sequence[Kernel], suffix: str, names: Mapping[str, Any]) -> list[Kernel]:
    """Return copies of kernels with a suffix to their names and with other global names.

    ``names`` has the new values of these global names.
    """
    made: list[Kernel] = []
    for each in kernels:
        mine = FunctionType(each.__code__, {**each.__globals__, **names}, each.__name__ + suffix)
        mine.__qualname__ = mine.__name__
        made.append(kernel(mine))
    return made
