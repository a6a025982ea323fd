"""Karate by a straight C loop: the yardstick for one core.

It draws as the package does, so every game is the same, round for round. Needs `gcc`.
"""

import ctypes

from benchmarks.peers.c_loop import EXACT, Outcomes, compiled, job_of
from tournaments.game import Game

JOBS = {"random": ("random", "random"), "markov": ("markov", "markov")}
"""Job -> who plays itself."""

ROUNDS = 100
"""Of a game."""


def loop(job: str, game: Game) -> Outcomes:
    """One job in games of `ROUNDS`: the scores."""
    return job_of(compiled("karate_loop.c", EXACT), job, 2, ctypes.c_int(ROUNDS))
