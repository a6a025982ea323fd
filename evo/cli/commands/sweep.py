"""``evo sweep``: the runs of an experiment, and what came of them."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evo.cli.console import print_rows, program
from evo.cli.options import EXIT_FAILED, Command, Parser, check_where, folder_of, with_fields
from evo.cli.progress import Display

if TYPE_CHECKING:
    from evo.sweeps.sweep import Ended

COLUMNS = {"cell": "", "seed": "d", "state": "", "generation": ",d", "games_played": ",d"}


def _add_arguments(command: Parser) -> None:
    command.add_value(
        "experiment",
        "EXPERIMENT",
        "an experiment as TOML, or the name of one that comes with this program, such as "
        "dots-and-boxes-1998",
    )
    command.add_value("--out", "DIR", "folder of the runs (default: sweeps/NAME)")
    command.add_switch("--quick", "as the experiment's table [quick] has it")
    command.add_set("any field of the experiment, such as seeds=3 or base.games=200_000")
    command.add_number("--threads", "N", "runs at a time, each in a process (default: all cores)")
    command.add_ray(
        "by Ray actors, on this machine or on the cluster at ADDRESS, all of whose nodes see DIR"
    )
    command.add_json()


def _sweep(options: argparse.Namespace) -> int:
    """Run a sweep; the exit status: 1 where a run failed, 128 + its number for a signal."""
    from evo.evolution.runs import Interrupted
    from evo.sweeps.experiment import load_experiment
    from evo.sweeps.sweep import Where, sweep

    out = folder_of(options)
    check_where(options)
    where = Where(options.threads if options.ray is None else options.actors, options.ray)
    experiment = load_experiment(options.experiment, with_fields({}, options), options.quick)
    folder = out or Path("sweeps") / experiment.name
    try:
        with Display() as display:
            ended = sweep(experiment, folder, where, report=display.sweep)
    except Interrupted as interruption:
        again = f"{program()} {shlex.join(sys.argv[1:])}"
        stream = sys.stderr if options.json else sys.stdout
        print(f"stopped; the runs are in {folder}\ngo on with: {again}", file=stream)
        return 128 + interruption.signal
    return _print_sweep(ended, folder, options.json)


def _print_sweep(ended: Sequence[Ended], folder: Path, as_json: bool) -> int:
    """Print what came of a sweep; the exit status."""
    from evo.sweeps.sweep import DONE
    from results.read.sweep import open_runs

    failed = [run for run in ended if run.state != DONE]
    if len(failed) < len(ended) or as_json:
        _print_runs(open_runs(folder).runs.to_dict("records"), ended, folder, as_json)
    for run in failed:
        print(f"evo: {run.folder}: {run.error or run.state}", file=sys.stderr)
    return EXIT_FAILED if failed else 0


def _print_runs(
    rows: list[dict[Any, Any]], ended: Sequence[Ended], folder: Path, as_json: bool
) -> None:
    from results.folder.files import place_of

    ends = {str(run.folder): run for run in ended}
    for row in rows:
        run = ends[str(place_of(row["path"]).absolute())]
        row |= {"state": run.state, "error": run.error or None}
    print_rows(rows, COLUMNS, as_json)
    if not as_json:
        print(
            f"\n{len(rows)} runs in {folder}\nin pandas:\n    import results\n"
            f"    runs = results.open_runs({str(folder)!r})\n"
            "    runs.runs, runs.generations, runs.evaluations"
        )


COMMAND = Command(
    "all runs of an experiment side by side: populations, factors, seeds",
    _add_arguments,
    _sweep,
    "Run all runs of an experiment side by side, each on one processor, and measure them. The "
    "same command again goes on where it stopped. The runs open as one: results.open_runs(DIR).",
    rank=8,
)
