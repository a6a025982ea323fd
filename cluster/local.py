"""Matches on this machine's cores: threads of this process.

Kernels release the interpreter lock, so threads play side by side without sending anything.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from queue import SimpleQueue
from weakref import WeakSet

from cluster.evaluator import ClusterError, Entrants
from cluster.pace import Pace, kind_of
from tournaments.arena import Field, play_pairs
from tournaments.schedules import Matches
from tournaments.scoring import Played

SHORTEST = 0.005
"""Seconds of a call at least: handing matches to a thread takes a few hundredths of that."""

AHEAD = 4
"""Parts a thread that may wait to be taken."""


def available_threads() -> int:
    """The processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every platform
        return os.cpu_count() or 1


class LocalEvaluator:
    """Plays matches in a number of threads, the calling one among them.

    Attributes:
        threads: how many.
        decode_seconds: what making players of the genomes took in the last call.
    """

    def __init__(self, threads: int | None = None, chunk: int | None = None) -> None:
        """
        Args:
            threads: how many; by default all processors that this process may use.
            chunk: matches a call; by default as many as the speed measured so far suggests.

        Raises:
            ClusterError: fewer than one thread.
        """
        self.threads = available_threads() if threads is None else threads
        if self.threads < 1:
            raise ClusterError(f"threads={threads} given; at least 1 is expected")
        self.chunk = chunk
        self.decode_seconds = 0.0
        self._is_closed = False
        self.pace = Pace(SHORTEST)
        self._calls: WeakSet[_Call] = WeakSet()
        self._pool = ThreadPoolExecutor(self.threads - 1, "matches") if self.threads > 1 else None

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        """See :meth:`cluster.evaluator.Evaluator.play`."""
        if self._is_closed:
            raise ClusterError("this evaluator is closed; make another")
        started = time.perf_counter()
        field = entrants.decode()
        self.decode_seconds = time.perf_counter() - started
        # A player that chooses move by move keeps what it remembers in one place, so threads would
        # change it under one another; the interpreter lets only one of them run at a time anyway.
        pool = self._pool if field.are_compiled(matches.schedule.groups) else None
        kind = kind_of(entrants, matches)
        call = _Call(field, matches, self.pace, kind, self.chunk, self.threads if pool else 1)
        self._calls.add(call)
        return call.alone() if pool is None else call.by(pool)

    def close(self) -> None:
        """Stop the threads, and calls of which somebody took some parts and left the others."""
        self._is_closed = True
        for call in self._calls:
            call.stop()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


@dataclass(eq=False)
class _Call:
    """One schedule on its way through the threads.

    Attributes:
        place: the first match nobody has.
        done: parts that the pool's threads have played and nobody has taken yet.
        room: for how many more of them there is, so that a slow taker does not fill the memory.
    """

    field: Field
    matches: Matches
    pace: Pace
    kind: Hashable
    chunk: int | None
    threads: int
    place: int = 0
    lock: threading.Lock = dataclass_field(default_factory=threading.Lock)
    done: SimpleQueue[Played] = dataclass_field(default_factory=SimpleQueue)
    room: threading.Semaphore = dataclass_field(init=False)

    def __post_init__(self) -> None:
        self.room = threading.Semaphore(AHEAD * self.threads)

    def alone(self) -> Iterator[Played]:
        """All parts, played by this thread."""
        while part := self._next():
            yield self._play(*part)

    def by(self, pool: ThreadPoolExecutor) -> Iterator[Played]:
        """All parts, played by the pool's threads and by this one, in no order.

        On an error, or when nobody wants more, each thread ends with the part that it has.
        """
        if self.place == len(self.matches):
            return
        others = [pool.submit(self._serve) for _ in range(self.threads - 1)]
        try:
            while part := self._next():
                yield self._play(*part)
                yield from self._taken()
            self.stop()
            for other in others:
                if not other.cancel():  # one that has not begun is not needed any more
                    other.result()
            yield from self._taken()
        finally:
            self.stop()
            wait([other for other in others if not other.cancel()])

    def _serve(self) -> None:
        """What a thread of the pool does."""
        try:
            while self.room.acquire() and (part := self._next()):
                self.done.put(self._play(*part))
        finally:
            self.stop()

    def _taken(self) -> Iterator[Played]:
        while not self.done.empty():
            self.room.release()
            yield self.done.get()

    def _next(self) -> tuple[int, int] | None:
        """The next part, None where all have been handed out."""
        with self.lock:
            first, total = self.place, len(self.matches)
            if first == total:
                return None
            length = self.chunk or self.pace.length(self.kind, total - first, total, self.threads)
            self.place = min(first + length, total)
            return first, self.place

    def stop(self) -> None:
        """Hand out no more parts, also to those who wait for room."""
        with self.lock:
            self.place = len(self.matches)
        self.room.release(self.threads)

    def _play(self, first: int, last: int) -> Played:
        started = time.perf_counter()
        pairs, seeds = self.matches.part(first, last)
        groups = self.matches.schedule.groups
        outcomes = play_pairs(self.field, pairs, seeds, self.matches.games, groups)
        self.pace.measured(self.kind, last - first, time.perf_counter() - started)
        return Played(first, pairs, outcomes)
