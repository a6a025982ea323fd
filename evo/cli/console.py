"""Functions to print the output of commands."""

from __future__ import annotations

import math
import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from evo.cli.boards import is_terminal
from tournaments.errors import counted

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

COLOURS = {
    **dict.fromkeys(("evo:", "damaged", "missing"), 31),
    **dict.fromkeys(("running", "done", "whole", "keeps the contract"), 32),
    **dict.fromkeys(("evo: warning:", "stalled", "stopped", "doubled", "foreign", "left"), 33),
}
"""Words with a colour on a terminal: ANSI codes of red, green and yellow."""


def coloured(words: str, stream: TextIO | None = None) -> str:
    """Return words with their colour, if a stream, by default the output, shows colours.

    A terminal shows colours. NO_COLOR (https://no-color.org) turns them off everywhere, and
    FORCE_COLOR turns them on for files and pipes, too.
    """
    is_forced = bool(os.environ.get("FORCE_COLOR"))
    if os.environ.get("NO_COLOR") or words not in COLOURS or not (is_forced or is_terminal(stream)):
        return words
    return f"\x1b[{COLOURS[words]}m{words}\x1b[0m"


def complain(message: str, words: str = "evo:") -> None:
    """Print an error or a warning on standard error, after the words that mark it."""
    print(coloured(words, sys.stderr), message, file=sys.stderr)


def columns_of(rows: Sequence[Mapping[Any, Any]], leading: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of a table of win rates, after the leading columns.

    The population is left out if the run has only one. The exploitability is included if it is
    known. If all rows were computed exactly, the columns contain margins and regret, and no
    numbers of games. The rates in each seat are included if an individual held both seats.
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
    """Print rows as an aligned table, or as JSON with an object per line.

    ``columns`` are the columns of the table with their formats.
    """
    from results import report

    rows = list(rows)
    if as_json:
        for line in report.json_lines(rows):
            print(line)
    else:
        print(report.table(rows, columns))
    sys.stdout.flush()


def print_report(rows: Iterable[Mapping[Any, Any]], lines: Iterable[str], as_json: bool) -> None:
    """Print the lines of a report, or its rows as JSON with an object per line."""
    if as_json:
        print_rows(rows, {}, as_json=True)
    else:
        print(*lines, sep="\n")


def where_rows_are(run: str, rows: int) -> str:
    """Return a line with the folder of a run's evaluations and the command to draw them."""
    from results.folder.files import place_of

    path, what = place_of(run), counted(rows, "row")
    return f"{what} in {path / 'evaluations'}; draw them: {program()} plot {quoted(path)}"


def program() -> str:
    """Return the command to call this program again: its name, or the path of this call."""
    called = Path(sys.argv[0])
    return "evo" if called.name != "evo" or shutil.which("evo") else quoted(called)


def quoted(path: Any) -> str:
    """Return a path quoted for a shell."""
    return shlex.quote(str(path))
