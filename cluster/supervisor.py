"""Supervise workers: start them, hand them work, replace lost and hanging workers.

A supervisor knows neither matches nor runs: a :class:`Policy` decides what is handed out, how long
a worker may take and when lost work is handed out again. Chunks of matches
(:mod:`cluster.assignment`) may be played twice; jobs (:mod:`cluster.jobs`) must never run twice. A
supervisor knows no Ray either: a :class:`Transport` carries the work (:mod:`cluster.transports`);
tests have a transport with a virtual clock and faults by seed.

Progress is counted, not liveness: a worker that takes too long is doubted, then taken down. A
worker may hold a second task, which waits for the first, so that it is not idle between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from cluster.evaluator import CLOSED_MEANWHILE, ClusterError
from cluster.faults import RESUME, Faults, Limits, WorkerIdentity
from tournaments.errors import counted

TICK = 1.0
"""Seconds between two checks for overdue workers."""
SHORTEST = 0.001
"""Least duration of a wait, in seconds."""
STANDSTILL = 5.0
"""Seconds without a check after which this process counts as suspended, or as busy elsewhere."""
BACKOFF = 0.5, 30.0
"""Seconds to wait after a failed start; they double, up to the second number."""
HELD = 2
"""Tasks that a worker may hold."""


@dataclass(eq=False)
class Item:
    """A unit of work that is handed to a worker: a chunk of matches, or a job.

    Attributes:
        tasks: the tasks of the workers that hold the item.
        handed: how often the item was handed out.
    """

    tasks: list[Task] = field(default_factory=list)
    handed: int = 0


@dataclass(eq=False)
class Task:
    """An item in the hands of a worker.

    Attributes:
        turn: how often the item was handed out before.
        since: when the worker began the item, or last reported progress.
    """

    policy: Policy
    item: Any
    worker: Worker
    ticket: int
    turn: int
    since: float
    is_overdue: bool = False


@dataclass(eq=False)
class Worker:
    """A worker.

    Attributes:
        since: when the worker was asked to start.
        who: identity of the worker; None until it has started.
        tasks: the task in progress, then the waiting task.
        kinds: the kinds of work of which the worker has done some.
    """

    number: int
    since: float
    who: WorkerIdentity | None = None
    tasks: list[Task] = field(default_factory=list)
    kinds: set[Hashable] = field(default_factory=set)


class Answer(NamedTuple):
    """The result of a task.

    Attributes:
        result: what the worker returned.
        seconds: duration of the work.
        preparing: seconds of fetching and decoding before it.
    """

    result: Any
    seconds: float = 0.0
    preparing: float = 0.0


class Policy(Protocol):
    """The rules for a kind of work: items to hand out, time limits, answers and losses.

    Attributes:
        is_over: whether the call has ended, so that late answers are dropped.
    """

    is_over: bool = False

    @property
    def kind(self) -> Hashable:
        """The kind of this work. The first work of a kind takes longer, since kernels compile."""

    @property
    def has_more(self) -> bool:
        """Whether there may be an item of work to send to a worker."""

    def next_for(self, worker: Worker) -> Item | None:
        """Return the next item of work for a worker; None if the worker gets no item now."""

    def call(self, item: Any) -> tuple[str, tuple[Any, ...]]:
        """Return the name of the worker's method that does an item of work, and its arguments."""

    def limits_of(self, task: Task) -> tuple[float, float]:
        """Return the seconds until a worker's task is overdue, and until the worker is killed."""

    def answered(self, task: Task, answer: Answer) -> None:
        """Record the result that a worker returned for a task."""

    def failed(self, task: Task, error: Exception) -> None:
        """Record the exception that a worker's task has raised."""

    def lost(self, task: Task, why: str, blame: bool) -> None:
        """Take a task back from a worker that has ended, to have it done again.

        Args:
            task: the task that the worker held.
            why: the reason for the end, for messages.
            blame: whether the task may be the reason.
        """

    def overdue(self, task: Task) -> None:
        """Note that a worker's task takes longer than expected."""
        return

    def reported(self, task: Task, amount: int) -> None:
        """Note the progress of a worker's task; ``amount`` is how much of the task is done."""
        return


class Transport(Protocol):
    """Starts workers and carries work to them. Workers are known by the supervisor's numbers.

    Attributes:
        plays_with: versions of this process; a worker with others is refused.
        size: number of workers that were asked for.
        can_end: whether :meth:`end` ends a worker in the middle of a task.
        avoided: nodes on which no worker is started any more.
    """

    plays_with: str
    size: int
    can_end: bool
    avoided: set[str]

    def now(self) -> float:
        """Return the time of this transport's clock in seconds, from any origin."""

    def room(self) -> int:
        """Return how many workers the machine or cluster has room for, without avoided nodes."""

    def start(self, worker: int) -> None:
        """Start the worker of this number. A message reports its start later, or never comes."""

    def hand(self, worker: int, ticket: int, name: str, arguments: tuple[Any, ...]) -> None:
        """Send a worker a call of one of its methods, which it does after its earlier calls.

        Args:
            worker: number of the worker.
            ticket: number of the task, which the answer will bear.
            name: name of the method.
            arguments: arguments of the method.
        """

    def wait(self, seconds: float, supervisor: Supervisor) -> bool:
        """Wait for messages of workers and pass them to the supervisor.

        An interruption in the middle loses nothing: the same message may be passed twice.

        Returns:
            Whether there was a message within ``seconds``.
        """

    def stop(self) -> None:
        """Ask all workers to stop their jobs early."""

    def end(self, worker: Worker) -> None:
        """Kill a worker, which may be gone already. Its messages are ignored from now on."""

    def situation(self) -> str:
        """Return why workers may not start, as words of an error message."""

    def close(self) -> None:
        """End all workers that this transport has started."""


class Supervisor:
    """A group of workers; a lost worker is replaced.

    Attributes:
        workers: all workers by number, also while they start.
        ready: started workers with room for a task.
        faults: counts of faults.
        target: how many workers there should be.
    """

    def __init__(
        self,
        transport: Transport,
        size: int | None,
        limits: Limits | None = None,
        announce: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Prepare the supervision of workers. Workers start when there are tasks.

        Args:
            transport: starts the workers and carries messages to and from them.
            limits: how long to wait for workers and tasks.
            size: number of workers; None: as many as there is room for, as that changes.
            announce: called with a message for the user.
        """
        self.transport, self.size = transport, size
        self.limits, self.announce = limits or Limits(), announce
        self.faults = Faults()
        self.workers: dict[int, Worker] = {}
        self.ready: dict[int, Worker] = {}
        self.is_closed = self._is_said = False
        self._numbers = self.tickets = self._failed = self.target = 0
        self._heard = self._looked = self._judged = self._start_after = transport.now()
        self.gather()

    @property
    def nodes(self) -> set[str]:
        """The nodes on which a worker has started."""
        return {worker.who.node for worker in self.workers.values() if worker.who}

    # --- workers ----------------------------------------------------------------------------------

    def gather(self) -> None:
        """Adjust the number of workers to the target number, between two calls."""
        self.target = self.size or max(1, self.transport.room())
        surplus = [worker for worker in self.workers.values() if worker.who is None]
        surplus += [worker for worker in self.ready.values() if not worker.tasks]
        for worker in surplus[: max(0, len(self.workers) - self.target)]:
            self._end(worker)
        self._fill()

    def _fill(self) -> None:
        now = self.transport.now()
        while len(self.workers) < self.target and now >= self._start_after:
            self._numbers += 1
            self.workers[self._numbers] = Worker(self._numbers, now)
            self.transport.start(self._numbers)

    def started(self, number: int, who: WorkerIdentity) -> None:
        """Record the identity of a worker that has started, so that it can be sent work.

        Raises:
            ClusterError: the worker has other versions, and there is no other node.
        """
        worker = self.workers.get(number)
        if worker is None or worker.who is not None:
            return
        self._heard, self._failed = self.transport.now(), 0
        if who.plays_with != self.transport.plays_with:
            self._refuse(worker, who)
        else:
            worker.who = who
            self._update_ready(worker)

    def _refuse(self, worker: Worker, who: WorkerIdentity) -> None:
        """End a worker whose node has other versions of the code, and start no more there."""
        self._end(worker)
        if who.node in self.transport.avoided:
            return
        self.transport.avoided.add(who.node)
        why = (
            f"a Ray worker on node {who.address} plays with {who.plays_with}, this process with "
            f"{self.transport.plays_with}: results would depend on who plays; install the same "
            "versions on every node"
        )
        self.announce(f"{why}; the node is not used any more")
        if not self.transport.room():
            raise ClusterError(f"{why}; no other node is left")
        self.target = min(self.target, self.size or self.transport.room())

    def lost(self, number: int, why: str, blame: bool) -> None:
        """Drop a worker that is gone, and give its tasks back to their policies.

        Args:
            number: number of the worker.
            why: the reason, for the message to the user.
            blame: whether the task that the worker did may be the reason; False if its whole node
                is gone.

        Raises:
            ClusterError: no worker starts.
        """
        worker = self.workers.get(number)
        if worker is None:
            return
        if worker.who is None:
            self._start_failed(why, blame)
        self._end(worker)
        for place, task in enumerate(worker.tasks):
            self.faults.lost += 1
            task.item.tasks.remove(task)
            if not task.policy.is_over:
                task.policy.lost(task, why, blame and place == 0)

    def _start_failed(self, why: str, blame: bool) -> None:
        least, most = BACKOFF
        self._start_after = self.transport.now() + min(most, least * 2.0**self._failed)
        self._failed += blame
        if self._failed >= self.limits.attempts and not self.nodes:
            raise ClusterError(
                f"no worker starts, {self.limits.attempts} attempts failed in a row: {why}"
            )

    def _end(self, worker: Worker) -> None:
        del self.workers[worker.number]
        self.ready.pop(worker.number, None)
        self.transport.end(worker)

    # --- tasks ------------------------------------------------------------------------------------

    def serve(self, policy: Policy) -> None:
        """Send work to workers: first to those without a task, then to those with one."""
        for count in range(HELD):
            for worker in [each for each in self.ready.values() if len(each.tasks) == count]:
                if not policy.has_more:
                    return
                item = policy.next_for(worker)
                if item is not None:
                    self._hand(worker, policy, item)

    def _hand(self, worker: Worker, policy: Policy, item: Item) -> None:
        self.tickets += 1
        task = Task(policy, item, worker, self.tickets, item.handed, self.transport.now())
        self.transport.hand(worker.number, task.ticket, *policy.call(item))
        item.handed += 1
        item.tasks.append(task)
        worker.tasks.append(task)
        self._update_ready(worker)

    def _update_ready(self, worker: Worker) -> None:
        """Note whether a worker has room for a further task."""
        if len(worker.tasks) < HELD and not any(task.is_overdue for task in worker.tasks):
            self.ready[worker.number] = worker
        else:
            self.ready.pop(worker.number, None)

    def reported(self, number: int, ticket: int, amount: int) -> None:
        """Pass a worker's report of progress on to the policy of its task.

        Args:
            number: number of the worker.
            ticket: number of the task.
            amount: how much of the task is done.
        """
        if task := self._task(number, ticket):
            task.policy.reported(task, amount)
            task.since = self.transport.now()

    def answered(self, number: int, ticket: int, answer: Answer) -> None:
        """Pass the result of a worker's task on to the policy of the task.

        Args:
            number: number of the worker.
            ticket: number of the task.
            answer: what the worker returned.
        """
        if task := self._freed(number, ticket):
            task.policy.answered(task, answer)

    def failed(self, number: int, ticket: int, error: Exception) -> None:
        """Pass the exception that a worker's task has raised on to the policy of the task."""
        if task := self._freed(number, ticket):
            task.policy.failed(task, error)

    def _task(self, number: int, ticket: int) -> Task | None:
        """Return the task of a worker by the task's number; None if the worker has lost the task.

        Args:
            number: number of the worker.
            ticket: number of the task.
        """
        worker = self.workers.get(number)
        tasks = worker.tasks if worker else []
        return next((task for task in tasks if task.ticket == ticket), None)

    def _freed(self, number: int, ticket: int) -> Task | None:
        """Remove a finished task from its worker and return it; None if its result is not needed.

        Args:
            number: number of the worker.
            ticket: number of the task.
        """
        task = self._task(number, ticket)
        if task is None:
            return None
        worker = task.worker
        worker.kinds.add(task.policy.kind)
        worker.tasks.remove(task)
        task.item.tasks.remove(task)
        for waiting in worker.tasks:  # its time begins now
            waiting.since = self.transport.now()
        self._update_ready(worker)
        return None if task.policy.is_over else task

    def step(self, seconds: float = TICK) -> None:
        """Wait for messages of workers for a limited time, and end workers that are too late."""
        self._fill()
        self.transport.wait(max(SHORTEST, seconds), self)
        self._forgive(self.transport.now() - self._looked - seconds)
        if self.transport.now() - self._judged >= TICK:
            while self.transport.wait(0.0, self):
                pass  # news that arrived while this process did not listen
            self._judge(self.transport.now())
        self._looked = self.transport.now()

    def _forgive(self, absence: float) -> None:
        """Exclude seconds in which this process was halted from the time limits of all workers."""
        if absence < STANDSTILL:
            return
        self._heard += absence
        for worker in self.workers.values():
            worker.since += absence
            for task in worker.tasks:
                task.since += absence

    def _judge(self, now: float) -> None:
        """Mark overdue tasks, end workers that are too late, and check whether all are silent."""
        self._judged = now
        for worker in list(self.workers.values()):
            if worker.tasks:
                self._judge_task(worker.tasks[0], now)
            elif worker.who is None and now - worker.since >= self.limits.start:
                self.lost(worker.number, "it did not start in time", blame=False)
        self._judge_silence(now)

    def _judge_task(self, task: Task, now: float) -> None:
        limit, most = task.policy.limits_of(task)
        age = now - task.since
        if age >= limit and not task.is_overdue:
            task.is_overdue = True
            self.faults.overdue += 1
            self._update_ready(task.worker)
            for each in task.worker.tasks:
                if not each.policy.is_over:
                    each.policy.overdue(each)
        if age >= most:
            why = f"nothing was heard of it for {counted(round(most), 'second')}"
            self.lost(task.worker.number, why, blame=True)

    def _judge_silence(self, now: float) -> None:
        """Announce the lack of workers, and end the work if that does not change.

        Workers that hold a task are judged by the limits of the task.
        """
        if any(worker.tasks for worker in self.workers.values()):
            self._heard, self._is_said = now, False
            return
        silence, started = now - self._heard, len([w for w in self.workers.values() if w.who])
        state = (
            f"no worker has answered for {counted(round(silence), 'second')}; {started} of "
            f"{self.target} have started; {self.transport.situation()}"
        )
        if silence >= self.limits.end:
            raise ClusterError(f"{state}; {RESUME}")
        if silence >= self.limits.quiet and not self._is_said:
            self._is_said = True
            left = self.limits.end - silence
            self.announce(f"{state}; waiting for up to {counted(round(left), 'second')} more")

    # --- policies ---------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin to serve a caller: the silence of workers counts from now.

        Raises:
            ClusterError: the supervisor is closed.
        """
        self.check_open()
        self._heard = self._looked = self.transport.now()
        self._is_said = False

    def check_open(self) -> None:
        """Raise ClusterError if this supervisor of workers is closed."""
        if self.is_closed:
            raise ClusterError(CLOSED_MEANWHILE)

    def close(self) -> None:
        """End all workers of this supervisor."""
        self.is_closed = True
        self.transport.close()
