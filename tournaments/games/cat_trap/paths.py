"""The players of the cat trap that look at ways to the rim: ``greedy`` and ``shortest-path``.

A *greedy* cat draws among the free tiles beside it that are nearest to the rim on an empty board,
and a greedy blocker blocks one of those.

A cat of *shortest paths* steps along one of the shortest ways out over free tiles; shut in, it
plays at random. The blocker of that name blocks a tile that stands on one of them, drawn evenly;
where the cat is shut in, a tile beside it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.games.cat_trap.board import BLOCKED, CAT, SIZE, beside
from tournaments.games.cat_trap.rules import WAYS, rim_distances
from tournaments.kernels.choices import best_of
from tournaments.kernels.linker import kernel
from tournaments.player import Kind

FAR = np.int64(1 << 20)
"""More steps than any way has."""


class Memory(NamedTuple):
    """Scratch of one side; ``beside`` int64 ``[T, 6]`` and ``rim`` ``[T]`` are the board's.

    Attributes:
        actions, worth: of a position.
        out: int64 ``[T]``, the steps from each tile to the rim over free tiles.
        away: int64 ``[T]``, the steps to each tile from the cat.
        met, queue: int64 ``[T]``, see :func:`spread`.
    """

    actions: np.ndarray
    worth: np.ndarray
    beside: np.ndarray
    rim: np.ndarray
    out: np.ndarray
    away: np.ndarray
    met: np.ndarray
    queue: np.ndarray


@kernel
def spread(memory, blocked, steps, filled, ways):
    """Fill in the number of steps to all free tiles of cat trap from the queued tiles.

    Args:
        memory: has the neighbours of each tile and the queue; ``memory.met`` is zeros.
        blocked: 1 for each blocked tile, int16 ``[T]``.
        steps: the steps, to be filled; FAR for tiles not reached yet.
        filled: the number of tiles in the queue, whose steps are known.
        ways: 1: a tile counts as reached from its nearest neighbour; 2: from its second nearest.
    """
    taken = np.int64(0)
    while taken < filled:
        tile = memory.queue[taken]
        taken += 1
        for direction in range(WAYS):
            other = memory.beside[tile, direction]
            if other >= 0 and blocked[other] == 0 and steps[other] == FAR:
                memory.met[other] += 1
                if memory.met[other] == ways:
                    steps[other] = steps[tile] + 1
                    memory.queue[filled] = other
                    filled += 1


@kernel
def steps_to_rim(memory, blocked, steps, ways):
    """Fill in ``steps``, the number of steps from each tile of cat trap to the rim.

    With ``ways`` 2 they are the two-distances: the steps if the best next tile is always blocked in
    time (J. van Rijswijck, "Search and evaluation in Hex", 2002). With ``ways`` 1 they are those of
    the shortest path. ``blocked`` has 1 for each blocked tile.
    """
    filled = np.int64(0)
    for tile in range(memory.rim.size):
        steps[tile] = FAR
        memory.met[tile] = 0
        if memory.rim[tile] == 0 and blocked[tile] == 0:
            steps[tile] = 0
            memory.queue[filled] = tile
            filled += 1
    spread(memory, blocked, steps, filled, ways)


@kernel
def steps_away(memory, blocked, cat):
    """Fill in ``memory.away``, the number of steps from the cat's tile to each tile of cat trap."""
    for tile in range(memory.rim.size):
        memory.away[tile] = FAR
        memory.met[tile] = 0
    memory.away[cat] = 0
    memory.queue[0] = cat
    spread(memory, blocked, memory.away, np.int64(1), 1)


@kernel
def nearest_tiles(state, memory, steps):
    """List the actions on free tiles beside the cat, with a higher worth the fewer their ``steps``.

    An action steps there (the cat's turn) or blocks the tile (the blocker's turn in cat trap).

    Returns:
        The number of actions, and the highest worth.
    """
    count = np.int64(0)
    best = -FAR
    for number in range(WAYS):
        direction = np.int64(3 - number if number < 4 else 9 - number)  # by rising tiles
        tile = memory.beside[state[CAT], direction]
        if tile >= 0 and state[BLOCKED + tile] == 0:
            memory.actions[count] = direction if state[0] == 0 else WAYS + tile
            memory.worth[count] = -steps[tile]
            best = max(best, memory.worth[count])
            count += 1
    return count, best


@kernel
def look_greedily(board, state, parameters, row, memory):
    """List the actions of ``greedy`` in cat trap on tiles beside the cat, and the worth of each.

    A tile is worth more the nearer it is to the rim, whether there are blocks or not.

    Returns:
        The number of actions, and the highest worth.
    """
    return nearest_tiles(state, memory, memory.rim)


@kernel
def look_for_ways(board, state, parameters, row, memory):
    """List the actions of ``shortest-path`` in cat trap and the worth of each.

    The cat steps along a shortest free path to the rim. The blocker blocks a tile on such a path.

    Returns:
        The number of actions, and the highest worth.
    """
    steps_to_rim(memory, state[BLOCKED:], memory.out, 1)
    shortest = memory.out[state[CAT]]
    if state[0] == 0 or shortest == FAR:
        return nearest_tiles(state, memory, memory.out)
    steps_away(memory, state[BLOCKED:], np.int64(state[CAT]))
    count = np.int64(0)
    for tile in range(memory.rim.size):
        if tile != state[CAT] and memory.away[tile] + memory.out[tile] == shortest:
            memory.actions[count] = WAYS + tile
            memory.worth[count] = 0
            count += 1
    return count, np.int64(0)


choose_greedy, candidates_greedy = best_of(look_greedily, "_greedy")


choose_way, candidates_way = best_of(look_for_ways, "_way")


def memory(game: Game, parameters: object) -> Memory:
    """Allocate the memory of ``greedy`` or ``shortest-path`` for one side of cat trap."""
    size = int(game.board[SIZE])
    tiles = beside(game.board).astype(np.int64)
    whole = np.zeros((4, size * size), dtype=np.int64)
    actions, worth = np.zeros((2, game.num_actions), dtype=np.int64)
    return Memory(actions.astype(np.int16), worth, tiles, rim_distances(game.board), *whole)


GREEDY = Kind("greedy", choose_greedy, memory=memory, candidates=candidates_greedy)
SHORTEST_PATH = Kind("shortest-path", choose_way, memory=memory, candidates=candidates_way)
