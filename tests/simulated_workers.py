"""Workers that do not exist: a transport with a virtual clock, whose faults a seed decides.

After the simulation by which FoundationDB is tested: the scheduler that is tested is the one that
plays; time, workers and nodes are made up, in one thread, and a seed gives one course of events.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, fields

import numpy as np

from cluster.evaluator import ClusterError, SpoiledError
from cluster.faults import Limits, MatchLost, Who
from cluster.pace import Cut, Pace
from cluster.pool.assignment import Assignment
from cluster.pool.pool import Pool
from cluster.pool.transport import Answered, Lost, Started
from tournaments.arena.outcomes import Played

UNIT = 0.01
"""Seconds that a match takes."""
MOST_SECONDS = 12 * 3600.0
"""Of virtual time, for all calls of a course of events."""
MOST_WAITS = 20_000


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

    @classmethod
    def drawn(cls, rng: random.Random) -> Trouble:
        """Some kinds of trouble, of some weight."""
        weight = rng.choice([0.02, 0.1, 0.3])
        names = [entry.name for entry in fields(cls)]
        return cls(**{name: weight * rng.random() * (rng.random() < 0.5) for name in names})


@dataclass
class Simulated:
    """A transport; see :class:`cluster.pool.transport.Transport`.

    Attributes:
        harm: how many chunks may still be lost by what may be their own fault.
        vanishings: how often all workers may still vanish, for up to a quarter of an hour.
        wrong: nodes that give wrong outcomes, and how often.
        deadly, endless: a match that kills each worker, and one that keeps it for ever.
        most_never: so many in a row start all the same.
        open: workers that were started and not ended.
    """

    rng: random.Random
    trouble: Trouble
    nodes: list[str]
    slots: int
    harm: int = 4
    vanishings: int = 2
    wrong: dict[str, float] = field(default_factory=dict)
    deadly: int | None = None
    endless: int | None = None
    plays_with: str = "these sources"
    time: float = 0.0
    waits: int = 0
    back: float = 0.0
    open: dict[int, str] = field(default_factory=dict)
    pending: set[tuple[int, int]] = field(default_factory=set)
    avoided: set[str] = field(default_factory=set)
    failures: int = 0
    never: int = 0
    most_never: int = 3
    busy: dict[int, float] = field(default_factory=dict)
    _queue: list = field(default_factory=list)
    _number: int = 0

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
        self.open[worker] = min(nodes, key=taken.count)
        self.never = self.never + 1 if self._happens("starts_never") else 0
        if 0 < self.never < self.most_never or not self.usable():
            return
        delay = self.rng.random() + 100 * self.rng.random() * self._happens("starts_late")
        when = max(self.time, self.back) + delay
        if self.failures < 4 and self._happens("fails_to_start"):
            self.failures += 1
            self._soon(when, Lost(worker, "it does not start", self.rng.random() < 0.5))
            return
        node = self.open[worker]
        self._soon(when, Started(worker, Who(node, node, f"worker {worker}", self.plays_with)))

    def hand(self, worker: int, ticket: int, job: Outcomes, part: slice) -> None:
        assert worker in self.open, "a chunk was handed to a worker that was ended"
        assert sum(number == worker for number, _ in self.pending) < 2, "a worker has three chunks"
        self.pending.add((worker, ticket))
        begun = max(self.time, self.busy.get(worker, 0.0))
        length = part.stop - part.start
        seconds = UNIT * length * (0.5 + self.rng.random())
        seconds *= 1 + 300 * self.rng.random() * self._happens("late")
        over = begun + seconds
        self.busy[worker] = math.inf  # unless it survives this
        if begun == math.inf:
            return
        if self.harm and self._happens("hangs"):
            self.harm -= 1
            return
        if self.endless in range(part.start, part.stop):
            return
        if self.deadly in range(part.start, part.stop):
            self._soon(over, Lost(worker, "its process was killed"))
            return
        if self._happens("loses_object"):
            self._soon(over, Lost(worker, "an object is lost", False))
            return
        for name in ("dies_before", "dies_after"):
            if self.harm and self._happens(name):
                self.harm -= 1
                self._soon(over if name == "dies_after" else begun, Lost(worker, name))
                return
        self.busy[worker] = over
        answer = job.here(part)
        if self.rng.random() < self.wrong.get(self.open[worker], 0.0):
            answer = answer + 1 + worker
        event = Answered(worker, ticket, answer, seconds)
        if self._happens("heard_late"):
            over += UNIT * self.rng.randint(1, 100)
        self._soon(over, event)
        if self._happens("twice"):
            self._soon(over + seconds * (5 * self.rng.random()), event)

    def wait(self, seconds: float) -> list:
        self.waits += 1
        assert self.waits < MOST_WAITS, "it goes round and round"
        assert self.time < MOST_SECONDS, "it does not end in time"
        if self.vanishings and self._happens("vanish"):
            self._all_vanish()
        if self._happens("times_out"):
            seconds *= self.rng.random()
        due = self.time + seconds
        if not self._queue or self._queue[0][0] > due:
            self.time = due
            return []
        self.time = max(self.time, self._queue[0][0])
        return [event for event in self._due() if self._is_heard(event)]

    def _due(self) -> Iterator:
        """Everything that has happened, or the first of it alone."""
        several = self.rng.random() < 0.5
        while self._queue and self._queue[0][0] <= self.time:
            yield heapq.heappop(self._queue)[2]
            if not several:
                return

    def _is_heard(self, event) -> bool:
        self.pending.discard((event.worker, getattr(event, "ticket", 0)))
        if isinstance(event, Lost):
            self.pending = {held for held in self.pending if held[0] != event.worker}
        return event.worker in self.open or self._happens("speaks_after_its_end")

    def _all_vanish(self) -> None:
        """Every worker is lost, and none starts for a while."""
        self.vanishings -= 1
        self.back = self.time + 900 * self.rng.random()
        self._queue.clear()
        for worker in self.open:
            self._soon(self.time, Lost(worker, "all is gone", blame=False))

    def has(self, worker: int, ticket: int) -> bool:
        return (worker, ticket) in self.pending

    def end(self, worker: int) -> None:
        del self.open[worker]
        self.pending = {held for held in self.pending if held[0] != worker}

    def avoid(self, node: str) -> None:
        self.avoided.add(node)

    def situation(self) -> str:
        return "this is a simulation"

    def _happens(self, name: str) -> bool:
        rate = getattr(self.trouble, name)
        return rate > 0 and self.rng.random() < rate

    def _soon(self, when: float, event) -> None:
        self._number += 1
        heapq.heappush(self._queue, (when, self._number, event))


@dataclass
class Outcomes:
    """A job whose outcomes are numbers of its matches."""

    key: int
    matches: int
    since: str = "a simulation"
    patience: float | None = None
    may_change: bool = False
    is_fine: bool = True

    def here(self, part: slice) -> np.ndarray:
        return np.arange(part.start, part.stop, dtype=np.int64) * 2654435761 + self.key

    def witness(self, part: slice, answer: np.ndarray) -> bytes:
        return answer.tobytes()

    def played(self, part: slice, answer: np.ndarray) -> Played:
        return Played(part.start, np.zeros((0, 2), dtype=np.int32), answer)

    def lost(self, number: int, why: str) -> MatchLost:
        return MatchLost(f"match {number}", number, (number, -1), self.key, why)


@dataclass
class Course:
    """A course of events, as a seed decides it: some calls of one pool.

    Attributes:
        said: what a person was told.
        may_fail: there may be more trouble than a chunk bears.
        may_change: answers are results of pieces of work, the last of which counts.
    """

    seed: int
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.may_fail, self.may_change = self.seed % 10 == 9, self.seed % 7 == 6
        self.rng = rng = random.Random(self.seed)
        nodes = [f"node {number}" for number in range(rng.randint(1, 3))]
        trouble = Trouble.drawn(rng) if rng.random() < 0.9 else Trouble()
        self.transport = Simulated(rng, trouble, nodes, rng.randint(1, 3))
        if len(nodes) > 1 and rng.random() < 0.3:
            self.transport.wrong = {nodes[0]: rng.choice([0.3, 1.0])}
        check = rng.choice([0, 1, 1, 3]) if not self.transport.wrong else rng.choice([1, 1, 3])
        if self.may_fail:
            self.transport.harm = 1000
        size = rng.choice([None, rng.randint(1, 6)])
        self.pool = Pool(self.transport, size, Limits(patience=60.0), check, self.said.append)
        self.pace = Pace(0.05)

    def call(self, number: int) -> Iterator[Played]:
        """A call of the pool."""
        given = {"may_change": self.may_change, "is_fine": self.rng.random() < 0.8}
        job = Outcomes(self.seed + number, self.rng.randint(1, 40), **given)
        chunk = self.rng.choice([None, 1, 3, 10])
        self.pool.gather()
        cut = Cut(job.matches, self.pool.target, self.pace, "kind", chunk)
        return Assignment(self.pool, job, cut).run()

    def outcomes(self, number: int) -> np.ndarray:
        """Outcomes of all matches of a call, each given once."""
        while True:
            state = self.rng.getstate()
            try:
                return self._counted(number, self.call(number))
            except SpoiledError:
                self.rng.setstate(state)

    def _counted(self, number: int, parts: Iterator[Played]) -> np.ndarray:
        given = {}
        for part in parts:
            for place, outcome in enumerate(part.outcomes, part.first):
                is_again = place in given and not (self.may_change and self.transport.wrong)
                assert not is_again, f"match {place} was counted twice"
                given[place] = outcome
        assert sorted(given) == list(range(len(given)))
        return np.array([given[place] for place in range(len(given))])

    def run(self) -> None:
        """All calls, and what must hold of them."""
        try:
            self._play()
        except ClusterError:
            if not self.may_fail:
                raise
        self.pool.close()
        assert not self.transport.open, "workers were left"

    def _play(self) -> None:
        for number in range(3):
            if self.rng.random() < 0.2:
                self._abandon(number)
            outcomes = self.outcomes(number)
            expected = Outcomes(self.seed + number, 0).here(slice(0, len(outcomes)))
            if self._must_be_right():
                assert np.array_equal(outcomes, expected)
            if self.rng.random() < 0.3:
                self.transport.nodes.append(f"node {len(self.transport.nodes)}")

    def _must_be_right(self) -> bool:
        """Wrong outcomes may get through where nothing, or not everything, is checked."""
        return not self.transport.wrong or self.pool.check == 1

    def _abandon(self, number: int) -> None:
        """A call of which somebody takes one part and leaves the others."""
        parts = self.call(number + 100)
        try:
            next(parts)
        except SpoiledError:
            pass
        finally:
            parts.close()


def run(seed: int) -> Course:
    """The course of events of a seed; AssertionError and ClusterError name the seed."""
    course = Course(seed)
    try:
        course.run()
    except (AssertionError, ClusterError) as error:
        raise AssertionError(f"seed {seed}: {error}") from error
    return course
