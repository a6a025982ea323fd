"""``evo sweep``: the runs of an experiment, and what came of them."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evo.cli.console import check_threads, print_rows, program
from evo.cli.progress import Display
from evo.config import config as configuration
from evo.config import toml
from evo.errors import ConfigError
from evo.evolution.runs import Interrupted
from evo.sweeps.sweep import DONE, Ended, Where, sweep

COLUMNS = {"cell": "", "seed": "d", "state": "", "generation": ",d", "games_played": ",d"}
EXIT_FAILED = 1


def command(options: argparse.Namespace) -> int:
    """Run a sweep; the exit status: 1 where a run failed, 128 + its number for a signal."""
    from evo.sweeps.experiment import load_experiment

    if options.out is not None and not options.out.strip():
        raise ConfigError("--out '' given; the name of a folder is expected")
    where = _where(options)
    changes: dict[str, Any] = {}
    for text in options.set:
        changes = configuration.merge(changes, toml.assignment(text))
    experiment = load_experiment(options.experiment, changes, options.quick)
    folder = Path(options.out) if options.out else Path("sweeps") / experiment.name
    try:
        with Display() as display:
            ended = sweep(experiment, folder, where, report=display.standing)
    except Interrupted as interruption:
        again = f"{program()} {shlex.join(sys.argv[1:])}"
        stream = sys.stderr if options.json else sys.stdout
        print(f"stopped; the runs are in {folder}\ngo on with: {again}", file=stream)
        return 128 + interruption.signal
    return _told(ended, folder, options.json)


def _where(options: argparse.Namespace) -> Where:
    if options.ray is None and options.actors is not None:
        raise ConfigError("--actors given without --ray; add --ray, or take --threads")
    if options.ray is not None and options.threads is not None:
        raise ConfigError("--threads and --ray given; with --ray, --actors says how many")
    check_threads(options)
    return Where(options.threads if options.ray is None else options.actors, options.ray)


def _told(ended: Sequence[Ended], folder: Path, as_json: bool) -> int:
    """Print what came of a sweep; the exit status."""
    from results.read.sweep import open_runs

    failed = [one for one in ended if one.state != DONE]
    if len(failed) < len(ended) or as_json:
        _print(open_runs(folder).runs.to_dict("records"), ended, folder, as_json)
    for one in failed:
        print(f"evo: {one.folder}: {one.error or one.state}", file=sys.stderr)
    return EXIT_FAILED if failed else 0


def _print(rows: list[dict[Any, Any]], ended: Sequence[Ended], folder: Path, as_json: bool) -> None:
    states = {str(one.folder.absolute()): one for one in ended}
    for row in rows:
        one = states[str(Path(row["path"]).absolute())]
        row |= {"state": one.state, "error": one.error or None}
    if as_json:
        print_rows(rows, {}, as_json=True)
        return
    print_rows(rows, COLUMNS, as_json=False)
    print(
        f"\n{len(rows)} runs in {folder}\nin pandas:\n    import results\n"
        f"    runs = results.open_runs({str(folder)!r})\n"
        "    runs.runs, runs.generations, runs.evaluations"
    )
