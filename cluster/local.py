"""Matches on this machine's cores: threads of this process.

Kernels release the interpreter lock, so threads play side by side without sending anything.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from cluster.evaluator import ClusterError, Entrants, chunks
from tournaments.arena import Field, play_pairs


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

        if self._pool is None or not _all_compiled(field, pairs):
            for part in parts:
                play_part(part)
        else:
            _finish([self._pool.submit(play_part, part) for part in parts])
        return outcomes

    def close(self) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _all_compiled(field: Field, pairs: np.ndarray) -> bool:
    """Whether kernels play all of a schedule.

    A player that chooses move by move keeps what it remembers in one place, so threads would change
    it under one another; the interpreter lets only one of them run at a time anyway.
    """
    return all(field.has_kernels(int(group)) for group in np.unique(np.minimum(pairs, 0)))


def _finish(parts: list[Future[None]]) -> None:
    """Wait for all parts; on an error or Ctrl-C, leave none behind that has not begun."""
    try:
        for part in parts:
            part.result()
    finally:
        for part in parts:
            part.cancel()
