"""Ray actors as workers, for chunks of matches, pieces of work and jobs."""

from __future__ import annotations

import copy
import importlib
import math
import os
import signal
import textwrap
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cluster.evaluator import ClusterError, Work, play_part
from cluster.faults import WorkerIdentity
from cluster.jobs import Function, attempt
from cluster.ray_connection import RayConnection, fingerprint, packed
from cluster.supervisor import Answer, Supervisor, Transport, Worker
from tournaments.arena.entrants import Entrants
from tournaments.arena.forfeits import Forfeit
from tournaments.schedules.base import Matches

FETCH_SECONDS = 60.0
"""Seconds for an answer that is there to reach this process."""
LOOK_SECONDS = 1.0
"""Seconds between two looks at the nodes of the cluster."""
REPORT_SECONDS = 0.5
"""Seconds between two requests for the progress of a job."""


class ChunkRequest(NamedTuple):
    """The entrants and matches that all calls of a schedule share."""

    entrants: Entrants
    matches: Matches


class PlayedPart(NamedTuple):
    """Outcomes of matches, int16 ``[m, games, 2]``, and the games lost by a fault."""

    outcomes: np.ndarray
    forfeits: Sequence[Forfeit]


class Report(NamedTuple):
    """The progress of an actor's job; None if it has not reported since the last call."""

    amount: int | None


def who_is_here() -> WorkerIdentity:
    """Return the identity of the Ray actor that this process is."""
    ray = importlib.import_module("ray")
    context, address = ray.get_runtime_context(), ray.util.get_node_ip_address()
    name = context.get_actor_id()
    return WorkerIdentity(context.get_node_id(), address, name, fingerprint(), os.getpid())


class WorkerActor:
    """An actor that plays matches, with the last request and its decoded entrants, or does a job.

    Exceptions of the work are returned. Ray would wrap them, and would log further exceptions after
    the first has ended the call.
    """

    def __init__(self) -> None:
        self._name = ""
        self._request: ChunkRequest | None = None
        self._amount: int | None = None
        self._is_stopped = False

    def ready(self) -> WorkerIdentity:
        """Return the identity of this Ray actor; an answer shows that the actor has started."""
        return who_is_here()

    def play(self, held: list[Any], first: int, last: int) -> Answer | Exception:
        """Play the matches from number ``first`` to ``last`` - 1 of a schedule, in a Ray actor.

        ``held`` is a list with the reference of the request: the entrants and the schedule.

        The reference is in a list because Ray would replace a bare reference by its object, which
        would be unpickled anew for each call.
        """

        def work(ray: Any) -> Answer:
            called = time.perf_counter()
            request = self._fetched(ray, held[0])
            return played_chunk(request, first, last, called)

        return _returned(work)

    def work(self, piece: Work) -> Answer | Exception:
        """Do a piece of work in a Ray actor and return its result, or its exception."""

        def work(ray: Any) -> Answer:
            started = time.perf_counter()
            result = copy.deepcopy(piece).run()  # arrays that come from elsewhere are read-only
            return Answer(result, time.perf_counter() - started)

        return _returned(work)

    def perform(self, function: Function, job: Any) -> Answer:
        """Call a function for a job in a Ray actor. Other threads report on the job and stop it."""
        outcome = attempt(function, job, self._note, lambda: self._is_stopped)
        self._amount = None  # which is of this job
        return Answer(outcome)

    def _note(self, amount: int) -> None:
        self._amount = amount

    def report(self) -> Report:
        """Return the progress that the job of this Ray actor has reported since the last call."""
        amount, self._amount = self._amount, None
        return Report(amount)

    def stop(self) -> None:
        """Ask the job of this Ray actor to stop early."""
        self._is_stopped = True

    def _fetched(self, ray: Any, reference: Any) -> ChunkRequest:
        if self._request is None or reference.hex() != self._name:
            self._request = None  # room for the next before it is decoded
            request: ChunkRequest = ray.get(reference)
            request.entrants.decode()
            self._request, self._name = request, reference.hex()
        return self._request


def played_chunk(request: ChunkRequest, first: int, last: int, called: float) -> Answer:
    """Play the matches from number ``first`` to ``last`` - 1 of a request, and return the answer.

    ``called`` is the time of ``time.perf_counter()`` before the request was fetched.
    """
    started = time.perf_counter()
    played = play_part(*request, first, last)
    seconds = time.perf_counter() - started
    return Answer(PlayedPart(played.outcomes, played.forfeits), seconds, started - called)


def sendable(error: Exception, where: str, pickler: Any) -> Exception:
    """Return the exception that is being handled in a form that can be sent to another process.

    Args:
        error: the exception.
        where: the kind of worker that raised it, in words.
        pickler: the module by which it is sent.
    """
    error.add_note(f"Raised in {where}:\n{traceback.format_exc()}")
    try:
        return pickler.loads(pickler.dumps(error))
    except Exception:
        return ClusterError(f"{type(error).__name__} in {where}: {error}")


def _returned(work: Callable[[Any], Answer]) -> Answer | Exception:
    """Call a function in a Ray actor and return its answer, or the exception that it raises.

    An exception is returned in a form that can be sent to another process.
    """
    ray = importlib.import_module("ray")
    try:
        return work(ray)
    except ray.exceptions.ObjectLostError:
        raise
    except Exception as error:
        return sendable(error, "a Ray actor", ray.cloudpickle)


@dataclass
class ReportedJob:
    """The job of an actor that is asked for progress.

    Attributes:
        due: when the actor is asked next.
    """

    ticket: int
    due: float


class RayTransport(Transport):
    """Ray actors, with one processor each."""

    can_end = True

    def __init__(self, connection: RayConnection, *, reports: bool = False) -> None:
        """Prepare Ray actors as workers.

        Args:
            connection: the connection to Ray, which makes the actors.
            reports: whether actors do jobs and are asked for their progress.
        """
        self.plays_with, self.size = fingerprint(), connection.actors
        self.ray, self.connection = connection.ray, connection
        self.handles: dict[int, Any] = {}
        self.avoided = set()
        self._reports = reports
        self._jobs: dict[int, ReportedJob] = {}
        self._awaited: dict[Any, tuple[int, int]] = {}  # number of a worker, ticket (0: its start)
        self._placed: dict[int, str] = {}
        self._nodes: list[dict[str, Any]] = []
        self._looked = -LOOK_SECONDS

    def now(self) -> float:
        return time.monotonic()

    def room(self) -> int:
        return int(sum(node["Resources"].get("CPU", 0) for node in self._usable()))

    def _usable(self) -> list[dict[str, Any]]:
        """Return the nodes of the cluster that are alive and not avoided, maybe a moment old."""
        self.connection.check_node()
        if self.now() - self._looked >= LOOK_SECONDS:
            self._nodes, self._looked = self.ray.nodes(), self.now()
        usable = [node for node in self._nodes if node["Alive"]]
        return [node for node in usable if node["NodeID"] not in self.avoided]

    def situation(self) -> str:
        free = self.ray.available_resources().get("CPU", 0)
        return f"each takes one CPU, of which {free:g} are free"

    def start(self, worker: int) -> None:
        threads = {"max_concurrency": 2} if self._reports else {}
        handle = self.connection.make(WorkerActor, **threads, **self._place(worker))
        self.handles[worker] = handle
        self._awaited[handle.ready.remote()] = worker, 0

    def _place(self, worker: int) -> dict[str, Any]:
        """Return the option of Ray that places a worker on a node.

        No option is returned, so that Ray chooses, if no node is avoided.
        """
        if not self.avoided:
            return {}
        taken = list(self._placed.values())
        free = {
            node["NodeID"]: node["Resources"].get("CPU", 0) - taken.count(node["NodeID"])
            for node in self._usable()
        }
        if not free:
            return {}
        node = self._placed[worker] = max(free, key=lambda name: free[name])
        strategies = importlib.import_module("ray.util.scheduling_strategies")
        return {"scheduling_strategy": strategies.NodeAffinitySchedulingStrategy(node, soft=False)}

    def hand(self, worker: int, ticket: int, name: str, arguments: tuple[Any, ...]) -> None:
        self.connection.check_node()
        if self._reports:
            arguments = tuple(packed(argument) for argument in arguments)
            self._jobs[worker] = ReportedJob(ticket, self.now())
        reference = getattr(self.handles[worker], name).remote(*arguments)
        self._awaited[reference] = worker, ticket

    def wait(self, seconds: float, supervisor: Supervisor) -> bool:
        self._ask_for_reports()
        if not self._awaited:
            time.sleep(seconds)
            return False
        done, _ = self.ray.wait(list(self._awaited), num_returns=1, timeout=seconds)
        self.connection.check_node()
        for reference in done:
            self._pass_on(reference, supervisor)
            self._awaited.pop(reference, None)
        return bool(done)

    def _ask_for_reports(self) -> None:
        """Ask the actors that do jobs for their progress, each at intervals."""
        for worker, job in self._jobs.items():
            if self.now() >= job.due:
                job.due = math.inf  # until the actor has answered
                with suppress(*self.connection.losses):
                    reference = self.handles[worker].report.remote()
                    self._awaited[reference] = worker, job.ticket

    def _pass_on(self, reference: Any, supervisor: Supervisor) -> None:
        """Fetch an actor's answer to a call and pass it on to the supervisor.

        Args:
            reference: Ray's reference of the answer.
            supervisor: informed of the start, the progress, the result or the loss of the worker.
        """
        worker, ticket = self._awaited[reference]
        errors = self.ray.exceptions
        try:
            answer = self.ray.get(reference, timeout=FETCH_SECONDS)
        except errors.RayTaskError as error:
            answer = error.cause
        except errors.RayError as error:
            answer = error
        if isinstance(answer, WorkerIdentity):
            self._placed[worker] = answer.node
            supervisor.started(worker, answer)
        elif isinstance(answer, Report):
            job = self._jobs.get(worker)
            if job is not None and job.ticket == ticket:  # not of the job before
                job.due = self.now() + REPORT_SECONDS
                if answer.amount is not None:
                    supervisor.reported(worker, ticket, answer.amount)
        elif isinstance(answer, Answer):
            self._jobs.pop(worker, None)
            supervisor.answered(worker, ticket, answer)
        elif isinstance(answer, (*self.connection.losses, errors.GetTimeoutError)) or not ticket:
            supervisor.lost(worker, _why(answer), self._may_be_blamed(worker, answer))
        else:
            self._jobs.pop(worker, None)
            if isinstance(answer, errors.RayError):
                answer = ClusterError(f"Ray could not do the work: {last_line(answer)}")
            supervisor.failed(worker, ticket, answer)

    def _may_be_blamed(self, worker: int, error: Exception) -> bool:
        """Return whether the task of a lost worker may have ended the worker.

        This is so if the worker's node is alive and the error is not that an object was lost.
        """
        if isinstance(error, self.ray.exceptions.ObjectLostError):
            return False
        self._looked = -LOOK_SECONDS
        self._usable()
        alive = {node["NodeID"] for node in self._nodes if node["Alive"]}
        return self._placed.get(worker) in {*alive, None}

    def stop(self) -> None:
        for handle in self.handles.values():
            with suppress(*self.connection.losses):
                handle.stop.remote()

    def end(self, worker: Worker) -> None:
        number = worker.number
        self._placed.pop(number, None)
        self._jobs.pop(number, None)
        for reference in [key for key, (held, _) in self._awaited.items() if held == number]:
            del self._awaited[reference]
        if number in self.handles:
            self.connection.end(self.handles.pop(number))
        if worker.who and worker.who.address == self.ray.util.get_node_ip_address():
            _kill_of_ray(worker.who.pid)

    def close(self) -> None:
        while self.handles and self.ray.is_initialized():
            self.connection.end(self.handles.popitem()[1])
        self.connection.close()


def _kill_of_ray(pid: int) -> None:
    """Kill a Ray worker of this machine, also if it is stopped and ignores Ray's request."""
    with suppress(OSError):
        if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::"):
            os.kill(pid, signal.SIGKILL)


def _why(error: Exception) -> str:
    if "ModuleNotFoundError" in str(error) or "ImportError" in str(error):
        return (
            "Ray's workers cannot import this package; install the same version of evo-tournaments "
            f"on every node ({last_line(error)})"
        )
    return last_line(error)


def last_line(error: BaseException) -> str:
    """Return the last line of an error's message, where Ray puts the reason."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return textwrap.shorten(lines[-1], 200, placeholder="...") if lines else type(error).__name__
