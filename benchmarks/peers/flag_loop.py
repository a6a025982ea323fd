"""Capture the flag by a straight C loop, compiled for one maze: the yardstick for one core.

It draws as the package does, so every game is the same, move for move. Needs `gcc`.
"""

import ctypes
from typing import Any

import numpy as np

from benchmarks.peers.c_loop import EXACT, Outcomes, compiled, job_of
from tournaments import players
from tournaments.game import Game
from tournaments.games.capture_the_flag.agents.memory import NAMES, steps_of
from tournaments.games.capture_the_flag.board import (
    CELLS,
    DOTS_EACH,
    MOVES,
    STARTS,
    cells_of,
    neighbours_of,
)
from tournaments.games.capture_the_flag.maze import AGENTS

JOBS = {"random": ("random", "random"), "team": ("team", "team")}
"""Job -> the players of both sides."""


def loop(job: str, game: Game) -> Outcomes:
    """One job in one maze: scores, plies, nothing."""
    board = game.board
    sizes = {"CELLS": board[CELLS], "DOTS": 2 * board[DOTS_EACH], "MOVES": board[MOVES]}
    library = compiled("flag_loop.c", *(f"-D{key}={size}" for key, size in sizes.items()), EXACT)
    team: Any = players.make("team", game)
    arrays = (
        np.ascontiguousarray(board[STARTS : STARTS + AGENTS]),
        np.ascontiguousarray(cells_of(board)),
        np.ascontiguousarray(steps_of(neighbours_of(board).tobytes())),
        np.ascontiguousarray(team.parameters.first[0, : len(NAMES)]),
    )
    library.set_up(*(ctypes.c_void_p(array.ctypes.data) for array in arrays))
    return job_of(library, job, 4)
