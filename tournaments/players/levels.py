"""The heuristic players of dots and boxes: ``level-1`` and ``level-2``.

Weaver and Bossomaier 1998, section 2.2. Level 1 completes a box where it can. Level 2 does so too,
and else draws no third side of a box where it can help it. Either plays at random among the edges
that are equally good by its rule; an edge that closes two boxes is not preferred to one that closes
one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.games.dots_and_boxes import most_sides
from tournaments.hooks import legal
from tournaments.kernels import kernel
from tournaments.players.random import begin, watch
from tournaments.rng import below
from tournaments.types import Game, Kind


@kernel
def list_with_sides(board, state, actions, count, fewest, most, kept):
    """List in ``kept`` the actions beside whose fuller box fewest..most sides stand; how many."""
    length = 0
    for index in range(count):
        sides = most_sides(board, state, actions[index])
        kept[length] = actions[index]
        length += fewest <= sides and sides <= most
    return length


@kernel
def choose_level_1(board, state, parameters, row, memory, stream):
    """An edge that completes a box, else any edge."""
    actions, kept = memory.actions, memory.kept
    count = legal(board, state, actions)
    length = list_with_sides(board, state, actions, count, 3, 3, kept)
    if length > 0:
        return kept[below(stream, length)]
    return actions[below(stream, count)]


@kernel
def choose_level_2(board, state, parameters, row, memory, stream):
    """An edge that completes a box, else one that draws no third side, else any edge."""
    actions, kept = memory.actions, memory.kept
    count = legal(board, state, actions)
    length = list_with_sides(board, state, actions, count, 3, 3, kept)
    if length == 0:
        length = list_with_sides(board, state, actions, count, 0, 1, kept)
    if length > 0:
        return kept[below(stream, length)]
    return actions[below(stream, count)]


class Memory(NamedTuple):
    """Room for two lists of actions, int16 [A] each."""

    actions: np.ndarray
    kept: np.ndarray


def memory(game: Game, parameters: object) -> Memory:
    """One side's memory."""
    return Memory(*np.zeros((2, game.num_actions), dtype=np.int16))


LEVEL_1 = Kind(name="level-1", choose=choose_level_1, begin=begin, watch=watch, memory=memory)
LEVEL_2 = Kind(name="level-2", choose=choose_level_2, begin=begin, watch=watch, memory=memory)
