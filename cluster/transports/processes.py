"""Workers of this machine: processes, or a single thread of this process."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing import connection as connections
from typing import Any, NamedTuple

from cluster.faults import WorkerIdentity
from cluster.jobs import Outcome, attempt
from cluster.processors import ONE_THREAD, variables
from cluster.supervisor import Answer, Supervisor, Transport, Worker
from tournaments.code_files import known_files, receive

END_SECONDS = 5.0
"""Seconds to wait for a killed process: one in the middle of a system call may take a while."""
REPORT_SECONDS = 0.1
"""Seconds from one report of a worker to the next."""


class LocalWorker(NamedTuple):
    """A worker: this side of its pipe, and its process; None for a thread.

    The process has ``kill()``, ``join(seconds)`` and ``pid``.
    """

    pipe: connections.Connection
    process: Any

    def end(self) -> None:
        """Kill the process of this worker and wait for its end. A worker thread is not ended."""
        self.pipe.close()
        if self.process is not None:
            self.process.kill()  # ends a stopped process, too
            self.process.join(END_SECONDS)


class Processes(Transport):
    """Processes of this machine that do jobs. They end with the process that made them.

    The processes are spawned, so a script that starts them needs a guard
    ``if __name__ == "__main__"``. A single worker is a thread of this process, which needs no guard
    and cannot be ended.
    """

    plays_with = ""

    def __init__(self, size: int) -> None:
        """Prepare ``size`` workers of this machine that do jobs: processes, or one thread."""
        self.size, self.can_end = size, size > 1
        self.avoided = set()
        self.workers: dict[int, LocalWorker] = {}
        self._tickets: dict[int, deque[int]] = {}  # of each worker, in their order
        atexit.register(self.close)  # before that of multiprocessing, which waits for its processes

    def now(self) -> float:
        return time.monotonic()

    def room(self) -> int:
        return self.size

    def situation(self) -> str:
        return "each takes one processor"

    def start(self, worker: int) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        if not self.can_end:
            self.workers[worker] = LocalWorker(ours, None)
            threading.Thread(target=serve, args=(theirs,), daemon=True).start()
            return
        process = context.Process(target=_serve_in_process, args=(theirs,), daemon=True)
        with variables(ONE_THREAD):  # libraries of the process use one thread
            process.start()
        theirs.close()  # so that the end of the process is noticed
        self.workers[worker] = LocalWorker(ours, process)

    def hand(self, worker: int, ticket: int, name: str, arguments: tuple[Any, ...]) -> None:
        pipe, process = self.workers[worker]
        self._tickets.setdefault(worker, deque()).append(ticket)
        with suppress(ConnectionError):  # the worker is gone, as :meth:`wait` finds
            pipe.send(known_files() if process else ())  # first: jobs may be made of their contents
            pipe.send(arguments)

    def wait(self, seconds: float, supervisor: Supervisor) -> bool:
        ready = connections.wait([worker.pipe for worker in self.workers.values()], seconds)
        for number, worker in list(self.workers.items()):
            if worker.pipe in ready and number in self.workers:
                self._hear(number, supervisor)
        return bool(ready)

    def _hear(self, number: int, supervisor: Supervisor) -> None:
        """Read a message of a worker and pass it on to the supervisor.

        The message is None when the worker has started, a number as progress of its job, or the
        outcome of the job.
        """
        pipe, process = self.workers[number]
        try:
            message = pipe.recv()
        except (EOFError, ConnectionError):
            supervisor.lost(number, "its process ended; memory?", blame=True)
            return
        if message is None:
            pid = process.pid if process else os.getpid()
            supervisor.started(
                number, WorkerIdentity("", "this machine", str(number), "", pid or 0)
            )
        elif isinstance(message, Outcome):
            self.pass_on(number, self._tickets[number].popleft(), message, supervisor)
        else:
            supervisor.reported(number, self._tickets[number][0], message)

    def pass_on(self, number: int, ticket: int, outcome: Outcome, supervisor: Supervisor) -> None:
        """Pass the outcome of a worker's job on to the supervisor."""
        supervisor.answered(number, ticket, Answer(outcome))

    def stop(self) -> None:
        for pipe, _ in self.workers.values():
            with suppress(ConnectionError):
                pipe.send(None)

    def end(self, worker: Worker) -> None:
        if worker.number in self.workers:
            self.workers.pop(worker.number).end()

    def close(self) -> None:
        atexit.unregister(self.close)
        for worker in self.workers.values():
            if worker.process is not None:
                worker.process.kill()
        while self.workers:
            self.workers.popitem()[1].end()


def _serve_in_process(pipe: connections.Connection) -> None:
    """Do the jobs that arrive through a pipe, in a worker process of :mod:`multiprocessing`."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    serve_apart(pipe, partial(connections.wait, [parent.sentinel]))


def serve_apart(pipe: connections.Connection, wait_for_parent: Callable[[], Any]) -> None:
    """Do the jobs that arrive through a pipe, in a worker process, which ends with its parent.

    ``wait_for_parent`` returns once the parent process has ended.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # sent to all of a terminal or a batch job: it says
    threading.Thread(target=_end_with_parent, args=(wait_for_parent,), daemon=True).start()
    serve(pipe)


def serve(pipe: connections.Connection) -> None:
    """Do the jobs that arrive through a pipe, and send their outcomes back.

    The end of the pipe ends the loop. A message in the middle of a job asks the job to stop.
    """
    with suppress(EOFError, ConnectionError):
        pipe.send(None)
        while (files := pipe.recv()) is not None:
            receive(files)
            function, job = pipe.recv()
            pipe.send(attempt(function, job, _Reports(pipe), pipe.poll))


class _Reports:
    """A callable that sends the progress of a job at intervals."""

    def __init__(self, pipe: connections.Connection) -> None:
        self._pipe, self._sent = pipe, -REPORT_SECONDS

    def __call__(self, amount: int) -> None:
        now = time.monotonic()
        if now - self._sent >= REPORT_SECONDS:
            self._sent = now
            self._pipe.send(amount)


def _end_with_parent(wait_for_parent: Callable[[], Any]) -> None:
    """End this process after its parent process has ended, since its results would not be read."""
    wait_for_parent()
    os._exit(1)
