"""The choice of a step: attackers go for dots, defenders for intruders.

An *attacker* makes for the dot of the enemy that is closest by the costs of :mod:`.costs`.

A *defender* makes for the estimated cell of the closest enemy pac-man in its half; if the team has
``heading`` and sees the pac-man, by costs that send it around to the front. While there is no
pac-man it goes to the cell of its own half that is nearest to the closest enemy, and waits there;
if nothing is known of the enemies, it waits at the nearest cell of the border.

The step is drawn among the equally good steps. A team of hard rules takes the first of them. Of 100
steps, ``whim`` are drawn from all legal steps.
"""

from __future__ import annotations

import numpy as np

from tournaments.games.capture_the_flag.agents.costs import (
    add_chase,
    cell_behind,
    fill_costs,
    finish_costs,
    is_home,
)
from tournaments.games.capture_the_flag.agents.memory import (
    BEHIND,
    HEADING,
    ROLE,
    SOFT,
    WHIM,
)
from tournaments.games.capture_the_flag.agents.paths import UNREACHED, add_target, settle
from tournaments.games.capture_the_flag.board import DOTS, MOVER, PLACE, STAY, maze_begins
from tournaments.kernels.hooks import legal
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import below

EQUAL = 1e-9
"""Ways whose costs differ by less are equal."""
MILLION = 1_000_000


@kernel
def choose(board, state, parameters, row, memory, stream):
    """Return the direction in which the agent to move steps, in a team of capture the flag."""
    numbers = memory.numbers
    agent = np.int64(state[MOVER])
    whim = min(abs(numbers[WHIM]) / 100.0, 1.0)
    if whim > 0.0 and below(stream, MILLION) < whim * MILLION:
        return np.int64(memory.actions[below(stream, legal(board, state, memory.actions))])
    maze = board[maze_begins(board, state) :]
    here = np.int64(state[PLACE + agent])
    attacks = numbers[ROLE + agent // 2] > 0.0
    fill_costs(maze, state, memory, agent, attacks)
    memory.reach[:] = UNREACHED
    behind = ahead = np.int64(-1)
    if attacks:
        count = target_dots(maze, state, memory, agent % 2)
    else:
        slot = closest_enemy(maze, memory, agent % 2, here)
        count = target_enemy(maze, memory, agent % 2, slot)
        if slot >= 0 and numbers[HEADING] > 0.0:
            enemy = 1 - agent % 2 + 2 * slot
            cell = np.int64(state[PLACE + enemy])
            if cell >= 0 and is_home(maze, agent % 2, cell):
                behind, ahead = cell_behind(state, memory, enemy, cell), cell
    if behind >= 0:
        add_chase(memory, ahead, behind)
    is_soft = numbers[SOFT] > 0.0
    finish_costs(memory, is_soft)
    extra = max(numbers[BEHIND], 0.0)
    settle(memory, count, here, behind, ahead, extra)
    if memory.reach[here] == 0.0:
        return np.int64(STAY)
    count = best_steps(memory, here, behind, ahead, extra)
    return np.int64(memory.actions[below(stream, count) if is_soft else 0])


@kernel
def target_dots(maze, state, memory, seat):
    """Make each dot of the enemy that is left a target of an attacker in capture the flag.

    Returns:
        The number of targets.
    """
    count = np.int64(0)
    for dot in range(memory.dots.size):
        cell = np.int64(memory.dots[dot])
        if state[DOTS + dot] > 0 and not is_home(maze, seat, cell):
            count = add_target(memory, count, cell)
    return count


@kernel
def closest_enemy(maze, memory, seat, here):
    """Return the enemy (0 or 1) that a defender in capture the flag chases from the cell ``here``.

    It is the enemy whose estimated cell is nearest. Pac-men, which are in the own half, come before
    all others. -1 means that no enemy is located.
    """
    best = np.int64(-1)
    least = np.int64(0)
    for slot in range(2):
        cell = memory.estimate[slot]
        if cell >= 0:
            away = np.int64(memory.steps[here, cell])
            if not is_home(maze, seat, cell):
                away += memory.cost.size
            if best < 0 or away < least:
                best, least = np.int64(slot), away
    return best


@kernel
def target_enemy(maze, memory, seat, slot):
    """Make targets of the cells where a defender in capture the flag waits for an enemy.

    That is the enemy's estimated cell if it lies in the own half, otherwise the nearest cell of the
    own half. Without an enemy (``slot`` is -1) all cells along the border are targets.

    Returns:
        The number of targets.
    """
    if slot < 0:
        return target_border(maze, memory, seat)
    cell = memory.estimate[slot]
    if is_home(maze, seat, cell):
        return add_target(memory, np.int64(0), cell)
    best = np.int64(-1)
    for other in range(memory.cost.size):
        is_nearer = best < 0 or memory.steps[cell, other] < memory.steps[cell, best]
        if is_nearer and is_home(maze, seat, other):
            best = np.int64(other)
    return add_target(memory, np.int64(0), best)


@kernel
def target_border(maze, memory, seat):
    """Make targets of the cells of the own half that touch the enemy's half in capture the flag.

    Returns:
        The number of targets.
    """
    count = np.int64(0)
    for cell in range(memory.cost.size):
        if is_home(maze, seat, cell):
            abroad = np.int64(0)
            for direction in range(4):
                other = np.int64(memory.neighbours[cell, direction])
                abroad += other >= 0 and not is_home(maze, seat, other)
            if abroad > 0:
                count = add_target(memory, count, np.int64(cell))
    return count


@kernel
def best_steps(memory, here, behind, ahead, extra):
    """List the directions in which an agent in capture the flag reaches a target at least cost.

    The directions are written to ``memory.actions``.

    Args:
        memory: the team's memory, with the cost of each cell and its cost to the nearest target.
        here: the agent's cell.
        behind: the cell where a step with an extra cost begins; -1 if no step has one.
        ahead: the cell where that step ends.
        extra: the extra cost.

    Returns:
        The number of directions.
    """
    least = np.inf
    for direction in range(STAY):
        least = min(least, cost_of_way(memory, here, direction, behind, ahead, extra))
    count = np.int64(0)
    for direction in range(STAY):
        if cost_of_way(memory, here, direction, behind, ahead, extra) <= least + EQUAL:
            memory.actions[count] = direction
            count += 1
    return count


@kernel
def cost_of_way(memory, here, direction, behind, ahead, extra):
    """Return an agent's cost to the nearest target in a maze if its first step has a direction.

    It is infinite at a wall. A first step from the cell ``behind`` to ``ahead`` costs ``extra``
    more. ``here`` is the agent's cell.
    """
    cell = np.int64(memory.neighbours[here, direction])
    if cell < 0:
        return np.inf
    total = memory.reach[cell] + memory.cost[cell]
    if here == behind and cell == ahead:
        total += extra
    return total
