"""A check in a process of its own: what never returns is ended, and what crashes is heard of.

The process is a copy of this one, so that it checks what need not be importable. A step of plain
Python that takes too long is interrupted by :class:`Late`; compiled code cannot be, and is ended by
the system once it has taken too much processor time.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from tournaments.errors import Interruption, signal_name

Report = Callable[[str], None]

COMPILED = 12
"""Times as much processor time as a step of plain Python may take has one that compiles."""
WAITING = 30
"""And so much time of the clock: another process may compile the same kernel."""


class Late(Interruption):
    """A step of plain Python takes longer than it may; nothing that catches errors catches it."""


class Lost(Exception):
    """The process of a check ended before the check did.

    Attributes:
        at: the step that it was at.
        what: how it ended, in words.
    """

    def __init__(self, at: dict[str, Any], what: str) -> None:
        super().__init__(what)
        self.at, self.what = at, what


@dataclass
class Steps:
    """What a check is at, told to the process that waits for it, and how long that may take.

    Attributes:
        pipe: the writing end.
        seconds: that a step of plain Python may take.
    """

    pipe: int
    seconds: float

    def begin(self, line: str, compiles: bool = False, **where: Any) -> None:
        """Another step begins.

        Args:
            line: it in words; empty: nothing to tell anybody.
            compiles: whether it runs compiled code, or the compiler.
            where: what is to be known if the process is lost in it; of what JSON has.
        """
        self.send(at={"line": line, **where})
        self.go_on(compiles)

    def go_on(self, compiles: bool = False) -> None:
        """The step is not stuck: its time begins anew."""
        wait, work = (WAITING, COMPILED) if compiles else (1, COMPILED)
        signal.setitimer(signal.ITIMER_REAL, wait * self.seconds, self.seconds)
        signal.setitimer(signal.ITIMER_VIRTUAL, work * self.seconds)

    def send(self, **message: Any) -> None:
        """Tell the process that waits."""
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self.pipe, data) :]


def apart(work: Callable[[Steps], dict[str, Any]], seconds: float, report: Report | None) -> Any:
    """What comes of some work, in a process of its own.

    Args:
        work: (its steps) -> what JSON has.
        seconds: that a step of plain Python may take; see :class:`Steps`.
        report: called with a line about each step that has one.

    Raises:
        Lost: the process ended, or was ended, before the work was done.
        RuntimeError: the work raised an exception; the message is its traceback.
    """
    reading, writing = os.pipe()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()  # or both processes would write what stands there
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        process = os.fork()
    if process == 0:
        os.close(reading)
        _work(work, Steps(writing, seconds))
    os.close(writing)
    ended = False
    try:
        with open(reading, "rb") as pipe:
            at, result = _heard(pipe, report)
        ended = True
    finally:
        if not ended:
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
    if result is None:
        raise Lost(at, _ending(status))
    if "raised" in result:
        raise RuntimeError(result["raised"])
    return result["done"]


def _heard(pipe: Any, report: Report | None) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The last step, and what came of all of them, if anything did."""
    at: dict[str, Any] = {"line": ""}
    for data in pipe:
        message = json.loads(data)
        if "at" not in message:
            return at, message
        at = message["at"]
        if at["line"] and report is not None:
            report(at["line"])
    return at, None


def _ending(status: int) -> str:
    if not os.WIFSIGNALED(status):
        return f"ended the process with exit status {os.waitstatus_to_exitcode(status)}"
    number = os.WTERMSIG(status)
    if number == signal.SIGVTALRM:
        return "does not return"
    return f"crashed the process ({signal_name(number)})"


def _work(work: Callable[[Steps], dict[str, Any]], steps: Steps) -> NoReturn:
    """Do the work in the new process, which ends with it."""
    try:
        signal.set_wakeup_fd(-1)  # what the other process hears its signals by
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is ended by the other one
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
        signal.signal(signal.SIGALRM, _late)
        message: dict[str, Any] = {"done": work(steps)}
    except BaseException:
        message = {"raised": traceback.format_exc()}
    try:
        for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL):
            signal.setitimer(timer, 0)
        sys.stdout.flush()
        sys.stderr.flush()
        steps.send(**message)
    finally:
        os._exit(0)


@contextmanager
def in_time(seconds: float) -> Iterator[None]:
    """Interrupt plain Python that takes longer by :class:`Late`; only the main thread can be."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _late(number: int, frame: object) -> NoReturn:
    raise Late
