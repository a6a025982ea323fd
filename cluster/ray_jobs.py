"""Whole jobs in Ray actors; see :mod:`cluster.jobs`. Ray is imported when a crew is made."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from cluster.jobs import Crew, Function, Outcome, WorkerLost, answer
from cluster.ray_connection import RayConnection


class JobActor:
    """What runs in an actor: a job, in one of its threads; others tell of it and stop it."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._done: dict[int, int] = {}
        self._stopped = False

    def call(self, number: int, job: Any) -> Outcome:
        """Do a job."""
        return answer(self._function, number, job, self._done, lambda: self._stopped)

    def done(self) -> dict[int, int]:
        """How much of its jobs is done."""
        return dict(self._done)

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
        self._connection = connection = RayConnection(size, address)
        self._ray, self.size = connection.ray, connection.actors
        self._make = lambda: connection.make(JobActor, function, max_concurrency=2)
        self._actors = [self._make() for _ in range(self.size)]
        self._done = [0] * jobs

    def call(self, worker: int, number: int, job: Any) -> Outcome:
        try:
            return self._ray.get(self._actors[worker].call.remote(number, job))
        except self._connection.losses:
            self._actors[worker] = self._make()
            raise WorkerLost from None

    def done(self) -> Sequence[int]:
        late = self._ray.exceptions.GetTimeoutError
        for actor in self._actors:
            with contextlib.suppress(*self._connection.losses, late):
                for number, much in self._ray.get(actor.done.remote(), timeout=0.2).items():
                    self._done[number] = much
        return self._done

    def stop(self) -> None:
        for actor in self._actors:
            with contextlib.suppress(*self._connection.losses):
                actor.stop.remote()

    def close(self) -> None:
        while self._actors:
            self._connection.end(self._actors.pop())
        self._connection.close()
