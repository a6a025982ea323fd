"""Capture the flag beside a C loop: `python -m benchmarks.capture_the_flag`.

One row for each maze and job, random play or tracking teams on both sides: games and moves a second
on one thread, and the ratio to C, the median of turns by processor time of the thread. Both play
the same games, and a difference in any outcome ends the benchmark. Compilation is left out of every
figure.
"""

import ctypes
from typing import Any

import numpy as np

from benchmarks.beside_c import Duel
from benchmarks.peers.c_loop import EXACT, Outcomes, compiled, job_of
from tournaments import players
from tournaments.arena import arena
from tournaments.game import Game
from tournaments.games.capture_the_flag.agents.memory import NAMES
from tournaments.games.capture_the_flag.board import (
    CELLS,
    DOTS_EACH,
    MOVES,
    STARTS,
    cells_of,
    neighbours_of,
)
from tournaments.games.capture_the_flag.maze import AGENTS, distances


def loop(job: str, game: Game) -> Outcomes:
    """One job in one maze: scores, plies, nothing."""
    board = game.board
    sizes = {"CELLS": board[CELLS], "DOTS": 2 * board[DOTS_EACH], "MOVES": board[MOVES]}
    library = compiled("flag_loop.c", *(f"-D{key}={size}" for key, size in sizes.items()), EXACT)
    team: Any = players.make("team", game)
    arrays = (
        np.ascontiguousarray(board[STARTS : STARTS + AGENTS]),
        np.ascontiguousarray(cells_of(board)),
        distances(neighbours_of(board)),
        np.ascontiguousarray(team.parameters.first[0, : len(NAMES)]),
    )
    library.set_up(*(ctypes.c_void_p(array.ctypes.data) for array in arrays))
    return job_of(library, job, 4)


DUEL = Duel(
    name="flag",
    unit="moves",
    heads=("maze", "red", "blue"),
    jobs={"random": ("random", "random"), "team": ("team", "team")},
    compared={"random": 500, "team": 60},
    specs=("capture-the-flag:maze=3,width=18,height=9,dots=8,moves=300", "capture-the-flag:maze=1"),
    label=lambda game: f"{game.board[0]}x{game.board[1]}",
    loop=loop,
)

if __name__ == "__main__":
    arena.LINKED_FROM = 0  # as after millions of games
    DUEL.main(__doc__)
