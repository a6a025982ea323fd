"""A check in a process of its own: a hook that never returns, or crashes, ends the check alone.

The process is a fork of this one, so that the plug-in need not be importable. A step of plain
Python that takes too long is interrupted by :class:`Late`. Compiled code cannot be interrupted: the
system ends the process once the step has taken too much processor time.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, NoReturn

from tournaments.errors import Interruption, signal_name

Report = Callable[[str], None]


class CheckLimits(NamedTuple):
    """Time limits of a step, in multiples of the seconds that plain Python may take.

    Attributes:
        clock: elapsed time, after which plain Python is interrupted.
        processor: processor time, after which the process is ended.
    """

    clock: int
    processor: int


PLAIN = CheckLimits(1, 12)
"""Hooks in plain Python."""
IMPORTS = CheckLimits(12, 30)
"""The file of a plug-in."""
COMPILED = CheckLimits(30, 12)
"""Compiled code and the compiler. Another process may compile the same kernel meanwhile."""


class Late(Interruption):
    """A step of plain Python exceeds its time limit; no handler of Exception catches it."""


class Lost(Exception):
    """The process of a check ended before the check did.

    Attributes:
        step: the keyword arguments of the last :meth:`Steps.begin`.
        what: how the process ended, in words.
    """

    def __init__(self, step: dict[str, Any], what: str) -> None:
        super().__init__(what)
        self.step, self.what = step, what


@dataclass
class Steps:
    """The current step of a check, sent to the waiting process, and its time limits.

    Attributes:
        pipe: the writing end.
        seconds: seconds that a step of plain Python may take.
    """

    pipe: Connection
    seconds: float

    def begin(self, line: str, limits: CheckLimits = PLAIN, **step: Any) -> None:
        """Begin a step of a check that runs in its own process.

        Args:
            line: the step in words; empty: nothing is reported.
            limits: the time limits.
            step: details of the step for the message if the process is lost in it.
        """
        self.pipe.send({"line": line, **step})
        self.restart(limits)

    def restart(self, limits: CheckLimits = PLAIN) -> None:
        """Restart the time limits of the current step of a check."""
        signal.setitimer(signal.ITIMER_REAL, limits.clock * self.seconds, self.seconds)
        signal.setitimer(signal.ITIMER_VIRTUAL, limits.processor * self.seconds)


def run_in_process(work: Callable[[Steps], Any], seconds: float, report: Report | None) -> Any:
    """Run a check in a process of its own and return its result.

    Args:
        work: (its steps) -> a value that pickles, and is no dict.
        seconds: seconds that a step of plain Python may take.
        report: called with the line of each step that has one.

    Raises:
        Lost: the process ended before the work was done.
    """
    context = multiprocessing.get_context("fork")
    reader, writer = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(work, Steps(writer, seconds)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        process.start()
    writer.close()
    step: dict[str, Any] = {"line": ""}
    try:
        while isinstance(message := reader.recv(), dict):
            step = message
            if step["line"] and report is not None:
                report(step["line"])
        return message
    except EOFError:
        process.join()
        assert process.exitcode is not None
        raise Lost(step, _ending(process.exitcode)) from None
    finally:
        process.kill()
        process.join()


def _ending(exit_code: int) -> str:
    if exit_code >= 0:
        return f"ended the process with exit status {exit_code}"
    if exit_code == -signal.SIGVTALRM:
        return "does not return"
    return f"crashed the process ({signal_name(-exit_code)})"


def _work(work: Callable[[Steps], Any], steps: Steps) -> None:
    """Run a check in the new process, and send its result to the waiting process."""
    signal.set_wakeup_fd(-1)  # by which the other process hears its signals
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process ends this one
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, _interrupt)
    result = work(steps)
    for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL):
        signal.setitimer(timer, 0)
    sys.stdout.flush()  # the process is killed once its result is there
    steps.pipe.send(result)


def _interrupt(number: int, frame: object) -> NoReturn:
    raise Late
