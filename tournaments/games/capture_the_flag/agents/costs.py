"""The costs of a step to each cell for a team: the weights of the maze's graph.

A step costs 1, and

* near an enemy ghost more: ``ghost`` times the probability that it stands there, times
  exp(-``ghost-fade``) for each step of distance;
* near an enemy pac-man less, by ``pac-man`` and ``pac-man-fade`` in the same way;
* near the friend more, by ``friend`` and ``friend-fade``;
* for a defender abroad ``ABROAD`` more, so that it stays at home;
* while a defender chases a pac-man that it sees: ``behind`` it more, ahead of it ``ahead`` less,
  fading by ``pac-man-fade``. Behind are the cells nearer to the pac-man's previous cell than to its
  present cell. The edge of its last step costs ``behind`` more in addition.

A team of hard rules (``soft=0``) has no weights: a cell that would cost ``FORBIDDEN`` or more is
entered only if there is no other way, and all other steps cost 1.

No step costs less than ``CHEAPEST``, since shortest ways need costs above 0. The signs of
fades are ignored.
"""

from __future__ import annotations

import numpy as np

from tournaments.games.capture_the_flag.agents.memory import (
    AHEAD,
    BEHIND,
    FADE,
    FRIEND,
    GHOST,
    PACMAN,
)
from tournaments.games.capture_the_flag.board import CELL, FACING, HALF, PLACE, RECORD
from tournaments.games.capture_the_flag.maze import AGENTS
from tournaments.kernels.arithmetic import exp
from tournaments.kernels.linker import kernel

CHEAPEST, ABROAD, FORBIDDEN = 0.05, 1000.0, 3.0
LIKELY = 0.01
"""Cells where an enemy is less likely than that raise and lower nothing."""
BY_GHOST, BY_PACMAN, BY_FRIEND = 0, 1, 2


@kernel
def is_home(maze, seat, cell):
    """Return whether a cell of a maze of capture the flag lies in a team's own half."""
    return maze[CELL + RECORD * np.int64(cell) + HALF] == seat


@kernel
def fill_costs(maze, state, memory, agent, attacks):
    """Fill in ``memory.cost``, an agent's cost of stepping onto each cell in capture the flag.

    Enemies and the other agent of the team are weighed. A chase is added by :func:`add_chase`, and
    the least cost by :func:`finish_costs`. ``attacks`` says whether the agent is an attacker.
    """
    seat = agent % 2
    for cell in range(memory.cost.size):
        away = not attacks and not is_home(maze, seat, cell)
        memory.cost[cell] = 1.0 + (ABROAD if away else 0.0)
    for slot in range(2):
        add_enemy(maze, memory, seat, slot)
    friend = np.int64(state[PLACE + (agent + 2) % AGENTS])
    add_weight(memory, friend, memory.numbers[FRIEND], BY_FRIEND)


@kernel
def take_numbers(weights, row, memory):
    """Copy the numbers of a team of capture the flag from a row of weights into its memory.

    A row may end early: the pieces of play that it leaves out are used (1). ``memory.fades`` gets,
    for each number that fades, the share that is left at each distance.
    """
    memory.numbers[:] = 1.0
    for place in range(weights.shape[1]):
        memory.numbers[place] = weights[row, place]
    for which in range(memory.fades.shape[0]):
        share = exp(-abs(memory.numbers[FADE + 2 * which]))
        left = 1.0
        for steps in range(memory.fades.shape[1]):
            memory.fades[which, steps] = left
            left *= share


@kernel
def add_weight(memory, source, weight, which):
    """Add a weight to a team's costs of all cells of a maze, fading with the distance from a cell.

    Args:
        memory: the team's memory, whose costs are changed.
        source: the cell at distance 0.
        weight: the cost added there.
        which: the row of ``memory.fades`` by which the weight fades.
    """
    if weight != 0.0:
        for cell in range(memory.cost.size):
            memory.cost[cell] += weight * memory.fades[which, memory.steps[source, cell]]


@kernel
def add_enemy(maze, memory, seat, slot):
    """Add one enemy to a team's costs of all cells of a maze, by the probability of its cells.

    Costs rise around cells where the enemy would be a ghost, and fall around cells where it would
    be a pac-man. ``slot`` is the enemy, 0 or 1.
    """
    for cell in range(memory.cost.size):
        share = memory.belief[slot, cell]
        if share >= LIKELY:
            at_home = is_home(maze, seat, cell)
            weight = -memory.numbers[PACMAN] if at_home else memory.numbers[GHOST]
            which = BY_PACMAN if at_home else BY_GHOST
            add_weight(memory, np.int64(cell), weight * share, which)


@kernel
def cell_behind(state, memory, enemy, cell):
    """Return the cell from which an enemy stepped to ``cell``, by the direction that it faces.

    -1 means that a wall is there. ``state`` is a position of capture the flag.
    """
    return np.int64(memory.neighbours[cell, (state[FACING + enemy] + 2) % 4])


@kernel
def add_chase(memory, cell, behind):
    """Raise a team's costs of cells behind a pac-man in a maze, and lower those ahead of it.

    The pac-man stands on ``cell``. A cell is behind if it is nearer to ``behind``, the cell from
    which the pac-man came.
    """
    for other in range(memory.cost.size):
        away = np.int64(memory.steps[cell, other])
        fade = memory.fades[BY_PACMAN, away]
        if memory.steps[behind, other] < away:
            memory.cost[other] += memory.numbers[BEHIND] * fade
        else:
            memory.cost[other] -= memory.numbers[AHEAD] * fade


@kernel
def finish_costs(memory, is_soft):
    """Raise a team's cost of each cell of a maze to the least allowed cost, or apply hard rules.

    By hard rules (``is_soft`` is false) an expensive cell is forbidden, and all others cost 1.
    """
    for cell in range(memory.cost.size):
        cost = max(memory.cost[cell], CHEAPEST)
        if not is_soft:
            cost = ABROAD if cost >= FORBIDDEN else 1.0
        memory.cost[cell] = cost
