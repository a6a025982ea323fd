"""Execution options: where work runs and how progress is reported, for all functions and commands.

A function takes some of these fields in addition to those of its request (:mod:`evo.requests`). The
names are those of the command line's flags.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from tournaments.options import OptionError, option

if TYPE_CHECKING:
    from cluster import Evaluator
    from cluster.referee import Referee
    from evo.progress import Display

GRACE_SECONDS = 20.0
"""Default time from the first signal to the end of the process, in seconds.

Slurm and Kubernetes kill a process after 30 seconds.
"""
MOST_SECONDS = 1_000_000
"""Maximum number of seconds of an option, twelve days.

This is about half of the longest wait that the system supports.
"""
IN_PYTHON: dict[str, Any] = {"flag": None}
"""Metadata of fields that are not on the command line."""
ON_THE_COMMAND_LINE: dict[str, Any] = {"keyword": False}
"""Metadata of fields that are not keywords in Python."""


def _ignore(*report: Any) -> None:
    """Ignore reports of progress."""


@dataclass(frozen=True, kw_only=True)
class Execution:
    """Options that determine where work runs and how progress is reported.

    Attributes:
        evaluator: evaluator that plays the matches, instead of threads of this process
        threads: number of threads; for a sweep, number of processes (default: all cores)
        ray: play the matches with Ray actors, on this machine or on the cluster at ADDRESS; all
            nodes need access to the folder of a sweep
        actors: number of Ray actors
        check: with Ray: play one in N chunks of matches twice and compare the results (default:
            1000; 0: never)
        patience: with Ray: seconds after which a chunk of matches of unknown speed, or any other
            task, is overdue and is given to another worker (default: 600)
        grace: seconds from Ctrl-C, SIGTERM or SIGHUP to the end of this process, even if work is
            unfinished
        faults: forfeit: a player that raises an error, is late or chooses an illegal action loses
            the game, and the cause is recorded in faults/; abort: the command fails instead
        profile: print how long each part of a generation took
        trust: read all files and call all operator functions that the folder names, and accept a
            changed run.json (default: only files in the folder; only operators of this project, of
            deap.tools and of installed entry points evo.operators; only the original configuration)
        json: print results as JSON, an object per line
        stop: callback after each generation that returns whether to end the run, instead of the
            signals of this process
        report: callback after each part of the work
        announce: callback with a line of text about a slow step or a problem
        progress: show a progress bar, in a terminal or a notebook
        making: function that returns the evaluator shared by all calls within :meth:`shared`; None
            outside of it.
    """

    evaluator: Any = option(None, **IN_PYTHON, type="Evaluator | None")
    threads: int | None = option(None, low=1)
    ray: str | None = option(None, metavar="ADDRESS", nargs="?")
    actors: int | None = option(None, low=1)
    check: int | None = option(None, low=0)
    patience: float | None = option(None, above=0, high=MOST_SECONDS, metavar="SECONDS")
    grace: float = option(
        GRACE_SECONDS, low=0, high=MOST_SECONDS, metavar="SECONDS", **ON_THE_COMMAND_LINE
    )
    faults: str = option("forfeit", known=("forfeit", "abort"), metavar="forfeit|abort")
    profile: bool = option(False, **ON_THE_COMMAND_LINE)
    trust: bool = option(False)
    json: bool = option(False, **ON_THE_COMMAND_LINE)
    stop: Any = option(None, **IN_PYTHON, type="Callable[[], bool] | None")
    report: Any = option(_ignore, **IN_PYTHON, type="Callable[..., object]")
    announce: Any = option(_ignore, **IN_PYTHON, type="Callable[[str], object]")
    progress: Any = option(False, **IN_PYTHON, type="bool")
    making: Any = None

    def __post_init__(self) -> None:
        if self.ray is None:
            for name in ("actors", "check", "patience"):
                if (value := getattr(self, name)) is not None:
                    raise OptionError(name, value, " without Ray; add --ray, or leave it out")
        elif self.threads is not None:
            raise OptionError(
                "threads", self.threads, " with Ray; use --actors to set the number of Ray actors"
            )

    @contextmanager
    def playing(self) -> Iterator[Evaluator]:
        """Return a context whose value is an evaluator of matches.

        An evaluator that was made for this block is closed at its end.
        """
        if self.making is not None:
            yield self.making()
        elif self.evaluator is not None and self.ray is None:
            yield self.evaluator
        else:
            with closing(self._made(self.ray)) as evaluator:
                yield evaluator

    def _made(self, address: str | None) -> Evaluator:
        """Return a new evaluator of matches: Ray actors or, without an address, threads."""
        import cluster
        from cluster.faults import Limits

        if address is None:
            return cluster.LocalEvaluator(self.threads, announce=self.announce)
        self.announce_ray(address)
        more: dict[str, Any] = {} if self.check is None else {"check": self.check}
        if self.patience is not None:
            more["limits"] = Limits(patience=self.patience)
        return cluster.RayEvaluator(self.actors, address or None, announce=self.announce, **more)

    def announce_ray(self, address: str) -> None:
        """Announce that Ray is joined at an address or, without an address, started here."""
        from results.redact import redacted

        joining = f"joining Ray at {redacted(address)}"
        self.announce(joining if address else "starting Ray on this machine")

    @contextmanager
    def shared(self) -> Iterator[Execution]:
        """Return a context of an execution whose calls share the evaluator of the first call."""
        if self.making is not None:
            yield self
            return
        with ExitStack() as stack:
            yield replace(self, making=cache(lambda: stack.enter_context(self.playing())))

    @contextmanager
    def reporting(self, unit: str) -> Iterator[Callable[..., None]]:
        """Return a context of a function for reports that also updates the progress bar, if any.

        Args:
            unit: unit of progress, see :meth:`evo.progress.Display.taking`.
        """
        if not self.progress:
            yield self.report
            return
        from evo.progress import Display

        display: Display = Display() if self.progress is True else self.progress
        show = display.taking(unit)

        def report(*parts: Any) -> None:
            self.report(*parts)
            show(*parts)

        with closing(display):
            yield report

    def referee(self, folder: Any = None) -> Referee:
        """Return a referee for faults of players.

        It writes faults to the run's folder, if given.
        """
        from cluster.referee import Referee

        return Referee(self.faults, folder, self.announce)
