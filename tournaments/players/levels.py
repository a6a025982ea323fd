"""The heuristic players of dots and boxes: ``level-1`` and ``level-2``.

Weaver and Bossomaier 1998, section 2.2. Level 1 completes a box where it can. Level 2 does so too,
and else draws no third side of a box where it can help it. Either plays at random among the edges
that are equally good by its rule; an edge that closes two boxes is not preferred to one that closes
one.
"""

from __future__ import annotations

from tournaments.games.dots_and_boxes import most_sides
from tournaments.hooks import legal
from tournaments.kernels import kernel
from tournaments.players.random import begin, memory
from tournaments.rng import below
from tournaments.types import Kind


@kernel
def keep_with_sides(board, state, actions, count, fewest, most):
    """Keep those actions beside whose fuller box fewest..most sides stand; return how many.

    The kept ones move to the front of ``actions``, which is changed only where any are kept.
    """
    kept = 0
    for index in range(count):
        sides = most_sides(board, state, actions[index])
        if fewest <= sides <= most:
            kept += 1
    if kept == 0:
        return 0
    kept = 0
    for index in range(count):
        sides = most_sides(board, state, actions[index])
        if fewest <= sides <= most:
            actions[kept] = actions[index]
            kept += 1
    return kept


@kernel
def choose_level_1(board, state, parameters, row, memory, stream):
    """An edge that completes a box, else any edge."""
    count = legal(board, state, memory)
    completing = keep_with_sides(board, state, memory, count, 3, 3)
    return memory[below(stream, completing if completing > 0 else count)]


@kernel
def choose_level_2(board, state, parameters, row, memory, stream):
    """An edge that completes a box, else one that draws no third side, else any edge."""
    count = legal(board, state, memory)
    kept = keep_with_sides(board, state, memory, count, 3, 3)
    if kept == 0:
        kept = keep_with_sides(board, state, memory, count, 0, 1)
    return memory[below(stream, kept if kept > 0 else count)]


LEVEL_1 = Kind(name="level-1", choose=choose_level_1, begin=begin, memory=memory)
LEVEL_2 = Kind(name="level-2", choose=choose_level_2, begin=begin, memory=memory)
