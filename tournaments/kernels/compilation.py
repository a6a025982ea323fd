"""Time spent on compiling kernels, which progress reports show and speed figures leave out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Compilation:
    """A clock of the time that this process compiles kernels, or waits for a compiling process.

    Loading cached kernels is not counted. numba compiles in one thread at a time and reports the
    beginning and the end of each compilation. Compilations of inner kernels are nested in that of
    their caller. Other threads may wait in the meantime.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._spent: tuple[float, float | None] = 0.0, None  # seconds; since when, if it does now
        self._lock = threading.Lock()
        self._listeners: list[Callable[[], None]] = []

    @property
    def seconds(self) -> float:
        """Seconds that this process has spent on compiling kernels so far."""
        seconds, began = self._spent
        return seconds + (0.0 if began is None else time.perf_counter() - began)

    def clock(self) -> float:
        """Return a time in seconds that stops during compilation. Only differences are valid."""
        seconds, began = self._spent  # at once: another thread may compile
        return (time.perf_counter() if began is None else began) - seconds

    @contextmanager
    def heard_by(self, listener: Callable[[], None]) -> Iterator[None]:
        """Call a function at the start of each compilation of a kernel, in the compiling thread.

        This context manager ends the calls when it is left.
        """
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def begin(self) -> None:
        """Record that a compilation of a kernel begins, in this process or in one it waits for."""
        if self._depth == 0:
            for listener in self._listeners:  # one that fails leaves the clock going
                listener()
        with self._lock:
            if self._depth == 0:
                self._spent = self._spent[0], time.perf_counter()
            self._depth += 1

    def end(self) -> None:
        """Record that a compilation of a kernel has ended, with or without success."""
        with self._lock:
            self._depth -= 1
            seconds, began = self._spent
            if self._depth == 0 and began is not None:
                self._spent = seconds + time.perf_counter() - began, None


compilation = Compilation()
"""Compilation clock of this process. Ray workers have their own clocks."""
