"""Whole jobs in Ray actors, one of which hangs, ends, or cannot start for want of processors."""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from pathlib import Path

import pytest

from cluster.jobs.jobs import Limits, perform
from cluster.jobs.ray_jobs import Actors

pytestmark = pytest.mark.slow


def job(given, tell, stop):
    """Doubles a number, after what a text says has been done once."""
    what, number, folder = given
    tell(10 * number)
    path = Path(folder) / str(number)
    if what and not path.exists():
        path.write_text(str(os.getpid()))
        if what == "die":
            os._exit(9)
        while what == "work":
            pass
        os.kill(os.getpid(), signal.SIGSTOP)
    return 2 * number


@pytest.mark.parametrize("what", ["stop", "work", "die"])
def test_an_actor_that_hangs_or_ends_is_replaced_and_its_job_begun_again(what, ray, tmp_path):
    """More actors are wanted than there is room for: those that wait to start get no job."""
    jobs = [(what, 1, str(tmp_path)), ("", 2, str(tmp_path)), ("", 3, str(tmp_path))]
    told: list[tuple[int, int]] = []
    with closing(Actors(job, len(jobs), 6)) as crew:
        outcomes = perform(
            crew, jobs, lambda *standing: told.append(standing), lambda: False, Limits(15)
        )
        assert crew.size == 3
    assert [outcome.value for outcome in outcomes] == [2, 4, 6]
    assert told[-1][0] == 3
    stat, until = Path("/proc", (tmp_path / "1").read_text(), "stat"), time.monotonic() + 300
    while stat.exists() and stat.read_text().split()[2] != "Z":
        assert time.monotonic() < until
        time.sleep(0.1)
