"""``evo plot``: pictures of a run, of several runs, of a sweep or of a tournament."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from evo.cli.console import print_rows, program, quoted
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.base import Request, argument, flag

if TYPE_CHECKING:
    from results import Run
    from results.folder.files import Place

NEWEST = -1
"""The value of ``--lineage`` for the newest champion. No individual has this id."""


@dataclass(frozen=True)
class PlotRequest(Request):
    """Draw pictures of runs, of a sweep or of a tournament.

    For a run, draw fitness, diversity and the results of evo evaluate and evo best-response (win
    rates, exploitability, regret, share of optimal moves) over the games played, as PNG and SVG.
    For several runs, group the runs by the settings that differ, and draw the median and quartiles
    of each group over seeds; for a sweep, also draw the best individual of each snapshot. For a
    tournament, draw the cross table and the ratings.

    Attributes:
        runs: folder of a run, of a sweep, of several runs or of a tournament; several runs are
            compared by the settings that differ
        lineage: draw the ancestors of the individual with this id (without an id: of the newest
            champion); the run must have been started with lineage=true
        out: folder for the pictures (default: the folder plots in RUN)
    """

    execution: ClassVar = ("trust", "json")

    runs: tuple[str, ...] = argument("RUN")
    lineage: int | None = flag(None, metavar="ID", nargs="?", const=NEWEST)
    out: str | None = flag(None, metavar="DIR")


def _plot(request: PlotRequest, execution: Execution) -> int:
    from results import open_tournament
    from results.folder.runfile import holds_run
    from results.folder.tournament import holds_tournament
    from results.plots.tournament import plot_tournament
    from results.read.run import open_run

    first, *others = request.runs
    if request.lineage is not None and (others or not holds_run(first)):
        request.refuse("lineage", "; it needs the folder of a single run")
    run: Run | None = None
    if not others and holds_tournament(first):
        files = plot_tournament(open_tournament(first), request.out)
    elif not others and holds_run(first):
        run = open_run(first, execution.trust)
        files = _of_run(run, request)
    else:
        files = _of_several(request.runs, request.out, execution.trust)
    print_rows([{"file": str(file)} for file in files], {"file": ""}, execution.json)
    if run is not None and request.lineage is None and not execution.json and run.evaluations.empty:
        print(f"no win rates yet: measure them by {program()} evaluate {quoted(run.path)}")
    return 0


def _of_run(run: Run, request: PlotRequest) -> list[Place]:
    if request.lineage is not None:
        from results.plots.lineage import plot_lineage

        id = None if request.lineage == NEWEST else request.lineage
        return plot_lineage(run, id, request.out)
    from results.plots.run import plot_run

    return plot_run(run, request.out)


def _of_several(folders: tuple[str, ...], out: str | None, trust: bool) -> list[Place]:
    """Draw a sweep and its comparison, or several runs, and return the paths of the pictures.

    Args:
        folders: the folders of the sweep or the runs.
        out: the folder for the pictures; None: beside the runs.
        trust: read runs without checks.
    """
    from results.plots.compare import plot_runs
    from results.plots.sweep import plot_best
    from results.read.below import open_runs
    from results.read.sweep import Sweep

    runs: Any = open_runs(list(folders), trust)
    files = []
    if isinstance(runs, Sweep) and not runs.evaluations.empty:
        files = plot_best(runs, out)
    return [*files, *plot_runs(runs, out)]


COMMAND = command_of(PlotRequest, _plot, rank=2, group="look")
