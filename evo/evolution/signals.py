"""Signals that ask this process to end, handled also while a kernel plays.

Python runs the handler of a signal between two instructions of the main thread. During a kernel the
handler does not run, and if the kernel never returns, it never runs. So the number of each signal
also goes into a pipe (``signal.set_wakeup_fd``), which a thread reads: kernels release the
interpreter lock.

The first signal asks a command to end. A run ends after the generation in progress, any other
command at once. When the grace is over, or a moment after the second signal, the thread ends the
process. Files on the disk are complete then, as after any other kill.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from evo.execution import GRACE_SECONDS
from tournaments.errors import counted

AT_ONCE_SECONDS = 1.0
"""Time from the second signal to the end, in seconds, for releasing actors and worker processes."""
LAST_SECONDS = 2.0
"""Limit of the work before the process ends, in seconds."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU)
"""Signals of a user, a scheduler or a lost machine, a lost terminal, and a limit on CPU time."""
PROMISE, AGAIN = "stopping after the generation in hand", "once more: without it"
_CLOSED = 0


class EndedBySignal(KeyboardInterrupt):
    """Raised when a signal asks the command to end and no work must be completed first.

    Attributes:
        signal: its number.
    """

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.signal = number


@dataclass
class Watch:
    """A listener for the signals of a command, in a thread. Use it as a context manager.

    Python lets the main thread alone handle signals. In any other thread a watch does nothing.

    Attributes:
        grace: seconds from the first signal to the end of the process.
        to_the_end: whether to keep the time limit after the block if a signal came. Other threads,
            which may play for ever, can keep the process from ending.
        promise: effect of the first signal, for the user to read; empty: the end.
        farewell: returns the last words if the thread ends the process; None: no last words.
        releases: functions that are called before that, independently of one another.
        asked: the number of the first signal; 0: no signal so far.
    """

    grace: float = GRACE_SECONDS
    to_the_end: bool = False
    promise: str = ""
    farewell: Callable[[], tuple[int, str]] | None = None
    releases: list[Callable[[], object]] = field(default_factory=list)
    asked: int = 0
    _is_open: bool = False

    def __enter__(self) -> Watch:
        global _present
        if threading.current_thread() is threading.main_thread():
            self._is_open = True
            self._outer, _present = _present, self
            self._heard, self._told = os.pipe()
            os.set_blocking(self._told, False)
            self._wakeup = signal.set_wakeup_fd(self._told, warn_on_full_buffer=False)
            self._before = _handled_by(self._end)
            self._thread = threading.Thread(target=self._listen, name="signals", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        global _present
        if not self._is_open or (self.asked and self.to_the_end):
            return
        self._is_open, _present = False, self._outer
        _handle(self._before)
        signal.set_wakeup_fd(self._wakeup)
        os.write(self._told, bytes([_CLOSED]))
        self._thread.join(LAST_SECONDS)
        os.close(self._heard)
        os.close(self._told)

    def _end(self, number: int, frame: FrameType | None) -> None:
        self.asked = self.asked or number
        _heed_once(number)
        raise EndedBySignal(number)

    def _listen(self) -> None:
        """Wait for signals; after each, set a time at which the process ends in any case.

        The wait ends when the watch is closed.
        """
        ends: list[threading.Timer] = []
        while (number := os.read(self._heard, 1)[0]) != _CLOSED:
            if number not in SIGNALS or (ends and number == signal.SIGXCPU):
                continue  # SIGXCPU comes each second
            if not ends:
                self.asked = self.asked or number
                if self.promise:
                    grace = counted(round(self.grace), "second")
                    _say(f"\n{self.promise}, within {grace}; {AGAIN}\n")
            seconds = AT_ONCE_SECONDS if ends else self.grace
            ends.append(_timer(seconds, self._end_process, self.asked))
        for end in ends:
            end.cancel()

    def _end_process(self, number: int) -> None:
        """End this process after a signal: release resources, print the last words, and exit."""
        _timer(LAST_SECONDS, os._exit, 128 + number)
        for release in self.releases:
            with suppress(Exception):
                release()
        if self.farewell is not None:
            with suppress(Exception):
                descriptor, words = self.farewell()
                os.write(descriptor, f"\n{words}\n".encode())
        os._exit(128 + number)


def _timer(seconds: float, function: Callable[[int], object], number: int) -> threading.Timer:
    """Call a function with a number after some seconds, in a thread that keeps no process alive."""
    timer = threading.Timer(seconds, function, [number])
    timer.daemon = True
    timer.start()
    return timer


_present: Watch | None = None


def watch() -> Watch | None:
    """Return the watch for signals of the command that this process runs, if there is one."""
    return _present


def exit_status(interruption: KeyboardInterrupt) -> int:
    """Return the exit status of a command that a signal has ended: 128 plus its number."""
    return 128 + getattr(interruption, "signal", signal.SIGINT)


def with_last_words(work: Callable[[], int], words: Callable[[], str], stream: Any) -> int:
    """Do the work of a command and return its exit status.

    If a signal ends the work, print the last words to a stream and return the exit status of the
    signal.

    Args:
        work: does the work and returns its exit status.
        words: returns the last words.
        stream: for the last words.
    """
    present = watch()
    if present is not None:
        present.farewell = lambda: (stream.fileno(), words())
    try:
        return work()
    except KeyboardInterrupt as interruption:
        print(words(), file=stream, flush=True)
        if present is not None:
            present.farewell = None
        return exit_status(interruption)


@contextmanager
def graceful_stop(is_wanted: bool = True) -> Iterator[list[int]]:
    """Return a context that collects the first signal asking this process to end, in a list.

    The second signal acts at once. Signals reach the main thread alone. In other threads, and if it
    is not wanted, none is collected.
    """
    asked: list[int] = []
    if not is_wanted or threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def ask(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        _handle_again(before)
        _heed_once(number)
        if _present is None:
            _say(f"\n{PROMISE}; {AGAIN}\n")
        else:
            _present.asked = number

    if _present is not None:
        _present.promise = PROMISE
    before = _handled_by(ask)
    try:
        yield asked
    finally:
        if signal.SIGXCPU in asked:
            del before[signal.SIGXCPU]
        _handle(before)
        if _present is not None:
            _present.promise = ""


def _handled_by(handler: Callable[[int, FrameType | None], None]) -> dict[int, Any]:
    """Let a function handle the signals that ask for an end; return the handlers before.

    A process that ignores SIGHUP (``nohup``) continues to ignore it.
    """
    before: dict[int, Any] = {number: signal.getsignal(number) for number in SIGNALS}
    if before[signal.SIGHUP] is signal.SIG_IGN:
        del before[signal.SIGHUP]
    _handle(dict.fromkeys(before, handler))
    return before


def _handle(handlers: Mapping[int, Any]) -> None:
    """Set the handler of each signal, given by its number."""
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _handle_again(before: Mapping[int, Any]) -> None:
    """Restore the handlers of signals; a signal that was ignored ends the process now."""
    for number, handler in before.items():
        default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, handler if callable(handler) else default)


def _heed_once(number: int) -> None:
    """Ignore further signals SIGXCPU, if ``number`` is that of SIGXCPU.

    Past its limit on CPU time, a process is sent one each second.
    """
    if number == signal.SIGXCPU:
        signal.signal(number, signal.SIG_IGN)


def _say(line: str) -> None:
    with suppress(OSError):  # the reader may be gone
        os.write(2, line.encode())
