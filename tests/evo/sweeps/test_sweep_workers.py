"""Whoever does the jobs of a sweep: each once, also where a worker is lost or a job raises."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from contextlib import closing
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace

import pytest

from cluster import ClusterError
from cluster.jobs import jobs as crews
from cluster.jobs.crews import OwnProcess, Processes
from cluster.jobs.jobs import ATTEMPTS, Limits, Outcome, WorkerLost, perform
from cluster.threads import ONE_THREAD


def job(given, tell, stop):
    """Doubles a number; a text says what else to do."""
    what, number, folder = given
    tell(10 * number)
    if what == "raise":
        raise LookupError(f"number {number}")
    if what == "wait":
        while not stop():
            time.sleep(0.01)
    if what.startswith("hang"):
        for hang in range(int(what[4:])):
            path = Path(folder) / f"{number}-{hang}"
            if not path.exists():
                path.touch()
                if hang % 2:
                    while True:
                        pass
                os.kill(os.getpid(), signal.SIGSTOP)
    if what.startswith("die"):
        for death in range(int(what[3:])):
            path = Path(folder) / f"{number}-{death}"
            if not path.exists():
                path.touch()
                os._exit(9)
    return 2 * number, os.getpid()


def crew_of(size, jobs):
    return OwnProcess(job, jobs) if size == 1 else Processes(job, jobs, size)


@pytest.mark.parametrize("size", [1, 2])
def test_each_job_is_done_and_one_that_raises_ends_no_other(size, tmp_path):
    jobs = [("", 0, ""), ("raise", 1, ""), ("", 2, ""), ("", 3, "")]
    told = []
    with closing(crew_of(size, len(jobs))) as crew:
        outcomes = perform(crew, jobs, lambda *standing: told.append(standing), lambda: False)
    assert [one.value and one.value[0] for one in outcomes] == [0, None, 4, 6]
    assert isinstance(outcomes[1].error, ClusterError)
    assert str(outcomes[1].error) == "LookupError: number 1"
    assert told[-1] == (4, 60)
    assert all((one.value[1] == os.getpid()) == (size == 1) for one in outcomes if one.value)


def test_a_job_that_loses_its_worker_is_given_to_another(tmp_path):
    """Twice in a row is survived; a job that always ends its worker is told."""
    jobs = [("die2", 1, tmp_path), (f"die{ATTEMPTS}", 2, tmp_path), ("", 3, tmp_path)]
    with closing(Processes(job, len(jobs), 2)) as crew:
        first, second, third = perform(crew, jobs, lambda *standing: None, lambda: False)
    assert (first.value[0], third.value[0]) == (2, 6)
    assert second.value is None
    assert f"lost its worker {ATTEMPTS} times" in str(second.error)


def test_once_stopped_jobs_in_hand_are_asked_and_no_other_is_begun():
    jobs = [("wait", number, "") for number in range(4)]
    crew = OwnProcess(job, len(jobs))
    asked = iter([False, True])
    outcomes = perform(crew, jobs, lambda *standing: None, lambda: next(asked, True))
    assert [one.value and one.value[0] for one in outcomes] == [0, None, None, None]
    assert all(one.error is None for one in outcomes)


class Clock:
    """Goes on by a step whenever a crew reports to it, if it may."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.steps, self.may_go_on = 0.0, repeat(0.1), lambda over: True
        monkeypatch.setattr(crews, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(crews, "POLL_SECONDS", 0.001)

    def go_on(self, over: int, much: int) -> None:
        if self.may_go_on(over):
            self.now += next(self.steps)


@pytest.fixture
def clock(monkeypatch) -> Clock:
    return Clock(monkeypatch)


def go_on_while_all_hang(clock: Clock, crew: Processes, folder: Path, jobs: int) -> None:
    """A clock goes on in steps of four seconds as long as whoever has a job hangs."""

    def may_go_on(over: int) -> bool:
        lost = len(crew._workers) - crew.size
        return len([*folder.iterdir()]) - lost == min(crew.size, jobs - over)

    clock.steps, clock.may_go_on = repeat(4.0), may_go_on


def test_a_job_that_hangs_is_begun_again_by_another_worker(tmp_path, clock):
    """Its process was stopped: it is alive for the system, and tells nothing."""
    jobs = [("hang1", 1, tmp_path), ("", 2, tmp_path)]
    with closing(Processes(job, len(jobs), 1)) as crew:
        go_on_while_all_hang(clock, crew, tmp_path, len(jobs))
        outcomes = perform(crew, jobs, clock.go_on, lambda: False)
        assert len(crew._workers) == 2
    assert [outcome.value[0] for outcome in outcomes] == [2, 4]


@pytest.mark.slow
def test_a_job_that_hangs_each_time_is_given_up_and_ends_no_other(tmp_path, clock):
    """Stopped, or at work for ever."""
    jobs = [(f"hang{ATTEMPTS}", 1, tmp_path), ("hang1", 2, tmp_path), ("", 3, tmp_path)]
    with closing(Processes(job, len(jobs), 2)) as crew:
        go_on_while_all_hang(clock, crew, tmp_path, len(jobs))
        first, second, third = perform(crew, jobs, clock.go_on, lambda: False)
    assert str(first.error) == f"told nothing for 600 seconds {ATTEMPTS} times (it hangs)"
    assert (second.value[0], third.value[0]) == (4, 6)


@pytest.mark.slow
def test_a_sweep_that_is_stopped_waits_for_a_worker_that_hangs_no_longer_than_its_grace(
    tmp_path, clock
):
    jobs = [("hang2", 1, tmp_path), ("wait", 2, "")]
    with closing(Processes(job, len(jobs), 2)) as crew:
        begun = tmp_path / "1-0"
        clock.may_go_on = lambda over: over == 1  # whoever waits has been asked to stop
        hanging, waiting = perform(
            crew, jobs, clock.go_on, lambda: begun.exists() and crew.times[1] > 0, Limits(grace=2)
        )
        processes = [worker.process for worker in crew._workers]
    assert (hanging, waiting.value[0]) == (Outcome(), 4)
    assert not any(process.is_alive() for process in processes)


def test_a_job_of_this_process_that_hangs_is_left_behind(clock):
    jobs = [("hang", 1), ("", 2)]
    left = threading.Event()

    def function(given, tell, stop):
        if given[0]:
            left.wait()
        return given[1]

    clock.may_go_on = lambda over: over == 0
    crew = OwnProcess(function, 2)
    outcomes = perform(crew, jobs, clock.go_on, lambda: False, Limits(3.0))
    left.set()
    assert [one.value for one in outcomes] == [None, 2]
    assert "told nothing for 3 seconds (it hangs)" in str(outcomes[0].error)


class Scripted:
    """A crew of one: a job tells after each pause; a negative one loses its worker.

    Its clock stands still while its worker has nothing to wait for.
    """

    size = 1

    def __init__(self, clock: Clock, is_ready: bool = True) -> None:
        self.clock, self.is_ready, self.count, self.workers = clock, is_ready, 0, []
        clock.may_go_on = lambda over: not is_ready or bool(self.workers[-1].pauses)

    def hire(self):
        self.workers.append(ScriptedWorker(self))
        return self.workers[-1]

    def told(self) -> list[tuple[int, int]]:
        self.workers[-1].go_on(self.clock.now)
        return [(0, self.count)]

    def stop(self) -> None:
        return


class ScriptedWorker:
    can_end = True

    def __init__(self, crew: Scripted) -> None:
        self.crew, self.is_ready, self.is_lost = crew, crew.is_ready, False
        self.pauses, self.over = deque(), threading.Event()

    def call(self, number: int, given: list[float]) -> Outcome:
        self.began = self.crew.clock.now
        self.pauses = deque(given)
        self.over.wait()
        if self.is_lost:
            raise WorkerLost("of a test")
        return Outcome(len(given))

    def go_on(self, now: float) -> None:
        """Tell what is to be told by now."""
        while self.pauses and (self.pauses[0] < 0 or now >= self.began + self.pauses[0]):
            pause = self.pauses.popleft()
            self.began += pause
            self.crew.count += pause >= 0
            if pause < 0:
                self.end()
            elif not self.pauses:
                self.over.set()

    def end(self) -> None:
        self.is_lost = True
        self.pauses = deque()
        self.over.set()


def test_a_job_may_be_silent_for_many_times_its_longest_silence_so_far(monkeypatch, clock):
    """It tells that it is at work, though nothing more is done; then it takes its time."""
    monkeypatch.setattr(crews, "SILENCES", 4)
    crew, given = Scripted(clock), [1, 3, 7]
    (outcome,) = perform(crew, [given], clock.go_on, lambda: False, Limits(4))
    assert (outcome.value, len(crew.workers)) == (3, 1)
    crew, given = Scripted(clock), [3, 0.1, 7]  # before the first time it compiles
    (outcome,) = perform(crew, [given], clock.go_on, lambda: False, Limits(4))
    assert "told nothing" in str(outcome.error)
    assert len(crew.workers) == 1 + ATTEMPTS


def test_who_was_stopped_itself_does_not_take_its_workers_for_hanging(clock):
    """As by Ctrl-Z, and `fg` an hour later."""
    crew, clock.steps = Scripted(clock), chain(repeat(0.1, 5), [3600.0], repeat(0.1))
    (outcome,) = perform(crew, [[0.1, 3602.0]], clock.go_on, lambda: False, Limits(9))
    assert (outcome.value, len(crew.workers)) == (2, 1)


def test_a_job_whose_worker_is_lost_says_why(clock):
    crew = Scripted(clock)
    (outcome,) = perform(crew, [[-1]], clock.go_on, lambda: False)
    assert str(outcome.error) == f"lost its worker {ATTEMPTS} times (of a test)"
    assert len(crew.workers) == 1 + ATTEMPTS


def test_none_is_hired_for_a_worker_that_is_lost_once_stopped(clock):
    """What starts while this process ends finds nobody who tells it what to do."""
    crew = Scripted(clock)
    (outcome,) = perform(crew, [[0.5, -1]], clock.go_on, lambda: True)
    assert (outcome, len(crew.workers)) == (Outcome(), 1)


def test_workers_of_which_none_starts_are_told(clock):
    crew, clock.steps = Scripted(clock, is_ready=False), repeat(7.0)
    with pytest.raises(ClusterError, match="no worker has started in 300 seconds"):
        perform(crew, [[0.0]], clock.go_on, lambda: False)
    assert crew.count == 0


def variables(given, tell, stop):
    import pyarrow

    names = [Path(task.path, "comm").read_text() for task in os.scandir("/proc/self/task")]
    ours = sum(not name.startswith("jemalloc") for name in names)  # which sleeps
    return [os.environ.get(name) for name in ONE_THREAD], pyarrow.cpu_count(), ours


@pytest.mark.slow
def test_a_worker_has_one_thread_a_library_and_the_parent_what_it_had():
    before = dict(os.environ)
    with closing(Processes(variables, 2, 2)) as crew:
        outcomes = perform(crew, [0, 1], lambda *standing: None, lambda: False)
    for outcome in outcomes:
        values, arrow, threads = outcome.value
        assert set(values) == {"1"}
        assert (arrow, threads) == (1, 2)
    assert dict(os.environ) == before
