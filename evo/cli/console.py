"""What several commands of the command line share: where they play, and how they print."""

from __future__ import annotations

import argparse
import math
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cluster.evaluator import Evaluator
from evo.errors import ConfigError
from evo.population import ALL

if TYPE_CHECKING:
    from evo.cli.progress import Display

WIN_RATE_COLUMNS = {
    "opponent": "",
    "games": ",d",
    "wins": ",d",
    "draws": ",d",
    "losses": ",d",
    "win_rate": ".1%",
    "win_rate_low": ".1%",
    "win_rate_high": ".1%",
}

EXACT_COLUMNS = {
    "opponent": "",
    "win_rate": ".3%",
    "draw_rate": ".3%",
    "win_rate_first": ".3%",
    "win_rate_second": ".3%",
    "margin": "+.4f",
    "margin_first": "+.4f",
    "margin_second": "+.4f",
    "regret": ".4f",
    "optimal_share": ".2%",
}


@contextmanager
def evaluator_of(options: argparse.Namespace, display: Display) -> Iterator[Evaluator | None]:
    """The Ray pool that the flags ask for, or None: threads of this process."""
    if options.ray is None:
        if options.actors is not None:
            raise ConfigError("--actors given without --ray; add --ray, or take --threads")
        check_threads(options)
        yield None
        return
    if options.threads is not None:
        raise ConfigError("--threads and --ray given; with --ray, --actors says how many")
    if options.actors is not None and options.actors < 1:
        raise ConfigError(f"--actors {options.actors} given; at least 1 is expected")
    from cluster.ray_matches import RayEvaluator

    display.say(f"joining Ray at {options.ray}" if options.ray else "starting Ray on this machine")
    evaluator = RayEvaluator(options.actors, options.ray or None)
    try:
        yield evaluator
    finally:
        evaluator.close()


def check_threads(options: argparse.Namespace) -> None:
    """Refuse a number of threads that is none."""
    if options.threads is not None and options.threads < 1:
        raise ConfigError(f"--threads {options.threads} given; at least 1 is expected")


def columns_of(rows: Sequence[Mapping[Any, Any]], leading: Mapping[str, str]) -> dict[str, str]:
    """The columns of a table of win rates, after the leading ones.

    The population is left out where a run has but one; the exploitability comes where it is known.
    Where all rows were computed, they tell more than a rate, and of no games.
    """
    exact = bool(rows) and not any(math.isnan(row["regret"]) for row in rows)
    columns = {**leading, **(EXACT_COLUMNS if exact else WIN_RATE_COLUMNS)}
    if all(row["population"] == ALL for row in rows):
        columns.pop("population", None)
    if not all(math.isnan(row["exploitability"]) for row in rows):
        columns["exploitability"] = ".4f"
    return columns


def print_rows(
    rows: Iterable[Mapping[Any, Any]], columns: Mapping[str, str], as_json: bool
) -> None:
    """Print rows as an aligned table, or as one JSON object a line."""
    from results import report

    rows = list(rows)
    if as_json:
        for line in report.json_lines(rows):
            print(line)
    else:
        print(report.table(rows, columns))
    sys.stdout.flush()


def where_rows_are(run: str, rows: int) -> str:
    """Where the rows of a run's evaluations stand, and how they are drawn."""
    path = Path(run)
    return f"{rows:,} rows in {path / 'evaluations'}; draw them: {program()} plot {quoted(path)}"


def rows_of_tournament(out: str) -> str:
    """How the rows of a tournament's folder are read."""
    return f"in pandas: results.open_tournament({out!r}).ratings, .pairs, .cross_table"


def program() -> str:
    """This program as the user can call it again: by name, or by the path of this call."""
    called = Path(sys.argv[0])
    return "evo" if called.name != "evo" or shutil.which("evo") else quoted(called)


def quoted(path: Path) -> str:
    """A path as a shell takes it."""
    return shlex.quote(str(path))
