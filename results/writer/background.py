"""Jobs that a separate thread executes, one after another, while the caller goes on.

Waiting always means testing a condition after each notification, and the caller holds no lock. A
Ctrl-C at any moment of the wait therefore loses no job and causes no deadlock. The locks of
``threading.Condition`` and ``Thread.join`` do not guarantee this.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue

Job = Callable[[], object]


class Background:
    """A thread that executes jobs in the order of submission, for one calling thread.

    The thread starts with the first job and is a daemon. A process that ends without ``close``
    finishes the jobs first. After a job fails, all later jobs are dropped, and ``check``,
    ``reserve`` and ``flush`` raise the exception of that job.
    """

    def __init__(self, waiting: int, at_end: Job) -> None:
        """Prepare a thread that does jobs in the background.

        Args:
            waiting: maximum number of jobs in the queue, beside the current job.
            at_end: a job that is done last.
        """
        self._waiting = waiting
        self._at_end = at_end
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._news: SimpleQueue[None] = SimpleQueue()
        self._claim = threading.Lock()
        self._process: int | None = None
        self._failure: BaseException | None = None
        self._told = self._ended = False

    def check(self) -> None:
        """Raise the exception of a background job that has failed."""
        if self._failure is not None:
            self._told = True
            raise self._failure

    def reserve(self) -> None:
        """Wait until the queue of background jobs has room, so that ``submit`` need not wait."""
        self.check()
        self._wait(lambda: self._jobs.qsize() < self._waiting or self._failure is not None)
        self.check()

    def submit(self, job: Job) -> None:
        """Add a job to the end of the queue of background jobs; see ``reserve``."""
        if self._process is None:
            self._start()
        self._jobs.put(job)

    def flush(self) -> None:
        """Wait until every submitted background job is done."""
        self.check()
        if self._process is not None and not self._ended:
            reached: list[None] = []
            self._jobs.put(partial(reached.append, None))
            self._wait(lambda: bool(reached) or self._failure is not None)
        self.check()

    def close(self) -> None:
        """Wait until every background job is done, then run ``at_end`` and end the thread.

        The exception of a failed job is raised after ``at_end``, unless it was raised before. If
        the wait is interrupted, the thread still ends when it is done. ``close`` may be called
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
        # One notification is enough: its receiver checks all earlier changes.
        if self._news.empty():
            self._news.put(None)
