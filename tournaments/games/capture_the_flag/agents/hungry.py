"""``hungry``: both agents go to the nearest dot of the enemy and ignore all other agents."""

from __future__ import annotations

import numpy as np

from tournaments.games.capture_the_flag.agents.memory import memory, read_maze
from tournaments.games.capture_the_flag.board import (
    CELL,
    DOTS,
    HALF,
    MOVER,
    PLACE,
    RECORD,
    STAY,
    maze_begins,
)
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import below
from tournaments.player import Kind


@kernel
def begin(board, state, parameters, row, memory):
    """Note the maze of a game of capture the flag for the player ``hungry``."""
    read_maze(board, state, memory)


@kernel
def choose(board, state, parameters, row, memory, stream):
    """Return a step of ``hungry`` to the nearest dot of the enemy in capture the flag.

    Equally good steps are equally likely.
    """
    maze = board[maze_begins(board, state) :]
    agent = np.int64(state[MOVER])
    here = np.int64(state[PLACE + agent])
    target = np.int64(-1)
    for dot in range(memory.dots.size):
        cell = np.int64(memory.dots[dot])
        is_food = state[DOTS + dot] > 0 and maze[CELL + RECORD * cell + HALF] != agent % 2
        if is_food and (target < 0 or memory.steps[here, cell] < memory.steps[here, target]):
            target = cell
    count = np.int64(0)
    for direction in range(STAY):
        beside = np.int64(memory.neighbours[here, direction])
        if beside >= 0 and memory.steps[beside, target] < memory.steps[here, target]:
            memory.actions[count] = direction
            count += 1
    return np.int64(memory.actions[below(stream, count)]) if count > 0 else np.int64(STAY)


KIND = Kind("hungry", choose, begin, memory=memory)
