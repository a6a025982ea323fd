"""One schedule, or one list of pieces of work, on its way through the workers of a pool.

It is cut into chunks. The first answer of a chunk counts. A chunk comes again where its worker is
lost or overdue, where it is to be cross-checked, and where the node that answered has been found to
give wrong outcomes; one that loses its workers time and again is cut in half, down to the match.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from cluster.evaluator import ClusterError, SpoiledError
from cluster.faults import MatchLost, Who
from cluster.pace import Cut
from cluster.pool.pool import Pool, Task, Worker, is_one_in
from cluster.pool.transport import Answered
from tournaments.arena.outcomes import Played

MOST_TURNS = 100
"""How often a chunk is handed out at most, be its workers lost by no fault of its own."""
HERE = Who("", "this process", "itself", "")


class Job(Protocol):
    """What is to be done.

    Attributes:
        since: of which matches it is, for a person who must go back to them.
        patience: seconds at least until a chunk is overdue; None: as the limits say.
        is_fine: chunks are short and alike, so that one may wait for a worker that has another.
        may_change: whether an answer that was handed out may be replaced by another.
    """

    since: str
    patience: float | None
    is_fine: bool
    may_change: bool

    def here(self, part: slice) -> Any:
        """A chunk's answer by this process, which is the arbiter."""

    def witness(self, part: slice, answer: Any) -> bytes | None:
        """Bytes that are the same whoever answers; None: answers cannot be compared."""

    def played(self, part: slice, answer: Any) -> Played:
        """An answer as the caller takes it."""

    def lost(self, number: int, why: str) -> MatchLost:
        """The error that names a match which no worker survives."""


class First(NamedTuple):
    """The answer that counts, and who gave it."""

    who: Who
    witness: bytes | None
    answer: Any


@dataclass(eq=False)
class Chunk:
    """A stretch of matches.

    Attributes:
        allowed: after how many losses it is cut in half.
        is_checked: whether two workers are to play it.
        losses: how often it has lost its worker and may be the reason.
        handed: how often it was handed out.
        tasks: those who have it in hand.
        first: its answer.
        is_given: whether the caller has that.
        is_doubted: whether it was given by a node that gave wrong outcomes elsewhere.
        is_queued: whether it waits to be handed out once more.
    """

    part: slice
    allowed: int
    is_checked: bool = False
    losses: int = 0
    handed: int = 0
    tasks: list[Task] = field(default_factory=list)
    first: First | None = None
    is_given: bool = False
    is_doubted: bool = False
    is_queued: bool = False

    def __len__(self) -> int:
        return self.part.stop - self.part.start

    @property
    def is_spent(self) -> bool:
        """Whether it is not handed out as it is any more."""
        return self.losses >= self.allowed or self.handed >= MOST_TURNS

    @property
    def is_settled(self) -> bool:
        return self.is_given and not self.is_doubted


@dataclass(eq=False)
class Assignment:
    """All chunks of a job.

    Attributes:
        deadline: seconds after which a chunk's worker is taken down, whatever the pace.
        again: chunks to be handed out once more, before all others.
        unsettled: chunks cut off and not settled.
        given: chunks that the caller has, where they may have to be doubted.
        ready: answers that the caller is given next.
        error: what a game or a player raised, or why this cannot go on.
        preparing: seconds that fetching and decoding took last.
    """

    pool: Pool
    job: Job
    cut: Cut
    deadline: float | None = None
    again: deque[Chunk] = field(default_factory=deque)
    unsettled: set[Chunk] = field(default_factory=set)
    given: list[Chunk] = field(default_factory=list)
    ready: deque[Played] = field(default_factory=deque)
    error: Exception | None = None
    is_over: bool = False
    preparing: float = 0.0

    @property
    def kind(self) -> Hashable:
        return self.cut.kind

    @property
    def has_more(self) -> bool:
        """Whether there may be something to hand out."""
        return bool(self.again) or self.cut.is_left

    @property
    def has_ahead(self) -> bool:
        """Whether there may be something for workers that have a chunk in hand."""
        return self.job.is_fine and self.cut.is_left

    @property
    def is_unfinished(self) -> bool:
        """Whether something was not answered yet."""
        return bool(self.unsettled) or self.cut.is_left

    def run(self) -> Iterator[Played]:
        """Have everything done, and give it in no order.

        Raises:
            ClusterError: what the pool, or :class:`MatchLost` and :class:`SpoiledError`, say.
            Exception: that of a game or a player, as it is.
        """
        if not self.cut.is_left:
            return
        self.pool.begin(self)
        try:
            while self.is_unfinished or self.ready:
                self.pool.serve(self)
                self._check_what_nobody_else_can()
                while self.ready:
                    yield self.ready.popleft()
                    self.pool.check_open()
                if self.error is not None:
                    raise self.error
                if self.is_unfinished:
                    self.pool.step()
        finally:
            self.pool.leave(self)

    # --- what comes next --------------------------------------------------------------------------

    def next_for(self, worker: Worker) -> Chunk | None:
        """The chunk that a worker shall have; None: there is none for it."""
        for _ in range(len(self.again)):
            chunk = self.again.popleft()
            if chunk.is_settled or (chunk.is_spent and chunk.tasks):
                chunk.is_queued = False
            elif self._may_have(worker, chunk):
                chunk.is_queued = False
                return self._counted(chunk)
            else:
                self.again.append(chunk)
        return self.next_new() if self.cut.is_left else None

    def next_new(self) -> Chunk:
        """A chunk that nobody has had."""
        return self._counted(self._cut_off())

    def _counted(self, chunk: Chunk) -> Chunk:
        chunk.handed += 1
        self.pool.faults.repeated += chunk.handed > 1 and chunk.first is None
        return chunk

    def _may_have(self, worker: Worker, chunk: Chunk) -> bool:
        """A second opinion comes from another node, or where there is but one another worker."""
        assert worker.who is not None
        if any(task.worker is worker for task in chunk.tasks):
            return False
        if chunk.first is None:
            return True
        if len(self.pool.nodes) > 1:
            return worker.who.node != chunk.first.who.node
        return worker.who != chunk.first.who

    def _cut_off(self) -> Chunk:
        part = self.cut.next()
        self.pool.handed += 1
        is_checked = is_one_in(self.pool.handed, self.pool.check)
        return self._opened(Chunk(part, self.pool.limits.attempts, is_checked))

    def _opened(self, chunk: Chunk) -> Chunk:
        self.unsettled.add(chunk)
        return chunk

    def _queue(self, chunk: Chunk) -> None:
        if not chunk.is_queued:
            chunk.is_queued = True
            self.again.append(chunk)

    def limit(self, task: Task) -> float:
        """Seconds after which a task is overdue; they double each time its chunk comes again."""
        if self.deadline is not None:
            return self.deadline
        limits = self.pool.limits
        expected = self.cut.pace.expected(self.kind, len(task.chunk))
        if expected is None:
            seconds = self.job.patience or limits.patience
        else:
            least = self.job.patience or limits.floor
            seconds = max(least, limits.factor * (expected + self.preparing))
            seconds += limits.warm * task.is_first
        return seconds * 2.0 ** min(task.turn, 3)

    # --- what comes of it -------------------------------------------------------------------------

    def answered(self, task: Task, event: Answered) -> None:
        """A worker has done a chunk."""
        chunk, who = task.chunk, task.worker.who
        assert who is not None
        self.cut.pace.measured(self.kind, len(chunk), event.seconds)
        self.preparing = event.preparing or self.preparing
        compared = self.pool.check or chunk.tasks or chunk.first is not None
        witness = self.job.witness(chunk.part, event.answer) if compared else None
        if chunk.first is None:
            chunk.first = First(who, witness, event.answer)
            if chunk.is_checked and witness is not None:
                self._queue(chunk)
            else:
                self._give(chunk)
        elif witness is not None and chunk.first.witness is not None:
            self._compare(chunk, First(who, witness, event.answer))
        else:  # they cannot be compared
            self._settle(chunk)

    def _compare(self, chunk: Chunk, second: First) -> None:
        """Take a second opinion; where it differs this process is the arbiter."""
        assert chunk.first is not None
        if second.witness == chunk.first.witness:
            self.pool.faults.checked += 1
            self._settle(chunk)
            return
        self.pool.faults.differing += 1
        answer = second.answer if second.who is HERE else self.job.here(chunk.part)
        truth = First(HERE, self.job.witness(chunk.part, answer), answer)
        wrong = [one for one in (chunk.first, second) if one.witness != truth.witness]
        name = f"matches {chunk.part.start} to {chunk.part.stop - 1} of {self.job.since}"
        if len({one.who.node for one in wrong}) > 1:
            raise ClusterError(
                f"{chunk.first.who}, {second.who} and this process give three different outcomes "
                f"for {name}; nothing that they play can be trusted: see evo doctor"
            )
        self._replace(chunk, truth, name)
        self.pool.quarantine(wrong[0].who, name)

    def _replace(self, chunk: Chunk, truth: First, name: str) -> None:
        """Take this process's answer for the one that counts."""
        assert chunk.first is not None
        if chunk.first.witness != truth.witness and chunk.is_given and not self.job.may_change:
            self.error = SpoiledError(
                f"{chunk.first.who} gave wrong outcomes for {name}, which were counted already; "
                "all matches of this call are to be played anew"
            )
        elif chunk.first.witness != truth.witness:
            chunk.first, chunk.is_given = truth, False
        self._settle(chunk)

    def _settle(self, chunk: Chunk) -> None:
        chunk.is_doubted = False
        self.unsettled.discard(chunk)
        if not chunk.is_given:
            self._give(chunk)

    def _give(self, chunk: Chunk) -> None:
        assert chunk.first is not None
        chunk.is_given = True
        self.unsettled.discard(chunk)
        self.ready.append(self.job.played(chunk.part, chunk.first.answer))
        chunk.first = chunk.first._replace(answer=None)  # it may be large
        if self.pool.check or chunk.tasks:
            self.given.append(chunk)

    def distrust(self, node: str) -> None:
        """A node gave wrong outcomes: have all that it gave in this call played again."""
        for chunk in [*self.given, *self.again]:
            if chunk.first is None or chunk.first.who.node != node or chunk.is_doubted:
                continue
            if not chunk.is_given or self.job.may_change:
                chunk.first, chunk.is_given = None, False
            else:
                chunk.is_doubted = True
            self._queue(self._opened(chunk))

    def overdue(self, task: Task) -> None:
        """A worker takes too long: somebody else shall have its chunk, too."""
        if not self.is_over and not task.chunk.is_settled and not task.chunk.is_spent:
            self._queue(task.chunk)

    def lost(self, task: Task, why: str, blame: bool) -> None:
        """A worker that had a chunk is gone."""
        chunk = task.chunk
        chunk.tasks.remove(task)
        if self.is_over or chunk.is_settled:
            return
        chunk.losses += blame
        if not chunk.is_spent:
            self._queue(chunk)
        elif not chunk.tasks:  # another worker may yet end it
            self._give_up(chunk, why)

    def _give_up(self, chunk: Chunk, why: str) -> None:
        """A chunk has lost its workers too often."""
        if chunk.is_doubted:
            self.error = SpoiledError(f"what was counted cannot be checked: {why}")
        elif chunk.first is not None:  # once a worker did survive it
            self._settle(chunk)
        elif len(chunk) == 1:
            self.error = self.job.lost(chunk.part.start, why)
        else:
            chunk.is_given = True  # its halves take its place
            self.unsettled.discard(chunk)
            middle = (chunk.part.start + chunk.part.stop) // 2
            for part in (slice(chunk.part.start, middle), slice(middle, chunk.part.stop)):
                self._queue(self._opened(Chunk(part, self.pool.limits.halves)))

    def _check_what_nobody_else_can(self) -> None:
        """Let this process give the second opinion where no other worker is there to do it."""
        if self.cut.is_left or not self.again:
            return
        tasks = [task for worker in self.pool.workers.values() for task in worker.tasks]
        if any(task.assignment is self for task in tasks):
            return
        for chunk in [chunk for chunk in self.again if chunk.first and not chunk.is_settled]:
            if chunk.first is not None and self.error is None:  # nobody was found out meanwhile
                answer = self.job.here(chunk.part)
                self._compare(chunk, First(HERE, self.job.witness(chunk.part, answer), answer))
