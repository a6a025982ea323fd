"""``evo status``: the state, the progress and the last sign of life of runs."""

from __future__ import annotations

import shutil
import sys
import textwrap
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evo.cli.console import coloured, print_rows
from evo.cli.options import command_of
from evo.execution import MOST_SECONDS, Execution
from evo.requests.base import Request, argument, flag

COLUMNS = {
    **dict.fromkeys(("run", "state", "game", "scheme", "learner", "seed"), ""),
    **dict.fromkeys(("generation", "generations"), ",d"),
    **dict.fromkeys(("games", "best", "whole", "age"), ""),
    "games/s": ",.0f",
    **dict.fromkeys(("snapshot", "snapshot age", "last sign", "process", "faults"), ""),
}
OPTIONAL = ("game", "scheme", "learner", "seed", "generations", "games", "best", "whole", "age")
BY_WEIGHT = (
    *("faults", "best", "generations", "games", "whole", "game", "snapshot age", "games/s", "seed"),
    *("age", "scheme", "learner", "snapshot", "last sign", "process"),
)
"""Columns that a narrow terminal may lack, the most important one first."""
WIDEST = 28
"""Maximum number of letters of a game in the table. JSON output is not shortened."""
LEAST_PATH = 10
"""Minimum number of letters of a path in a narrow table."""
_CLEAR = "\x1b[H\x1b[2J"


@dataclass(frozen=True)
class StatusRequest(Request):
    """Show the state and progress of runs.

    Print a row for each run in the folders and below, including the runs of sweeps: its state,
    settings and progress, the best raw fitness in the generation of the newest snapshot, whether
    all files are there (evo verify also reads them), and the age of the run, of its newest snapshot
    and of its last sign of life. The state is running, stalled (the process exists, but has been
    silent for far longer than before), stopped, done, waiting or damaged. The command contacts no
    process and writes nothing. A narrow terminal gets the columns that matter most; files and
    pipes get all columns.

    Attributes:
        folders: folders of runs or sweeps, or folders with runs below
        watch: print the table again every SECONDS seconds
    """

    folders: tuple[str, ...] = argument("FOLDER")
    watch: float | None = flag(None, low=0, high=MOST_SECONDS, metavar="SECONDS")


def _status(request: StatusRequest, execution: Execution) -> int:
    """Print the state of runs as a table, once or repeatedly."""
    while True:
        rows = _surveyed(request.folders)
        if request.watch is not None and sys.stdout.isatty():
            sys.stdout.write(_CLEAR)
        if execution.json:
            print_rows(rows, {}, as_json=True)
        else:
            _print(rows)
        if request.watch is None:
            return 0
        time.sleep(max(0.1, request.watch))


def _surveyed(folders: Sequence[str]) -> list[dict[str, Any]]:
    from results.errors import ResultsError
    from results.read.below import survey

    rows = [row for folder in folders for row in survey(folder)]
    if not rows:
        raise ResultsError(
            f"no run is in {', '.join(folders)}, nor below; start one by evo run or evo sweep"
        )
    return rows


def _print(rows: list[dict[str, Any]]) -> None:
    """Print the state of runs: the table, the number of runs in each state, and the errors."""
    from results import report
    from results.errors import printable

    shown = [_shown(row) for row in rows]
    columns = dict(COLUMNS)
    for name in (*OPTIONAL, "games/s", "process", "faults"):
        if all(row[name] is None for row in shown):
            del columns[name]
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    folder, fitting = _fitted(shown, columns, width) if width else ("", columns)
    heading, *lines = report.table(shown, fitting).split("\n")
    start = heading.index("state")
    states = [row["state"] for row in rows]
    print(*filter(None, [folder and f"in {folder}:", heading]), sep="\n")
    for line, state in zip(lines, states, strict=True):
        print(line[:start] + coloured(state) + line[start + len(state) :])
    counts = (f"{states.count(state)} {coloured(state)}" for state in dict.fromkeys(states))
    print("\n" + ", ".join(counts))
    remarks = [f"{row['run']}: {row['error']}" for row in rows if row["error"]]
    if left_out := [name for name in columns if name not in fitting]:
        remarks.append(f"not shown at {width} columns: {', '.join(left_out)}")
    for remark in map(printable, remarks):
        lines = textwrap.wrap(remark, width, break_long_words=False) if width else [remark]
        print("\n    ".join(lines))
    sys.stdout.flush()


def _fitted(
    rows: list[dict[str, Any]], columns: dict[str, str], width: int
) -> tuple[str, dict[str, str]]:
    """Fit a table to a width.

    Paths lose the folder that holds all runs, then columns are left out, then paths are shortened.

    Returns:
        The folder, empty if the table fits as it is, and the columns that fit.
    """
    from results import report
    from results.folder.files import place_of
    from results.read.runs import Runs

    def excess(some: dict[str, str]) -> int:
        return max(map(len, report.table(rows, some).split("\n"))) - width

    if excess(columns) <= 0:
        return "", columns
    folder = f"{Runs([place_of(row['run']) for row in rows]).folder}/"
    for row in rows:
        row["run"] = row["run"].removeprefix(folder)
    longest = max(len(row["run"]) for row in rows)
    fitting = {name: form for name, form in columns.items() if name not in BY_WEIGHT}
    for added in BY_WEIGHT:
        wider = {name: columns[name] for name in columns if name in fitting or name == added}
        if excess(wider) <= max(0, longest - width // 2):
            fitting = wider
    most = max(longest - max(0, excess(fitting)), LEAST_PATH)
    for row in rows:
        row["run"] = row["run"] if len(row["run"]) <= most else f"...{row['run'][3 - most :]}"
    return folder, fitting


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    faults = row["faults"] or {}
    played = "-" if row["games_played"] is None else f"{row['games_played']:,}"
    return {
        **row,
        "games": f"{played} of {row['games']:,}" if row["games"] else None,
        "games/s": row["games_per_second"],
        "game": None if row["game"] is None else _shortened(row["game"]),
        "best": _best(row["best"] or {}),
        "whole": None if row["whole"] is None else "yes" if row["whole"] else "no",
        "age": _age(row["age_seconds"]),
        "snapshot age": _age(row["snapshot_seconds"]),
        "snapshot": None if row["snapshot"] is None else f"{row['snapshot']:,}",
        "last sign": _age(row["sign_seconds"]),
        "process": f"{row['host']}:{row['pid']:.0f}" if row["host"] and row["pid"] else None,
        "faults": ", ".join(f"{count} {name}" for name, count in faults.items() if count) or None,
    }


def _shortened(game: str) -> str:
    """Return the name of a game with as many options as fit the table."""
    options = game.split(",")
    while len(options) > 1 and len(",".join(options)) > WIDEST:
        options.pop()
    text = ",".join(options)
    return text if text == game else f"{text},..."


def _best(best: dict[str, float]) -> str | None:
    """Return a run's best raw fitness in words. With roles, the best of each role."""
    if len(best) == 1:
        return f"{next(iter(best.values())):.4g}"
    return ", ".join(f"{name} {value:.4g}" for name, value in best.items()) or None


def _age(seconds: float | None) -> str | None:
    """Return a duration in words, in its largest unit."""
    if seconds is None:
        return None
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"


COMMAND = command_of(StatusRequest, _status, rank=1, group="look")
