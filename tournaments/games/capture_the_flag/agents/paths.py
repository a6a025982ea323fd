"""Shortest ways over the weighted graph of a maze, by corrected labels (Bellman 1958, Moore 1959).

``memory.reach[c]`` becomes the cost from cell c to the nearest target, which is that of the cells
entered on the way. A queue holds the cells whose cost was lowered and whose neighbours were not
looked at since, each once.
"""

from __future__ import annotations

import numpy as np

from tournaments.kernels.linker import kernel

UNREACHED = 1e300


@kernel
def add_target(memory, count, cell):
    """Append a cell to the targets of a search for paths in a maze, in ``memory.queue``.

    The cell must not be a target already. ``count`` is the number of queued cells before; the
    number after is returned.
    """
    memory.reach[cell] = 0.0
    memory.queue[count] = cell
    return count + 1


@kernel
def settle(memory, count, goal, behind, ahead, extra):
    """Fill in ``memory.reach``, each cell's cost of the cheapest path to a target.

    Only cells that are nearer to a target than ``goal`` are searched further.

    Args:
        memory: the team's memory, with the cost of each cell and the targets in the queue.
        count: the number of targets in the queue.
        goal: the cell from which an agent will step.
        behind: the cell where a step with an extra cost begins; -1 if no step has one.
        ahead: the cell where that step ends.
        extra: the extra cost.
    """
    size = memory.queue.size
    taken = np.int64(0)
    while count > 0:
        cell = memory.queue[taken]
        taken += 1
        if taken == size:
            taken = np.int64(0)
        count -= 1
        memory.waits[cell] = 0
        if memory.reach[cell] >= memory.reach[goal]:
            continue
        for direction in range(4):
            other = np.int64(memory.neighbours[cell, direction])
            if other < 0:
                continue
            total = memory.reach[cell] + memory.cost[cell]
            if other == behind and cell == ahead:
                total += extra
            if total < memory.reach[other]:
                memory.reach[other] = total
                if memory.waits[other] == 0:
                    memory.waits[other] = 1
                    last = taken + count
                    memory.queue[last if last < size else last - size] = other
                    count += 1
