"""Matches by Ray actors, on this machine or on a cluster.

The entrants go into the object store once a call; actors fetch and decode them once, then play
chunks of the schedule. A chunk is pure: its outcomes depend on the entrants, pairs and seeds alone.
So results are taken as they come, and what a lost actor had in hand is played again by another.

Ray is imported when an evaluator is made, never before.
"""

from __future__ import annotations

import contextlib
import importlib
import textwrap
import traceback
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cluster.evaluator import ClusterError, Entrants, chunks
from cluster.fingerprint import fingerprint
from cluster.local import available_threads
from cluster.ray_connection import connect, environment_here, import_ray, is_all_here
from tournaments.arena import Field, play_pairs

IN_FLIGHT = 2  # chunks an actor has: one to play, one at hand when that is done
ATTEMPTS = 5  # how often in a row a chunk, or an actor that starts, may be lost
START_SECONDS = 300.0  # to wait for a first actor: a cluster may have to start a machine for it


class MatchActor:
    """What runs in an actor: one field of entrants, decoded, and the matches played on it."""

    def __init__(self) -> None:
        self._name = ""
        self._field: Field | None = None

    def ready(self) -> str:
        """Answers once the actor has started: what it plays with."""
        return fingerprint()

    def play(
        self, held: list[Any], pairs: np.ndarray, seeds: np.ndarray, games: int
    ) -> np.ndarray | Exception:
        """Play a chunk; ``held`` holds the reference of the entrants.

        It is in a list because Ray would replace a bare reference by what it stands for, which
        would be unpickled anew for each chunk. What a game or a player raises is returned: Ray
        would wrap it, and log those that nobody asks for once the first has ended the call.
        """
        ray = importlib.import_module("ray")
        try:
            field = self._decoded(ray, held[0])
            # Arrays that Ray hands over are read-only, for which numba would compile once more.
            return play_pairs(field, pairs.copy(), seeds.copy(), games)
        except ray.exceptions.ObjectLostError:
            raise
        except Exception as error:
            error.add_note(f"Raised in a Ray actor:\n{traceback.format_exc()}")
            return _portable(error, ray.cloudpickle)

    def _decoded(self, ray: Any, reference: Any) -> Field:
        if self._field is None or reference.hex() != self._name:
            self._field = None  # room for the next before it is decoded
            entrants = ray.get(reference)
            self._field = replace(entrants, genomes=entrants.genomes.copy()).decode()
            self._name = reference.hex()
        return self._field


def _portable(error: Exception, serializer: Any) -> Exception:
    """The error, or one that tells of it where it would not arrive whole."""
    try:
        return serializer.loads(serializer.dumps(error))
    except Exception:
        return ClusterError(f"{type(error).__name__} in a Ray actor: {error}")


class RayEvaluator:
    """Plays matches in Ray actors, each with one processor.

    Where Ray already runs in this process it is used as it is, and left running by :meth:`close`.
    """

    def __init__(
        self, actors: int | None = None, address: str | None = None, chunk: int | None = None
    ) -> None:
        """
        Args:
            actors: how many; by default one for each processor of this machine or the cluster.
            address: of a cluster to join, ``HOST:PORT``, ``auto`` or ``ray://HOST:PORT``; without
                one Ray is started on this machine.
            chunk: matches a piece; by default four pieces an actor.

        Raises:
            ClusterError: fewer than one actor, Ray is not installed or does not start, or no
                cluster answers at the address.
        """
        if actors is not None and actors < 1:
            raise ClusterError(f"actors={actors} given; at least 1 is expected")
        self._ray = import_ray()
        self._pool: _Pool | None = None
        self._started = not self._ray.is_initialized()
        self.chunk = chunk
        try:
            if self._started:
                connect(self._ray, actors or available_threads(), address)
            self.actors = actors or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            self._pool = _Pool(self._ray, self.actors)
        except BaseException:
            self.close()
            raise

    def play(
        self, entrants: Entrants, pairs: np.ndarray, seeds: np.ndarray, games: int = 2
    ) -> np.ndarray:
        """See :meth:`cluster.evaluator.Evaluator.play`.

        An exception of a game or a player is raised as it is.

        Raises:
            ClusterError: the entrants cannot be sent, no actor starts, or the same matches have
                lost their actor several times in a row.
        """
        if self._pool is None or not self._ray.is_initialized():
            raise ClusterError("this evaluator is closed; make another")
        outcomes = np.empty((len(pairs), games, 2), dtype=np.int16)
        if len(pairs):
            parts = deque(chunks(len(pairs), self.actors, self.chunk))
            _Round(self._pool, entrants, pairs, seeds, outcomes, parts).run()
        return outcomes

    def close(self) -> None:
        """End the actors, and Ray too if this evaluator started it."""
        if self._pool is not None and self._ray.is_initialized():
            self._pool.end()
        self._pool = None
        if self._started:
            self._started = False
            self._ray.shutdown()


@dataclass(eq=False)
class _Actor:
    """An actor, and the answer that tells when it has started (None: it has)."""

    handle: Any
    starting: Any


class _Pool:
    """A fixed number of actors; one that is lost is replaced."""

    def __init__(self, ray: Any, size: int) -> None:
        self.ray = ray
        environment = environment_here() if is_all_here(ray) else None
        options = {"num_cpus": 1, "runtime_env": environment}
        self._make = ray.remote(MatchActor).options(**options).remote
        errors = ray.exceptions
        self.losses: tuple[type[Exception], ...] = (errors.RayActorError, errors.ObjectLostError)
        self.losses += (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError)
        self._failed_starts = 0
        self.actors = [self._start() for _ in range(size)]

    def _start(self) -> _Actor:
        handle = self._make()
        return _Actor(handle, handle.ready.remote())

    @property
    def started(self) -> list[_Actor]:
        return [actor for actor in self.actors if actor.starting is None]

    @property
    def starting(self) -> list[Any]:
        return [actor.starting for actor in self.actors if actor.starting is not None]

    def greet(self, answer: Any) -> None:
        """Take note that an actor has started, or failed to."""
        actor = next(actor for actor in self.actors if actor.starting == answer)
        try:
            theirs = self.ray.get(answer)
        except self.ray.exceptions.RayError as error:
            self._failed_starts += 1
            if self._failed_starts >= ATTEMPTS:
                raise ClusterError(_why_no_start(error)) from error
            self.replace(actor)
        else:
            if theirs != fingerprint():
                raise ClusterError(
                    f"a Ray worker plays with {theirs}, this process with {fingerprint()}: results "
                    "would depend on who plays; install the same versions on every node"
                )
            actor.starting = None
            self._failed_starts = 0

    def replace(self, actor: _Actor) -> None:
        """Start another in the place of one that is lost; nothing where that has been done."""
        if actor in self.actors:
            self._kill(actor)
            self.actors[self.actors.index(actor)] = self._start()

    def end(self) -> None:
        while self.actors:
            self._kill(self.actors.pop())

    def _kill(self, actor: _Actor) -> None:
        with contextlib.suppress(Exception):  # it may be gone already
            self.ray.kill(actor.handle)


def _why_no_start(error: Exception) -> str:
    if "ModuleNotFoundError" in str(error) or "ImportError" in str(error):
        return (
            "Ray's workers cannot import this package; install the same version of evo-tournaments "
            f"on every node ({_line(error)})"
        )
    return f"no Ray actor starts, {ATTEMPTS} attempts failed in a row: {_line(error)}"


def _line(error: BaseException) -> str:
    """The last line of an error's message, which is what Ray puts the reason into."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return textwrap.shorten(lines[-1], 200, placeholder="...") if lines else type(error).__name__


@dataclass
class _Round:
    """One schedule on its way through the actors.

    Attributes:
        outcomes: int16 ``[M, games, 2]``, filled chunk by chunk.
        waiting: chunks that no actor has.
        in_flight: for the reference of each result to come, who plays which chunk.
        losses: for the start of each chunk, how often in a row its actor was lost.
    """

    pool: _Pool
    entrants: Entrants
    pairs: np.ndarray
    seeds: np.ndarray
    outcomes: np.ndarray
    waiting: deque[slice]
    in_flight: dict[Any, tuple[_Actor, slice]] = field(default_factory=dict)
    losses: Counter[int] = field(default_factory=Counter)
    load: Counter[_Actor] = field(default_factory=Counter)

    def run(self) -> None:
        self._put()
        while self.waiting or self.in_flight:
            self._hand_out()
            done = self._first_done()
            if done in self.in_flight:
                self._take(done)
            else:
                self.pool.greet(done)

    def _put(self) -> None:
        try:
            self.reference = self.pool.ray.put(self.entrants)
        except TypeError as error:
            raise ClusterError(
                "the entrants cannot be sent to Ray actors; a player of your own must pickle, or "
                f"matches be played by threads ({_line(error.__cause__ or error)})"
            ) from error

    def _hand_out(self) -> None:
        """Give chunks to those who have the fewest, until each has enough."""
        actors = self.pool.started
        while self.waiting and actors:
            actor = min(actors, key=self.load.__getitem__)
            if self.load[actor] >= IN_FLIGHT:
                return
            part, games = self.waiting.popleft(), self.outcomes.shape[1]
            result = actor.handle.play.remote(
                [self.reference], self.pairs[part], self.seeds[part], games
            )
            self.in_flight[result] = actor, part
            self.load[actor] += 1

    def _first_done(self) -> Any:
        """A result, or the answer of an actor that has started, whichever comes first."""
        starting = self.pool.starting if self.waiting else []
        patience = None if self.in_flight else START_SECONDS
        awaited = [*starting, *self.in_flight]
        done, _ = self.pool.ray.wait(awaited, num_returns=1, timeout=patience)
        if not done:
            raise ClusterError(
                f"no Ray actor has started in {START_SECONDS:.0f} seconds; each takes one CPU, of "
                f"which {self.pool.ray.available_resources().get('CPU', 0):g} are free"
            )
        return done[0]

    def _take(self, result: Any) -> None:
        actor, part = self.in_flight.pop(result)
        self.load[actor] -= 1
        try:
            answer = self.pool.ray.get(result)
        except self.pool.ray.exceptions.RayTaskError as error:
            answer = error.cause
        except self.pool.ray.exceptions.RayError as error:
            answer = error
        if isinstance(answer, np.ndarray):
            self.outcomes[part] = answer
        elif isinstance(answer, self.pool.losses):
            self._play_again(actor, part, answer)
        elif isinstance(answer, self.pool.ray.exceptions.RayError):
            raise ClusterError(f"Ray could not play the matches: {_line(answer)}") from answer
        else:
            raise answer

    def _play_again(self, actor: _Actor, part: slice, error: Exception) -> None:
        """Have a chunk played by another actor."""
        self.losses[part.start] += 1
        if self.losses[part.start] >= ATTEMPTS:
            raise ClusterError(
                f"matches {part.start} to {part.stop - 1} lost their Ray actor {ATTEMPTS} times in "
                f"a row; a player may crash its process, or memory be short ({_line(error)})"
            ) from error
        if isinstance(error, self.pool.ray.exceptions.ObjectLostError):
            self._put()  # it may have been the entrants
        self.pool.replace(actor)
        self.waiting.appendleft(part)
