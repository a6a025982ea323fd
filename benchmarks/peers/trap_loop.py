"""The cat trap by a straight C loop, compiled for one board: the yardstick for one core.

It draws as the package does, so every game is the same, move for move. Needs `gcc`.
"""

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.c_loop import compiled, outcomes_of
from tournaments.game import Game
from tournaments.games.cat_trap.board import LEAST, MOST, SIZE

JOBS = {"random": "random", "planner": "planner:max_depth=1"}
"""Job -> its cat; the blocker plays at random."""


class Loop:
    """One job on one board whose blocks are drawn.

    Raises ValueError for an unknown job, RuntimeError where the compiler is absent or fails.
    """

    def __init__(self, job: str, game: Game) -> None:
        if job not in JOBS:
            raise ValueError(f"unknown job {job!r}; expected one of {', '.join(JOBS)}")
        names = (("SIZE", SIZE), ("LEAST", LEAST), ("MOST", MOST))
        exact = "-ffp-contract=off"  # fused operations would play other games
        defines = (f"-D{name}={game.board[at]}" for name, at in names)
        self._function = compiled("trap_loop.c", *defines, exact)[f"play_{job}"]

    def play(self, seeds: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Outcomes of one game each, int16 [M, 1, 4]: scores, plies, distance at the end."""
        return outcomes_of(self._function, seeds, 4)
