"""Whole jobs side by side, such as the runs of an experiment: each on one processor, by itself.

Jobs run in processes of this machine or in Ray actors, never in threads of one process: most of
what the interpreter does would then wait for the other jobs, and what draws from the global
generators of Python and numpy, as operators of other libraries do, would disturb the other jobs.

A job is a pure function's argument, and may be stopped and begun again: one whose worker is lost is
given to another worker.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import connection as connections
from multiprocessing.sharedctypes import RawArray, RawValue
from typing import Any, Protocol

from cluster.evaluator import ClusterError

Tell = Callable[[int], None]
Stop = Callable[[], bool]
Function = Callable[[Any, Tell, Stop], Any]
"""Does a job: it tells now and then how much is done, and asks often whether to stop."""

ATTEMPTS = 3
"""How often in a row a job may lose its worker."""
POLL_SECONDS = 0.1


class WorkerLost(Exception):
    """A worker ended in the middle of a job; another has taken its place."""


@dataclass
class Outcome:
    """What came of a job: a value, or an error; neither where it was never begun."""

    value: Any = None
    error: Exception | None = None


class Crew(Protocol):
    """Workers, each of which does one job at a time."""

    size: int

    def call(self, worker: int, number: int, job: Any) -> Outcome:
        """Let a worker do a job. Called from a thread a worker.

        Raises:
            WorkerLost: the worker ended before the job did.
            Exception: the job, or its outcome, could not be sent.
        """

    def done(self) -> Sequence[int]:
        """How much the jobs say is done, by number."""

    def stop(self) -> None:
        """Ask all jobs to stop."""

    def close(self) -> None:
        """Let go of the workers, at once: what they have in hand can be begun again."""
        return


def perform(
    crew: Crew, jobs: Sequence[Any], report: Callable[[int, int], None], stop: Stop
) -> list[Outcome]:
    """Do jobs in their order, as many at a time as there are workers; what came of each.

    A job that fails does not end the others.

    Args:
        report: told about ten times a second: jobs over, and the sum of what is done.
        stop: asked as often; once it says yes no job is begun any more.
    """
    outcomes = [Outcome() for _ in jobs]
    over = [0] * crew.size
    waiting = iter(range(len(jobs)))
    lock, stopped = threading.Lock(), threading.Event()

    def serve(worker: int) -> None:
        while not stopped.is_set():
            with lock:
                number = next(waiting, None)
            if number is None:
                return
            outcomes[number] = _outcome(crew, worker, number, jobs[number])
            over[worker] += 1

    threads = [threading.Thread(target=serve, args=(n,), daemon=True) for n in range(crew.size)]
    try:
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            report(sum(over), sum(crew.done()))
            if not stopped.is_set() and stop():
                stopped.set()
                crew.stop()
            time.sleep(POLL_SECONDS)
    finally:
        stopped.set()
        crew.stop()
    report(sum(over), sum(crew.done()))
    return outcomes


def _outcome(crew: Crew, worker: int, number: int, job: Any) -> Outcome:
    for _ in range(ATTEMPTS):
        try:
            return crew.call(worker, number, job)
        except WorkerLost:
            continue
        except Exception as error:
            return Outcome(error=error)
    return Outcome(error=ClusterError(f"lost its worker {ATTEMPTS} times in a row (memory?)"))


class OwnProcess(Crew):
    """A crew of one: this process."""

    size = 1

    def __init__(self, function: Function, jobs: int) -> None:
        self._function = function
        self._done = [0] * jobs
        self._stopped = threading.Event()

    def call(self, worker: int, number: int, job: Any) -> Outcome:
        return answer(self._function, number, job, self._done, self._stopped.is_set)

    def done(self) -> Sequence[int]:
        return self._done

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
        self._function = function
        self._context = multiprocessing.get_context("spawn")
        self._done, self._stopped = RawArray("q", jobs), RawValue("b", 0)
        self._workers: list[tuple[Any, Any] | None] = [None] * size

    def call(self, worker: int, number: int, job: Any) -> Outcome:
        present = self._workers[worker]
        if present is None:
            present = self._workers[worker] = self._started()
        process, ours = present
        try:
            ours.send((self._function, number, job))
            return ours.recv()
        except (EOFError, ConnectionError, BrokenPipeError):
            self._workers[worker] = None
            process.join()
            raise WorkerLost from None

    def _started(self) -> tuple[Any, Any]:
        ours, theirs = self._context.Pipe()
        shared = (theirs, self._done, self._stopped)
        process = self._context.Process(target=_serve, args=shared, daemon=True)
        process.start()
        theirs.close()  # so that its end is noticed
        return process, ours

    def done(self) -> Sequence[int]:
        return list(self._done)

    def stop(self) -> None:
        self._stopped.value = 1

    def close(self) -> None:
        for present in self._workers:
            if present is not None:
                present[1].close()
                present[0].kill()
                present[0].join()
        self._workers = [None] * self.size


def local_crew(function: Function, jobs: int, workers: int) -> Crew:
    """So many processes of this machine; for one job at a time, this process itself."""
    size = min(workers, jobs)
    return OwnProcess(function, jobs) if size == 1 else Processes(function, jobs, size)


def _serve(theirs: Any, done: Any, stopped: Any) -> None:
    """What a process does: jobs, until nobody sends any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; ours are told
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            function, number, job = theirs.recv()
        except (EOFError, ConnectionError):
            return
        theirs.send(answer(function, number, job, done, lambda: bool(stopped.value)))


def answer(function: Function, number: int, job: Any, done: Any, stop: Stop) -> Outcome:
    """Do a job; ``done[number]`` is how much it says is done. An error is one that can be sent."""

    def tell(much: int) -> None:
        done[number] = much

    try:
        return Outcome(function(job, tell, stop))
    except Exception as error:
        return Outcome(error=ClusterError(f"{type(error).__name__}: {error}"))


def _end_with_parent() -> None:
    """End this process once the one that started it is gone: nobody would read what it makes."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    connections.wait([parent.sentinel])
    os._exit(1)
