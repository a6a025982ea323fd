"""Matches on this machine's cores: threads of this process.

Kernels release the interpreter lock, so threads play side by side without sending anything.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from cluster.evaluator import (
    CLOSED,
    CLOSED_MEANWHILE,
    ClusterError,
    Work,
    at_least_one,
    play_part,
)
from cluster.pace import TRIAL, Cut, Pace, kind_of
from cluster.processors import available_threads
from tournaments.arena.entrants import Entrants
from tournaments.arena.outcomes import Played
from tournaments.kernels.compilation import compilation
from tournaments.schedules.base import Matches

if TYPE_CHECKING:
    from cluster.process_matches import ProcessEvaluator

SHORTEST = 0.005
"""Least seconds of a call: handing matches to a thread takes a few hundredths of that."""

WORTH_STARTING = 3.0
"""Seconds of matches of a simulator in plain Python for which processes are started."""
WORTH_HANDING = 0.05
"""Seconds of such matches that processes play once they have started."""
AHEAD = 4
"""Number of parts per thread that may wait for the caller."""


class LocalEvaluator:
    """An evaluator that plays matches in a number of threads, the calling thread included.

    Attributes:
        threads: number of threads.
        decode_seconds: seconds for making players of the genomes in the last call.
        is_closed: whether no more matches are played.
    """

    def __init__(
        self,
        threads: int | None = None,
        chunk: int | None = None,
        announce: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Prepare an evaluator that plays matches in threads, which start when there is work.

        Matches of a simulator in plain Python, which threads would play one after another, are
        played by as many processes once they take longer than to start these.

        Args:
            threads: how many; by default all processors that this process may use.
            chunk: matches a call; by default as many as the speed measured so far suggests.
            announce: called with a message for the user.

        Raises:
            ClusterError: fewer than one thread, or match a call.
        """
        self.threads = at_least_one("threads", available_threads() if threads is None else threads)
        self.chunk = None if chunk is None else at_least_one("chunk", chunk)
        self.decode_seconds = 0.0
        self.is_closed = self._is_said = False
        self.pace = Pace(SHORTEST)
        self._announce = announce
        self._processes: ProcessEvaluator | None = None
        self._pool = ThreadPoolExecutor(self.threads - 1, "matches") if self.threads > 1 else None

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        """Play matches in threads of this process; see :meth:`cluster.evaluator.Evaluator.play`."""
        if self.is_closed:
            raise ClusterError(CLOSED)
        started = compilation.clock()
        entrants.decode()  # here, as each thread would decode separately
        self.decode_seconds = compilation.clock() - started
        # A player that chooses move by move has a single memory, so threads would disturb each
        # other. The interpreter runs only one of these threads at a time anyway.
        kind = kind_of(entrants, matches)
        contest = entrants.game.rules.contest
        if contest is not None and self.threads > 1 and not contest.is_program:
            return self._played_by_function(entrants, matches, kind)
        may_share = contest is not None or entrants.are_compiled(matches.schedule.groups)
        pool = self._pool if may_share and not self.pace.is_short(kind, len(matches)) else None
        workers = self.threads if pool else 1
        cut = Cut(len(matches), workers, self.pace, kind, self.chunk)
        return _Call(self, entrants, matches, cut).run(pool)

    def _played_by_function(
        self, entrants: Entrants, matches: Matches, kind: Hashable
    ) -> Iterator[Played]:
        """Play matches of a simulator in plain Python: here, or in processes if that is quicker.

        The speed is measured by the first matches of a kind.
        """
        first, count = 0, len(matches)
        if self.pace.expected(kind, 1) is None and count:
            first, started = min(TRIAL, count), compilation.clock()
            yield play_part(entrants, matches, 0, first)
            self.pace.measured(kind, first, compilation.clock() - started)
        seconds = self.pace.expected(kind, count - first) or 0.0
        worth = WORTH_STARTING if self._processes is None else WORTH_HANDING
        if seconds > worth and (content := self._pickled(entrants, matches)):
            processes = self._started(entrants.game.name)
            yield from processes.play(entrants, matches, first, content)
        elif first < count:
            cut = Cut(count, 1, self.pace, kind, self.chunk, first)
            yield from _Call(self, entrants, matches, cut).run(None)

    def _pickled(self, entrants: Entrants, matches: Matches) -> bytes:
        """Return the matches of a call for processes; empty if they cannot be pickled."""
        from cluster.process_matches import pickled

        try:
            return pickled(entrants, matches)
        except Exception as error:  # objects of users may raise anything
            if not self._is_said:
                self._is_said = True
                self._announce(
                    f"{entrants.game.name} is plain Python, but its matches are played by this "
                    "process alone, since the simulator or a player cannot be pickled "
                    f"({type(error).__name__}: {error})"
                )
            return b""

    def _started(self, name: str) -> ProcessEvaluator:
        """Return the processes that play matches of simulators in plain Python."""
        if self._processes is None:
            from cluster.process_matches import ProcessEvaluator

            self._processes = ProcessEvaluator(self.threads, self._announce)
            self._announce(
                f"{name} is plain Python, so its matches are played by {self.threads} processes"
            )
        return self._processes

    def work(self, pieces: Sequence[Work]) -> list[Any]:
        """Do pieces of work in threads; see :func:`cluster.evaluator.all_done`."""
        if self.is_closed:
            raise ClusterError(CLOSED)
        results: list[Any] = [None] * len(pieces)
        numbers = iter(range(len(pieces)))  # shared: a thread takes the next in one instruction

        def serve() -> None:
            for number in numbers:
                results[number] = pieces[number].run()

        helpers = [self._pool.submit(serve) for _ in range(self.threads - 1)] if self._pool else []
        serve()
        for helper in helpers:
            helper.result()
        return results

    def close(self) -> None:
        """Stop the threads that play matches.

        A call that has played some of them raises ClusterError.
        """
        self.is_closed = True
        if self._processes is not None:
            self._processes.close()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


@dataclass(eq=False)
class _Call:
    """The progress of a schedule through the threads.

    A thread of the pool never waits. It ends when it has played as many parts ahead as may wait,
    and is started again after these parts have been taken.

    Attributes:
        cut: the parts, of which some have been handed out.
        done: parts that the pool's threads have played and the caller has not taken yet.
    """

    evaluator: LocalEvaluator
    entrants: Entrants
    matches: Matches
    cut: Cut
    lock: threading.Lock = field(default_factory=threading.Lock)
    done: SimpleQueue[Played] = field(default_factory=SimpleQueue)

    def run(self, pool: ThreadPoolExecutor | None) -> Iterator[Played]:
        """Play all parts of a schedule and yield their outcomes, in no order.

        This thread plays, and those of a pool, if any. After an error, or when the caller stops,
        each thread ends after its present part.
        """
        others: list[Future[None]] = []
        thread = threading.get_ident()
        try:
            while self.cut.is_left:
                if self.evaluator.is_closed:
                    raise ClusterError(CLOSED_MEANWHILE)
                others = self._sent_for(pool, others) if pool else []
                if part := self._next():
                    yield self._play(part)
                yield from self._taken()
            for other in others:
                if not other.cancel():  # a part that has not begun is not needed
                    other.result()
            yield from self._taken()
        finally:
            self._stop()
            # In another thread than at the start, this is garbage collection, perhaps in one of
            # the awaited threads.
            if threading.get_ident() == thread:
                wait([other for other in others if not other.cancel()])

    def _sent_for(self, pool: ThreadPoolExecutor, others: list[Future[None]]) -> list[Future[None]]:
        """Start threads of the pool that are missing.

        Raise the exception of a thread that has failed.

        Args:
            pool: the threads.
            others: the started threads, beside the calling thread.

        Returns:
            The threads that are at work.
        """
        for other in others:
            if other.done():
                other.result()
        at_work = [other for other in others if not other.done()]
        missing = self.cut.workers - 1 - len(at_work)
        return at_work + [pool.submit(self._serve) for _ in range(missing)]

    def _serve(self) -> None:
        """Play matches in a thread of the pool until enough parts wait for the caller."""
        try:
            while self.done.qsize() < AHEAD * self.cut.workers and (part := self._next()):
                self.done.put(self._play(part))
        except BaseException:
            self._stop()
            raise

    def _taken(self) -> Iterator[Played]:
        while not self.done.empty():
            yield self.done.get()

    def _next(self) -> slice | None:
        """Return the range of matches that a thread plays next, or None after the last one."""
        with self.lock:
            return self.cut.next() if self.cut.is_left and not self.evaluator.is_closed else None

    def _stop(self) -> None:
        """Hand out no more parts of the schedule to the threads."""
        with self.lock:
            self.cut.place = self.cut.total

    def _play(self, part: slice) -> Played:
        started = time.thread_time()  # of this thread: others may keep it waiting
        played = play_part(self.entrants, self.matches, part.start, part.stop)
        seconds = time.thread_time() - started
        self.cut.pace.measured(self.cut.kind, part.stop - part.start, seconds)
        return played
