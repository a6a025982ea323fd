"""The policy for jobs: whole runs side by side, such as those of an experiment.

Each job has one processor: a process of this machine or a Ray actor, never a thread among others.
In threads, most work of the interpreter would wait for the other jobs, and operators that draw from
the global generators of Python and numpy would disturb the other jobs.

A job owns a folder and a lease, so it must never run twice at a time: there are no second answers.
A job whose worker is lost is handed to another worker. A job also hangs if it has reported nothing
for far longer than ever before, although its process is alive for the operating system. Its worker
is ended first, then the job is handed to another worker.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cluster.evaluator import ClusterError
from cluster.faults import Limits
from cluster.supervisor import Answer, Item, Policy, Supervisor, Task, Transport, Worker

Tell = Callable[[int], None]
Stop = Callable[[], bool]
Function = Callable[[Any, Tell, Stop], Any]
"""A function that does a job. It reports its progress and checks regularly whether to stop."""

ATTEMPTS = 3
"""How often a job may lose its worker."""
POLL_SECONDS = 0.1
"""Seconds between two reports, and between two checks whether to stop."""
SILENCES = 20
"""Limit of a silence, as a multiple of the longest silence since the first report."""
START_SECONDS = 300.0
"""Seconds to wait for a first worker: a cluster may have to start a machine for it."""


@dataclass
class Outcome:
    """The result of a job: a value, or an error; neither if the job was never begun.

    Attributes:
        amount: the last amount that the job has reported as done.
    """

    value: Any = None
    error: Exception | None = None
    amount: int = 0


@dataclass(eq=False, kw_only=True)
class Job(Item):
    """A job.

    Attributes:
        amount: how much is done.
        losses: how often the job has lost its worker.
        has_reported: whether it has reported since its worker began it.
        silence: the longest time between two reports since then, in seconds.
    """

    number: int
    amount: int = 0
    losses: int = 0
    has_reported: bool = False
    silence: float = 0.0


class Jobs(Policy):
    """The jobs of a call.

    Attributes:
        outcomes: of all jobs.
        over: number of jobs that are over.
        until: time at which the wait for jobs ends; None unless a stop was requested.
    """

    kind = "jobs"
    is_over = False

    def __init__(self, supervisor: Supervisor, function: Function, jobs: Sequence[Any]) -> None:
        self.outcomes = [Outcome() for _ in jobs]
        self.over = 0
        self.until: float | None = None
        self._supervisor, self._function, self._given = supervisor, function, jobs
        self._jobs = [Job(number=number) for number in range(len(jobs))]
        self._waiting = deque(self._jobs)

    @property
    def amount(self) -> int:
        """The sum of the progress that all jobs have reported, such as games of runs."""
        return sum(job.amount for job in self._jobs)

    @property
    def is_finished(self) -> bool:
        """Whether all jobs are over, or a requested stop leaves no more jobs to wait for."""
        if any(worker.tasks for worker in self._supervisor.workers.values()):
            return self.until is not None and self._supervisor.transport.now() > self.until
        return self.until is not None or self.over == len(self._jobs)

    def stop(self) -> None:
        """Begin no more jobs, start no more workers, and ask the jobs in progress to stop."""
        self.until = self._supervisor.transport.now() + self._supervisor.limits.grace
        self._supervisor.target = 0
        self._supervisor.transport.stop()

    @property
    def has_more(self) -> bool:
        return bool(self._waiting) and self.until is None

    def next_for(self, worker: Worker) -> Job | None:
        if worker.tasks:
            return None
        job = self._waiting.popleft()
        job.has_reported, job.silence = False, 0.0
        return job

    def call(self, item: Job) -> tuple[str, tuple[Any, ...]]:
        return "perform", (self._function, self._given[item.number])

    def limits_of(self, task: Task) -> tuple[float, float]:
        seconds = max(self._supervisor.limits.patience, SILENCES * task.item.silence)
        return seconds, seconds

    def reported(self, task: Task, amount: int) -> None:
        job = task.item
        if job.has_reported:  # before that kernels are compiled
            job.silence = max(job.silence, self._supervisor.transport.now() - task.since)
        job.has_reported, job.amount = True, amount

    def answered(self, task: Task, answer: Answer) -> None:
        self._settle(task.item, answer.result)
        task.item.amount = answer.result.amount

    def failed(self, task: Task, error: Exception) -> None:
        self._settle(task.item, Outcome(error=error))

    def _settle(self, job: Job, outcome: Outcome) -> None:
        self.outcomes[job.number] = outcome
        self.over += 1

    def lost(self, task: Task, why: str, blame: bool) -> None:
        job = task.item
        job.losses += 1
        attempts = ATTEMPTS if self._supervisor.transport.can_end else 1
        if job.losses < attempts:
            self._waiting.appendleft(job)
        else:
            times = f" {attempts} times" if attempts > 1 else ""
            self._settle(job, Outcome(error=ClusterError(f"lost its worker{times} ({why})")))


def perform(
    transport: Transport,
    function: Function,
    jobs: Sequence[Any],
    report: Callable[[int, int], None],
    stop: Stop,
    limits: Limits | None = None,
) -> list[Outcome]:
    """Run jobs in their order, as many at a time as there are workers, and return their outcomes.

    A job that fails, or hangs, does not end the others. The workers stay until the transport is
    closed.

    Args:
        transport: the workers.
        function: called for each job.
        jobs: the arguments of the calls.
        report: called about ten times a second with the number of jobs that are over, and the sum
            of what is done.
        stop: called as often. After it returns True no more jobs begin, and the jobs in progress
            are awaited for as long as the limits allow.
        limits: how long to wait for workers and jobs.

    Raises:
        ClusterError: no worker starts.
    """
    limits = replace(limits or Limits(), end=START_SECONDS)
    supervisor = Supervisor(transport, min(transport.size, len(jobs)) or 1, limits)
    policy = Jobs(supervisor, function, jobs)
    supervisor.begin()
    try:
        while not policy.is_finished:
            supervisor.serve(policy)
            supervisor.step(POLL_SECONDS)
            report(policy.over, policy.amount)
            if policy.until is None and stop():
                policy.stop()
    finally:
        transport.stop()
    report(policy.over, policy.amount)
    return policy.outcomes


def attempt(function: Function, job: Any, tell: Tell, stop: Stop) -> Outcome:
    """Call the function of a job in the calling thread and return the outcome of the job.

    The outcome holds the function's result or its error, which can be sent to another process.

    Args:
        function: called with the job and the next two arguments.
        job: what the function is called for.
        tell: called by the function with the amount that is done.
        stop: returns whether the function should end early.
    """
    outcome = Outcome()

    def note(amount: int) -> None:
        outcome.amount = amount
        tell(amount)

    try:
        outcome.value = function(job, note, stop)
    except Exception as error:
        outcome.error = ClusterError(f"{type(error).__name__}: {error}")
    return outcome
