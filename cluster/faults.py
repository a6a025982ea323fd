"""Faults of workers: limits of waiting, counts, and errors."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import NamedTuple

from cluster.evaluator import ClusterError

RESUME = "the run can be resumed: evo resume RUN"


@dataclass
class Faults:
    """Counts of what has gone wrong since an evaluator was made.

    Attributes:
        lost: chunks of workers that ended, or were taken down.
        repeated: chunks that were handed out again.
        overdue: chunks that took far longer than the measured pace suggests.
        checked: chunks that two workers played, with the same bytes.
    """

    lost: int = 0
    repeated: int = 0
    overdue: int = 0
    checked: int = 0

    def counts(self) -> dict[str, int]:
        """Return the counters of workers' faults that are not zero, by name."""
        return {name: count for name, count in asdict(self).items() if count}


@dataclass(frozen=True)
class Limits:
    """Limits of waiting for workers, in seconds, and numbers of attempts.

    Attributes:
        patience: limit of a chunk of matches whose pace is not known; least limit of a piece of
            work; and how long a job may be silent, at least.
        factor: multiple of its expected time after which a chunk is overdue.
        floor: least time after which a chunk is overdue.
        warm: additional time for a worker's first chunk of a kind, which may compile kernels.
        down: multiple of that limit after which the worker is taken down.
        start: time for a worker to start, after which another is started in its place.
        quiet: time without any worker until a message announces that.
        end: time without any worker until the work ends.
        grace: time from the request to stop to the end of all jobs.
        attempts: how many workers a match may lose, also within larger chunks, before it is given
            up; and how many workers may fail to start in a row.
    """

    patience: float = 600.0
    factor: float = 10.0
    floor: float = 10.0
    warm: float = 120.0
    down: float = 2.0
    start: float = 300.0
    quiet: float = 60.0
    end: float = 1800.0
    grace: float = 20.0
    attempts: int = 5


class WorkerIdentity(NamedTuple):
    """A worker's identity, by which a user can find it.

    Attributes:
        node: the id of its node.
        address: of that node.
        name: of the worker, such as the id of a Ray actor.
        plays_with: versions and sources, see :func:`cluster.ray_connection.fingerprint`.
        pid: of its process.
    """

    node: str
    address: str
    name: str
    plays_with: str
    pid: int = 0

    def __str__(self) -> str:
        return f"worker {self.name} (process {self.pid}) on node {self.address} ({self.node[:8]})"


class MatchLost(ClusterError):
    """A match that its workers do not survive, or do not end in time.

    Attributes:
        match: its place in the schedule, or the number of a piece of work.
        pair: the entrants; None for a piece of work.
        seed: of the match; None for a piece of work.
        why: the fate of the last worker that played the match.
    """

    def __init__(
        self, name: str, match: int, pair: tuple[int, ...] | None, seed: int | None, why: str
    ) -> None:
        super().__init__(
            f"{name} loses every worker that has it; a player may crash its process, not end, or "
            f"take too much memory ({why})"
        )
        self.match, self.pair, self.seed, self.why = match, pair, seed, why
