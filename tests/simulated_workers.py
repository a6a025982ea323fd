"""Workers that do not exist: a transport with a virtual clock, whose faults a seed decides.

After the simulation by which FoundationDB is tested: the scheduler that is tested is the one that
plays; time, workers and nodes are made up, in one thread, and a seed gives one course of events.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from cluster.assignment import Assignment, ChunkedWork
from cluster.evaluator import ClusterError
from cluster.faults import Limits, MatchLost, WorkerIdentity
from cluster.jobs import Outcome, perform
from cluster.pace import Cut, Pace
from cluster.supervisor import Answer, Supervisor, Transport, Worker
from tournaments.arena.outcomes import Played

UNIT = 0.01
"""Seconds that a match takes."""
MOST_SECONDS = 24 * 3600.0
"""Of virtual time, for all calls of a course of events."""
MOST_WAITS = 100_000


@dataclass
class Trouble:
    """Probabilities of what may happen to a chunk, or to a worker that starts."""

    dies_before: float = 0.0
    dies_after: float = 0.0
    hangs: float = 0.0
    loses_object: float = 0.0
    late: float = 0.0
    heard_late: float = 0.0
    twice: float = 0.0
    starts_late: float = 0.0
    starts_never: float = 0.0
    fails_to_start: float = 0.0
    times_out: float = 0.0
    vanish: float = 0.0
    speaks_after_its_end: float = 0.0
    suspends: float = 0.0

    @classmethod
    def drawn(cls, rng: random.Random) -> Trouble:
        """Some kinds of trouble, of some weight."""
        weight = rng.choice([0.02, 0.1, 0.3])
        names = [entry.name for entry in fields(cls)]
        return cls(**{name: weight * rng.random() * (rng.random() < 0.5) for name in names})


@dataclass
class Simulated(Transport):
    """A transport; see :class:`cluster.supervisor.Transport`.

    Attributes:
        harm: how many items may still be lost by what may be their own fault.
        vanishings: how often all workers may still vanish, for up to so many seconds: ``absence``.
        suspensions: how often the supervisor may still be suspended, for up to an hour.
        wrong: nodes that give wrong outcomes, and how often.
        deadly, endless: a match that kills each worker, and one that keeps it for ever.
        failing: how many starts still fail, by number of the worker if it is a set.
        most_never: so many in a row start all the same.
        freeze: when everything, workers included, is suspended, and for how long.
        open: nodes of the workers that were started and not ended.
        pending: what workers have in hand, by worker and ticket.
        handed: when which worker was handed what, in order.
    """

    rng: random.Random
    trouble: Trouble
    nodes: list[str]
    slots: int
    harm: int = 4
    vanishings: int = 2
    absence: float = 900.0
    suspensions: int = 2
    wrong: dict[str, float] = field(default_factory=dict)
    deadly: int | None = None
    endless: int | None = None
    failing: set[int] = field(default_factory=set)
    freeze: tuple[float, float] = (math.inf, 0.0)
    plays_with: str = "these sources"
    can_end: bool = True
    time: float = 0.0
    waits: int = 0
    back: float = 0.0
    open: dict[int, str] = field(default_factory=dict)
    pending: dict[tuple[int, int], Any] = field(default_factory=dict)
    handed: list[tuple[float, int, Any]] = field(default_factory=list)
    avoided: set[str] = field(default_factory=set)
    failures: int = 0
    never: int = 0
    most_never: int = 3
    stops: int = 0
    busy: dict[int, float] = field(default_factory=dict)
    _queue: list = field(default_factory=list)
    _number: int = 0

    @property
    def size(self) -> int:
        return self.slots

    def now(self) -> float:
        return self.time

    def usable(self) -> list[str]:
        return [node for node in self.nodes if node not in self.avoided]

    def room(self) -> int:
        return self.slots * len(self.usable())

    def start(self, worker: int) -> None:
        assert worker not in self.open
        self.busy.pop(worker, None)
        taken = list(self.open.values())
        nodes = self.rng.sample(self.usable(), len(self.usable())) or ["nowhere"]
        node = self.open[worker] = min(nodes, key=taken.count)
        self.never = self.never + 1 if self._happens("starts_never") else 0
        if 0 < self.never < self.most_never or not self.usable():
            return
        delay = self.rng.random() + 100 * self.rng.random() * self._happens("starts_late")
        when = max(self.time, self.back) + delay
        if worker in self.failing:
            self._soon(when, "lost", worker, "it does not start", True)
        elif self.failures < 4 and self._happens("fails_to_start"):
            self.failures += 1
            self._soon(when, "lost", worker, "it does not start", self.rng.random() < 0.5)
        else:
            who = WorkerIdentity(node, node, f"worker {worker}", self.plays_with)
            self._soon(when, "started", worker, who)

    def hand(self, worker: int, ticket: int, name: str, arguments: tuple[Any, ...]) -> None:
        work, given = arguments
        held = [place for place in self.pending if place[0] == worker]
        assert worker in self.open, "work was handed to a worker that was ended"
        assert len(held) < 2, "a worker has three tasks"
        assert name != "perform" or given not in self.pending.values(), "a job runs twice"
        assert name != "perform" or not held, "a job waits for another"
        self.pending[worker, ticket] = given
        self.handed.append((self.time, worker, given))
        begun = max(self.time, self.busy.get(worker, 0.0))
        self.busy[worker] = math.inf  # unless it survives this
        if begun == math.inf:
            return
        seconds, result = work.simulated(given, self.rng)
        seconds *= 1 + 300 * self.rng.random() * self._happens("late")
        over = begun + abs(seconds)
        if self.harm and self._happens("hangs"):
            self.harm -= 1
            return
        for amount, after in enumerate(work.reports(given), 1):
            self._soon(begun + after, "reported", worker, ticket, amount)
        if over == math.inf or self._is_in(self.endless, given):
            return
        if seconds < 0 or self._is_in(self.deadly, given):
            self._soon(over, "lost", worker, "its process was killed", True)
            return
        if self._happens("loses_object"):
            self._soon(over, "lost", worker, "an object is lost", False)
            return
        for dies in ("dies_before", "dies_after"):
            if self.harm and self._happens(dies):
                self.harm -= 1
                self._soon(over if dies == "dies_after" else begun, "lost", worker, dies, True)
                return
        self.busy[worker] = over
        if self.rng.random() < self.wrong.get(self.open[worker], 0.0):
            result = result + 1 + worker
        event = "answered", worker, ticket, Answer(result, seconds)
        if self._happens("heard_late"):
            over += UNIT * self.rng.randint(1, 100)
        self._soon(over, *event)
        if self._happens("twice"):
            self._soon(over + seconds * (5 * self.rng.random()), *event)

    @staticmethod
    def _is_in(match: int | None, given: Any) -> bool:
        return match is not None and match in range(given.start, given.stop)

    def wait(self, seconds: float, supervisor: Supervisor) -> bool:
        self.waits += 1
        assert self.waits < MOST_WAITS, "it goes round and round"
        assert self.time < MOST_SECONDS, "it does not end in time"
        if self.vanishings and self._happens("vanish"):
            self._all_vanish()
        if self._happens("times_out"):
            seconds *= self.rng.random()
        if seconds and self.suspensions and self._happens("suspends"):
            self.suspensions -= 1
            self.time += 3600 * self.rng.random()
        due = self.time + seconds
        if self.freeze[0] <= due:
            self._suspend_all()
            return False
        if not self._queue or self._queue[0][0] > due:
            self.time = due
            return False
        self.time = max(self.time, self._queue[0][0])
        for name, worker, *more in self._due():
            if self._is_heard(name, worker, *more):
                getattr(supervisor, name)(worker, *more)
        return True

    def _suspend_all(self) -> None:
        """Let the time go on, and nothing else."""
        at, length = self.freeze
        self.freeze = math.inf, 0.0
        self.time = at + length
        self._queue = [(when + length, *event) for when, *event in self._queue]

    def _due(self) -> Iterator:
        """Everything that has happened, or the first of it alone."""
        several = self.rng.random() < 0.5
        while self._queue and self._queue[0][0] <= self.time:
            yield heapq.heappop(self._queue)[2]
            if not several:
                return

    def _is_heard(self, name: str, worker: int, *more: Any) -> bool:
        if name in ("answered", "failed"):
            self.pending.pop((worker, more[0]), None)
        elif name == "lost":
            self._drop(worker)
        return worker in self.open or self._happens("speaks_after_its_end")

    def _drop(self, worker: int) -> None:
        """A worker does nothing any more."""
        self.pending = {key: given for key, given in self.pending.items() if key[0] != worker}

    def _all_vanish(self) -> None:
        """Every worker is lost, and none starts for a while."""
        self.vanishings -= 1
        self.back = self.time + self.absence * self.rng.random()
        self._queue.clear()
        for worker in self.open:
            self._soon(self.time, "lost", worker, "all is gone", False)

    def stop(self) -> None:
        self.stops += 1

    def end(self, worker: Worker) -> None:
        del self.open[worker.number]
        self._drop(worker.number)

    def close(self) -> None:
        self.open.clear()

    def situation(self) -> str:
        return "this is a simulation"

    def _happens(self, name: str) -> bool:
        rate = getattr(self.trouble, name)
        return rate > 0 and self.rng.random() < rate

    def _soon(self, when: float, *event: Any) -> None:
        self._number += 1
        heapq.heappush(self._queue, (when, self._number, event))


@dataclass
class Outcomes(ChunkedWork):
    """Matches whose outcomes are numbers of the matches."""

    key: int
    matches: int
    since: str = "a simulation"
    is_fine: bool = True

    def call(self, part: slice) -> tuple[str, tuple[Any, ...]]:
        return "play", (self, part)

    def simulated(self, part: slice, rng: random.Random) -> tuple[float, np.ndarray]:
        """Seconds and result of a worker."""
        return UNIT * (part.stop - part.start) * (0.5 + rng.random()), self.here(part)

    def reports(self, part: slice) -> list[float]:
        return []

    def here(self, part: slice) -> np.ndarray:
        return np.arange(part.start, part.stop, dtype=np.int64) * 2654435761 + self.key

    def witness(self, part: slice, answer: np.ndarray) -> bytes:
        return answer.tobytes()

    def played(self, part: slice, answer: np.ndarray) -> Played:
        return Played(part.start, np.zeros((0, 2), dtype=np.int32), answer)

    def lost(self, number: int, why: str) -> MatchLost:
        return MatchLost(f"match {number}", number, (number, -1), self.key, why)


class Runs:
    """Work on jobs, each a name and a list of seconds.

    A job reports after each number of seconds and ends with the last. It hangs at an infinite
    number, and loses its worker after a negative one.
    """

    def simulated(self, job: tuple[str, list[float]], rng: random.Random) -> tuple[float, Outcome]:
        pauses = job[1]
        seconds = sum(map(abs, pauses))
        return math.copysign(seconds, pauses[-1]), Outcome(job[0], amount=len(pauses))

    def reports(self, job: tuple[str, list[float]]) -> list[float]:
        return [sum(job[1][:count]) for count in range(1, len(job[1]))]

    def __call__(self, *given: Any) -> None:
        """Nobody calls it."""


def set_up(seed: int) -> tuple[random.Random, Simulated]:
    """Workers in trouble."""
    rng = random.Random(seed)
    nodes = [f"node {number}" for number in range(rng.randint(1, 3))]
    trouble = Trouble.drawn(rng) if rng.random() < 0.9 else Trouble()
    return rng, Simulated(rng, trouble, nodes, rng.randint(1, 3))


@dataclass
class Course:
    """A course of events, as a seed decides it: some calls of one supervisor.

    Attributes:
        said: what a person was told.
        may_fail: there may be more trouble than a chunk bears.
    """

    seed: int
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.may_fail = self.seed % 10 == 9
        self.rng, self.transport = rng, transport = set_up(self.seed)
        if len(transport.nodes) > 1 and rng.random() < 0.3:
            transport.wrong = {transport.nodes[0]: rng.choice([0.3, 1.0])}
        self.check = rng.choice([0, 1, 1, 3]) if not transport.wrong else rng.choice([1, 1, 3])
        if self.may_fail:
            transport.harm = 1000
        size = rng.choice([None, rng.randint(1, 6)])
        self.supervisor = Supervisor(transport, size, Limits(patience=60.0), self.said.append)
        self.pace = Pace(0.05)

    def call(self, number: int) -> Iterator[Played]:
        """A call of the supervisor."""
        is_fine = self.rng.random() < 0.8
        work = Outcomes(self.seed + number, self.rng.randint(1, 40), is_fine=is_fine)
        chunk = self.rng.choice([None, 1, 3, 10])
        self.supervisor.gather()
        cut = Cut(work.matches, self.supervisor.target, self.pace, "kind", chunk)
        return Assignment(self.supervisor, work, cut, self.check).run()

    def outcomes(self, number: int) -> np.ndarray:
        """Outcomes of all matches of a call, each given once."""
        given = {}
        for part in self.call(number):
            for place, outcome in enumerate(part.outcomes, part.first):
                assert place not in given, f"match {place} was counted twice"
                given[place] = outcome
        assert sorted(given) == list(range(len(given)))
        return np.array([given[place] for place in range(len(given))])

    def run(self) -> None:
        """All calls, and what must hold of them."""
        try:
            self._play()
        except ClusterError as error:
            if not self.may_fail and not (self.transport.wrong and "different" in str(error)):
                raise
        self.supervisor.close()
        assert not self.transport.open, "workers were left"

    def _play(self) -> None:
        for number in range(3):
            if self.rng.random() < 0.2:
                self._abandon(number)
            outcomes = self.outcomes(number)
            expected = Outcomes(self.seed + number, 0).here(slice(0, len(outcomes)))
            if not self.transport.wrong:
                assert np.array_equal(outcomes, expected)
            if self.rng.random() < 0.3:
                self.transport.nodes.append(f"node {len(self.transport.nodes)}")

    def _abandon(self, number: int) -> None:
        """A call of which somebody takes one part and leaves the others."""
        parts = self.call(number + 100)
        next(parts)
        parts.close()


@dataclass
class JobCourse:
    """A course of events of jobs, as a seed decides it: each is done once, by one worker at a time.

    Attributes:
        may_fail: there may be more trouble than a job bears.
    """

    seed: int

    def run(self) -> None:
        may_fail = self.seed % 10 == 9
        rng, transport = set_up(self.seed)
        transport.harm, transport.vanishings = (1000, 10) if may_fail else (1, 1)
        transport.absence, transport.most_never = 150.0, 1  # less than is waited for
        transport.trouble = replace(transport.trouble, late=0.0, loses_object=0.0)
        jobs = [
            (f"job {number}", [rng.expovariate(0.2) for _ in range(rng.randint(1, 9))])
            for number in range(rng.randint(1, 12))
        ]
        reports: list[tuple[int, int]] = []
        limits = Limits(patience=60.0)
        report, stop = lambda *standing: reports.append(standing), lambda: False
        self.lost = False
        try:
            outcomes = perform(transport, Runs(), jobs, report, stop, limits)
        except ClusterError:
            assert may_fail
            return
        for job, outcome in zip(jobs, outcomes, strict=True):
            if outcome.error is None:
                assert (outcome.value, outcome.amount) == (job[0], len(job[1]))
            else:
                assert may_fail
                assert "lost its worker 3 times" in str(outcome.error)
        assert reports[-1][0] == len(jobs)
        self.lost = transport.harm < 1


def run(seed: int, kind: type[Course] | type[JobCourse] = Course) -> Any:
    """The course of events of a seed; AssertionError names the seed."""
    course = kind(seed)
    try:
        course.run()
    except (AssertionError, ClusterError) as error:
        raise AssertionError(f"seed {seed}: {error}") from error
    return course
