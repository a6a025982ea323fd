"""The heuristic players of dots and boxes: ``level-1`` and ``level-2``.

Weaver and Bossomaier 1998, section 2.2. Level 1 completes a box if possible. Level 2 also completes
a box if possible, and otherwise avoids drawing the third side of a box. Both play at random among
the edges that are equally good by their rule. An edge that closes two boxes is not preferred to an
edge that closes a single box.

Both update sets of edges (:mod:`tournaments.kernels.bitset`) during the game. The sets only grow: a
box that reaches two or three sides adds its edges. Drawn edges are excluded at the choice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.games.dots_and_boxes.rules import (
    BOXES,
    COLS,
    DRAWN,
    EDGES,
    ROWS,
    TABLE,
    box_edges,
    legal_set,
    legal_set_change,
)
from tournaments.kernels import bitset as action_sets
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import below
from tournaments.player import Kind

U0 = np.uint64(0)


class Memory(NamedTuple):
    """The memory of one side: sets of edges, uint64 [words] each.

    ``around`` uint64 [boxes + 1, words] has the edges of each box, and none for the rim; ``open``
    the edges not drawn; ``two`` and ``three`` the edges of all boxes with two or three sides or
    more; ``kept`` the edges to choose among.
    """

    around: np.ndarray
    open: np.ndarray
    two: np.ndarray
    three: np.ndarray
    kept: np.ndarray


@kernel
def begin(board, state, parameters, row, memory):
    """Collect a level's sets of edges in dots and boxes from the position at the game's start.

    They are the open edges, and the edges of boxes with two or more and with three drawn sides.
    """
    legal_set(board, state, memory.open)
    sides = DRAWN + board[EDGES]
    for index in range(memory.open.size):
        two = U0
        three = U0
        for box in range(board[BOXES]):
            two |= memory.around[box, index] if state[sides + box] >= 2 else U0
            three |= memory.around[box, index] if state[sides + box] >= 3 else U0
        memory.two[index] = two
        memory.three[index] = three


@kernel
def watch(board, state, edge, parameters, row, memory):
    """Update a level's sets of edges in dots and boxes after an edge was drawn."""
    legal_set_change(board, state, edge, memory.open)
    one = board[TABLE + 2 * edge]
    other = board[TABLE + 2 * edge + 1]
    sides_of_one = state[DRAWN + board[EDGES] + one]
    sides_of_other = state[DRAWN + board[EDGES] + other]
    for index in range(memory.open.size):
        around = memory.around[one, index]
        around_other = memory.around[other, index]
        memory.two[index] |= (around if sides_of_one >= 2 else U0) | (
            around_other if sides_of_other >= 2 else U0
        )
        memory.three[index] |= (around if sides_of_one >= 3 else U0) | (
            around_other if sides_of_other >= 3 else U0
        )


@kernel
def candidates_level_1(board, state, parameters, row, memory, kept):
    """Fill ``kept`` with the edges that ``level-1`` may draw in dots and boxes.

    They are the edges that complete a box, or all open edges if there are none.

    Returns:
        The number of edges.
    """
    total = U0
    for index in range(kept.size):
        kept[index] = memory.open[index] & memory.three[index]
        total |= kept[index]
    for index in range(kept.size):
        kept[index] = memory.open[index] if total == 0 else kept[index]
    return action_sets.size(kept)


@kernel
def choose_level_1(board, state, parameters, row, memory, stream):
    """Draw one of the edges that the player ``level-1`` of dots and boxes may draw.

    See :func:`candidates_level_1`.
    """
    count = candidates_level_1(board, state, parameters, row, memory, memory.kept)
    return action_sets.nth(memory.kept, below(stream, count))


@kernel
def candidates_level_2(board, state, parameters, row, memory, kept):
    """Fill ``kept`` with the edges that ``level-2`` may draw in dots and boxes.

    They are the edges that complete a box; if there are none, the edges that draw no third side of
    a box; if there are none, all open edges.

    Returns:
        The number of edges.
    """
    closing = U0
    safe = U0
    for index in range(kept.size):
        closing |= memory.open[index] & memory.three[index]
        safe |= memory.open[index] & ~memory.two[index]
    for index in range(kept.size):
        kept[index] = memory.open[index]
        if closing != 0:
            kept[index] &= memory.three[index]
        elif safe != 0:
            kept[index] &= ~memory.two[index]
    return action_sets.size(kept)


@kernel
def choose_level_2(board, state, parameters, row, memory, stream):
    """Draw one of the edges that the player ``level-2`` of dots and boxes may draw.

    See :func:`candidates_level_2`.
    """
    count = candidates_level_2(board, state, parameters, row, memory, memory.kept)
    return action_sets.nth(memory.kept, below(stream, count))


def memory(game: Game, parameters: object) -> Memory:
    """Allocate the memory of ``level-1`` or ``level-2`` for one side of dots and boxes."""
    edges = box_edges(int(game.board[ROWS]), int(game.board[COLS]))
    sets = np.zeros((len(edges) + 5, len(action_sets.empty(game.num_actions))), dtype=np.uint64)
    for box, sides in enumerate(edges):
        for edge in sides:
            sets[box, edge // action_sets.WORD] |= np.uint64(1 << edge % action_sets.WORD)
    return Memory(sets[:-4], *sets[-4:])


LEVEL_1 = Kind(
    name="level-1",
    choose=choose_level_1,
    begin=begin,
    watch=watch,
    memory=memory,
    candidates=candidates_level_1,
)
LEVEL_2 = replace(LEVEL_1, name="level-2", choose=choose_level_2, candidates=candidates_level_2)
