"""A team's memory of a game, and the parameters of its play."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.games.capture_the_flag.board import (
    CELL,
    CELLS,
    COLUMN,
    DOT,
    DOTS_EACH,
    RECORD,
    ROW,
    has_one_maze,
    maze_begins,
)
from tournaments.games.capture_the_flag.maze import fill_steps
from tournaments.games.capture_the_flag.tracking.belief import MOVES, WAYS
from tournaments.kernels.linker import kernel

NAMES = (
    "role-1",
    "role-2",
    "ghost",
    "ghost-fade",
    "pac-man",
    "pac-man-fade",
    "friend",
    "friend-fade",
    "behind",
    "ahead",
    "beta",
    "whim",
)
"""Names of the numbers of a team."""
ROLE, GHOST, FADE, PACMAN, FRIEND = 0, 2, 3, 4, 6
BEHIND, AHEAD, BETA, WHIM = 8, 9, 10, 11
PIECES = ("tracker", "noise", "sight", "deeds", "heading", "soft")
"""What a team may do without; a row may have a number for each behind the others, 0: without."""
TRACKER, HEAR, SIGHT_PIECE, DEEDS, HEADING, SOFT = 12, 13, 14, 15, 16, 17


@kernel
def read_maze(board, state, memory):
    """Copy the maze of a game of capture the flag into a team's memory: graph, dots and distances.

    A board with a single maze is copied only once, since all its games have the same maze.
    """
    if has_one_maze(board) and memory.steps[0, 0] == 0:
        return
    maze = board[maze_begins(board, state) :]
    dots = np.int64(0)
    cells = memory.neighbours.shape[0]
    for cell in range(cells):
        memory.columns[cell] = maze[CELL + RECORD * cell + COLUMN]
        memory.rows[cell] = maze[CELL + RECORD * cell + ROW]
        for direction in range(4):
            memory.neighbours[cell, direction] = maze[CELL + RECORD * cell + direction]
        if maze[CELL + RECORD * cell + DOT] >= 0:
            memory.dots[dots] = cell
            dots += 1
    fill_steps(memory.neighbours, memory.steps, memory.queue)


class Memory(NamedTuple):
    """Memory of one team of capture the flag; C cells, D dots, two enemies in order of moves.

    Attributes:
        seat: int64 ``[1]``.
        numbers: float64, the team's parameters by the places above, with all pieces.
        neighbours, columns, rows: of the maze, int16.
        steps: int16 ``[C, C]``, from each cell to each other.
        dots: int16 ``[D]``, the cell of each dot.
        belief, visits: float64 ``[2, C]``: where each enemy may be, and its expected visits.
        estimate: int64 ``[2]``, the most probable cell of each enemy; -1 if unknown.
        left: int16 ``[D]``, dots that were left when the enemy last ate; ``eaten`` int64 ``[1]``,
            the number it had eaten.
        evidence, before, shares: scratch of the tracker.
        cost: float64 ``[C]``, of a step to each cell; ``fades`` float64 ``[3, C]``: the share of
            a weight that is left at each distance in steps.
        reach: float64 ``[C]``, the cost from each cell to the nearest target.
        queue, waits: int64 ``[C]``, cells whose neighbours may be reached at a lower cost, and
            whether a cell is among them.
        actions: int16 ``[A]``.
    """

    seat: np.ndarray
    numbers: np.ndarray
    neighbours: np.ndarray
    columns: np.ndarray
    rows: np.ndarray
    steps: np.ndarray
    dots: np.ndarray
    belief: np.ndarray
    visits: np.ndarray
    estimate: np.ndarray
    left: np.ndarray
    eaten: np.ndarray
    evidence: np.ndarray
    before: np.ndarray
    shares: np.ndarray
    cost: np.ndarray
    fades: np.ndarray
    reach: np.ndarray
    queue: np.ndarray
    waits: np.ndarray
    actions: np.ndarray


def memory(game: Game, parameters: object) -> Memory:
    """Allocate the memory of a team of capture the flag for games on a board of this size."""
    count, dots = int(game.board[CELLS]), 2 * int(game.board[DOTS_EACH])
    columns, rows = np.zeros((2, count), dtype=np.int16)
    belief, visits = np.zeros((2, 2, count))
    evidence, before, cost, reach = np.zeros((4, count))
    queue, waits = np.zeros((2, count), dtype=np.int64)
    return Memory(
        seat=np.zeros(1, dtype=np.int64),
        numbers=np.zeros(len(NAMES) + len(PIECES)),
        neighbours=np.zeros((count, WAYS), dtype=np.int16),
        columns=columns,
        rows=rows,
        steps=np.full((count, count), -1, dtype=np.int16),
        dots=np.zeros(dots, dtype=np.int16),
        belief=belief,
        visits=visits,
        estimate=np.zeros(2, dtype=np.int64),
        left=np.zeros(dots, dtype=np.int16),
        eaten=np.zeros(1, dtype=np.int64),
        evidence=evidence,
        before=before,
        shares=np.zeros(MOVES),
        cost=cost,
        fades=np.zeros((3, count)),
        reach=reach,
        queue=queue,
        waits=waits,
        actions=np.zeros(game.num_actions, dtype=np.int16),
    )
