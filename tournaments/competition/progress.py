"""A line on standard error that shows the progress of a generation."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

LIVE_SECONDS, PLAIN_SECONDS = 0.05, 2.0
"""Least time between two states of a line, and between two lines of a file, in seconds."""
WIDTH = 60
"""Number of characters of a line, so that a longer line before is overwritten."""


def progress_report(generation: int) -> Callable[[int, int], None]:
    """Return a function (games played, games foreseen) that shows a line on standard error.

    The line is overwritten in a terminal or a notebook, and stays when the generation is over.
    Elsewhere a new line is printed every two seconds, so a short generation prints none.
    """
    stream = sys.stderr
    is_live = stream.isatty() or type(stream).__module__.startswith("ipykernel")
    began = time.perf_counter()
    shown = began - LIVE_SECONDS

    def report(done: int, games: int) -> None:
        nonlocal shown
        now, is_over = time.perf_counter(), is_live and done >= games
        if is_over or now - shown >= (LIVE_SECONDS if is_live else PLAIN_SECONDS):
            shown, speed = now, done / max(now - began, 1e-9)
            text = f"generation {generation}  {done:,}/{games:,} games  {speed:,.0f} games/s"
            end = "\r" if is_live and not is_over else "\n"
            print(text.ljust(WIDTH * is_live), end=end, file=stream, flush=True)

    return report
