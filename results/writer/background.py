"""Jobs that a thread of their own does, one after another, while the caller goes on.

All waiting is for a condition that is looked at again after each piece of news, and no lock is held
by the caller. So a Ctrl-C while it waits, at any place, loses no job and leaves nobody waiting for
ever, which the locks of ``threading.Condition`` and ``Thread.join`` do not promise.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue

from results.errors import ResultsError

Job = Callable[[], object]


class Background:
    """A thread that does jobs in the order in which they were given; for one calling thread.

    The thread starts with the first job and is a daemon. A process that ends without ``close``
    finishes the jobs first. Once a job fails, those after it are dropped, and ``check``,
    ``reserve`` and ``flush`` raise what it raised.
    """

    def __init__(self, waiting: int, at_end: Job) -> None:
        """Let at most ``waiting`` jobs wait (one more is in hand); ``at_end`` comes after all."""
        self._waiting = waiting
        self._at_end = at_end
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._news: SimpleQueue[None] = SimpleQueue()
        self._claim = threading.Lock()
        self._process: int | None = None
        self._failure: BaseException | None = None
        self._told = self._ended = False

    def check(self) -> None:
        """Raise what a job raised, or ResultsError in a child that a process with jobs forked."""
        if self._failure is not None:
            self._told = True
            raise self._failure
        if self._process is not None and self._process != os.getpid():
            raise ResultsError(
                f"process {os.getpid()} was forked from the one that is writing the run, process "
                f"{self._process}; write there, or close the run before the fork"
            )

    def reserve(self) -> None:
        """Wait until there is room for one more job; ``submit`` does not wait after that."""
        self.check()
        self._wait(lambda: self._jobs.qsize() < self._waiting or self._failure is not None)
        self.check()

    def submit(self, job: Job) -> None:
        """Put a job at the end of the line; see ``reserve``."""
        if self._process is None:
            self._start()
        self._jobs.put(job)

    def flush(self) -> None:
        """Wait until every job given so far is done."""
        self.check()
        if self._process is not None and not self._ended:
            reached: list[None] = []
            self._jobs.put(partial(reached.append, None))
            self._wait(lambda: bool(reached) or self._failure is not None)
        self.check()

    def close(self) -> None:
        """Wait until every job is done, then end the thread with ``at_end``.

        What a job raised is raised unless it has been already, after ``at_end`` all the same. When
        the waiting is interrupted the thread ends as soon as it is done; ``close`` may be called
        again to wait for it.
        """
        if self._process == os.getpid():
            self._jobs.put(None)
            self._wait(lambda: self._ended)
            atexit.unregister(self.close)
        elif not self._ended:
            self._ended = True
            self._at_end()
        if self._failure is not None and not self._told:
            self.check()

    def _start(self) -> None:
        # Twice, should an interrupt fall before the last line; then the second thread ends at once.
        threading.Thread(target=self._work, name="results", daemon=True).start()
        atexit.register(self.close)  # a daemon inside a library must not outlive the interpreter
        self._process = os.getpid()

    def _work(self) -> None:
        if not self._claim.acquire(blocking=False):
            return
        while (job := self._jobs.get()) is not None:
            self._tell()  # there is room
            if self._failure is None:
                self._do(job)
                del job  # what it holds may be large, and the next may be long in coming
            self._tell()
        self._do(self._at_end)
        self._ended = True
        self._tell()

    def _do(self, job: Job) -> None:
        try:
            job()
        except BaseException as error:
            self._failure = self._failure or error

    def _wait(self, ready: Callable[[], bool]) -> None:
        while not ready():
            self._news.get()

    def _tell(self) -> None:
        # One piece of news is enough: whoever takes it looks at all that was changed before.
        if self._news.empty():
            self._news.put(None)
