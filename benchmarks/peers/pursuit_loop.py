"""Cat and mouse by a straight C loop, compiled for one game: the yardstick for one core.

It draws as the package does, so every game is the same, move for move. Needs `gcc`.
"""

import ctypes
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.c_loop import compiled
from tournaments.game import Game
from tournaments.games.cat_and_mouse import solver as pursuit
from tournaments.games.cat_and_mouse.board import COLS, FIRST, LIMIT, ROWS

JOBS = {
    "random-random": ("level-0", "level-0"),
    "random-table": ("level-0", "position-table"),
    "table-table": ("position-table", "position-table"),
    "greedy-careful": ("greedy", "careful"),
    "optimal-random": ("optimal", "level-0"),
    "window-random": ("window-table", "level-0"),
}
"""Job -> the kinds of its cat and its mouse."""

Sides = tuple[NDArray[np.int8], NDArray[np.int8]]
"""The tables of the cats and of the mice, int8 [tables, genes]; one row, not read, of others."""


class _Knowledge(ctypes.Structure):
    """What the C file calls so."""

    _fields_ = (
        ("tables", ctypes.c_void_p * 2),
        ("genes", ctypes.c_int64 * 2),
        ("plies", ctypes.c_void_p),
    )


class Games(NamedTuple):
    """Games to play: rows of the two sides' tables, int32 [M, 2], and seeds, uint64 [M]."""

    rows: NDArray[np.int32]
    seeds: NDArray[np.uint64]


class Loop:
    """One job of one game with opposite corners, one cat and one mouse, a step a turn.

    Raises ValueError for an unknown job, RuntimeError where the compiler is absent or fails.
    """

    def __init__(self, job: str, game: Game, tables: Sides) -> None:
        if job not in JOBS:
            raise ValueError(f"unknown job {job!r}; expected one of {', '.join(JOBS)}")
        board = game.board
        names = (("ROWS", ROWS), ("COLUMNS", COLS), ("FIRST", FIRST), ("LIMIT", LIMIT))
        library = compiled("pursuit_loop.c", *(f"-D{name}={board[at]}" for name, at in names))
        self._function = library["play_" + job.replace("-", "_")]
        self._tables = [np.ascontiguousarray(side) for side in tables]
        self._plies = np.ascontiguousarray(pursuit.plies_to_capture(game))
        pointers = (ctypes.c_void_p * 2)(*(side.ctypes.data for side in self._tables))
        genes = (ctypes.c_int64 * 2)(*(side.shape[1] for side in self._tables))
        self._knowledge = _Knowledge(pointers, genes, self._plies.ctypes.data)

    def play(self, games: Games) -> NDArray[np.int16]:
        """Outcomes of one game each, int16 [M, 1, 4]: scores, plies, distance at the end."""
        rows, seeds = np.ascontiguousarray(games.rows), np.ascontiguousarray(games.seeds)
        outcomes = np.empty((len(seeds), 1, 4), dtype=np.int16)
        self._function(
            ctypes.byref(self._knowledge),
            ctypes.c_void_p(rows.ctypes.data),
            ctypes.c_void_p(seeds.ctypes.data),
            ctypes.c_int64(len(seeds)),
            ctypes.c_void_p(outcomes.ctypes.data),
        )
        return outcomes
