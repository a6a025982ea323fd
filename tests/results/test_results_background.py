"""The thread that does jobs in order: how much waits, what fails, Ctrl-C, fork and exit."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from processes import ROOT

from results.writer.background import Background

SOON = 120.0
"""Seconds within which a thread that can go on has gone on, on however busy a machine."""


class Jobs:
    """A ``Background`` whose jobs write their names down; a job may be held back or fail."""

    def __init__(self, waiting: int = 4) -> None:
        self.done: list[object] = []
        self.background = Background(waiting, at_end=lambda: self.done.append("end"))

    def give(self, job) -> None:
        self.background.reserve()
        self.background.submit(job)

    def named(self, name: object):
        return lambda: self.done.append(name)

    def failing(self, error: BaseException):
        def job() -> None:
            raise error

        return job


@pytest.fixture
def gate():
    """An event for which jobs wait; it is set in the end, so that no test leaves a thread."""
    event = threading.Event()
    yield event
    event.set()


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "results"]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["job", "flush"]), max_size=40), st.integers(1, 5))
def test_jobs_are_done_in_the_order_in_which_they_were_given(steps, waiting):
    jobs, given = Jobs(waiting), list[object]()
    for number, step in enumerate(steps):
        if step == "job":
            jobs.give(jobs.named(number))
            given.append(number)
        else:
            jobs.background.flush()
            assert jobs.done == given
    jobs.background.close()
    assert jobs.done == [*given, "end"]


def test_no_more_jobs_wait_than_are_allowed(gate):
    jobs, given = Jobs(waiting=3), list[int]()

    def caller() -> None:
        jobs.give(lambda: gate.wait(SOON))
        for number in range(6):
            jobs.give(jobs.named(number))
            given.append(number)

    thread = threading.Thread(target=caller, daemon=True)
    thread.start()
    thread.join(0.2)
    assert thread.is_alive()
    assert len(given) <= 3  # and one in hand
    assert jobs.done == []
    gate.set()
    thread.join(SOON)
    assert len(given) == 6
    jobs.background.close()
    assert jobs.done == [*range(6), "end"]


def test_without_a_job_there_is_no_thread_and_closing_comes_to_its_end():
    before, jobs = threads(), Jobs()
    jobs.background.flush()
    jobs.background.close()
    jobs.background.close()
    assert jobs.done == ["end"]
    assert threads() == before


@pytest.mark.parametrize("call", ["check", "reserve", "flush"])
def test_what_a_job_raised_comes_from_the_next_call_and_drops_the_jobs_after(call, gate):
    jobs, error = Jobs(), OSError("full")
    jobs.give(jobs.named(1))
    jobs.give(lambda: gate.wait(SOON))
    jobs.give(jobs.failing(error))
    jobs.give(jobs.named(2))
    gate.set()
    with pytest.raises(OSError, match="full"):
        jobs.background.flush()
    for _ in range(2):
        with pytest.raises(OSError, match="full") as told:
            getattr(jobs.background, call)()
        assert told.value is error
    jobs.background.close()  # it has been told
    assert jobs.done == [1, "end"]


def test_closing_tells_what_nobody_was_told_and_ends_all_the_same():
    jobs = Jobs()
    jobs.give(jobs.failing(KeyError("lost")))
    with pytest.raises(KeyError, match="lost"):
        jobs.background.close()
    assert jobs.done == ["end"]
    jobs.background.close()
    assert jobs.done == ["end"]


def test_a_failure_wakes_a_caller_who_waits_for_room(gate):
    jobs, raised = Jobs(waiting=1), list[BaseException]()

    def hold_then_fail() -> None:
        gate.wait(SOON)
        raise OSError("full")

    def caller() -> None:
        try:
            for job in (hold_then_fail, jobs.named(1), jobs.named(2)):
                jobs.give(job)
        except OSError as error:
            raised.append(error)

    thread = threading.Thread(target=caller, daemon=True)
    thread.start()
    thread.join(0.1)
    assert thread.is_alive()
    gate.set()
    thread.join(SOON)
    assert [str(error) for error in raised] == ["full"]
    jobs.background.close()
    assert jobs.done == ["end"]


def script(code: str, *arguments: object, timeout: float = 300) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout)


@pytest.mark.parametrize(
    ("ending", "status"), [("", 0), ("sys.exit(3)", 3), ("raise KeyError('mine')", 1)]
)
def test_a_process_that_ends_without_closing_finishes_the_jobs_and_ends(ending, status):
    code = f"""
import sys, time
from results.writer.background import Background
background = Background(4, at_end=lambda: print("end", flush=True))
for number in range(4):
    background.submit(lambda number=number: (time.sleep(0.05), print(number, flush=True)))
{ending}
"""
    done = script(code)
    assert (done.returncode, done.stdout.split()) == (status, ["0", "1", "2", "3", "end"])


STORM = """
import os, random, signal, sys, threading, time
from results.writer.background import Background

draw, done, interrupts = random.Random(int(sys.argv[1])), [], 0
anywhere, armed = sys.argv[2] == "anywhere", False

def interrupt(number, frame):
    if armed:
        raise KeyboardInterrupt

def storm():
    for _ in range(600):
        time.sleep(draw.random() * 0.002)
        os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, interrupt)
thread = threading.Thread(target=storm, daemon=True)
background = Background(2, at_end=lambda: done.append("end"))

def insist(call):
    '''Call until no interrupt falls in.'''
    global armed, interrupts
    while True:
        try:
            try:
                armed = True
                call()
                return
            finally:
                armed = False
        except KeyboardInterrupt:
            armed = False
            interrupts += 1

def give(number):
    background.submit(lambda: (time.sleep(0.001), done.append(number)))

thread.start()
number = 0
while thread.is_alive():
    insist(background.reserve)
    insist(lambda: give(number)) if anywhere else give(number)
    if number % 7 == 0:
        insist(background.flush)
        assert done[-1] == number, done
    number += 1
insist(background.close)
assert done.pop() == "end", done
once = [job for place, job in enumerate(done) if place == 0 or done[place - 1] != job]
assert once == list(range(number)), done  # each, in order; one that was given again, again
assert anywhere or len(done) == number, done
print(interrupts)
"""


@pytest.mark.parametrize("where", ["waiting", "anywhere"])
@pytest.mark.parametrize("seed", [1, 2])
def test_interrupts_lose_no_job_and_leave_nobody_waiting(where, seed):
    done = script(STORM, seed, where)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 50  # that many did fall into a call
