"""A line on standard error that shows the progress of a generation."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LIVE_SECONDS, PLAIN_SECONDS = 0.05, 2.0
"""Least time between two states of a line, and between two lines of a file, in seconds."""


@contextmanager
def progress_line(generation: int) -> Iterator[Callable[[int, int], None]]:
    """Yield a function (games played, games foreseen) that shows a line on standard error.

    The line is overwritten in a terminal or a notebook, and stays when the generation is over.
    Elsewhere a new line is printed every two seconds, so a short generation prints none.
    """
    stream = sys.stderr
    is_live = stream.isatty() or type(stream).__module__.startswith("ipykernel")
    began = time.perf_counter()
    shown = 0.0 if is_live else began
    has_begun = False

    def report(done: int, games: int) -> None:
        nonlocal shown, has_begun
        now = time.perf_counter()
        is_over = is_live and done >= games
        if is_over or now - shown >= (LIVE_SECONDS if is_live else PLAIN_SECONDS):
            speed, shown = done / max(now - began, 1e-9), now
            text = f"generation {generation}  {done:,}/{games:,} games  {speed:,.0f} games/s"
            stream.write(f"\r{text:60}" if is_live else f"{text}\n")
            stream.flush()
            has_begun = is_live

    try:
        yield report
    finally:
        if has_begun:
            stream.write("\n")
