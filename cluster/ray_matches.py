"""Matches by Ray actors, on this machine or on a cluster.

Entrants and schedule go into the object store once a call; actors fetch and decode them once, then
are told which stretch of the schedule to play. A stretch is pure: its outcomes depend on the
entrants and the schedule alone. So results are taken as they come, and what a lost actor had in
hand is played again by another (:mod:`cluster.pool.pool`).

Ray is imported when an evaluator is made, never before.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from cluster.evaluator import CLOSED, ClusterError, Work, at_least_one, play_part
from cluster.faults import Faults, Limits, MatchLost
from cluster.pace import Cut, Pace, kind_of
from cluster.pool.assignment import Assignment
from cluster.pool.pool import Pool
from cluster.pool.ray_transport import Job, PlayedPart, RayTransport, last_line
from cluster.ray_connection import RayConnection, packed
from tournaments.arena.entrants import Entrants
from tournaments.arena.forfeits import LATE
from tournaments.arena.outcomes import Played
from tournaments.schedules.base import Matches

SHORTEST = 0.03  # seconds of a call at least: it costs about a millisecond, actor and all
HANDING = 0.0004  # seconds of it of this process: python -m benchmarks.scale
CHECK = 1000  # one chunk in so many is played twice and compared


class RayEvaluator:
    """Plays matches in Ray actors, each with one processor.

    Attributes:
        faults: what went wrong so far, see :class:`cluster.faults.Faults`.
    """

    def __init__(
        self,
        actors: int | None = None,
        address: str | None = None,
        chunk: int | None = None,
        *,
        check: int = CHECK,
        limits: Limits | None = None,
        announce: Callable[[str], None] = lambda line: None,
    ) -> None:
        """
        Args:
            actors, address: see :class:`cluster.ray_connection.RayConnection`. Where actors are not
                given there are as many as the cluster has processors, as that changes.
            chunk: matches a call; by default as many as the speed measured so far suggests.
            check: one chunk in so many is played by two actors and compared; 0: none.
            limits: how long is waited for what.
            announce: told in a line what a person should know.

        Raises:
            ClusterError: less than one match a call, or as of that connection.
        """
        self.chunk = None if chunk is None else at_least_one("chunk", chunk)
        if check < 0:
            raise ClusterError(f"check={check} given; 0 or more is expected")
        self.pace = Pace(SHORTEST, HANDING)
        self._connection = RayConnection(actors, address)
        carrier = RayTransport(self._connection)
        self._pool: Pool | None = Pool(carrier, actors, limits, check, announce)
        self.faults: Faults = self._pool.faults

    @property
    def actors(self) -> int:
        """How many there shall be."""
        return self._pool.target if self._pool else 0

    def play(
        self, entrants: Entrants, matches: Matches, deadline: float | None = None
    ) -> Iterator[Played]:
        """See :meth:`cluster.evaluator.Evaluator.play`.

        An exception of a game or a player is raised as it is.

        Args:
            deadline: seconds after which the worker of a chunk is taken down; by default the pace
                that was measured says.

        Raises:
            ClusterError: the entrants cannot be sent, no actor starts or answers,
                :class:`cluster.faults.MatchLost` or :class:`cluster.faults.SpoiledError`.
        """
        pool = self._open()
        job = MatchesJob(self._connection.ray, Job(entrants, matches))
        kind = kind_of(entrants, matches)
        pool.gather()
        cut = Cut(len(matches), pool.target, self.pace, kind, self.chunk)
        return Assignment(pool, job, cut, deadline).run()

    def work(self, pieces: Sequence[Work]) -> list[Any]:
        """See :func:`cluster.evaluator.all_done`.

        Raises:
            ClusterError: as of :meth:`play`.
        """
        pool = self._open()
        pool.gather()
        job = PiecesJob(pieces, pool.limits.patience)
        cut = Cut(len(pieces), pool.target, self.pace, ("work", *map(type, pieces[:1])), chunk=1)
        results = {part.first: part.outcomes for part in Assignment(pool, job, cut).run()}
        return [results[number] for number in range(len(pieces))]

    def _open(self) -> Pool:
        if self._pool is None or not self._connection.ray.is_initialized():
            raise ClusterError(CLOSED)
        return self._pool

    def close(self) -> None:
        """End the actors, and Ray too if this evaluator started it."""
        if self._pool is not None and self._connection.ray.is_initialized():
            self._pool.close()
        self._pool = None
        self._connection.close()


class MatchesJob:
    """All matches of a call; see :class:`cluster.pool.assignment.Job`."""

    patience: float | None = None
    is_fine = True
    may_change = False

    def __init__(self, ray: Any, job: Job) -> None:
        self.job, self._ray = job, ray
        self._reference: Any = None
        matches = job.matches
        self.since = f"{matches.purpose!r} of generation {matches.generation}"

    def hand(self, handle: Any, part: slice) -> Any:
        """The reference of the answer to come."""
        if self._reference is None:
            self._reference = self._put()
        return handle.play.remote([self._reference], part.start, part.stop)

    def renew(self) -> None:
        """The object store has lost something, which may have been the entrants."""
        self._reference = None

    def _put(self) -> Any:
        try:
            return self._ray.put(packed(self.job))
        except Exception as error:
            if isinstance(error, self._ray.exceptions.RayError):
                raise
            raise ClusterError(
                "the entrants cannot be sent to Ray actors; a player of your own must pickle, or "
                f"matches be played by threads ({last_line(error.__cause__ or error)})"
            ) from error

    def here(self, part: slice) -> PlayedPart:
        """A chunk's outcomes, by this process."""
        self.job.entrants.decode()
        played = play_part(*self.job, part.start, part.stop)
        return PlayedPart(played.outcomes, played.forfeits)

    def witness(self, part: slice, answer: PlayedPart) -> bytes | None:
        """A digest of outcomes; None where a clock has decided one."""
        if any(each.cause == LATE for each in answer.forfeits):
            return None
        return hashlib.blake2b(answer.outcomes.tobytes(), digest_size=16).digest()

    def played(self, part: slice, answer: PlayedPart) -> Played:
        pairs = self.job.matches.schedule.pairs(part.start, part.stop)
        return Played(part.start, pairs, *answer)

    def lost(self, number: int, why: str) -> MatchLost:
        pairs, seeds = self.job.matches.part(number, number + 1)
        (a, b), seed = pairs[0].tolist(), int(seeds[0])
        names = " against ".join(self.job.entrants.player(entrant).name for entrant in (a, b))
        name = f"match {number} of {self.since}, {names} with seed {seed},"
        return MatchLost(name, number, (a, b), seed, why)


class PiecesJob:
    """Pieces of work, each a chunk, which travels by itself.

    Attributes:
        patience: how long a piece may take at least; pieces may be as unlike as islands.
    """

    since = "pieces of work"
    is_fine = False
    may_change = True

    def __init__(self, pieces: Sequence[Any], patience: float) -> None:
        self._pieces = pieces
        self.patience: float | None = patience

    def hand(self, handle: Any, part: slice) -> Any:
        return handle.work.remote(packed(self._pieces[part.start]))

    def renew(self) -> None:
        return

    def here(self, part: slice) -> Any:
        return copy.deepcopy(self._pieces[part.start]).run()

    def witness(self, part: slice, answer: Any) -> bytes | None:
        """Bytes of a result, where the piece offers ``witness(result)``."""
        offered = getattr(self._pieces[part.start], "witness", None)
        return offered(answer) if offered else None

    def played(self, part: slice, answer: Any) -> Played:
        return Played(part.start, np.zeros((0, 2), dtype=np.int32), answer)

    def lost(self, number: int, why: str) -> MatchLost:
        kind = type(self._pieces[number]).__name__
        return MatchLost(f"piece of work {number} ({kind})", number, None, None, why)
