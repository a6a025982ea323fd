"""How long kernels are compiled, and since when: what progress shows and what no speed counts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Compilation:
    """The time that this process spends on compiling, or waits for a process that compiles;
    loading what was kept is no part of it.

    numba compiles in one thread at a time, and tells when it begins and ends: also of the inner
    kernels, while the one that calls them is compiled. Other threads may wait meanwhile.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._spent: tuple[float, float | None] = 0.0, None  # seconds; since when, if it does now
        self._lock = threading.Lock()
        self._listeners: list[Callable[[], None]] = []

    @property
    def seconds(self) -> float:
        """The seconds that this process has compiled so far."""
        seconds, began = self._spent
        return seconds + (0.0 if began is None else time.perf_counter() - began)

    def clock(self) -> float:
        """Seconds, of which only differences count; it stands still while a kernel compiles."""
        seconds, began = self._spent  # at once: another thread may compile
        return (time.perf_counter() if began is None else began) - seconds

    @contextmanager
    def heard_by(self, listener: Callable[[], None]) -> Iterator[None]:
        """Call a function, in whatever thread it happens, whenever the compiler is started."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def begin(self) -> None:
        """A kernel is about to be compiled, here or by a process that this one waits for."""
        if self._depth == 0:
            for listener in self._listeners:  # one that fails leaves the clock going
                listener()
        with self._lock:
            if self._depth == 0:
                self._spent = self._spent[0], time.perf_counter()
            self._depth += 1

    def end(self) -> None:
        """Note that the compiler has ended, with or without success."""
        with self._lock:
            self._depth -= 1
            seconds, began = self._spent
            if self._depth == 0 and began is not None:
                self._spent = seconds + time.perf_counter() - began, None


compilation = Compilation()
"""Of this process; what Ray's workers compile, they alone know of."""
