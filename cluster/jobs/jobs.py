"""Whole jobs side by side, such as the runs of an experiment: each on one processor, by itself.

Jobs run in processes of this machine or in Ray actors, never in threads of one process: most of
what the interpreter does would then wait for the other jobs, and what draws from the global
generators of Python and numpy, as operators of other libraries do, would disturb the other jobs.

A job is a pure function's argument, and may be stopped and begun again: one whose worker is lost is
given to another worker. So is one that has told nothing for far longer than it ever did before: it
hangs, and what hangs is alive for whoever asks the system. Its worker is ended first.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from cluster.evaluator import ClusterError

Tell = Callable[[int], None]
Stop = Callable[[], bool]
Function = Callable[[Any, Tell, Stop], Any]
"""Does a job: it tells now and then how much is done, and asks often whether to stop."""

ATTEMPTS = 3
"""How often a job may lose its worker."""
POLL_SECONDS = 0.1
PATIENCE_SECONDS = 600.0
"""A job may tell nothing for so long, whatever its pace: kernels are compiled before it begins."""
SILENCES = 20
"""And for so many times the longest silence of this attempt that it broke, after the first."""
START_SECONDS = 300.0
"""To wait for a first worker that has started: a cluster may have to start a machine for it."""
STANDSTILL_SECONDS = 5.0
"""Who looks ten times a second and has not looked for so long was stopped itself."""


class WorkerLost(Exception):
    """A worker ended in the middle of a job, and why, as far as that is known."""


@dataclass
class Outcome:
    """What came of a job: a value, or an error; neither where it was never begun."""

    value: Any = None
    error: Exception | None = None


@dataclass(frozen=True)
class Limits:
    """How long jobs are waited for.

    Attributes:
        patience: seconds for which a job may tell nothing, at least.
        grace: seconds from the wish to stop to the end of all workers.
    """

    patience: float = PATIENCE_SECONDS
    grace: float = 20.0


class Worker(Protocol):
    """Does one job at a time.

    Attributes:
        is_ready: it has started.
        can_end: whatever it does.
    """

    is_ready: bool
    can_end: bool

    def call(self, number: int, job: Any) -> Outcome:
        """Do a job, in a thread of the caller's that waits for nothing else.

        Raises:
            WorkerLost: the worker ended before the job did.
            Exception: the job, or its outcome, could not be sent.
        """

    def end(self) -> None:
        """End the worker at once, if it can end: what it has in hand can be begun again."""


class Crew(Protocol):
    """Makes workers, and hears what they tell."""

    size: int

    def hire(self) -> Worker:
        """One more worker, which need not have started yet."""

    def told(self) -> Sequence[tuple[int, int]]:
        """How much the jobs say is done, and how often they said something, by number."""

    def stop(self) -> None:
        """Ask all jobs to stop."""

    def close(self) -> None:
        """Let go of the workers, at once."""
        return


def perform(
    crew: Crew,
    jobs: Sequence[Any],
    report: Callable[[int, int], None],
    stop: Stop,
    limits: Limits | None = None,
) -> list[Outcome]:
    """Do jobs in their order, as many at a time as there are workers; what came of each.

    A job that fails, or hangs, does not end the others.

    Args:
        report: told about ten times a second: jobs over, and the sum of what is done.
        stop: asked as often; once it says yes no job is begun any more, and those in hand are
            waited for as long as the limits say.

    Raises:
        ClusterError: no worker starts.
    """
    shift = _Shift(crew, jobs, limits or Limits())
    try:
        while not shift.is_over:
            shift.go_on()
            report(shift.over, shift.much)
            if shift.until is None and stop():
                shift.stop()
    finally:
        crew.stop()
    report(shift.over, shift.much)
    return shift.outcomes


@dataclass(eq=False)
class _Desk:
    """Where a worker sits, and the job that it has.

    Attributes:
        number: of the job; None: it has none.
        times: how often the job has told something in this attempt and those before.
        heard: when it did last, or began.
        has_told: it has told something in this attempt.
        silence: its longest silence since then, in seconds.
    """

    worker: Worker
    number: int | None = None
    times: int = 0
    heard: float = 0.0
    has_told: bool = False
    silence: float = 0.0


class _Shift:
    """Jobs on their way through a crew; for one thread."""

    def __init__(self, crew: Crew, jobs: Sequence[Any], limits: Limits) -> None:
        self.outcomes = [Outcome() for _ in jobs]
        self.over = self.much = 0
        self.until: float | None = None
        self._crew, self._jobs, self._limits = crew, jobs, limits
        self._waiting = deque(range(len(jobs)))
        self._attempts: Counter[int] = Counter()
        self._ends: SimpleQueue[tuple[_Desk, Worker, Outcome | WorkerLost]] = SimpleQueue()
        self._desks = [_Desk(crew.hire()) for _ in range(crew.size)] if jobs else []
        self._began = self._looked = time.monotonic()

    @property
    def is_over(self) -> bool:
        if any(desk.number is not None for desk in self._desks):
            return self.until is not None and time.monotonic() > self.until
        return self.until is not None or not self._waiting

    def stop(self) -> None:
        """Begin no more jobs, and ask those in hand to stop."""
        self.until = time.monotonic() + self._limits.grace
        self._crew.stop()

    def go_on(self) -> None:
        """Begin jobs and take what came of others, in about a tenth of a second."""
        if self.until is None:
            self._begin()
        with suppress(Empty):
            self._take(*self._ends.get(timeout=POLL_SECONDS))
            while True:
                self._take(*self._ends.get_nowait())
        self._listen()

    def _begin(self) -> None:
        ready = [desk for desk in self._desks if desk.worker.is_ready]
        if not ready and time.monotonic() - self._began > START_SECONDS:
            raise ClusterError(
                f"no worker has started in {START_SECONDS:.0f} seconds; each takes one processor"
            )
        for desk in ready:
            if desk.number is None and self._waiting:
                desk.number = number = self._waiting.popleft()
                desk.times = self._crew.told()[number][1]
                desk.heard, desk.has_told, desk.silence = time.monotonic(), False, 0.0
                arguments = desk, desk.worker, number
                threading.Thread(target=self._call, args=arguments, daemon=True).start()

    def _call(self, desk: _Desk, worker: Worker, number: int) -> None:
        """What a thread a job does: it waits, and may wait for ever."""
        outcome: Outcome | WorkerLost
        try:
            outcome = worker.call(number, self._jobs[number])
        except WorkerLost as lost:
            outcome = lost
        except Exception as error:
            outcome = Outcome(error=error)
        self._ends.put((desk, worker, outcome))

    def _take(self, desk: _Desk, worker: Worker, outcome: Outcome | WorkerLost) -> None:
        if desk.worker is not worker or desk.number is None:
            return  # it was ended meanwhile, and somebody else has its job
        if isinstance(outcome, WorkerLost):
            why = str(outcome) or "memory?"
            self._lose(desk, f"lost its worker {ATTEMPTS} times ({why})")
        else:
            self._settle(desk, outcome)

    def _settle(self, desk: _Desk, outcome: Outcome) -> None:
        assert desk.number is not None
        self.outcomes[desk.number] = outcome
        self.over += 1
        desk.number = None

    def _lose(self, desk: _Desk, error: str, attempts: int = ATTEMPTS) -> None:
        """Give a job to another worker, or up."""
        number = desk.number
        assert number is not None
        desk.worker.end()
        if self.until is None:  # a worker that starts while this process ends would complain of it
            desk.worker = self._crew.hire()
        self._attempts[number] += 1
        if self._attempts[number] >= attempts:
            self._settle(desk, Outcome(error=ClusterError(error)))
        else:
            desk.number = None
            self._waiting.appendleft(number)

    def _listen(self) -> None:
        """Hear what the jobs tell, and end the workers of those that hang."""
        told, now = self._crew.told(), time.monotonic()
        self.much = sum(much for much, _ in told)
        away, self._looked = now - self._looked, now
        for desk in self._desks:
            if desk.number is None:
                continue
            if away > STANDSTILL_SECONDS:
                desk.heard += away
            if told[desk.number][1] != desk.times:
                if desk.has_told:  # before that it compiled
                    desk.silence = max(desk.silence, now - desk.heard)
                desk.has_told = True
                desk.times, desk.heard = told[desk.number][1], now
            limit = max(self._limits.patience, SILENCES * desk.silence)
            if now - desk.heard > limit and self.until is None:
                attempts = ATTEMPTS if desk.worker.can_end else 1
                times = f"{attempts} times " if attempts > 1 else ""
                self._lose(
                    desk, f"told nothing for {limit:.0f} seconds {times}(it hangs)", attempts
                )


def answer(function: Function, number: int, job: Any, done: Any, times: Any, stop: Stop) -> Outcome:
    """Do a job; an error is one that can be sent.

    ``done[number]`` is how much it says is done, and ``times[number]`` how often it said so.
    """

    def tell(much: int) -> None:
        done[number] = much
        times[number] += 1

    try:
        return Outcome(function(job, tell, stop))
    except Exception as error:
        return Outcome(error=ClusterError(f"{type(error).__name__}: {error}"))
