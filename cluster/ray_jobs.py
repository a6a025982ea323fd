"""Whole jobs in Ray actors; see :mod:`cluster.jobs`. Ray is imported when a crew is made."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from cluster.evaluator import ClusterError
from cluster.jobs import Function, WorkerLost, answer
from cluster.ray_connection import connect, environment_here, import_ray, is_all_here
from cluster.threads import available_threads


class JobActor:
    """What runs in an actor: a job, in one of its threads; others tell of it and stop it."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._done: dict[int, int] = {}
        self._stopped = False

    def call(self, number: int, job: Any) -> tuple[Any, Exception | None]:
        """Do a job."""

        def tell(much: int) -> None:
            self._done[number] = much

        return answer(self._function, job, tell, lambda: self._stopped)

    def done(self) -> dict[int, int]:
        """How much of its jobs is done."""
        return dict(self._done)

    def stop(self) -> None:
        """Ask the job in hand to stop."""
        self._stopped = True


class Actors:
    """Ray actors, of one processor each, on this machine or on a cluster.

    Where Ray already runs in this process it is used as it is, and left running by :meth:`close`.
    """

    def __init__(
        self, function: Function, jobs: int, size: int | None = None, address: str | None = None
    ) -> None:
        """
        Args:
            function: of a module that the nodes have.
            jobs: how many there will be.
            size: how many actors; by default one for each processor of this machine or the cluster.
            address: as for :class:`cluster.ray_matches.RayEvaluator`.

        Raises:
            ClusterError: Ray is not installed or does not start; or no cluster answers.
        """
        if size is not None and size < 1:
            raise ClusterError(f"actors={size} given; at least 1 is expected")
        self._ray = ray = import_ray()
        self._started = not ray.is_initialized()
        if self._started:
            connect(ray, size or available_threads(), address)
        self.size = size or max(1, int(ray.cluster_resources().get("CPU", 1)))
        environment = environment_here() if is_all_here(ray) else None
        options = {"num_cpus": 1, "runtime_env": environment, "max_concurrency": 2}
        self._make = lambda: ray.remote(JobActor).options(**options).remote(function)
        errors = ray.exceptions
        self._losses = (errors.RayActorError, errors.WorkerCrashedError, errors.OutOfMemoryError)
        self._actors = [self._make() for _ in range(self.size)]
        self._done = [0] * jobs

    def call(self, worker: int, number: int, job: Any) -> Any:
        """See :meth:`cluster.jobs.Crew.call`."""
        try:
            value, error = self._ray.get(self._actors[worker].call.remote(number, job))
        except self._losses:
            self._actors[worker] = self._make()
            raise WorkerLost from None
        if error is not None:
            raise error
        return value

    def done(self) -> Sequence[int]:
        """See :meth:`cluster.jobs.Crew.done`."""
        for actor in self._actors:
            with contextlib.suppress(*self._losses, self._ray.exceptions.GetTimeoutError):
                for number, much in self._ray.get(actor.done.remote(), timeout=0.2).items():
                    self._done[number] = much
        return self._done

    def stop(self) -> None:
        """See :meth:`cluster.jobs.Crew.stop`."""
        for actor in self._actors:
            with contextlib.suppress(*self._losses):
                actor.stop.remote()

    def close(self) -> None:
        """End the actors, and Ray too if this crew started it."""
        for actor in self._actors:
            with contextlib.suppress(Exception):
                self._ray.kill(actor)
        self._actors = []
        if self._started:
            self._ray.shutdown()
