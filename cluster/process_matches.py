"""Matches by processes of this machine, for simulators in plain Python.

Threads gain nothing there, since one thread at a time holds the interpreter. Entrants and schedule
are written to a temporary file once per call; processes read it once and then receive the numbers
of the matches to play.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any, NamedTuple

import cloudpickle

from cluster.assignment import Assignment
from cluster.pace import Cut, Pace, kind_of
from cluster.processors import ONE_THREAD
from cluster.ray_matches import ChunkedMatches
from cluster.supervisor import Answer, Supervisor
from cluster.transports.processes import END_SECONDS, LocalWorker, Processes, serve_apart
from cluster.transports.ray import ChunkRequest, played_chunk, sendable
from tournaments.arena.entrants import Entrants
from tournaments.arena.outcomes import Played
from tournaments.schedules.base import Matches

SHORTEST = 0.02
"""Least seconds of a call."""
HANDING = 0.0002
"""Seconds of this process for a call."""
PARENT_SECONDS = 1.0
"""Seconds between two looks of a process whether its parent process is there."""


class StoredRequest(NamedTuple):
    """The file with the entrants and matches of a call, and the digest of its content."""

    path: str
    digest: str


def pickled(entrants: Entrants, matches: Matches) -> bytes:
    """Return the entrants and matches of a call as processes read them.

    Raises:
        Exception: an object of the user cannot be pickled.
    """
    return cloudpickle.dumps(ChunkRequest(entrants, matches))


class ProcessEvaluator:
    """An evaluator that plays matches in processes of this machine.

    Attributes:
        supervisor: the processes.
        faults: counts of what went wrong so far.
    """

    def __init__(self, processes: int, announce: Callable[[str], None] = lambda line: None) -> None:
        """Start ``processes`` processes; ``announce`` is called with a message for the user."""
        self.pace = Pace(SHORTEST, HANDING)
        self.supervisor = Supervisor(ChunkProcesses(processes), processes, announce=announce)
        self.faults = self.supervisor.faults

    def play(
        self, entrants: Entrants, matches: Matches, first: int, content: bytes
    ) -> Iterator[Played]:
        """Play the matches from number ``first`` on in processes.

        ``content`` is the result of :func:`pickled`. See :meth:`cluster.evaluator.Evaluator.play`.

        Raises:
            ClusterError: see :meth:`cluster.ray_matches.RayEvaluator.play`.
        """
        self.supervisor.gather()
        kind = kind_of(entrants, matches)
        cut = Cut(len(matches), self.supervisor.target, self.pace, kind, None, first)
        with tempfile.TemporaryDirectory() as folder:
            work = StoredMatches(ChunkRequest(entrants, matches), content, Path(folder))
            yield from Assignment(self.supervisor, work, cut, 0).run()

    def close(self) -> None:
        """End the processes that play matches."""
        self.supervisor.close()


class StoredMatches(ChunkedMatches):
    """The matches of a call, in a file that processes read."""

    def __init__(self, request: ChunkRequest, content: bytes, folder: Path) -> None:
        super().__init__(None, request)
        self._content, self._folder = content, folder

    def _put(self) -> StoredRequest:
        file = self._folder / "request"
        file.write_bytes(self._content)
        return StoredRequest(str(file), hashlib.sha256(self._content).hexdigest())


class ChunkProcesses(Processes):
    """Processes of this machine that play chunks of matches.

    They are new interpreters that import nothing of the user's script, which needs no guard.
    """

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.can_end = True

    def start(self, worker: int) -> None:
        ours, theirs = Pipe()
        number = theirs.fileno()
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            f"from cluster.process_matches import serve_parent; serve_parent({number})"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            pass_fds=(number,),
            stdin=subprocess.DEVNULL,
            env={**os.environ, **ONE_THREAD},
        )
        theirs.close()  # so that the end of the process is noticed
        self.workers[worker] = LocalWorker(ours, Interpreter(process))

    def hand(self, worker: int, ticket: int, name: str, arguments: tuple[Any, ...]) -> None:
        super().hand(worker, ticket, name, (play_chunk, arguments))

    def pass_on(self, number: int, ticket: int, outcome: Any, supervisor: Supervisor) -> None:
        answer = outcome.error or outcome.value
        if isinstance(answer, Exception):
            supervisor.failed(number, ticket, answer)
        else:
            supervisor.answered(number, ticket, answer)


class Interpreter:
    """A process of its own, with the methods of those of :mod:`multiprocessing` that are used."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.pid, self.kill, self._process = process.pid, process.kill, process

    def join(self, seconds: float = END_SECONDS) -> None:
        """Wait for the end of the process, or for the given number of seconds."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)


def serve_parent(number: int) -> None:
    """Play chunks of matches for the parent process, through a pipe of this file descriptor."""
    serve_apart(Connection(number), partial(_wait_for_end, os.getppid()))


def _wait_for_end(parent: int) -> None:
    """Return once the parent process, of this number, has ended."""
    while os.getppid() == parent:
        time.sleep(PARENT_SECONDS)


_requests: dict[str, ChunkRequest] = {}
"""The last request of this process, by its digest."""


def play_chunk(arguments: tuple[Any, ...], note: Any, stop: Any) -> Answer | Exception:
    """Play the matches of a chunk in this process, and return the answer or the exception."""
    (stored,), first, last = arguments
    try:
        called = time.perf_counter()
        if stored.digest not in _requests:
            _requests.clear()
            request = cloudpickle.loads(Path(stored.path).read_bytes())
            request.entrants.decode()
            _requests[stored.digest] = request
        return played_chunk(_requests[stored.digest], first, last, called)
    except Exception as error:
        return sendable(error, "a process", cloudpickle)
