"""Ray actors as the workers of a pool."""

from __future__ import annotations

import copy
import importlib
import os
import textwrap
import time
import traceback
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cluster.evaluator import ClusterError, Work, play_part
from cluster.faults import Who
from cluster.pool.transport import Answered, Event, Lost, Raised, Started
from cluster.ray_connection import RayConnection, fingerprint
from tournaments.arena.entrants import Entrants
from tournaments.arena.forfeits import Forfeit
from tournaments.schedules.base import Matches

FETCH_SECONDS = 60.0  # for an answer that is there to reach this process
LOOK_SECONDS = 1.0  # between two looks at the nodes of the cluster


class Job(NamedTuple):
    """All that the calls of a schedule have in common."""

    entrants: Entrants
    matches: Matches


class PlayedPart(NamedTuple):
    """What came of matches: int16 ``[m, games, 2]``, and the games that were lost by a fault."""

    outcomes: np.ndarray
    forfeits: Sequence[Forfeit]


class Answer(NamedTuple):
    """What an actor made of a call, and how long it took.

    Attributes:
        outcomes: :class:`PlayedPart`, or what came of a piece of work.
        seconds: that the work took.
        preparing: seconds that fetching and decoding the entrants took before.
    """

    outcomes: Any
    seconds: float
    preparing: float = 0.0


def who_is_here() -> Who:
    """The actor that this process is, and what it plays with."""
    ray = importlib.import_module("ray")
    context, address = ray.get_runtime_context(), ray.util.get_node_ip_address()
    name = context.get_actor_id()
    return Who(context.get_node_id(), address, name, fingerprint(), os.getpid())


class MatchActor:
    """What runs in an actor: the job that it was last told of, its entrants decoded."""

    def __init__(self) -> None:
        self._name = ""
        self._job: Job | None = None

    def ready(self) -> Who:
        """Answers once the actor has started: who it is, and what it plays with."""
        return who_is_here()

    def play(self, held: list[Any], first: int, last: int) -> Answer | Exception:
        """Play the matches first..last-1 of a job; ``held`` holds its reference.

        It is in a list because Ray would replace a bare reference by what it stands for, which
        would be unpickled anew for each call. What a game or a player raises is returned: Ray
        would wrap it, and log those that nobody asks for once the first has ended the call.
        """
        ray = importlib.import_module("ray")
        try:
            called = time.perf_counter()
            job = self._fetched(ray, held[0])
            started = time.perf_counter()
            played = play_part(*job, first, last)
            return Answer(
                PlayedPart(played.outcomes, played.forfeits),
                time.perf_counter() - started,
                started - called,
            )
        except ray.exceptions.ObjectLostError:
            raise
        except Exception as error:
            error.add_note(f"Raised in a Ray actor:\n{traceback.format_exc()}")
            return _portable(error, ray.cloudpickle)

    def work(self, piece: Work) -> Answer | Exception:
        """Do a piece of work; what it raises is returned, as by :meth:`play`."""
        ray = importlib.import_module("ray")
        try:
            started = time.perf_counter()
            result = copy.deepcopy(piece).run()  # arrays that come from elsewhere are read-only
            return Answer(result, time.perf_counter() - started)
        except Exception as error:
            error.add_note(f"Raised in a Ray actor:\n{traceback.format_exc()}")
            return _portable(error, ray.cloudpickle)

    def _fetched(self, ray: Any, reference: Any) -> Job:
        if self._job is None or reference.hex() != self._name:
            self._job = None  # room for the next before it is decoded
            job: Job = ray.get(reference)
            job.entrants.decode()
            self._job, self._name = job, reference.hex()
        return self._job


def _portable(error: Exception, serializer: Any) -> Exception:
    """The error, or one that tells of it where it would not arrive whole."""
    try:
        return serializer.loads(serializer.dumps(error))
    except Exception:
        return ClusterError(f"{type(error).__name__} in a Ray actor: {error}")


class RayTransport:
    """Ray actors as workers; see :class:`cluster.pool.pool.Transport`."""

    def __init__(self, connection: RayConnection) -> None:
        self.plays_with = fingerprint()
        self.ray, self._connection = connection.ray, connection
        self.handles: dict[int, Any] = {}
        self._awaited: dict[Any, tuple[int, int, Any]] = {}  # worker, ticket (0: a start), job
        self._placed: dict[int, str] = {}
        self._avoided: set[str] = set()
        self._nodes: list[dict[str, Any]] = []
        self._looked = -LOOK_SECONDS

    def now(self) -> float:
        return time.monotonic()

    def room(self) -> int:
        return int(sum(node["Resources"].get("CPU", 0) for node in self._usable()))

    def _usable(self) -> list[dict[str, Any]]:
        """The nodes that are alive and not to be avoided, as of a moment ago."""
        self._connection.check_node()
        if self.now() - self._looked >= LOOK_SECONDS:
            self._nodes, self._looked = self.ray.nodes(), self.now()
        usable = [node for node in self._nodes if node["Alive"]]
        return [node for node in usable if node["NodeID"] not in self._avoided]

    def start(self, worker: int) -> None:
        handle = self._connection.make(MatchActor, **self._place(worker))
        self.handles[worker] = handle
        self._awaited[handle.ready.remote()] = worker, 0, None

    def _place(self, worker: int) -> dict[str, Any]:
        """Where a worker starts: wherever Ray likes, unless there are nodes to be avoided."""
        if not self._avoided:
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

    def hand(self, worker: int, ticket: int, job: Any, part: slice) -> None:
        self._connection.check_node()
        reference = job.hand(self.handles[worker], part)
        self._awaited[reference] = worker, ticket, job

    def wait(self, seconds: float) -> list[Event]:
        if not self._awaited:
            time.sleep(seconds)
            return []
        seconds = min(seconds, LOOK_SECONDS)
        done, _ = self.ray.wait(list(self._awaited), num_returns=1, timeout=seconds)
        self._connection.check_node()
        try:
            return [self._event(reference) for reference in done]
        finally:
            for reference in done:
                del self._awaited[reference]

    def has(self, worker: int, ticket: int) -> bool:
        return any(held[:2] == (worker, ticket) for held in self._awaited.values())

    def end(self, worker: int) -> None:
        self._placed.pop(worker, None)
        for reference in [key for key, held in self._awaited.items() if held[0] == worker]:
            del self._awaited[reference]
        self._connection.end(self.handles.pop(worker))

    def avoid(self, node: str) -> None:
        self._avoided.add(node)

    def situation(self) -> str:
        free = self.ray.available_resources().get("CPU", 0)
        return f"each takes one CPU, of which {free:g} are free"

    def _event(self, reference: Any) -> Event:
        """What the answer to a call says."""
        worker, ticket, job = self._awaited[reference]
        errors = self.ray.exceptions
        try:
            answer = self.ray.get(reference, timeout=FETCH_SECONDS)
        except errors.RayTaskError as error:
            answer = error.cause
        except errors.RayError as error:
            answer = error
        if isinstance(answer, Who):
            self._placed[worker] = answer.node
            return Started(worker, answer)
        if isinstance(answer, Answer):
            return Answered(worker, ticket, *answer)
        return self._fault(worker, ticket, job, answer)

    def _fault(self, worker: int, ticket: int, job: Any, error: Exception) -> Event:
        """What an error says: that a worker was lost, or that this is the end."""
        errors = self.ray.exceptions
        if isinstance(error, errors.ObjectLostError) and job is not None:
            job.renew()
            return Lost(worker, last_line(error), blame=False)
        if isinstance(error, (*self._connection.losses, errors.GetTimeoutError)) or not ticket:
            return Lost(worker, _why(error), self._is_alive(self._placed.get(worker)))
        if isinstance(error, errors.RayError):
            return Raised(
                worker, ticket, ClusterError(f"Ray could not play the matches: {last_line(error)}")
            )
        return Raised(worker, ticket, error)

    def _is_alive(self, node: str | None) -> bool:
        """Whether a node is there still, so that its worker is lost by a fault of its own."""
        self._looked = -LOOK_SECONDS
        self._usable()
        return node is None or any(n["NodeID"] == node and n["Alive"] for n in self._nodes)


def _why(error: Exception) -> str:
    if "ModuleNotFoundError" in str(error) or "ImportError" in str(error):
        return (
            "Ray's workers cannot import this package; install the same version of evo-tournaments "
            f"on every node ({last_line(error)})"
        )
    return last_line(error)


def last_line(error: BaseException) -> str:
    """The last line of an error's message, which is what Ray puts the reason into."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return textwrap.shorten(lines[-1], 200, placeholder="...") if lines else type(error).__name__
