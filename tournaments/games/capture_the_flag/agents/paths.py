"""Shortest ways over the weighted graph of a maze, by Dijkstra's algorithm (1959).

``memory.reach[c]`` becomes the cost from cell c to the nearest target, which is that of the cells
entered on the way. A heap holds cells to be settled, and a cell again where a cheaper way is found.
"""

from __future__ import annotations

import numpy as np

from tournaments.kernels.linker import kernel

UNREACHED = 1e300


@kernel
def clear_targets(memory):
    """There are no targets yet."""
    for cell in range(memory.reach.size):
        memory.reach[cell] = UNREACHED


@kernel
def add_target(memory, count, cell):
    """Make a cell a target, which it was not; return how many cells the heap then holds."""
    memory.reach[cell] = 0.0
    return push(memory, count, cell, 0.0)


@kernel
def settle(memory, count, goal, behind, ahead, extra):
    """Fill in ``memory.reach`` as far as the way from ``goal`` on is known.

    ``count`` cells are in the heap. The step from the cell ``behind`` to ``ahead`` costs ``extra``
    more; -1: none does.
    """
    while count > 0:
        cell, key = memory.heap[0], memory.keys[0]
        count = pop(memory, count)
        if cell == goal:
            return
        if key > memory.reach[cell]:
            continue
        for direction in range(4):
            other = np.int64(memory.neighbours[cell, direction])
            if other < 0:
                continue
            total = key + memory.cost[cell]
            if other == behind and cell == ahead:
                total += extra
            if total < memory.reach[other]:
                memory.reach[other] = total
                count = push(memory, count, other, total)


@kernel
def push(memory, count, cell, key):
    """Put a cell into the heap; return how many it then holds."""
    place = np.int64(count)
    while place > 0:
        parent = (place - 1) // 2
        if memory.keys[parent] <= key:
            break
        memory.keys[place] = memory.keys[parent]
        memory.heap[place] = memory.heap[parent]
        place = parent
    memory.keys[place] = key
    memory.heap[place] = cell
    return count + 1


@kernel
def pop(memory, count):
    """Take the first cell out of the heap; return how many it then holds."""
    last = count - 1
    key, cell = memory.keys[last], memory.heap[last]
    place = np.int64(0)
    while 2 * place + 1 < last:
        child = 2 * place + 1
        if child + 1 < last and memory.keys[child + 1] < memory.keys[child]:
            child += 1
        if memory.keys[child] >= key:
            break
        memory.keys[place] = memory.keys[child]
        memory.heap[place] = memory.heap[child]
        place = child
    memory.keys[place] = key
    memory.heap[place] = cell
    return last
