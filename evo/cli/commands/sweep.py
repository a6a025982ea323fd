"""``evo sweep``: the runs of an experiment and their results."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evo.cli.console import complain, print_rows, program
from evo.cli.options import EXIT_FAILED, command_of
from evo.evolution.signals import watch, with_last_words
from evo.execution import Execution
from evo.requests.sweeps import SweepRequest
from results.redact import redacted
from tournaments.errors import ConfigError, counted

if TYPE_CHECKING:
    from evo.sweeps.sweep import Ended, Slice

LEAVE_SECONDS = 5.0
COLUMNS = {"cell": "", "seed": "d", "state": "", "generation": ",d", "games_played": ",d"}


def _sweep(request: SweepRequest, execution: Execution) -> int:
    """Run the command ``evo sweep`` and return its exit status.

    The status is 1 if a run failed, and 128 + the signal's number after a signal.
    """
    from evo.sweeps.sweep import experiment_of, folder_of_sweep, sweep

    part, experiment = _slice(request.part), experiment_of(request)
    request = replace(request, part=part, experiment=experiment)
    folder = folder_of_sweep(request, experiment)
    again = redacted(shlex.join(sys.argv[1:]))
    last_words = f"stopped; the runs are in {folder}\ngo on with: {program()} {again}"
    stream = sys.stderr if execution.json else sys.stdout
    if present := watch():  # this process ends after its workers, which have the grace period
        present.grace += LEAVE_SECONDS

    def work() -> int:
        return _print_sweep(sweep(request, execution), folder, execution.json)

    return with_last_words(work, lambda: last_words, stream)


def _slice(text: str | None) -> Slice | None:
    """Return the slice of a sweep's runs that the text of ``--slice`` names, such as ``3/40``."""
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
    """Return the number of this task in a Slurm array, from 1, and the number of tasks."""
    names = [f"SLURM_ARRAY_TASK_{name}" for name in ("ID", "MIN", "STEP", "COUNT")]
    texts = [os.environ.get(name, "1" if name.endswith("STEP") else "") for name in names]
    if not all(text.isdecimal() for text in texts):
        raise ConfigError(
            f"--slice auto given, but {names[0]} and related variables are not set: this process "
            "is not a task of a Slurm array; give I/N, such as 3/40"
        )
    task, least, step, count = map(int, texts)
    place = (task - least) // max(1, step) + 1
    if place > count:
        raise ConfigError(
            f"--slice auto given, but the array's {count} task numbers have gaps: give "
            f"--slice {task}/N, where N is the number of tasks of the first array"
        )
    return place, count


def _print_sweep(ended: Sequence[Ended], folder: Path, as_json: bool) -> int:
    """Print the results of a sweep and return the exit status.

    ``ended`` are the runs of this call, ``folder`` is that of the sweep.
    """
    from evo.sweeps.sweep import DONE
    from results.read.sweep import open_sweep

    failed = [run for run in ended if run.state != DONE]
    if not ended:
        print("this slice contains no runs: there are more slices than runs", file=sys.stderr)
    elif len(failed) < len(ended) or as_json:
        ours = open_sweep(folder, {(run.folder.parent.name, run.folder.name) for run in ended})
        _print_runs(ours.runs.to_dict("records"), ended, folder, as_json)
    for run in failed:
        complain(f"{run.folder}: {run.error or run.state}")
    return EXIT_FAILED if failed else 0


def _print_runs(
    rows: list[dict[Any, Any]], ended: Sequence[Ended], folder: Path, as_json: bool
) -> None:
    from results.folder.files import place_of
    from results.read.sweep import BASE

    ends = {str(run.folder): run for run in ended}
    for row in rows:
        run = ends[str(place_of(row["path"]).absolute())]
        row |= {"state": run.state, "error": run.error or None}
        if not as_json and row["variant"] == BASE:
            row["cell"] = row["cell"].removeprefix(f"{BASE},")
    print_rows(rows, COLUMNS, as_json)
    if not as_json:
        print(
            f"\n{counted(len(rows), 'run')} in {folder}\nin pandas:\n    import results\n"
            f"    runs = results.open_runs({str(folder)!r})\n"
            "    runs.runs, runs.generations, runs.evaluations"
        )


COMMAND = command_of(SweepRequest, _sweep, rank=3, group="make")
