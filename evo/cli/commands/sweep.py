"""``evo sweep``: the runs of an experiment, and what came of them."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evo.cli.console import print_rows, program
from evo.cli.options import (
    EXIT_FAILED,
    Command,
    Parser,
    check_where,
    folder_of,
    seconds,
    with_fields,
)
from evo.cli.progress import Display
from evo.evolution.signals import watch, with_last_words
from results.redact import redacted
from tournaments.errors import ConfigError

if TYPE_CHECKING:
    from evo.sweeps.sweep import Ended, Slice

PATIENCE = 600.0
"""As in :class:`cluster.faults.Limits`, without numpy, which takes a while."""
LEAVE_SECONDS = 5.0
COLUMNS = {"cell": "", "seed": "d", "state": "", "generation": ",d", "games_played": ",d"}


def _add_arguments(command: Parser) -> None:
    command.add_value(
        "experiment",
        "EXPERIMENT",
        "an experiment as TOML, or the name of one that comes with this program, such as "
        "dots-and-boxes-1998",
    )
    command.add_value("--out", "DIR", "folder of the runs, or an address (default: sweeps/NAME)")
    command.add_switch("--quick", "as the experiment's table [quick] has it")
    command.add_set("any field of the experiment, such as seeds=3 or base.games=200_000")
    command.add_number("--threads", "N", "runs at a time, each in a process (default: all cores)")
    command.add_ray(
        "by Ray actors, on this machine or on the cluster at ADDRESS, all of whose nodes see DIR"
    )
    command.add_value(
        "--slice",
        "I/N",
        "the I-th of N shares of the runs, for N commands side by side; auto: as the array of a "
        "Slurm job has it",
    )
    command.add_value(
        "--patience",
        "SECONDS",
        "a run that tells nothing for so long, and for 20 times its longest silence, is taken from "
        f"its worker, which is ended, and given to another (default: {PATIENCE:.0f})",
        type=seconds,
        default=PATIENCE,
    )
    command.add_grace()
    command.add_json()


def _sweep(options: argparse.Namespace) -> int:
    """Run a sweep; the exit status: 1 where a run failed, 128 + its number for a signal."""
    from cluster.faults import Limits
    from evo.sweeps.experiment import load_experiment
    from evo.sweeps.sweep import Where, sweep

    out = folder_of(options)
    check_where(options)
    part = _slice(options.slice)
    workers = options.threads if options.ray is None else options.actors
    where = Where(workers, options.ray, Limits(patience=options.patience, grace=options.grace))
    experiment = load_experiment(options.experiment, with_fields({}, options), options.quick)
    folder = out or Path("sweeps") / experiment.name
    again = redacted(shlex.join(sys.argv[1:]))
    last_words = f"stopped; the runs are in {folder}\ngo on with: {program()} {again}"
    stream = sys.stderr if options.json else sys.stdout
    if present := watch():  # the workers have the grace: this process takes leave of them after it
        present.grace += LEAVE_SECONDS

    def work() -> int:
        with Display() as display:
            ended = sweep(experiment, folder, where, part=part, report=display.sweep)
        return _print_sweep(ended, folder, options.json)

    return with_last_words(work, lambda: last_words, stream)


def _slice(text: str | None) -> Slice | None:
    """The share that ``--slice`` names."""
    from evo.sweeps.sweep import Slice

    if text is None:
        return None
    if text == "auto":
        return Slice(*_place_in_array())
    number, slash, slices = text.partition("/")
    if not (slash and number.isdecimal() and slices.isdecimal()):
        raise ConfigError(f"--slice {text} given; I/N is expected, such as 3/40, or auto")
    return Slice(int(number), int(slices))


def _place_in_array() -> tuple[int, int]:
    """Which task of a Slurm job's array this process is, from 1, and of how many."""
    names = [f"SLURM_ARRAY_TASK_{name}" for name in ("ID", "MIN", "STEP", "COUNT")]
    texts = [os.environ.get(name, "1" if name.endswith("STEP") else "") for name in names]
    if not all(text.isdecimal() for text in texts):
        raise ConfigError(
            f"--slice auto given, but {names[0]} and its like are not set: this is no task of a "
            "Slurm array; give I/N, such as 3/40"
        )
    task, least, step, count = map(int, texts)
    place = (task - least) // max(1, step) + 1
    if place > count:
        raise ConfigError(
            f"--slice auto given, but the numbers of the array's {count} tasks leave some out: "
            f"give --slice {task}/N, N being the tasks that there were at first"
        )
    return place, count


def _print_sweep(ended: Sequence[Ended], folder: Path, as_json: bool) -> int:
    """Print what came of a sweep; the exit status."""
    from evo.sweeps.sweep import DONE
    from results.read.sweep import open_sweep

    failed = [run for run in ended if run.state != DONE]
    if not ended:
        print("no run is in this slice: there are more slices than runs", file=sys.stderr)
    elif len(failed) < len(ended) or as_json:
        ours = open_sweep(folder, {(run.folder.parent.name, run.folder.name) for run in ended})
        _print_runs(ours.runs.to_dict("records"), ended, folder, as_json)
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
