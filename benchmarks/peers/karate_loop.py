"""Karate by a straight C loop: the yardstick for one core.

It draws as the package does, so every game is the same, round for round. Needs `gcc`.
"""

import ctypes

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.c_loop import compiled, outcomes_of

JOBS = {"random": "random", "markov": "markov"}
"""Job -> who plays itself."""


class Loop:
    """One job in games of some rounds.

    Raises ValueError for an unknown job, RuntimeError where the compiler is absent or fails.
    """

    def __init__(self, job: str, rounds: int) -> None:
        if job not in JOBS:
            raise ValueError(f"unknown job {job!r}; expected one of {', '.join(JOBS)}")
        exact = "-ffp-contract=off"  # fused operations would play other games
        self._function = compiled("karate_loop.c", exact)[f"play_{job}"]
        self._rounds = rounds

    def play(self, seeds: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Outcomes of one game each, int16 [M, 1, 2]: the scores."""
        return outcomes_of(self._function, seeds, 2, ctypes.c_int(self._rounds))
