"""How a table of values plays: one of the actions worth most, or now and then any action."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.kernels.bitset import bit
from tournaments.kernels.hooks import legal, state_number
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import below, draw
from tournaments.player import Kind

INITIAL, EPSILON = 0, 1
"""Places in ``ValueTables.numbers``."""
U11 = np.uint64(11)
GRID = 2.0**-53


class Actions(NamedTuple):
    """Room for a list of actions, int16 [A]."""

    actions: np.ndarray


def room_for_actions(game: Game, parameters: object) -> Actions:
    """One side's memory."""
    return Actions(np.zeros(game.num_actions, dtype=np.int16))


@kernel
def is_due(stream, share):
    """Whether it is the turn of what happens in this share of all cases."""
    return share > 0.0 and np.float64(draw(stream) >> U11) * GRID < share


@kernel
def row_of(board, state, parameters):
    """Where the values of a position begin; of one that cannot come up, those of the first."""
    layout = parameters.layout
    number = max(0, state_number(board, parameters.states, parameters.slots, state))
    return layout[state[0]] + layout[2 + state[0]] * number


@kernel
def is_known(board, state, parameters):
    """Whether a position has values: one that a person has pasted may have none."""
    return state_number(board, parameters.states, parameters.slots, state) >= 0


@kernel
def value_at(parameters, row, place):
    """The value of an action, tried or not."""
    value = parameters.values[np.uint64(row), np.uint64(place)]
    return parameters.numbers[INITIAL] if value != value else np.float64(value)


@kernel
def best_of(parameters, row, place, count):
    """The best value of a position's ``count`` actions, and how many have it."""
    best = value_at(parameters, row, place)
    ties = 1
    for column in range(1, count):
        value = value_at(parameters, row, place + column)
        if value > best:
            best = value
            ties = 1
        elif value == best:
            ties += 1
    return best, ties


@kernel
def column_of_best(parameters, row, place, best, nth):
    """The column of the n-th of the actions that have the best value."""
    column = -1
    while nth >= 0:
        column += 1
        nth -= value_at(parameters, row, place + column) == best
    return column


@kernel
def choose(board, state, parameters, row, memory, stream):
    """One of the actions worth most, each as likely as the others."""
    count = legal(board, state, memory.actions)
    place = row_of(board, state, parameters)
    best, ties = best_of(parameters, row, place, count)
    return memory.actions[column_of_best(parameters, row, place, best, below(stream, ties))]


@kernel
def candidates(board, state, parameters, row, memory, words):
    """What :func:`choose` draws from."""
    for index in range(words.size):
        words[index] = np.uint64(0)
    count = legal(board, state, memory.actions)
    place = row_of(board, state, parameters)
    best, ties = best_of(parameters, row, place, count)
    for column in range(count):
        if value_at(parameters, row, place + column) == best:
            words[memory.actions[column] >> 5] |= bit(memory.actions[column])
    return ties


@kernel
def choose_or_explore(board, state, parameters, row, memory, stream):
    """:func:`choose`, but in the share ``epsilon`` of turns any legal action."""
    if is_due(stream, parameters.numbers[EPSILON]):
        return memory.actions[below(stream, legal(board, state, memory.actions))]
    return choose(board, state, parameters, row, memory, stream)


KIND = Kind(
    "value-table", choose, memory=room_for_actions, candidates=candidates, by_row=("values",)
)
EXPLORING = Kind("value-table", choose_or_explore, memory=room_for_actions, by_row=("values",))
