"""A seat's observations of an enemy after each move, in the form of :mod:`.tracking`."""

from __future__ import annotations

import numpy as np

from tournaments.game import State
from tournaments.games.capture_the_flag.board import (
    COLUMN,
    HEARD,
    HEIGHT,
    MOVER,
    PLACE,
    ROW,
    SENT,
    WIDTH,
    cells_of,
    neighbours_of,
)
from tournaments.games.capture_the_flag.maze import AGENTS
from tournaments.games.capture_the_flag.tracking.graph import MazeGraph
from tournaments.games.capture_the_flag.tracking.record import Observation


def graph_of_board(board: np.ndarray) -> MazeGraph:
    """Return the graph of the maze of a game of capture the flag, given its ``game.board``.

    The board must have a single maze.
    """
    columns, rows = cells_of(board)[:, COLUMN].copy(), cells_of(board)[:, ROW].copy()
    return MazeGraph(neighbours_of(board), columns, rows, int(board[HEIGHT]), int(board[WIDTH]))


def cell_of_agent(state: State, agent: int) -> int:
    """Return the cell on which an agent of capture the flag stands; -1 if the agent is not seen.

    Agents are numbered from 0 in the order of moves.
    """
    return int(state.array[PLACE + agent])


def observation(state: State, seat: int, enemy: int) -> Observation:
    """Return what a team of capture the flag observes of an enemy right after a move.

    Args:
        state: the position, or the seat's view of it.
        seat: the observing seat; its agents are ``seat`` and ``seat + 2``.
        enemy: the number of an agent of the other side.
    """
    seen = state.view(seat).array
    agents = range(seat, AGENTS, 2)
    return Observation(
        watchers=tuple(int(seen[PLACE + agent]) for agent in agents),
        noisy=tuple(int(seen[HEARD + 2 * agent + enemy // 2]) for agent in agents),
        seen=int(seen[PLACE + enemy]),
        moved=(int(seen[MOVER]) - 1) % AGENTS == enemy,
        home=bool(int(seen[SENT]) >> enemy & 1),
    )
