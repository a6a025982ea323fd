"""``evo plot``: the pictures of a run, of several, of a sweep or of a tournament."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from evo.cli.console import print_rows, program, quoted
from evo.cli.options import Command, Parser
from tournaments.errors import ConfigError

if TYPE_CHECKING:
    from results import Run
    from results.folder.files import Place

NEWEST = -1
"""The id that stands for the newest champion's: no individual has it."""


def _add_arguments(command: Parser) -> None:
    command.add_value(
        "runs",
        "RUN",
        "folder of a run, of a sweep, of several runs or of a tournament; several runs are "
        "compared by what differs",
        nargs="+",
    )
    command.add_value(
        "--lineage",
        "ID",
        "the descent of an individual, by its id (without one: the newest champion) of a run that "
        "keeps its lineage (lineage=true)",
        nargs="?",
        type=int,
        const=NEWEST,
    )
    command.add_value("--out", "DIR", "folder of the pictures (default: plots, in that folder)")
    command.add_trust()
    command.add_json()


def _plot(options: argparse.Namespace) -> int:
    from results import open_tournament
    from results.folder.runfile import holds_run
    from results.folder.tournament import holds_tournament
    from results.plots.tournament import plot_tournament
    from results.read.run import open_run

    first, *others = options.runs
    if options.lineage is not None and (others or not holds_run(first)):
        raise ConfigError("--lineage given; expected with it is the folder of one run")
    run: Run | None = None
    if not others and holds_tournament(first):
        files = plot_tournament(open_tournament(first), options.out)
    elif not others and holds_run(first):
        run = open_run(first, options.trust)
        files = _of_run(run, options)
    else:
        files = _of_several(options.runs, options.out, options.trust)
    print_rows([{"file": str(file)} for file in files], {"file": ""}, options.json)
    if run is not None and options.lineage is None and not options.json and run.evaluations.empty:
        print(f"no win rates yet: measure them by {program()} evaluate {quoted(run.path)}")
    return 0


def _of_run(run: Run, options: argparse.Namespace) -> list[Place]:
    if options.lineage is not None:
        from results.plots.lineage import plot_lineage

        id = None if options.lineage == NEWEST else options.lineage
        return plot_lineage(run, id, options.out)
    from results.plots.run import plot_run

    return plot_run(run, options.out)


def _of_several(folders: list[str], out: str | None, trust: bool) -> list[Place]:
    """The pictures of a sweep and its comparison, or of several runs."""
    from results.plots.compare import plot_runs
    from results.plots.sweep import plot_best
    from results.read.below import open_runs
    from results.read.sweep import Sweep

    runs: Any = open_runs(folders, trust)
    files = []
    if isinstance(runs, Sweep) and not runs.evaluations.empty:
        files = plot_best(runs, out)
    return [*files, *plot_runs(runs, out)]


COMMAND = Command(
    "draw runs: fitness, diversity, win rates, regret; several by what differs; a tournament",
    _add_arguments,
    _plot,
    "Draw fitness, diversity, the win rate against each opponent, exploitability, regret and the "
    "share of optimal moves over games played, as PNG and SVG. They are what evo evaluate and evo "
    "prove measured. Of several runs, a line for each setting in which they differ: median and "
    "quartiles over seeds. Of a sweep, the best of each snapshot besides. Of a tournament, its "
    "cross table and ratings.",
    rank=6,
)
