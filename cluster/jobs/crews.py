"""Workers of this machine: processes, or this one; see :mod:`cluster.jobs.jobs`."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import connection as connections
from multiprocessing.sharedctypes import RawArray, RawValue
from typing import Any

from cluster.jobs.jobs import Crew, Function, Outcome, Worker, WorkerLost, answer
from cluster.threads import ONE_THREAD
from tournaments.code_files import known_files, receive

END_SECONDS = 5.0
"""To wait for a process that was killed: one in the middle of a system call may take a while."""


class OwnProcess(Crew):
    """A crew of one: this process. A job that hangs is left behind in its thread."""

    size = 1
    is_ready = True
    can_end = False

    def __init__(self, function: Function, jobs: int) -> None:
        self._function = function
        self._done, self._times = [0] * jobs, [0] * jobs
        self._stopped = threading.Event()

    def hire(self) -> Worker:
        return self

    def call(self, number: int, job: Any) -> Outcome:
        stop = self._stopped.is_set
        return answer(self._function, number, job, self._done, self._times, stop)

    def end(self) -> None:
        return

    def told(self) -> Sequence[tuple[int, int]]:
        return list(zip(self._done, self._times, strict=True))

    def stop(self) -> None:
        self._stopped.set()


class Processes(Crew):
    """Processes of this machine. They end with the one that made them, however that ends.

    They are started afresh, so a script that makes them guards what it does by
    ``if __name__ == "__main__"``.
    """

    def __init__(self, function: Function, jobs: int, size: int) -> None:
        """
        Args:
            function: of a module, so that the processes find it.
            jobs: how many there will be.
            size: how many processes.
        """
        self.size = size
        self.function = function
        self.context = multiprocessing.get_context("spawn")
        self.done, self.times, self.stopped = (
            RawArray("q", jobs),
            RawArray("q", jobs),
            RawValue("b"),
        )
        self._workers: list[_Process] = []
        atexit.register(self.close)  # before that of multiprocessing, which waits for its processes

    def hire(self) -> Worker:
        self._workers.append(_Process(self))
        return self._workers[-1]

    def told(self) -> Sequence[tuple[int, int]]:
        return list(zip(self.done, self.times, strict=True))

    def stop(self) -> None:
        self.stopped.value = 1

    def close(self) -> None:
        atexit.unregister(self.close)
        for worker in self._workers:
            worker.process.kill()
        while self._workers:
            self._workers.pop().end()


class _Process(Worker):
    """A process that does jobs."""

    is_ready = True
    can_end = True

    def __init__(self, crew: Processes) -> None:
        self._function = crew.function
        self._ours, theirs = crew.context.Pipe()
        shared = (theirs, crew.done, crew.times, crew.stopped)
        self.process = crew.context.Process(target=_serve, args=shared, daemon=True)
        with _one_thread():
            self.process.start()
        theirs.close()  # so that its end is noticed

    def call(self, number: int, job: Any) -> Outcome:
        try:
            self._ours.send(known_files())  # first: what a job is made of may be theirs
            self._ours.send((self._function, number, job))
            return self._ours.recv()
        except (EOFError, ConnectionError):
            raise WorkerLost from None

    def end(self) -> None:
        self.process.kill()  # which a process that was stopped does not outlive
        self.process.join(END_SECONDS)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Processes that are started within the block have a thread a library."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def local_crew(function: Function, jobs: int, workers: int) -> Crew:
    """So many processes of this machine; for one job at a time, this process itself."""
    size = min(workers, jobs)
    return OwnProcess(function, jobs) if size == 1 else Processes(function, jobs, size)


def _serve(theirs: Any, done: Any, times: Any, stopped: Any) -> None:
    """What a process does: jobs, until nobody sends any more."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # sent to all of a terminal or a batch job: it says
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            receive(theirs.recv())
            function, number, job = theirs.recv()
        except (EOFError, ConnectionError):
            return
        theirs.send(answer(function, number, job, done, times, lambda: bool(stopped.value)))


def _end_with_parent() -> None:
    """End this process once the one that started it is gone: nobody would read what it makes."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    connections.wait([parent.sentinel])
    os._exit(1)
