"""Capture the flag by a straight C loop, compiled for one maze: the yardstick for one core.

It draws as the package does, so every game is the same, move for move. Needs `gcc`.
"""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.c_loop import compiled, outcomes_of
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

JOBS = {"random": "random", "team": "team"}
"""Job -> the player of both sides."""


class Loop:
    """One job in one maze.

    Raises ValueError for an unknown job, RuntimeError where the compiler is absent or fails.
    """

    def __init__(self, job: str, game: Game) -> None:
        if job not in JOBS:
            raise ValueError(f"unknown job {job!r}; expected one of {', '.join(JOBS)}")
        board = game.board
        sizes = {"CELLS": board[CELLS], "DOTS": 2 * board[DOTS_EACH], "MOVES": board[MOVES]}
        exact = "-ffp-contract=off"  # fused operations would play other games
        library = compiled(
            "flag_loop.c", *(f"-D{key}={size}" for key, size in sizes.items()), exact
        )
        self._function = library[f"play_{job}"]
        team: Any = players.make("team", game)
        arrays = (
            np.ascontiguousarray(board[STARTS : STARTS + AGENTS]),
            np.ascontiguousarray(cells_of(board)),
            np.ascontiguousarray(steps_of(neighbours_of(board).tobytes())),
            np.ascontiguousarray(team.parameters.first[0, : len(NAMES)]),
        )
        library.set_up(*(ctypes.c_void_p(array.ctypes.data) for array in arrays))

    def play(self, seeds: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Outcomes of one game each, int16 [M, 1, 4]: scores, plies, nothing."""
        return outcomes_of(self._function, seeds, 4)
