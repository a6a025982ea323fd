"""Matches by Ray actors, on this machine or on a cluster.

Entrants and schedule go into the object store once per call. Actors fetch and decode them once, and
then receive the numbers of the matches to play. The outcomes depend on the entrants and the
schedule alone. So results may arrive in any order, and another actor repeats the matches of a lost
actor (:mod:`cluster.assignment`).

Ray is imported when an evaluator is made, and not before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from cluster.assignment import Assignment, ChunkedWork
from cluster.evaluator import CLOSED, ClusterError, Work, at_least_one
from cluster.faults import Limits, MatchLost
from cluster.pace import Cut, Pace, kind_of
from cluster.ray_connection import RayConnection, packed
from cluster.supervisor import Supervisor
from cluster.transports.ray import ChunkRequest, PlayedPart, RayTransport, last_line
from tournaments.arena.contests import void_match
from tournaments.arena.entrants import Entrants
from tournaments.arena.forfeits import LATE
from tournaments.arena.outcomes import Played
from tournaments.schedules.base import Matches

SHORTEST = 0.03  # seconds of a call at least: it costs about a millisecond, actor and all
HANDING = 0.0004  # seconds of it of this process: python -m benchmarks.scale
CHECK = 1000  # one chunk in this number is played twice and compared


class RayEvaluator:
    """An evaluator that plays matches in Ray actors, each with one processor.

    Attributes:
        check: two actors play one chunk in ``check``, for comparison; 0: none.
        supervisor: the actors.
        faults: counts of what went wrong so far.
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
        """Start the Ray actors that play matches.

        Args:
            actors: number of actors; by default the number of the cluster's processors, which may
                change.
            address: see :class:`cluster.ray_connection.RayConnection`.
            chunk: matches a call; by default as many as the speed measured so far suggests.
            check: two actors play one chunk in ``check``, for comparison; 0: none.
            limits: how long is waited for what.
            announce: called with a message for the user.

        Raises:
            ClusterError: less than one match a call, or as of that connection.
        """
        self.chunk = None if chunk is None else at_least_one("chunk", chunk)
        self.check = check
        self.pace = Pace(SHORTEST, HANDING)
        transport = RayTransport(RayConnection(actors, address))
        self.supervisor = Supervisor(transport, actors, limits, announce)
        self.faults = self.supervisor.faults

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        """Play matches in Ray actors; see :meth:`cluster.evaluator.Evaluator.play`.

        An exception of a game or a player is raised unchanged.

        Raises:
            ClusterError: the entrants cannot be sent, no actor starts or answers, two actors give
                different outcomes, or :class:`cluster.faults.MatchLost`.
        """
        ray = self._gathered().ray
        work = ChunkedMatches(ray, ChunkRequest(entrants, matches))
        return self._assignment(work, len(matches), kind_of(entrants, matches), self.chunk).run()

    def work(self, pieces: Sequence[Work]) -> list[Any]:
        """Do pieces of work in Ray actors; see :func:`cluster.evaluator.all_done`.

        Raises:
            ClusterError: see :meth:`play`.
        """
        self._gathered()
        kind = "work", *map(type, pieces[:1])
        parts = self._assignment(ChunkedPieces(pieces), len(pieces), kind, 1).run()
        results = {part.first: part.outcomes for part in parts}
        return [results[number] for number in range(len(pieces))]

    def _gathered(self) -> RayTransport:
        """Adjust the number of Ray actors that play matches, and return their transport."""
        transport: Any = self.supervisor.transport
        if self.supervisor.is_closed or not transport.ray.is_initialized():
            raise ClusterError(CLOSED)
        transport.connection.check_node()
        self.supervisor.gather()
        return transport

    def _assignment(
        self, work: ChunkedWork, count: int, kind: Hashable, chunk: int | None
    ) -> Assignment:
        cut = Cut(count, self.supervisor.target, self.pace, kind, chunk)
        return Assignment(self.supervisor, work, cut, self.check)

    def close(self) -> None:
        """End the Ray actors that play matches, and Ray too if this evaluator started it."""
        self.supervisor.close()


class ChunkedMatches(ChunkedWork):
    """The matches of a call."""

    is_fine = True

    def __init__(self, ray: Any, request: ChunkRequest) -> None:
        self._request, self._ray = request, ray
        self._reference: Any = None
        matches = request.matches
        self.since = f"{matches.purpose!r} of generation {matches.generation}"

    def call(self, part: slice) -> tuple[str, tuple[Any, ...]]:
        if self._reference is None:
            self._reference = self._put()
        return "play", ([self._reference], part.start, part.stop)

    def renew(self) -> None:
        self._reference = None

    def _put(self) -> Any:
        try:
            return self._ray.put(packed(self._request))
        except Exception as error:
            if isinstance(error, self._ray.exceptions.RayError):
                raise
            raise ClusterError(
                "the entrants cannot be sent to Ray actors; make your own players so that pickle "
                f"can save them, or play without Ray ({last_line(error.__cause__ or error)})"
            ) from error

    def witness(self, part: slice, result: PlayedPart) -> bytes | None:
        """Return a digest of the outcomes of a chunk of matches, by which two actors are compared.

        None means that a time limit decided a game, so that the outcomes may differ.
        """
        if any(each.cause == LATE for each in result.forfeits):
            return None
        return hashlib.blake2b(result.outcomes.tobytes(), digest_size=16).digest()

    def played(self, part: slice, result: PlayedPart) -> Played:
        pairs = self._request.matches.schedule.pairs(part.start, part.stop)
        return Played(part.start, pairs, *result)

    def lost(self, number: int, why: str) -> MatchLost | Played:
        entrants, matches = self._request
        if entrants.game.rules.contest is not None and entrants.policy is not None:
            return void_match(matches, number)
        pairs, seeds = matches.part(number, number + 1)
        group, seed = tuple(pairs[0].tolist()), int(seeds[0])
        players = [entrants.player(entrant) for entrant in group]
        names = " against ".join(player.name for player in players)
        name = f"match {number} of {self.since}, {names} with seed {seed},"
        return MatchLost(name, number, group, seed, why)


class ChunkedPieces(ChunkedWork):
    """Pieces of work. Each is a chunk and is sent separately, since pieces may differ much."""

    since = "pieces of work"
    is_fine = False

    def __init__(self, pieces: Sequence[Any]) -> None:
        self._pieces = pieces

    def call(self, part: slice) -> tuple[str, tuple[Any, ...]]:
        return "work", (packed(self._pieces[part.start]),)

    def witness(self, part: slice, result: Any) -> bytes | None:
        """Return the bytes by which results of a piece of work are compared.

        None means that the piece does not offer ``witness(result)``.
        """
        offered = getattr(self._pieces[part.start], "witness", None)
        return offered(result) if offered else None

    def played(self, part: slice, result: Any) -> Played:
        return Played(part.start, np.zeros((0, 2), dtype=np.int32), result)

    def lost(self, number: int, why: str) -> MatchLost:
        kind = type(self._pieces[number]).__name__
        return MatchLost(f"piece of work {number} ({kind})", number, None, None, why)
