"""Matches by Ray actors, on this machine or on a cluster.

Entrants and schedule go into the object store once a call; actors fetch and decode them once, then
are told which stretch of the schedule to play. A stretch is pure: its outcomes depend on the
entrants and the schedule alone. So results are taken as they come, and what a lost actor had in
hand is played again by another.

Ray is imported when an evaluator is made, never before.
"""

from __future__ import annotations

import copy
import importlib
import textwrap
import time
import traceback
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from cluster.evaluator import (
    CLOSED,
    CLOSED_MEANWHILE,
    ClusterError,
    Work,
    at_least_one,
    play_part,
)
from cluster.pace import Cut, Pace, kind_of
from cluster.ray_connection import RayConnection, fingerprint
from tournaments.arena.entrants import Entrants
from tournaments.arena.outcomes import Played
from tournaments.schedules.base import Matches

SHORTEST = 0.05  # seconds of a call at least: handing one over takes about a millisecond
ATTEMPTS = 5  # how often in a row a chunk, or an actor that starts, may be lost
START_SECONDS = 300.0  # to wait for a first actor: a cluster may have to start a machine for it


class Job(NamedTuple):
    """All that the calls of a schedule have in common."""

    entrants: Entrants
    matches: Matches


class Answer(NamedTuple):
    """What an actor made of a call, and how long it took.

    Attributes:
        outcomes: int16 ``[m, games, 2]``, or what came of a piece of work.
        seconds: of the call.
    """

    outcomes: Any
    seconds: float


class MatchActor:
    """What runs in an actor: the job that it was last told of, its entrants decoded."""

    def __init__(self) -> None:
        self._name = ""
        self._job: Job | None = None

    def ready(self) -> str:
        """Answers once the actor has started: what it plays with."""
        return fingerprint()

    def play(self, held: list[Any], first: int, last: int) -> Answer | Exception:
        """Play the matches first..last-1 of a job; ``held`` holds its reference.

        It is in a list because Ray would replace a bare reference by what it stands for, which
        would be unpickled anew for each call. What a game or a player raises is returned: Ray
        would wrap it, and log those that nobody asks for once the first has ended the call.
        """
        ray = importlib.import_module("ray")
        try:
            job = self._fetched(ray, held[0])
            started = time.perf_counter()
            played = play_part(*job, first, last)
            return Answer(played.outcomes, time.perf_counter() - started)
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


class RayEvaluator:
    """Plays matches in Ray actors, each with one processor."""

    def __init__(
        self, actors: int | None = None, address: str | None = None, chunk: int | None = None
    ) -> None:
        """
        Args:
            actors, address: see :class:`cluster.ray_connection.RayConnection`.
            chunk: matches a call; by default as many as the speed measured so far suggests.

        Raises:
            ClusterError: less than one match a call, or as of that connection.
        """
        self.chunk = None if chunk is None else at_least_one("chunk", chunk)
        self.pace = Pace(SHORTEST)
        self._connection = RayConnection(actors, address)
        self.actors = self._connection.actors
        self._pool: _Pool | None = _Pool(self._connection)

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        """See :meth:`cluster.evaluator.Evaluator.play`.

        An exception of a game or a player is raised as it is.

        Raises:
            ClusterError: the entrants cannot be sent, no actor starts, or the same matches have
                lost their actor several times in a row.
        """
        if self._pool is None or not self._connection.ray.is_initialized():
            raise ClusterError(CLOSED)
        job = Job(entrants, matches)
        kind = kind_of(entrants, matches)
        cut = _Cut(len(matches), self.actors, self.pace, kind, self.chunk)
        return _Round(self._pool, job, cut).run()

    def work(self, pieces: Sequence[Work]) -> list[Any]:
        """See :func:`cluster.evaluator.all_done`.

        Raises:
            ClusterError: as of :meth:`play`.
        """
        if self._pool is None or not self._connection.ray.is_initialized():
            raise ClusterError(CLOSED)
        cut = _Cut(len(pieces), self.actors, self.pace, None, chunk=1)
        played = _Pieces(self._pool, pieces, cut).run()
        return [part.outcomes for part in sorted(played, key=lambda part: part.first)]

    def close(self) -> None:
        """End the actors, and Ray too if this evaluator started it."""
        if self._pool is not None and self._connection.ray.is_initialized():
            self._pool.end()
        self._pool = None
        self._connection.close()


@dataclass(eq=False)
class _Actor:
    """An actor, and the answer that tells when it has started (None: it has)."""

    handle: Any
    starting: Any


class _Pool:
    """A fixed number of actors; one that is lost is replaced."""

    def __init__(self, connection: RayConnection) -> None:
        self._connection = connection
        self.ray, self.losses = connection.ray, connection.losses
        self._failed_starts = 0
        self.is_closed = False
        self.actors = [self._start() for _ in range(connection.actors)]

    def _start(self) -> _Actor:
        handle = self._connection.make(MatchActor)
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
            self._connection.end(actor.handle)
            self.actors[self.actors.index(actor)] = self._start()

    def end(self) -> None:
        self.is_closed = True
        while self.actors:
            self._connection.end(self.actors.pop().handle)


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
class _Cut(Cut):
    """A schedule of which stretches whose actor was lost come again, before all others."""

    again: deque[slice] = field(default_factory=deque)

    @property
    def is_left(self) -> bool:
        return super().is_left or bool(self.again)

    def next(self) -> slice:
        return self.again.popleft() if self.again else super().next()


@dataclass
class _Round:
    """One schedule on its way through the actors.

    Attributes:
        in_flight: for the reference of each result to come, who plays which stretch.
        losses: for the start of each stretch, how often in a row its actor was lost.
    """

    pool: _Pool
    job: Any
    waiting: _Cut
    in_flight: dict[Any, tuple[_Actor, slice]] = field(default_factory=dict)
    losses: Counter[int] = field(default_factory=Counter)

    def run(self) -> Iterator[Played]:
        """Play everything, in no order."""
        if not self.waiting.is_left:
            return
        self._check_open()
        self._put()
        while self.waiting.is_left or self.in_flight:
            self._hand_out()
            done = self._first_done()
            if done not in self.in_flight:
                self.pool.greet(done)
            elif (played := self._take(done)) is not None:
                yield played
                self._check_open()

    def _check_open(self) -> None:
        # Ray would start anew, by itself, at the next thing that is asked of it.
        if self.pool.is_closed:
            raise ClusterError(CLOSED_MEANWHILE)

    def _put(self) -> None:
        try:
            self.reference = self.pool.ray.put(self.job)
        except TypeError as error:
            raise ClusterError(
                "the entrants cannot be sent to Ray actors; a player of your own must pickle, or "
                f"matches be played by threads ({_line(error.__cause__ or error)})"
            ) from error

    def _hand_out(self) -> None:
        """Give a call to each actor that has none: a second would wait while others idle."""
        busy = {actor for actor, _ in self.in_flight.values()}
        for actor in self.pool.started:
            if actor not in busy and self.waiting.is_left:
                part = self.waiting.next()
                self.in_flight[self._call(actor, part)] = actor, part

    def _call(self, actor: _Actor, part: slice) -> Any:
        return actor.handle.play.remote([self.reference], part.start, part.stop)

    def _first_done(self) -> Any:
        """A result, or the answer of an actor that has started, whichever comes first."""
        starting = self.pool.starting if self.waiting.is_left else []
        patience = None if self.in_flight else START_SECONDS
        awaited = [*starting, *self.in_flight]
        done, _ = self.pool.ray.wait(awaited, num_returns=1, timeout=patience)
        if not done:
            raise ClusterError(
                f"no Ray actor has started in {START_SECONDS:.0f} seconds; each takes one CPU, of "
                f"which {self.pool.ray.available_resources().get('CPU', 0):g} are free"
            )
        return done[0]

    def _take(self, result: Any) -> Played | None:
        """What a call has come to; None where its actor was lost and it will be made again."""
        actor, part = self.in_flight.pop(result)
        try:
            answer = self.pool.ray.get(result)
        except self.pool.ray.exceptions.RayTaskError as error:
            answer = error.cause
        except self.pool.ray.exceptions.RayError as error:
            answer = error
        if isinstance(answer, Answer):
            self.waiting.pace.measured(self.waiting.kind, part.stop - part.start, answer.seconds)
            return self._played(part, answer.outcomes)
        if isinstance(answer, self.pool.losses):
            self._play_again(actor, part, answer)
            return None
        if isinstance(answer, self.pool.ray.exceptions.RayError):
            raise ClusterError(f"Ray could not play the matches: {_line(answer)}") from answer
        raise answer

    def _played(self, part: slice, outcomes: Any) -> Played:
        pairs = self.job.matches.schedule.pairs(part.start, part.stop)
        return Played(part.start, pairs, outcomes)

    def _play_again(self, actor: _Actor, part: slice, error: Exception) -> None:
        """Have a stretch played by another actor."""
        self.losses[part.start] += 1
        if self.losses[part.start] >= ATTEMPTS:
            raise ClusterError(
                f"matches {part.start} to {part.stop - 1} lost their Ray actor {ATTEMPTS} times in "
                f"a row; a player may crash its process, or memory be short ({_line(error)})"
            ) from error
        if isinstance(error, self.pool.ray.exceptions.ObjectLostError):
            self._put()  # it may have been the job
        self.pool.replace(actor)
        self.waiting.again.appendleft(part)


class _Pieces(_Round):
    """Pieces of work on their way through the actors: each is a call, and travels by itself."""

    def _put(self) -> None:
        return

    def _call(self, actor: _Actor, part: slice) -> Any:
        return actor.handle.work.remote(self.job[part.start])

    def _played(self, part: slice, outcomes: Any) -> Played:
        return Played(part.start, np.zeros((0, 2), dtype=np.int32), outcomes)
