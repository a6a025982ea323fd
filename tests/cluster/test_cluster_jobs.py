"""Jobs in processes, in a thread and in Ray actors: each once, also if a worker ends or hangs."""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from pathlib import Path

import pytest

from cluster import ClusterError
from cluster.faults import Limits
from cluster.jobs import ATTEMPTS, Outcome, perform
from cluster.processors import ONE_THREAD
from cluster.transports.processes import Processes

SOON = Limits(patience=3.0)


def job(given, tell, stop):
    """Doubles a number, after what a text says has been done; ``die2`` dies twice."""
    what, number, folder = given
    tell(10 * number)
    if what == "raise":
        raise LookupError(f"number {number}")
    if what == "wait":
        while not stop():
            time.sleep(0.01)
            tell(10 * number)
    for time_of_it in range(int(what[-1]) if what[-1:].isdecimal() else 0):
        path = Path(folder) / f"{number}-{time_of_it}"
        if not path.exists():
            path.write_text(str(os.getpid()))
            fault(what[:-1])
    return 2 * number, os.getpid()


def fault(what: str) -> None:
    if what == "sleep":
        time.sleep(6.0)
    elif what == "die":
        os._exit(9)
    elif what == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    else:
        while True:
            pass


def do(jobs, size, stop=lambda: False, limits=SOON, function=job):
    """Outcomes of jobs by so many workers, and the reports."""
    reports: list[tuple[int, int]] = []
    with closing(Processes(size)) as transport:
        outcomes = perform(
            transport, function, jobs, lambda *standing: reports.append(standing), stop, limits
        )
        processes = [worker.process for worker in transport.workers.values() if worker.process]
    assert not any(process.is_alive() for process in processes)
    return outcomes, reports


def is_there(pid: int) -> bool:
    try:
        return Path("/proc", str(pid), "stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("size", [1, 2])
def test_each_job_is_done_and_one_that_raises_ends_no_other(size):
    jobs = [("", 0, ""), ("raise", 1, ""), ("", 2, ""), ("", 3, "")]
    outcomes, reports = do(jobs, size)
    assert [one.value and one.value[0] for one in outcomes] == [0, None, 4, 6]
    assert isinstance(outcomes[1].error, ClusterError)
    assert str(outcomes[1].error) == "LookupError: number 1"
    assert reports[-1] == (4, 60)
    assert all((one.value[1] == os.getpid()) == (size == 1) for one in outcomes if one.value)


@pytest.mark.parametrize("what", ["die", "stop", pytest.param("work", marks=pytest.mark.slow)])
def test_a_worker_that_ends_or_hangs_is_replaced_and_its_job_begun_again(what, tmp_path):
    """A stopped process is alive for the system, and reports nothing."""
    jobs = [(f"{what}1", 1, tmp_path), ("", 2, tmp_path)]
    outcomes, _ = do(jobs, 2)
    assert [outcome.value[0] for outcome in outcomes] == [2, 4]
    assert not is_there(int((tmp_path / "1-0").read_text()))


def test_a_job_that_always_ends_its_worker_fails_and_ends_no_other(tmp_path):
    (first, second), _ = do([(f"die{ATTEMPTS}", 1, tmp_path), ("", 2, tmp_path)], 2)
    assert str(first.error) == f"lost its worker {ATTEMPTS} times (its process ended; memory?)"
    assert second.value[0] == 4


def test_a_job_of_this_process_that_hangs_is_left_behind(tmp_path):
    (hanging, well), _ = do([("sleep1", 1, tmp_path), ("", 2, "")], 1, limits=Limits(patience=1))
    assert str(hanging.error) == "lost its worker (nothing was heard of it for 1 second)"
    assert well.value[0] == 4


@pytest.mark.parametrize("size", [1, 2])
def test_once_stopped_jobs_in_hand_end_those_that_hang_are_killed_and_no_other_is_begun(
    size, tmp_path
):
    jobs = [("wait", 1, ""), ("stop1" if size > 1 else "wait", 2, tmp_path), ("", 3, "")]
    reports: list[tuple[int, int]] = []
    with closing(Processes(size)) as transport:
        (waiting, *others) = perform(
            transport,
            job,
            jobs,
            lambda *standing: reports.append(standing),
            lambda: reports[-1][1] > 0 and (size == 1 or (tmp_path / "2-0").exists()),
            Limits(patience=100, grace=1),
        )
    assert waiting.value[0] == 2
    assert others == [Outcome(), Outcome()]
    if size > 1:
        assert not is_there(int((tmp_path / "2-0").read_text()))


def variables(given, tell, stop):
    import pyarrow

    names = [Path(task.path, "comm").read_text() for task in os.scandir("/proc/self/task")]
    ours = sum(not name.startswith("jemalloc") for name in names)  # which sleeps
    return [os.environ.get(name) for name in ONE_THREAD], pyarrow.cpu_count(), ours


@pytest.mark.slow
def test_a_worker_has_one_thread_a_library_and_the_parent_what_it_had():
    before = dict(os.environ)
    outcomes, _ = do([0, 1], 2, function=variables)
    for outcome in outcomes:
        values, arrow, threads = outcome.value
        assert set(values) == {"1"}
        assert (arrow, threads) == (1, 2)
    assert dict(os.environ) == before


@pytest.mark.slow
@pytest.mark.parametrize("what", ["stop", "work", "die"])
def test_an_actor_that_hangs_or_ends_is_replaced_and_its_job_begun_again(what, ray, tmp_path):
    """More actors are wanted than there is room for: those that wait to start get no job."""
    from cluster.ray_connection import RayConnection
    from cluster.transports.ray import RayTransport

    jobs = [(f"{what}1", 1, tmp_path), ("wait", 2, ""), *[("", number, "") for number in (3, 4, 5)]]
    reports: list[tuple[int, int]] = []
    with closing(RayTransport(RayConnection(6, None), reports=True)) as transport:
        outcomes = perform(
            transport,
            job,
            jobs,
            lambda *standing: reports.append(standing),
            lambda: reports[-1][0] == 4,
            Limits(patience=15),
        )
    assert [outcome.value[0] for outcome in outcomes] == [2, 4, 6, 8, 10]
    assert reports[-1] == (5, 150)
    pid, until = int((tmp_path / "1-0").read_text()), time.monotonic() + 300
    while is_there(pid):
        assert time.monotonic() < until
        time.sleep(0.1)
