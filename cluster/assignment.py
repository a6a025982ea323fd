"""The policy for chunks: a schedule, or a list of pieces of work, on its way through the workers.

The work is cut into chunks. The first answer for a chunk counts. A chunk is handed out again if its
worker is lost or overdue. A chunk that loses its worker is cut into parts, down to the single
match. For some chunks two workers play the same chunk, and their answers are compared.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from cluster.evaluator import ClusterError
from cluster.faults import MatchLost, WorkerIdentity
from cluster.pace import Cut
from cluster.supervisor import Answer, Item, Policy, Supervisor, Task, Worker
from tournaments.arena.outcomes import Played

MOST_TURNS = 100
"""Maximum number of times that a chunk is handed out, also if no loss was its own fault."""
MOST_PARTS = 16
"""Number of parts into which a chunk is cut after it has lost its worker."""
MOST_DOUBLINGS = 3
"""Maximum number of times that the limits of a chunk double."""


class ChunkedWork(Protocol):
    """Work that is cut into chunks.

    Attributes:
        since: name of the work, such as purpose and generation of matches.
        is_fine: whether chunks are short and alike, so that a second one may wait at a worker.
    """

    since: str
    is_fine: bool

    def call(self, part: slice) -> tuple[str, tuple[Any, ...]]:
        """Return the name of the worker's method that does a chunk, and the arguments of the call.

        ``part`` is the range of matches, or of pieces of work, that the chunk holds.
        """

    def renew(self) -> None:
        """Send the data that all chunks share to Ray again: a lost node may have held the data."""
        return

    def witness(self, part: slice, result: Any) -> bytes | None:
        """Return a fingerprint of a chunk's result, by which results of two workers are compared.

        The bytes are the same for every worker. None means that such results cannot be compared.
        """

    def played(self, part: slice, result: Any) -> Played:
        """Return a worker's result of a chunk of matches as the record that the caller reads."""

    def lost(self, number: int, why: str) -> MatchLost | Played:
        """Return the outcome of the match of this number, which no worker survives, or the error.

        ``why`` is the reason for the last loss.
        """


@dataclass(eq=False, kw_only=True)
class Chunk(Item):
    """A range of matches.

    Attributes:
        allowed: number of losses after which the chunk is cut, or its only match is given up.
        is_checked: whether a second worker plays the chunk.
        losses: number of lost workers for which the chunk may be the reason. It includes those of
            the chunk from which it was cut.
        first: the worker of the first answer, and the witness of the answer.
    """

    part: slice
    allowed: int
    is_checked: bool = False
    losses: int = 0
    first: tuple[WorkerIdentity, bytes | None] | None = None

    def __len__(self) -> int:
        return self.part.stop - self.part.start

    @property
    def is_spent(self) -> bool:
        """Whether the chunk has been lost too often to be sent to a worker in its present size."""
        return self.losses >= self.allowed or self.handed >= MOST_TURNS


@dataclass(eq=False)
class Assignment(Policy):
    """The chunks of a call.

    Attributes:
        check: two workers play one chunk in ``check``, for comparison; 0: none.
        again: chunks to be handed out once more, before all others.
        unsettled: chunks that were cut off and are not answered, or not compared yet.
        ready: answers that the caller takes next.
        error: the exception of a game or a player, or the reason why the work cannot go on.
        preparing: seconds that fetching and decoding took last.
    """

    supervisor: Supervisor
    work: ChunkedWork
    cut: Cut
    check: int = 0
    again: deque[Chunk] = field(default_factory=deque)
    unsettled: set[Chunk] = field(default_factory=set)
    ready: deque[Played] = field(default_factory=deque)
    error: Exception | None = None
    preparing: float = 0.0
    is_over: bool = False

    @property
    def kind(self) -> Hashable:
        return self.cut.kind

    @property
    def is_unfinished(self) -> bool:
        """Whether the answer to a chunk, or the second answer that checks a chunk, is missing."""
        return self.cut.is_left or bool(self.unsettled)

    def run(self) -> Iterator[Played]:
        """Have the workers play all chunks of matches, and yield their answers in any order.

        Raises:
            ClusterError: see :class:`cluster.supervisor.Supervisor` and :class:`MatchLost`; or two
                workers gave different answers.
            Exception: the exception of a game or a player.
        """
        self.supervisor.begin()
        try:
            while self.is_unfinished or self.ready or self.error:
                self.supervisor.serve(self)  # before the caller takes its time over the answers
                self._drop_impossible_checks()
                while self.ready:
                    yield self.ready.popleft()
                    self.supervisor.check_open()
                if self.error is not None:
                    raise self.error
                if self.is_unfinished:
                    self.supervisor.step()
        finally:
            self.is_over = True

    def _drop_impossible_checks(self) -> None:
        """Accept answered chunks without a second answer if no worker is left to give one."""
        if self.cut.is_left:
            return
        if all(chunk.first and not chunk.tasks for chunk in self.unsettled):
            self.unsettled.clear()

    # --- handing out ------------------------------------------------------------------------------

    @property
    def has_more(self) -> bool:
        return bool(self.again) or self.cut.is_left

    def next_for(self, worker: Worker) -> Chunk | None:
        if worker.tasks:  # only new chunks wait for a worker
            is_ours = self.work.is_fine and worker.tasks[0].policy is self
            return self._new_chunk() if is_ours else None
        for chunk in list(self.again):
            if chunk not in self.unsettled:
                self.again.remove(chunk)
            elif self._may_have(worker, chunk):
                self.again.remove(chunk)
                self.supervisor.faults.repeated += chunk.first is None
                return chunk
        return self._new_chunk()

    def _may_have(self, worker: Worker, chunk: Chunk) -> bool:
        """Return whether a free worker may play this chunk.

        The second answer that checks a chunk comes from another node than the first or, if there is
        only one node, from another worker.
        """
        assert worker.who is not None
        if chunk.first is None:
            return True
        if len(self.supervisor.nodes) > 1:
            return worker.who.node != chunk.first[0].node
        return worker.who != chunk.first[0]

    def _new_chunk(self) -> Chunk | None:
        if not self.cut.is_left:
            return None
        is_checked = is_one_in(self.supervisor.tickets, self.check)
        return self._opened(self.cut.next(), is_checked)

    def _opened(self, part: slice, is_checked: bool, losses: int = 0, handed: int = 0) -> Chunk:
        chunk = Chunk(handed=handed, part=part, allowed=losses + 1, losses=losses)
        chunk.is_checked = is_checked
        if len(chunk) == 1:
            chunk.allowed = max(chunk.allowed, self.supervisor.limits.attempts)
        self.unsettled.add(chunk)
        return chunk

    def _queue(self, chunk: Chunk) -> None:
        if chunk not in self.again:
            self.again.append(chunk)

    def call(self, item: Chunk) -> tuple[str, tuple[Any, ...]]:
        return self.work.call(item.part)

    def limits_of(self, task: Task) -> tuple[float, float]:
        limits = self.supervisor.limits
        seconds = limits.patience
        expected = self.cut.pace.expected(self.kind, len(task.item))
        if expected is not None:
            least = limits.floor if self.work.is_fine else limits.patience
            seconds = max(least, limits.factor * (expected + self.preparing))
            seconds += limits.warm * (self.kind not in task.worker.kinds)
        seconds *= 2.0 ** min(task.turn, MOST_DOUBLINGS)
        return seconds, seconds * limits.down

    # --- answers ----------------------------------------------------------------------------------

    def answered(self, task: Task, answer: Answer) -> None:
        chunk, who = task.item, task.worker.who
        assert who is not None
        self.cut.pace.measured(self.kind, len(chunk), answer.seconds)
        self.preparing = answer.preparing or self.preparing
        is_compared = chunk.is_checked or chunk.tasks or chunk.first
        witness = self.work.witness(chunk.part, answer.result) if is_compared else None
        if chunk.first is None:
            chunk.first = who, witness
            self.ready.append(self.work.played(chunk.part, answer.result))
            if chunk.is_checked and witness is not None:
                chunk.allowed = self.supervisor.limits.attempts  # a lost worker ends no check
                self._queue(chunk)
                return
        elif witness is not None and chunk.first[1] is not None:
            self._compare(chunk, who, witness)
        self.unsettled.discard(chunk)

    def _compare(self, chunk: Chunk, who: WorkerIdentity, witness: bytes) -> None:
        """Compare a worker's second answer to a chunk with the first; end the work if they differ.

        ``witness`` is the fingerprint of the second answer, ``who`` the worker that gave it.
        """
        assert chunk.first is not None
        first, expected = chunk.first
        if witness == expected:
            self.supervisor.faults.checked += 1
            return
        self.error = ClusterError(
            f"{first} and {who} give different outcomes for matches {chunk.part.start} to "
            f"{chunk.part.stop - 1} of {self.work.since}: one of them computes wrongly, and no "
            "result since it takes part is certain; find out which by evo doctor --ray ADDRESS, "
            "leave its node out, and go on from a snapshot that is older: evo resume RUN"
        )

    def failed(self, task: Task, error: Exception) -> None:
        self.error = error

    def overdue(self, task: Task) -> None:
        chunk = task.item
        if chunk in self.unsettled and chunk.first is None and not chunk.is_spent:
            self._queue(chunk)

    def lost(self, task: Task, why: str, blame: bool) -> None:
        chunk = task.item
        if not blame:
            self.work.renew()
        if chunk not in self.unsettled:
            return
        chunk.losses += blame
        if not chunk.is_spent:
            self._queue(chunk)
        elif not chunk.tasks:  # another worker may yet end it
            self._give_up(chunk, why)

    def _give_up(self, chunk: Chunk, why: str) -> None:
        """Cut a chunk of matches into parts after it has lost its worker.

        A single match of a contest is void if faults are forfeited. Any other single match ends
        the work with an error that names the match and the reason ``why``.
        """
        self.unsettled.discard(chunk)
        if chunk.first is not None:  # a worker has survived it
            return
        start, stop = chunk.part.start, chunk.part.stop
        if len(chunk) == 1:
            outcome = self.work.lost(start, why)
            if isinstance(outcome, MatchLost):
                self.error = outcome
            else:
                self.ready.append(outcome)
            return
        step, turns = -(-len(chunk) // MOST_PARTS), min(chunk.handed, MOST_DOUBLINGS)
        for first in range(start, stop, step):
            part = slice(first, min(first + step, stop))
            self._queue(self._opened(part, chunk.is_checked, chunk.losses, turns))


def is_one_in(number: int, many: int) -> bool:
    """Return whether ``number`` is one of those to be checked, about 1 in ``many``.

    The selection is a fixed hash of the number. With ``many`` = 0 no number is selected.
    """
    if not many:
        return False
    scrambled = number * 0x9E3779B97F4A7C15 >> 24 & 0xFFFFFFFF
    return scrambled % many == 0
