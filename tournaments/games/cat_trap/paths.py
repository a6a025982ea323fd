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
from tournaments.games.cat_trap.board import BLOCKED, CAT, SIZE, beside, rim_distances
from tournaments.games.cat_trap.rules import WAYS
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
        queue: int64 ``[T]``.
    """

    actions: np.ndarray
    worth: np.ndarray
    beside: np.ndarray
    rim: np.ndarray
    out: np.ndarray
    away: np.ndarray
    queue: np.ndarray


@kernel
def spread(state, memory, steps, filled):
    """Fill in ``steps`` from the tiles in the queue on, ``filled`` of them, over free tiles."""
    taken = np.int64(0)
    while taken < filled:
        tile = memory.queue[taken]
        taken += 1
        for direction in range(WAYS):
            other = memory.beside[tile, direction]
            if other >= 0 and state[BLOCKED + other] == 0 and steps[other] == FAR:
                steps[other] = steps[tile] + 1
                memory.queue[filled] = other
                filled += 1


@kernel
def steps_out(state, memory):
    """Fill in ``memory.out``."""
    filled = np.int64(0)
    for tile in range(memory.rim.size):
        memory.out[tile] = FAR
        if memory.rim[tile] == 0 and state[BLOCKED + tile] == 0:
            memory.out[tile] = 0
            memory.queue[filled] = tile
            filled += 1
    spread(state, memory, memory.out, filled)


@kernel
def steps_away(state, memory):
    """Fill in ``memory.away``."""
    for tile in range(memory.rim.size):
        memory.away[tile] = FAR
    memory.away[state[CAT]] = 0
    memory.queue[0] = state[CAT]
    spread(state, memory, memory.away, np.int64(1))


@kernel
def nearest_tiles(state, memory, steps):
    """List the actions on free tiles beside the cat, worth the more the fewer their ``steps``."""
    count = np.int64(0)
    for tile in range(memory.rim.size):
        is_beside = False
        step = np.int64(0)
        for direction in range(WAYS):
            if memory.beside[state[CAT], direction] == tile:
                is_beside = True
                step = np.int64(direction)
        if is_beside and state[BLOCKED + tile] == 0:
            memory.actions[count] = step if state[0] == 0 else WAYS + tile
            memory.worth[count] = -steps[tile]
            count += 1
    return count


@kernel
def largest_worth(memory, count):
    """The largest worth."""
    best = memory.worth[0]
    for index in range(count):
        best = max(best, memory.worth[index])
    return best


@kernel
def look_greedily(board, state, parameters, row, memory):
    """Note the actions and what each is worth; return how many, and the best worth."""
    count = nearest_tiles(state, memory, memory.rim)
    return count, largest_worth(memory, count)


@kernel
def look_for_ways(board, state, parameters, row, memory):
    """Note the actions and what each is worth; return how many, and the best worth."""
    steps_out(state, memory)
    shortest = memory.out[state[CAT]]
    if state[0] == 0 or shortest == FAR:
        count = nearest_tiles(state, memory, memory.out)
        return count, largest_worth(memory, count)
    steps_away(state, memory)
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
    """One side's memory."""
    size = int(game.board[SIZE])
    tiles = beside(game.board).astype(np.int64)
    whole = (np.zeros(size * size, dtype=np.int64) for _ in range(3))
    actions, worth = np.zeros((2, game.num_actions), dtype=np.int64)
    return Memory(actions.astype(np.int16), worth, tiles, rim_distances(size), *whole)


GREEDY = Kind("greedy", choose_greedy, memory=memory, candidates=candidates_greedy)
SHORTEST_PATH = Kind("shortest-path", choose_way, memory=memory, candidates=candidates_way)
