"""What a pool of workers asks of whatever runs them, and what it hears of them.

Ray's actors are one transport (:mod:`cluster.pool.ray_transport`); tests have another, with a
virtual clock and faults by seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from cluster.faults import Who


class Listener(Protocol):
    """What events are told to: a pool."""

    def started(self, number: int, who: Who) -> None:
        """A worker has started."""

    def freed(self, number: int, ticket: int) -> Any:
        """The task that a worker has ended; None where nobody waits for it."""

    def lost(self, number: int, why: str, blame: bool) -> None:
        """A worker is gone."""


class Event(Protocol):
    """What a transport has heard of a worker."""

    def reach(self, pool: Listener) -> None:
        """Tell the pool."""


class Transport(Protocol):
    """Starts workers and carries chunks to them. Workers are known by the pool's numbers.

    Attributes:
        plays_with: what this process plays with; workers that play with anything else are refused.
    """

    plays_with: str

    def now(self) -> float:
        """The time in seconds, since whenever."""

    def room(self) -> int:
        """For how many workers there is room, apart from nodes to be avoided."""

    def start(self, worker: int) -> None:
        """Have a worker start: :class:`Started` or :class:`Lost` comes of it, or nothing."""

    def hand(self, worker: int, ticket: int, job: Any, part: slice) -> None:
        """Hand over a chunk: :class:`Answered`, :class:`Raised`, :class:`Lost`, or nothing."""

    def wait(self, seconds: float) -> Sequence[Event]:
        """What was heard, as soon as there is something; nothing after so many seconds."""

    def has(self, worker: int, ticket: int) -> bool:
        """Whether something may still be heard of a chunk."""

    def end(self, worker: int) -> None:
        """End a worker, which may be gone already; nothing more is heard of it."""

    def avoid(self, node: str) -> None:
        """Start no worker there any more."""

    def situation(self) -> str:
        """Why workers may not start, for a person."""


class Started(NamedTuple):
    """A worker has started."""

    worker: int
    who: Who

    def reach(self, pool: Listener) -> None:
        pool.started(self.worker, self.who)


class Answered(NamedTuple):
    """A chunk is done.

    Attributes:
        seconds: that the work took.
        preparing: seconds that fetching and decoding took before.
    """

    worker: int
    ticket: int
    answer: Any
    seconds: float
    preparing: float = 0.0

    def reach(self, pool: Listener) -> None:
        if task := pool.freed(self.worker, self.ticket):
            task.assignment.answered(task, self)


class Raised(NamedTuple):
    """A game or a player raised an exception."""

    worker: int
    ticket: int
    error: Exception

    def reach(self, pool: Listener) -> None:
        if task := pool.freed(self.worker, self.ticket):
            task.assignment.error = self.error


class Lost(NamedTuple):
    """A worker is gone, started or not.

    Attributes:
        blame: whether what it had in hand may be the reason; no where its whole node is gone.
    """

    worker: int
    why: str
    blame: bool = True

    def reach(self, pool: Listener) -> None:
        pool.lost(self.worker, self.why, self.blame)
