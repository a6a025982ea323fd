"""What several commands of the command line share: where they play, and how they print."""

from __future__ import annotations

import argparse
import math
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evo.cli.options import check_watch, check_where
from evo.cli.progress import Display
from results.redact import redacted

if TYPE_CHECKING:
    from cluster.ray_matches import RayEvaluator

WIN_RATE_COLUMNS = {
    "opponent": "",
    **dict.fromkeys(("games", "wins", "draws", "losses"), ",d"),
    **dict.fromkeys(("win_rate", "win_rate_low", "win_rate_high"), ".1%"),
}
SEAT_COLUMNS = dict.fromkeys(("win_rate_first", "win_rate_second"), ".1%")
EXACT_COLUMNS = {
    "opponent": "",
    **dict.fromkeys(("win_rate", "draw_rate", "win_rate_first", "win_rate_second"), ".3%"),
    **dict.fromkeys(("margin", "margin_first", "margin_second"), "+.4f"),
    "regret": ".4f",
    "optimal_share": ".2%",
}


@contextmanager
def playing(options: argparse.Namespace) -> Iterator[tuple[Display, dict[str, Any]]]:
    """The display, and what says where matches are played: ``evaluator, threads, announce``, and
    ``faults`` of a command that takes it.

    The evaluator is the Ray pool that the flags ask for, or None: threads of this process.
    """
    check_where(options)
    check_watch(options)
    with Display() as display, _ray(options, display) as evaluator:
        where = {"evaluator": evaluator, "threads": options.threads, "announce": display.say}
        faults = getattr(options, "faults", None)  # of commands that take it
        yield display, where | ({"faults": faults} if faults else {})


def _ray(
    options: argparse.Namespace, display: Display
) -> AbstractContextManager[RayEvaluator | None]:
    if options.ray is None:
        return nullcontext()
    from cluster.faults import Limits
    from cluster.ray_matches import RayEvaluator

    display.say(
        f"joining Ray at {redacted(options.ray)}" if options.ray else "starting Ray on this machine"
    )
    more: dict[str, Any] = {} if options.check is None else {"check": options.check}
    if options.patience is not None:
        more["limits"] = Limits(patience=options.patience)
    where = options.actors, options.ray or None
    return closing(RayEvaluator(*where, announce=display.say, **more))


def columns_of(rows: Sequence[Mapping[Any, Any]], leading: Mapping[str, str]) -> dict[str, str]:
    """The columns of a table of win rates, after the leading ones.

    The population is left out where a run has but one; the exploitability comes where it is known.
    Where all rows were computed, they tell more than a rate, and of no games. The rates in each
    seat come where somebody held both.
    """
    from evo.population import ALL

    exact = bool(rows) and not any(math.isnan(row["regret"]) for row in rows)
    columns = {**leading, **(EXACT_COLUMNS if exact else WIN_RATE_COLUMNS)}
    if not all(any(math.isnan(row[name]) for name in SEAT_COLUMNS) for row in rows):
        columns = {**columns, **{k: v for k, v in SEAT_COLUMNS.items() if k not in columns}}
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
    from results.folder.files import place_of

    path = place_of(run)
    return f"{rows:,} rows in {path / 'evaluations'}; draw them: {program()} plot {quoted(path)}"


def program() -> str:
    """This program as the user can call it again: by name, or by the path of this call."""
    called = Path(sys.argv[0])
    return "evo" if called.name != "evo" or shutil.which("evo") else quoted(called)


def quoted(path: Any) -> str:
    """A path as a shell takes it."""
    return shlex.quote(str(path))
