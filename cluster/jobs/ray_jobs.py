"""Whole jobs in Ray actors; see :mod:`cluster.jobs.jobs`. Ray is imported when a crew is made."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cluster.jobs.jobs import Crew, Function, Outcome, Worker, WorkerLost, answer
from cluster.ray_connection import RayConnection, packed

PULSE_SECONDS = 0.5
"""From one question to an actor to the next."""
WAIT_SECONDS = 0.1
"""For answers of actors; a job is waited for in steps of a hundred times that."""


class Pulse(NamedTuple):
    """What an actor answers: how much of its jobs is done and how often they said so, by number,
    and which process it is."""

    told: dict[int, tuple[int, int]]
    host: str
    pid: int


class JobActor:
    """What runs in an actor: a job, in one of its threads; others tell of it and stop it."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._done: dict[int, int] = {}
        self._times: Counter[int] = Counter()
        self._stopped = False

    def call(self, number: int, job: Any) -> Outcome:
        """Do a job."""
        stop = lambda: self._stopped  # noqa: E731
        return answer(self._function, number, job, self._done, self._times, stop)

    def told(self) -> Pulse:
        """What its jobs told."""
        told = {number: (much, self._times[number]) for number, much in [*self._done.items()]}
        return Pulse(told, socket.gethostname(), os.getpid())

    def stop(self) -> None:
        """Ask the job in hand to stop."""
        self._stopped = True


class Actors(Crew):
    """Ray actors, of one processor each, on this machine or on a cluster."""

    def __init__(
        self, function: Function, jobs: int, size: int | None = None, address: str | None = None
    ) -> None:
        """
        Args:
            function: of a module that the nodes have.
            jobs: how many there will be.
            size, address: the actors, see :class:`cluster.ray_connection.RayConnection`.

        Raises:
            ClusterError: as of that connection.
        """
        self.function = function
        self.connection = connection = RayConnection(size, address)
        self._ray, self.size = connection.ray, min(connection.actors, max(1, jobs))
        self._actors: list[_Actor] = []
        self._told = [(0, 0)] * jobs

    def hire(self) -> Worker:
        self._actors = [actor for actor in self._actors if not actor.is_ended]
        self._actors.append(_Actor(self))
        return self._actors[-1]

    def told(self) -> Sequence[tuple[int, int]]:
        self.connection.check_node()
        asked = {actor.pulse: actor for actor in self._actors if actor.pulse is not None}
        if asked:
            wait = {"num_returns": len(asked), "timeout": WAIT_SECONDS}
            for pulse in self._ray.wait(list(asked), **wait)[0]:
                for number, told in asked[pulse].heard().items():
                    self._told[number] = told
        for actor in self._actors:
            actor.ask()
        return self._told

    def stop(self) -> None:
        for actor in self._actors:
            with contextlib.suppress(*self.connection.losses):
                actor.handle.stop.remote()

    def close(self) -> None:
        while self._actors:
            self._actors.pop().end()
        self.connection.close()


class _Actor(Worker):
    """An actor that does jobs.

    Attributes:
        pulse: the answer to come of the actor that was asked what its jobs tell; None: it was not.
        is_ended: nobody waits for it any more.
    """

    is_ready = False
    is_ended = False
    can_end = True

    def __init__(self, crew: Actors) -> None:
        self._connection, self._ray = crew.connection, crew.connection.ray
        self.handle = crew.connection.make(JobActor, crew.function, max_concurrency=2)
        self.pulse: Any = None
        self._process: Any = ("", 0)
        self._asked = -PULSE_SECONDS
        self.ask()

    def ask(self) -> None:
        """Ask what the jobs tell, now and then."""
        now = time.monotonic()
        if self.pulse is None and not self.is_ended and now - self._asked > PULSE_SECONDS:
            self._asked = now
            with contextlib.suppress(*self._connection.losses):
                self.pulse = self.handle.told.remote()

    def heard(self) -> dict[int, tuple[int, int]]:
        """What the jobs told, once the actor has answered."""
        answered, self.pulse = self.pulse, None
        self.is_ready = True  # where it is lost the job says so
        try:
            told, *self._process = self._ray.get(answered)
        except self._connection.losses:
            return {}
        return told

    def call(self, number: int, job: Any) -> Outcome:
        try:
            outcome = self.handle.call.remote(number, packed(job))
            while not self._ray.wait([outcome], timeout=100 * WAIT_SECONDS)[0]:
                if self.is_ended:
                    raise WorkerLost
            return self._ray.get(outcome)
        except self._connection.losses as error:
            raise WorkerLost(str(error).strip().rpartition("\n")[2][:200]) from None

    def end(self) -> None:
        self.is_ended = True
        self._connection.end(self.handle)
        host, pid = self._process
        if host == socket.gethostname() and _is_of_ray(pid):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)  # Ray asks: a process that was stopped does not hear


def _is_of_ray(pid: int) -> bool:
    """Whether a process of this machine is one of Ray's workers."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::")
    return False
