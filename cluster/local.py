"""Matches on this machine's cores: threads of this process.

Kernels release the interpreter lock, so threads play side by side without sending anything.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from cluster.evaluator import ClusterError, Entrants, chunks
from tournaments.arena import play_pairs


def available_threads() -> int:
    """The processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every platform
        return os.cpu_count() or 1


class LocalEvaluator:
    """Plays matches in a number of threads."""

    def __init__(self, threads: int | None = None, chunk: int | None = None) -> None:
        """
        Args:
            threads: how many; by default all processors that this process may use.
            chunk: matches a piece; by default four pieces a thread.

        Raises:
            ClusterError: fewer than one thread.
        """
        self.threads = available_threads() if threads is None else threads
        if self.threads < 1:
            raise ClusterError(f"threads={threads} given; at least 1 is expected")
        self.chunk = chunk
        self._pool = ThreadPoolExecutor(self.threads, "matches") if self.threads > 1 else None

    def play(
        self, entrants: Entrants, pairs: np.ndarray, seeds: np.ndarray, games: int = 2
    ) -> np.ndarray:
        """See :meth:`cluster.evaluator.Evaluator.play`."""
        field = entrants.decode()
        outcomes = np.empty((len(pairs), games, 2), dtype=np.int16)
        parts = chunks(len(pairs), self.threads, self.chunk)

        def play_part(part: slice) -> None:
            outcomes[part] = play_pairs(field, pairs[part], seeds[part], games)

        if self._pool is None:
            for part in parts:
                play_part(part)
        else:
            for done in [self._pool.submit(play_part, part) for part in parts]:
                done.result()
        return outcomes

    def close(self) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
