"""A bar for Python and notebooks, where ``progress=True`` asks for one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

BAR_SECONDS = 0.1
"""At least so long lies between two states of a bar."""


class Advanced(Protocol):
    """What a run reports of a generation, see :class:`evo.evolution.loop.Progress`."""

    generation: int
    generations: int
    games_played: int


class Swept(Protocol):
    """What a sweep reports, see :class:`evo.sweeps.sweep.SweepProgress`."""

    over: int
    runs: int
    games: int


class Bar:
    """A bar of rich in terminals, and of HTML in notebooks; use it as a context manager.

    A bar that is not asked for does nothing.
    """

    def __init__(self, is_asked: bool, unit: str) -> None:
        """``unit`` is what is counted, such as ``generation``."""
        self._is_asked = is_asked
        self._unit = unit
        self._set: Callable[[int, int, str], None] | None = None
        self._close: Callable[[], None] = lambda: None
        self._shown = 0.0

    def __enter__(self) -> Bar:
        """Return the bar; it is drawn with the first report."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Leave it as it stands."""
        self._close()
        self._set, self._close = None, lambda: None

    def generations(self, report: Callable[[Any], object]) -> Callable[[Any], None]:
        """Return a report of generations that shows them, too."""

        def both(progress: Advanced) -> None:
            report(progress)
            text = f"{progress.games_played:,} games"
            self._show(progress.generation, progress.generations, text)

        return both

    def parts(self, report: Callable[[int, int, int], object]) -> Callable[[int, int, int], None]:
        """Return a report of parts, ``(done, total, games)``, that shows them and all games."""
        played = 0

        def both(done: int, total: int, games: int) -> None:
            nonlocal played
            played += games
            report(done, total, games)
            self._show(done, total, f"{played:,} games")

        return both

    def runs(self, report: Callable[[Any], object]) -> Callable[[Any], None]:
        """Return a report of a sweep's runs that shows them, too."""

        def both(progress: Swept) -> None:
            report(progress)
            self._show(progress.over, progress.runs, f"{progress.games:,} games")

        return both

    def _show(self, done: int, total: int, text: str) -> None:
        now = time.monotonic()
        if not self._is_asked or (done < total and now - self._shown < BAR_SECONDS):
            return
        self._shown = now
        if self._set is None:
            self._set, self._close = _opened(self._unit, total)
        self._set(done, total, text)


def _opened(unit: str, total: int) -> tuple[Callable[[int, int, str], None], Callable[[], None]]:
    """What sets a new bar, and what closes it."""
    import rich
    from rich import progress

    page = sys.modules.get("IPython.display")  # which a notebook has loaded
    if page is not None and rich.get_console().is_jupyter:
        return _in_notebook(page, unit), lambda: None
    bar = progress.Progress(
        progress.TextColumn(unit),
        progress.BarColumn(bar_width=24),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
        progress.TextColumn("{task.fields[text]}"),
    )
    task = bar.add_task(unit, total=total, text="")
    bar.start()

    def show(done: int, total: int, text: str) -> None:
        bar.update(task, completed=done, total=total, text=text)

    return show, bar.stop


def _in_notebook(page: Any, unit: str) -> Callable[[int, int, str], None]:
    """What sets a bar in a notebook: rich draws none there where ipywidgets are missing."""
    handle = page.display(page.HTML(""), display_id=True)

    def show(done: int, total: int, text: str) -> None:
        bar = f"<progress value={done} max={total}></progress>"
        handle.update(page.HTML(f"{unit} {bar} {done:,}/{total:,} {text}"))

    return show
