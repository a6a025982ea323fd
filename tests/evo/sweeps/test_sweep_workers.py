"""Whoever does the jobs of a sweep: each once, also where a worker is lost or a job raises."""

from __future__ import annotations

import os
import time
from contextlib import closing
from pathlib import Path

import pytest

from cluster import ClusterError
from cluster.jobs import ATTEMPTS, OwnProcess, Processes, perform


def job(given, tell, stop):
    """Doubles a number; a text says what else to do."""
    what, number, folder = given
    tell(10 * number)
    if what == "raise":
        raise LookupError(f"number {number}")
    if what == "wait":
        while not stop():
            time.sleep(0.01)
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
