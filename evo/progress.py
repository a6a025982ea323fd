"""Progress: a bar on a terminal or in a notebook, plain lines elsewhere, on standard error."""

from __future__ import annotations

import math
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from results.errors import printable

PLAIN_SECONDS = 2.0
"""Least time between two plain lines, in seconds."""
BAR_SECONDS = 0.05
"""Least time between two states of a bar, in seconds."""
WINDOW = 200
"""Generations, or parts, over which the speed is averaged."""


class Display:
    """The progress display of a call or a command. Use it as a context manager."""

    def __init__(self) -> None:
        self.is_terminal = sys.stderr.isatty()
        self._notebook = _notebook()
        self._bar: Any = None
        self._shown = -math.inf
        self._recent: deque[tuple[int, float]] = deque(maxlen=WINDOW)
        self._is_first = True
        from tournaments.kernels.compilation import compilation  # late: numpy takes a while

        self._clock = compilation.clock
        self._started = compilation.clock()
        self._heard = compilation.heard_by(self._compiling)
        self._has_compiled = False

    def taking(self, unit: str) -> Callable[..., None]:
        """Return the method that shows the progress that a call reports.

        Args:
            unit: ``generation``, ``run`` or ``game``, for :meth:`generation`, :meth:`sweep` and
                :meth:`game`; any other, such as ``meeting``, for :meth:`part`.
        """
        known: dict[str, Callable[..., None]] = {
            "generation": self.generation,
            "run": self.sweep,
            "game": self.game,
        }
        return known.get(unit, partial(self.part, unit=unit))

    def __enter__(self) -> Display:
        self._heard.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._heard.__exit__(None, None, None)
        self.close()

    def _compiling(self) -> None:
        """Show in the progress that the compiler was started."""
        if self._bar is not None:
            self._bar.update("compiling")
        if not self._has_compiled:
            self._has_compiled = True
            self.say("compiling kernels (once; they are kept)")

    def close(self) -> None:
        """Close the progress bar, which stays on the screen."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def say(self, line: str) -> None:
        """Print a line of text beside the progress bar."""
        line = printable(line)
        if self._bar is not None:
            self._bar.say(line)
        else:
            print(line, file=sys.stderr, flush=True)

    def generation(self, progress: Any) -> None:
        """Show a completed generation; see :class:`evo.evolution.loop.Progress`."""
        if self._is_first:  # its time is that of compiling, and tells nothing of the others
            self._is_first = False
        else:
            self._recent.append((progress.games, progress.seconds))
        done, total = progress.generation, progress.generations
        if self._is_due(ends=done >= total):
            counts = ""
            if end := progress.games_end:
                counts = f"{done:,}, {progress.games_played:,} of {end:,} games"
            self._show("generation", done, total, self._text(progress), counts)

    def _text(self, progress: Any) -> str:
        several = len(progress.populations) > 1
        text = "  ".join(
            f"{name + ' ' if several else ''}best {best:.4g}  mean {mean:.4g}  "
            f"diversity {diversity:.3f}"
            for name, best, mean, diversity in progress.populations
        )
        if self._recent:
            text += f"  {self._pace(progress.generations - progress.generation)}"
        if faults := faults_in_words(progress.faults):
            text += f"  {faults}"
        return text

    def _pace(self, left: int) -> str:
        """Return the recent speed, and how long the remaining generations or parts take."""
        seconds = sum(seconds for _, seconds in self._recent)
        return f"{self._speed()}  {_duration(left * seconds / len(self._recent))} left"

    def _speed(self) -> str:
        games, seconds = map(sum, zip(*self._recent, strict=True))
        return f"{games / max(seconds, 1e-9):,.0f} games/s"

    def part(self, done: int, total: int, games: int, unit: str = "part") -> None:
        """Show a completed part of the work. Without games, it was found or computed.

        Args:
            done: number of completed parts.
            total: number of all parts.
            games: number of games of the part.
            unit: name of a part.
        """
        self._played(games)
        if self._is_due(ends=done >= total):
            text = self._pace(total - done) if games else "no games to play"
            self._show(unit, done, total, text)

    def game(self, done: int, most: int, games: int) -> None:
        """Show progress in games: games so far, and their maximum. The call may end earlier."""
        self._played(games)
        if self._is_due(ends=done >= most):
            self._show("game", done, most, f"{self._speed()}  until the test decides")

    def _played(self, games: int) -> None:
        """Record how long a number of games took, since the last report."""
        now = self._clock()
        if games:
            self._recent.append((games, now - self._started))
        self._started = now

    def sweep(self, progress: Any) -> None:
        """Show the progress of a sweep at its recent speed.

        See :class:`evo.sweeps.sweep.SweepProgress`.
        """
        self._recent.append((progress.games, time.perf_counter()))
        (games, began), (newest, now) = self._recent[0], self._recent[-1]
        speed = (newest - games) / max(now - began, 1e-9)
        text = f"{progress.games:,} games"
        if speed > 0:
            text += f"  {speed:,.0f} games/s"
        if speed > 0 and progress.total:
            text += f"  {_duration(max(0, progress.total - progress.games) / speed)} left"
        if self._is_due(ends=progress.over >= progress.runs):
            self._show("run", progress.over, progress.runs, text)

    def _is_due(self, ends: bool) -> bool:
        """Return whether to show progress now. Generations may be faster than a user can read.

        ``ends``: always show the last report.
        """
        now = time.perf_counter()
        if ends or now - self._shown >= (BAR_SECONDS if self.is_terminal else PLAIN_SECONDS):
            self._shown = now
            return True
        return False

    def _show(self, what: str, done: int, total: int, text: str, counts: str = "") -> None:
        text = f"{counts or f'{done}/{total}'}  {text}"
        if self._notebook is None and not self.is_terminal:
            print(f"{what} {text}", file=sys.stderr, flush=True)
            return
        if self._bar is None:
            self._bar = _TerminalBar(what) if self._notebook is None else self._notebook(what)
        self._bar.update(text, done, total)


class _TerminalBar:
    """A bar of rich on standard error."""

    def __init__(self, what: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self.progress = Progress(
            TextColumn(what),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[text]}"),
            console=Console(stderr=True),
        )
        self._task = self.progress.add_task(what, text="")
        self.progress.start()
        self.close = self.progress.stop

    def update(self, text: str, done: int | None = None, total: int | None = None) -> None:
        """Show a text of progress and, if they are given, the completed and the total number."""
        self.progress.update(self._task, completed=done, total=total, text=text)

    def say(self, line: str) -> None:
        """Print a line of text above the progress bar."""
        self.progress.console.print(line, markup=False, highlight=False)


class _NotebookBar:
    """A bar of HTML. rich draws no bars in notebooks without ipywidgets."""

    def __init__(self, page: Any, what: str) -> None:
        self._page, self._what = page, what
        self._handle = page.display(page.HTML(""), display_id=True)

    def update(self, text: str, done: int | None = None, total: int | None = None) -> None:
        """Show a text of progress and, if they are given, the completed and the total number."""
        bar = "" if total is None else f"<progress value={done} max={total}></progress>"
        self._handle.update(self._page.HTML(f"{self._what} {bar} {text}"))

    def say(self, line: str) -> None:
        """Print a line of text below the progress bar."""
        print(line)

    def close(self) -> None:
        """Close the progress bar of the notebook, which stays as it is."""


def _notebook() -> Callable[[str], _NotebookBar] | None:
    """Return the class of progress bars for the notebook that this process serves, if any."""
    page = sys.modules.get("IPython.display")  # which a notebook has loaded
    if page is None:
        return None
    import rich

    return partial(_NotebookBar, page) if rich.get_console().is_jupyter else None


def faults_in_words(faults: Mapping[str, int]) -> str:
    """Return faults of workers in words, such as ``2 lost, 3 repeated``; empty if none."""
    counted = (f"{count:,} {name}" for name, count in faults.items() if name != "checked")
    return ", ".join(counted)


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"
