"""The workers of an evaluator: who is there, who has what in hand, and for how long.

A pool knows no Ray, see :mod:`cluster.pool.transport`. Progress is counted, not liveness: whoever
is at a chunk for too long is doubted, and then taken down. A worker may have a second chunk that
waits for its first, so that it need not wait for what comes next.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cluster.evaluator import CLOSED_MEANWHILE, ClusterError
from cluster.faults import RESUME, Faults, Limits, Who
from cluster.pool.transport import Transport

TICK = 5.0
"""Seconds, at most, from one look at who is overdue to the next."""
SHORTEST = 0.001
"""Seconds of a wait, at least."""
BACKOFF = 0.5, 30.0
"""Seconds until another start after one that failed; they double, up to the second number."""


@dataclass(eq=False)
class Task:
    """A chunk in the hands of a worker.

    Attributes:
        since: when the worker came to it.
        turn: how often the chunk was handed out before.
        is_first: whether the worker has done none of this kind before.
    """

    assignment: Any
    chunk: Any
    worker: Worker
    ticket: int
    since: float
    turn: int
    is_first: bool = False
    is_overdue: bool = False


@dataclass(eq=False)
class Worker:
    """A worker.

    Attributes:
        since: when it was started.
        who: None until it has started.
        tasks: what it has in hand: what it is at, and what waits for that.
        kinds: of which kinds it has done a chunk.
    """

    number: int
    since: float
    who: Who | None = None
    tasks: list[Task] = field(default_factory=list)
    kinds: set[Any] = field(default_factory=set)

    @property
    def task(self) -> Task | None:
        """What it is at."""
        return self.tasks[0] if self.tasks else None


class Pool:
    """Workers, as many as wanted; one that is lost is replaced.

    Attributes:
        workers: by their numbers; those that start among them.
        free: those of them that have started and have nothing in hand.
        near: those that have one chunk in hand, which is not overdue.
        faults: what went wrong.
        handed: chunks cut off so far.
    """

    def __init__(
        self,
        transport: Transport,
        size: int | None,
        limits: Limits | None = None,
        check: int = 0,
        announce: Callable[[str], None] = lambda line: None,
    ) -> None:
        """
        Args:
            size: how many workers; None: as many as there is room for, as that changes.
            check: one chunk in so many is played by two workers and compared; 0: none.
            announce: told in a line what a person should know.
        """
        self.transport, self.size, self.check = transport, size, check
        self.limits, self.announce = limits or Limits(), announce
        self.faults = Faults()
        self.workers: dict[int, Worker] = {}
        self.free: dict[int, Worker] = {}
        self.near: dict[int, Worker] = {}
        self.assignments: list[Any] = []
        self.nodes: Counter[str] = Counter()
        self._said = self.limits.quiet
        self.handed = self._numbers = self._tickets = self._failed = 0
        self._refused: dict[str, str] = {}
        self._since: dict[str, str] = {}
        self.is_closed = False
        self._heard = transport.now()
        self._look = self._start_after = self._heard
        self.target = 0
        self.gather()

    # --- who is there -----------------------------------------------------------------------------

    def gather(self) -> None:
        """Between calls: have as many workers as there shall be now."""
        self.target = self.size or max(1, self.transport.room())
        surplus = [worker for worker in self.workers.values() if worker.who is None]
        surplus += self.free.values()
        for worker in surplus[: max(0, len(self.workers) - self.target)]:
            self._end(worker)
        self._fill()

    def _fill(self) -> None:
        now = self.transport.now()
        while len(self.workers) < self.target and now >= self._start_after:
            self._numbers += 1
            self.workers[self._numbers] = Worker(self._numbers, now)
            self._look = min(self._look, now + self.limits.start)
            self.transport.start(self._numbers)

    def started(self, number: int, who: Who) -> None:
        """A worker has started, with what it plays with."""
        worker = self.workers.get(number)
        if worker is None or worker.who is not None:
            return
        self._heard, self._failed = self.transport.now(), 0
        if who.node in self._refused:
            self._end(worker)
        elif who.plays_with != self.transport.plays_with:
            self._end(worker)
            self.refuse(
                who.node,
                f"a Ray worker on node {who.address} plays with {who.plays_with}, this process "
                f"with {self.transport.plays_with}: results would depend on who plays; install the "
                "same versions on every node",
            )
        else:
            worker.who = who
            self.free[number] = worker
            self.nodes[who.node] += 1

    def refuse(self, node: str, why: str) -> None:
        """Use a node no more in this pool.

        Raises:
            ClusterError: no other node is left.
        """
        if node in self._refused:
            return
        self._refused[node] = why
        self.transport.avoid(node)
        self.announce(f"{why}; the node is not used any more")
        for worker in list(self.workers.values()):
            if worker.who is not None and worker.who.node == node:
                self.lost(worker.number, "its node is not used any more", blame=False)
        if not self.transport.room():
            raise ClusterError(f"{why}; no other node is left")
        self.target = min(self.target, self.size or self.transport.room())

    def quarantine(self, who: Who, what: str) -> None:
        """Use the node of a worker no more: it gave wrong outcomes."""
        if who.node in self._refused:
            return
        self.faults.quarantined += 1
        since = self._since.get(who.node, "")
        try:
            self.refuse(
                who.node,
                f"{who} gave other outcomes than this process for {what}; its node has played "
                f"since {since}, and what it did before this call was not all checked: go back to "
                "a snapshot before that to be sure",
            )
        finally:
            for assignment in self.assignments:
                assignment.distrust(who.node)

    def lost(self, number: int, why: str, blame: bool) -> None:
        """A worker is gone; what it had in hand is told so, and another is started."""
        worker = self.workers.get(number)
        if worker is None:
            return
        if worker.who is None:
            self._no_start(why, blame)
        tasks = worker.tasks
        self._end(worker)
        for task in tasks:
            self.faults.lost += 1
            self._heard = self.transport.now()
            task.assignment.lost(task, why, blame and task is tasks[0])

    def _no_start(self, why: str, blame: bool) -> None:
        least, most = BACKOFF
        self._start_after = self.transport.now() + min(most, least * 2.0**self._failed)
        self._look = min(self._look, self._start_after)
        self._failed += blame
        if self._failed >= self.limits.attempts and not self.nodes.total():
            raise ClusterError(
                f"no Ray actor starts, {self.limits.attempts} attempts failed in a row: {why}"
            )

    def _end(self, worker: Worker) -> None:
        del self.workers[worker.number]
        self.free.pop(worker.number, None)
        self.near.pop(worker.number, None)
        if worker.who is not None:
            self.nodes[worker.who.node] -= 1
            self.nodes += Counter()  # without those that have none
        self.transport.end(worker.number)

    # --- what they do -----------------------------------------------------------------------------

    def hand(self, worker: Worker, assignment: Any, chunk: Any) -> None:
        """Hand a chunk to a worker that is free, or near it."""
        assert worker.who is not None
        self._tickets += 1
        now = self.transport.now()
        task = Task(assignment, chunk, worker, self._tickets, now, chunk.handed - 1)
        worker.tasks.append(task)
        chunk.tasks.append(task)
        if worker.task is task:
            del self.free[worker.number]
            self._came_to(task)
        else:
            del self.near[worker.number]
        self._since.setdefault(worker.who.node, assignment.job.since)
        self.transport.hand(worker.number, task.ticket, assignment.job, chunk.part)

    def _came_to(self, task: Task) -> None:
        """A worker is at a chunk from now on."""
        worker, assignment = task.worker, task.assignment
        task.since = self.transport.now()
        task.is_first = assignment.kind not in worker.kinds
        self._look = min(self._look, task.since + assignment.limit(task))
        if len(worker.tasks) == 1:
            self.near[worker.number] = worker

    def freed(self, number: int, ticket: int) -> Task | None:
        """The task that a worker has ended; None where it is over already, or nobody wants it."""
        worker = self.workers.get(number)
        ended = [task for task in worker.tasks if task.ticket == ticket] if worker else []
        if worker is None or not ended:
            return None
        worker.kinds.add(ended[0].assignment.kind)
        ended[0].chunk.tasks.remove(ended[0])
        self._without(worker, ended)
        self._heard, self._said = self.transport.now(), self.limits.quiet
        return None if ended[0].assignment.is_over else ended[0]

    def _without(self, worker: Worker, tasks: list[Task]) -> None:
        """A worker has some tasks no more: it comes to the next, or is free."""
        before = worker.task
        worker.tasks = [task for task in worker.tasks if task not in tasks]
        if worker.task is None:
            self.near.pop(worker.number, None)
            self.free[worker.number] = worker
        elif worker.task is not before:
            self._came_to(worker.task)
        elif not worker.task.is_overdue:
            self.near[worker.number] = worker

    def step(self) -> None:
        """Wait until something was heard, or somebody is overdue, and see to it."""
        self._fill()
        for event in self.transport.wait(max(SHORTEST, self._look - self.transport.now())):
            event.reach(self)
        if self.transport.now() >= self._look:
            while events := self.transport.wait(0.0):  # what has come while nobody listened
                for event in events:
                    event.reach(self)
            self._judge(self.transport.now())

    def _judge(self, now: float) -> None:
        """Look who is overdue, who is to be taken down, and whether anybody is at work."""
        self._look = now + TICK
        if now < self._start_after:
            self._look = min(self._look, self._start_after)
        for worker in list(self.workers.values()):
            if worker.task is not None:
                self._judge_task(worker.task, now)
            elif worker.who is None:
                if now - worker.since >= self.limits.start:
                    self.lost(worker.number, "it did not start in time", blame=False)
                else:
                    self._look = min(self._look, worker.since + self.limits.start)
        if any(worker.task and not worker.task.is_overdue for worker in self.workers.values()):
            self._heard, self._said = now, self.limits.quiet
        self._judge_silence(now)

    def _judge_task(self, task: Task, now: float) -> None:
        limit = task.assignment.limit(task)
        most = limit * (1.0 if task.assignment.deadline else self.limits.down)
        age = now - task.since
        if age >= limit and not task.is_overdue:
            task.is_overdue = True
            self.faults.overdue += 1
            self.near.pop(task.worker.number, None)
            for kept in task.worker.tasks:
                kept.assignment.overdue(kept)
        if age >= most:
            self.lost(task.worker.number, f"it took more than {most:.0f} seconds", blame=True)
        else:
            self._look = min(self._look, task.since + (most if task.is_overdue else limit))

    def _judge_silence(self, now: float) -> None:
        silence, last = now - self._heard, self.limits.end
        if any(worker.task for worker in self.workers.values()):
            last = math.inf  # whoever has something in hand is taken down in time
        if silence < min(self._said, last):
            self._look = min(self._look, self._heard + min(self._said, last))
            return
        started = self.nodes.total()
        state = (
            f"no worker has answered for {silence:.0f} seconds; {started} of {self.target} have "
            f"started; {self.transport.situation()}"
        )
        if silence >= last:
            raise ClusterError(f"{state}; {RESUME}")
        left = "" if last == math.inf else f" for up to {last - silence:.0f} seconds more"
        self.announce(f"{state}; waiting{left}")
        self._said *= 2

    # --- assignments ------------------------------------------------------------------------------

    def serve(self, assignment: Any) -> None:
        """Give what is left of an assignment to those who are free, then to those near it."""
        for worker in list(self.free.values()):
            if not assignment.has_more:
                return
            chunk = assignment.next_for(worker)
            if chunk is not None:
                self.hand(worker, assignment, chunk)
        for worker in list(self.near.values()):
            if not assignment.has_ahead:
                return
            if worker.tasks[0].assignment is assignment:
                self.hand(worker, assignment, assignment.next_new())

    def begin(self, assignment: Any) -> None:
        """An assignment begins, and the silence of its workers is counted from here."""
        self.check_open()
        self.assignments.append(assignment)
        self._heard, self._said = self.transport.now(), self.limits.quiet

    def leave(self, assignment: Any) -> None:
        """An assignment is over, at its end or in the middle, be it by an interruption."""
        assignment.is_over = True
        if assignment in self.assignments:
            self.assignments.remove(assignment)
        if self.is_closed:
            return
        for worker in self.workers.values():
            has = self.transport.has
            dropped = [task for task in worker.tasks if not has(worker.number, task.ticket)]
            if worker.who is not None and (dropped or not worker.tasks):
                self._without(worker, dropped)
            for task in dropped:
                task.assignment.lost(task, "interrupted", blame=False)

    def check_open(self) -> None:
        """Refuse to go on where somebody has closed the pool."""
        if self.is_closed:
            raise ClusterError(CLOSED_MEANWHILE)

    def close(self) -> None:
        """End all workers."""
        self.is_closed = True
        for worker in list(self.workers.values()):
            self._end(worker)


def is_one_in(number: int, many: int) -> bool:
    """Whether a number is one of those, 1 in so many, that a fixed scramble picks; 0: none is."""
    if not many:
        return False
    scrambled = number * 0x9E3779B97F4A7C15 >> 24 & 0xFFFFFFFF
    return scrambled % many == 0
