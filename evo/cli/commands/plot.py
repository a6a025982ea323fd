"""``evo plot``: the pictures of a run, or of a sweep."""

from __future__ import annotations

import argparse

from evo.cli.console import print_rows, program, quoted
from evo.cli.options import Command, Parser


def _add_arguments(command: Parser) -> None:
    command.add_value("run", "RUN", "folder of the run, or of a sweep")
    command.add_value("--out", "DIR", "folder of the pictures (default: RUN/plots)")
    command.add_json()


def _plot(options: argparse.Namespace) -> int:
    from results import open_run
    from results.plots.run import plot_run
    from results.plots.sweep import plot_best
    from results.read.sweep import is_sweep, open_runs

    if is_sweep(options.run):
        run, files = None, plot_best(open_runs(options.run), options.out)
    else:
        run = open_run(options.run)
        files = plot_run(run, options.out)
    print_rows([{"file": str(file)} for file in files], {"file": ""}, options.json)
    if run is not None and run.evaluations.empty and not options.json:
        print(f"no win rates yet: measure them by {program()} evaluate {quoted(run.path)}")
    return 0


COMMAND = Command(
    "draw fitness, diversity, win rates, exploitability and regret over games played",
    _add_arguments,
    _plot,
    "Draw fitness, diversity, the win rate against each opponent, exploitability, regret and the "
    "share of optimal moves over games played, as PNG and SVG. They are what evo evaluate and evo "
    "prove measured. Of a sweep, the best of each snapshot: median and quartiles over seeds.",
    rank=6,
)
