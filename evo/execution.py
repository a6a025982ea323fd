"""The execution of work: where it runs and how it is reported, for every call and every command.

A call takes some of these fields in addition to those of its request (:mod:`evo.requests`). The
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
"""Seconds from the first signal to the end: Slurm and Kubernetes kill a process after 30
seconds."""
MOST_SECONDS = 1_000_000
"""Twelve days, about half of the longest single wait of the system."""
IN_PYTHON: dict[str, Any] = {"flag": None}
"""Fields that the command line does not offer."""
ON_THE_COMMAND_LINE: dict[str, Any] = {"keyword": False}
"""Fields that Python does not offer."""


def _ignore(*report: Any) -> None:
    """Ignore a report."""


@dataclass(frozen=True, kw_only=True)
class Execution:
    """The settings of where work runs and how it is reported.

    Attributes:
        evaluator: plays matches, in place of threads of this process
        threads: threads of this process; of a sweep processes (default: all cores)
        ray: play by Ray actors, on this machine or on the cluster at ADDRESS, of which all nodes
            must see the folder of a sweep
        actors: how many Ray actors
        check: have one chunk of matches in N played twice, and compare (default 1000; 0: none)
        patience: until a chunk whose pace is not known, or a piece of work, is overdue (default
            600)
        grace: from Ctrl-C, SIGTERM or SIGHUP to the end of this process, whatever it is at
        faults: a player that raises, is late, or chooses what is not legal loses the game, and a
            row of faults/ says why (forfeit); or the work ends (abort)
        profile: print where the time of a generation went
        trust: read whatever files the folder names, call what functions it names as operators, and
            go by a run.json that was changed (default: no file outside it, functions of this
            project, of deap.tools and of installed entry points evo.operators alone, and no changed
            configuration)
        json: print results as one JSON object a line
        stop: called after each generation, says whether to end with it, in place of the signals
            that this process gets
        report: called after each part of the work
        announce: called with a line about what takes a while, or what went wrong
        progress: show a bar, in a terminal or a notebook
        making: makes the evaluator that all calls within :meth:`shared` use; None elsewhere.
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
                "threads", self.threads, " beside Ray; with --ray, --actors says how many"
            )

    @contextmanager
    def playing(self) -> Iterator[Evaluator]:
        """Yield an evaluator. If the evaluator was made for this block, it is closed at the end."""
        if self.making is not None:
            yield self.making()
        elif self.evaluator is not None and self.ray is None:
            yield self.evaluator
        else:
            with closing(self._made(self.ray)) as evaluator:
                yield evaluator

    def _made(self, address: str | None) -> Evaluator:
        """Make an evaluator: Ray actors, or threads of this process if there is no address."""
        import cluster
        from cluster.faults import Limits
        from results.redact import redacted

        if address is None:
            return cluster.LocalEvaluator(self.threads)
        joining = f"joining Ray at {redacted(address)}"
        self.announce(joining if address else "starting Ray on this machine")
        more: dict[str, Any] = {} if self.check is None else {"check": self.check}
        if self.patience is not None:
            more["limits"] = Limits(patience=self.patience)
        return cluster.RayEvaluator(self.actors, address or None, announce=self.announce, **more)

    @contextmanager
    def shared(self) -> Iterator[Execution]:
        """Yield an execution whose calls share one evaluator, which the first call makes."""
        if self.making is not None:
            yield self
            return
        with ExitStack() as stack:
            yield replace(self, making=cache(lambda: stack.enter_context(self.playing())))

    @contextmanager
    def reporting(self, unit: str) -> Iterator[Callable[..., None]]:
        """Yield a report function that also shows a bar, if a bar is wanted.

        Args:
            unit: what is counted: see :meth:`evo.progress.Display.taking`.
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
        """Return the referee of faults, which writes faults into the folder, if one is given."""
        from cluster.referee import Referee

        return Referee(self.faults, folder, self.announce)
