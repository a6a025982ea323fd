"""The form ``ways`` of the cat trap's vectors: a cat that weighs the ways out, which see blocks.

It weighs the features of each free tile beside it, of what is counted in steps 1 / (1 + steps), and
goes to one of largest sum:

===============  ==================================================================================
``place``        steps to the rim on the empty board
``way-out``      steps to the rim over free tiles
``after-block``  the same once the best tile beside it is blocked: a round ahead
``second-way``   steps to the rim where the best next tile is always blocked in time (two-distance)
``ways``         share of the six tiles beside it that lead nearer to the rim
``free``         share of the six tiles beside it that are free
===============  ==================================================================================

The blocker is that of :mod:`tournaments.games.cat_trap.vectors`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.games.cat_trap import paths
from tournaments.games.cat_trap.board import BLOCKED, CAT
from tournaments.games.cat_trap.paths import FAR, steps_out
from tournaments.games.cat_trap.planning import EQUAL, WORST
from tournaments.games.cat_trap.rules import WAYS
from tournaments.games.cat_trap.vectors import FEATURES, closeness, weigh_blocks
from tournaments.kernels.choices import best_of
from tournaments.kernels.linker import kernel
from tournaments.player import Kind
from tournaments.rules import VectorForm

OF_CAT = ("place", "way-out", "after-block", "second-way", "ways", "free")


class Memory(NamedTuple):
    """Scratch of one side: that for ways, and ``actions`` and ``worth`` of a position."""

    ways: paths.Memory
    actions: np.ndarray
    worth: np.ndarray


def memory(game: Game, parameters: object) -> Memory:
    """One side's memory."""
    actions = np.zeros(game.num_actions, dtype=np.int16)
    return Memory(paths.memory(game, None), actions, np.zeros(game.num_actions))


@kernel
def two_least(state, ways, steps, tile):
    """The least and the second least of the steps from the free tiles beside a tile."""
    least = second = FAR
    for direction in range(WAYS):
        other = ways.beside[tile, direction]
        if other >= 0 and state[BLOCKED + other] == 0:
            second = min(second, max(least, steps[other]))
            least = min(least, steps[other])
    return least, second


@kernel
def second_ways(state, ways):
    """Fill in ``ways.away`` with two-distances to the rim: one more than the second least beside.

    Source: J. van Rijswijck, "Search and evaluation in Hex" (2002).
    """
    for tile in range(ways.rim.size):
        is_out = ways.rim[tile] == 0 and state[BLOCKED + tile] == 0
        ways.away[tile] = 0 if is_out else FAR
    has_changed = True
    while has_changed:
        has_changed = False
        for tile in range(ways.rim.size):
            if state[BLOCKED + tile] == 0 and ways.rim[tile] > 0:
                _, second = two_least(state, ways, ways.away, tile)
                if second + 1 < ways.away[tile]:
                    ways.away[tile] = second + 1
                    has_changed = True


@kernel
def weigh_steps(state, weights, row, memory):
    """Note the cat's steps and the sum of each; return how many, and the largest."""
    ways = memory.ways
    steps_out(state, ways)
    second_ways(state, ways)
    count = np.int64(0)
    best = WORST
    for direction in range(WAYS):
        tile = ways.beside[state[CAT], direction]
        if tile >= 0 and state[BLOCKED + tile] == 0:
            _, second = two_least(state, ways, ways.out, tile)
            nearer = np.int64(0)
            free = np.int64(0)
            for way in range(WAYS):
                other = ways.beside[tile, way]
                if other >= 0 and state[BLOCKED + other] == 0:
                    free += 1
                    nearer += ways.out[other] < ways.out[tile]
            after = np.int64(0) if ways.rim[tile] == 0 else second + 1
            total = weights[row, 0] * closeness(ways.rim[tile])
            total += weights[row, 1] * closeness(ways.out[tile])
            total += weights[row, 2] * closeness(after)
            total += weights[row, 3] * closeness(ways.away[tile])
            total += weights[row, 4] * (np.float64(nearer) / 6.0)
            total += weights[row, 5] * (np.float64(free) / 6.0)
            memory.actions[count] = direction
            memory.worth[count] = total
            best = max(best, total)
            count += 1
    for index in range(count):
        memory.worth[index] = best if memory.worth[index] > best - EQUAL else WORST
    return count, best


@kernel
def look(board, state, parameters, row, memory):
    """Note the actions and what each is worth; return how many, and the best worth."""
    if state[0] == 0:
        return weigh_steps(state, parameters.first, row, memory)
    return weigh_blocks(board, state, parameters.second, row, memory)


choose, candidates = best_of(look)


FORM = VectorForm(
    "ways",
    "a cat that weighs the ways out, a blocker of weights",
    lambda game, seat: FEATURES if seat == 1 else OF_CAT,
    Kind("ways", choose, memory=memory, candidates=candidates, by_row=("first", "second")),
    limit=100.0,
)
