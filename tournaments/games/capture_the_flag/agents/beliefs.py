"""A team's belief about the enemies' cells, updated by sight, noisy distances and lost dots."""

from __future__ import annotations

import numpy as np

from tournaments.games.capture_the_flag.agents.costs import take_numbers
from tournaments.games.capture_the_flag.agents.memory import (
    BETA,
    DEEDS,
    HEAR,
    SIGHT_PIECE,
    TRACKER,
    read_maze,
)
from tournaments.games.capture_the_flag.board import (
    CELL,
    DOTS,
    HALF,
    HEARD,
    MOVER,
    MOVES,
    MOVES_LEFT,
    NOISE,
    PLACE,
    RECORD,
    SENT,
    SIGHT,
    STARTS,
    UNHEARD,
    maze_begins,
)
from tournaments.games.capture_the_flag.maze import AGENTS
from tournaments.games.capture_the_flag.tracking.belief import (
    count_visits,
    place,
    predict,
    update,
    weigh_watcher,
)
from tournaments.kernels.linker import kernel


@kernel
def begin(board, state, parameters, row, memory):
    """Set up a team's beliefs about the cells of both enemies at the start of capture the flag.

    At the first move of the game both enemies are on their starts. In a game under way they may be
    anywhere that the team's view allows.
    """
    read_maze(board, state, memory)
    take_numbers(parameters.first, row, memory)
    maze = board[maze_begins(board, state) :]
    seat = 1 if state[HEARD] == UNHEARD else 0
    memory.seat[0] = seat
    memory.eaten[0] = state[2 - seat]
    for dot in range(memory.left.size):
        memory.left[dot] = state[DOTS + dot]
    for slot in range(2):
        enemy = 1 - seat + 2 * slot
        cell = np.int64(state[PLACE + enemy])
        if cell < 0 and state[MOVES_LEFT] == maze[MOVES]:
            cell = np.int64(maze[STARTS + enemy])
        belief, visits = memory.belief[slot], memory.visits[slot]
        belief[:] = 1.0 / belief.size
        observe(state, memory, slot, cell)
        visits[:] = 0.0
        count_visits(belief, visits)
        estimate(memory, slot)


@kernel
def watch(board, state, action, parameters, row, memory):
    """Update a team's beliefs about both enemies' cells after an action of any agent.

    An enemy that has moved is moved on by the model of its moves. Then sight, noisy distances and
    lost dots are weighed. The game is capture the flag; ``state`` is the team's view after the
    action, and ``memory`` has the beliefs.
    """
    maze = board[maze_begins(board, state) :]
    seat = memory.seat[0]
    mover = (np.int64(state[MOVER]) + AGENTS - 1) % AGENTS
    lost = cell_of_loss(maze, state, memory, seat)
    for slot in range(2):
        enemy = 1 - seat + 2 * slot
        belief, visits = memory.belief[slot], memory.visits[slot]
        cell = np.int64(state[PLACE + enemy])
        was_sent = ((state[SENT] >> enemy) & 1) > 0
        if was_sent:
            cell = np.int64(maze[STARTS + enemy])
        elif cell < 0 and enemy == mover and memory.numbers[DEEDS] > 0.0:
            cell = lost
        if enemy == mover and cell < 0:
            beta = abs(memory.numbers[BETA])
            predict(memory.neighbours, visits, beta, True, belief, memory.shares, memory.before)
        observe(state, memory, slot, cell)
        if enemy == mover or was_sent:
            count_visits(belief, visits)
        estimate(memory, slot)


@kernel
def cell_of_loss(maze, state, memory, seat):
    """Return the cell of the dot that an enemy ate with the last move in capture the flag, or -1.

    It is a dot of the team with the seat ``seat``. The dots that are left are noted in ``memory``
    for the next call.
    """
    lost = np.int64(-1)
    if state[2 - seat] != memory.eaten[0]:
        memory.eaten[0] = state[2 - seat]
        for dot in range(memory.left.size):
            cell = np.int64(memory.dots[dot])
            is_own = maze[CELL + RECORD * cell + HALF] == seat
            if is_own and memory.left[dot] != state[DOTS + dot]:
                lost = cell
            memory.left[dot] = state[DOTS + dot]
    return lost


@kernel
def observe(state, memory, slot, cell):
    """Update the belief about one enemy's cell by what the team observes in capture the flag.

    Without the piece "tracker" of a team, an enemy on an unknown cell gets no probability anywhere.

    Args:
        state: the team's view of the position.
        memory: the team's memory; its belief of this enemy is changed.
        slot: the enemy, 0 or 1.
        cell: the enemy's cell if it is known. With -1, noisy distances and the fact that the enemy
            is not seen are weighed instead.
    """
    belief, evidence = memory.belief[slot], memory.evidence
    if cell >= 0:
        place(belief, cell)
        return
    if memory.numbers[TRACKER] <= 0.0:
        belief[:] = 0.0
        return
    evidence[:] = 1.0
    noise = NOISE if memory.numbers[HEAR] > 0.0 else -1
    sight = SIGHT if memory.numbers[SIGHT_PIECE] > 0.0 else -1
    for agent in range(memory.seat[0], AGENTS, 2):
        noisy = np.int64(state[HEARD + 2 * agent + slot])
        weigh_watcher(memory, np.int64(state[PLACE + agent]), noisy, noise, sight, evidence)
    update(belief, evidence)


@kernel
def estimate(memory, slot):
    """Note in ``memory`` the most probable cell of an enemy of capture the flag.

    The first of equally probable cells counts; -1 is noted if no cell has a probability. ``slot``
    is the enemy, 0 or 1.
    """
    best = np.int64(-1)
    share = 0.0
    for cell in range(memory.evidence.size):
        if memory.belief[slot, cell] > share:
            best = np.int64(cell)
            share = memory.belief[slot, cell]
    memory.estimate[slot] = best
