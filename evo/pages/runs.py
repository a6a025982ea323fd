"""The page of several runs: their settings, their curves laid over one another, and tests."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from evo.pages import blocks
from evo.pages.blocks import Block, Sections
from evo.pages.run import GAMES
from results import open_run
from results.errors import MissingWarning, ResultsError
from results.folder.files import Place
from results.read.curves import champion_curve
from results.read.runs import Runs, names_of
from results.read.status import status_of
from results.read.sweep import Sweep
from results.statistics import wants_odds
from tournaments.errors import counted

if TYPE_CHECKING:
    from evo.evaluation.analyse_runs import AnalysisOfRuns

MOST_LINES = 14
"""Maximum number of settings in a chart. Each has a colour, the second half dashed lines."""
STATE = {"state": "", "generation": "d", "games_played": "d"}
OF_COMPARISON = {
    "opponent": "",
    "setting": "",
    "other": "",
    "runs": "d",
    "other_runs": "d",
    "difference": "%",
    "low": "%",
    "high": "%",
    "p": "g",
    "p_corrected": "g",
}
"""Columns of the tests of settings against one another, and their formats."""


def sections_of(
    runs: Runs,
    analysed: Callable[[Runs], AnalysisOfRuns] | None = None,
    address: Callable[[Place], str] | None = None,
) -> Sections:
    """Return the sections of the page of several runs, each by its title with its maker.

    Args:
        runs: the runs, which may be in progress, stopped or damaged.
        analysed: returns the analysis of the readable ones. None: the page has none.
        address: returns the address of the page of a run. None: there are no such pages.
    """
    paths = _paths(runs)
    runs = runs.part(paths)  # a sweep may begin more of them meanwhile
    whole = runs.part([path for path in paths if _can_be_read(path, runs.trust)])
    tests: Sections = []
    if analysed is not None and len(whole):
        tests = [("Tests", lambda: _tests(analysed(whole)))]
    return [
        ("The runs", lambda: _table(runs, address)),
        ("Laid over one another", lambda: _curves(runs, whole)),
        *tests,
    ]


def subtitle_of(runs: Runs) -> str:
    """Return the heading of several runs in words."""
    differ = ", ".join(runs.settings)
    kind = "A sweep of" if isinstance(runs, Sweep) else "Comparison of"
    words = f"{kind} {counted(len(runs), 'run')}"
    return f"{words} that differ in {differ}" if differ else f"{words} that differ in seeds alone"


def _paths(runs: Runs) -> list[Place]:
    return [member.path for member in runs.members]


def _can_be_read(path: Place, trust: bool) -> bool:
    with suppress(ResultsError):
        return not open_run(path, trust).generations.empty
    return False


def _table(runs: Runs, address: Callable[[Place], str] | None) -> Iterator[Block]:
    frame = runs.frame
    _warn_of_damage(runs)
    rates: list[dict[str, Any]] = []
    for path in _paths(runs):
        rates.append({})
        with suppress(ResultsError):
            curve = champion_curve(open_run(path, runs.trust))
            newest = curve[curve["generation"] == curve["generation"].max()]
            for row in newest.to_dict("records"):
                whose = "" if row["population"] == "all" else f" ({row['population']})"
                rates[-1][f"against {row['opponent']}{whose}"] = row["win_rate"]
    best = [name for name in frame.columns if name == "best" or name.startswith("best_")]
    known = list(dict.fromkeys(name for row in rates for name in row))
    columns: dict[str, str] = {
        "run": "",
        **dict.fromkeys(runs.settings, "g"),
        "seed": "d",
        **STATE,
        **dict.fromkeys(best, "g"),
        **dict.fromkeys(known, "%"),
    }
    rows = []
    paths = _paths(runs)
    held = zip(paths, names_of(paths), frame.to_dict("records"), rates, strict=True)
    for path, name, row, rate in held:
        shown = name if address is None else blocks.link(name, address(path))
        values: dict[Any, Any] = {**row, **rate, "run": shown}
        rows.append([values.get(name) for name in columns])
    yield blocks.table(columns, rows, "runs")
    if known:
        yield blocks.text("Win rates are those of the newest champion that was measured.")


def _warn_of_damage(runs: Runs) -> None:
    """Warn of the runs that cannot be read, so that the page reports them as problems."""
    paths = _paths(runs)
    for name, path in zip(names_of(paths), paths, strict=True):
        state = status_of(path, trust=runs.trust)
        if state["error"]:
            warnings.warn(f"{name}: {state['error']}", MissingWarning, stacklevel=2)


def _curves(runs: Runs, whole: Runs) -> Iterator[Block]:
    """Yield the charts of the runs that have a generation.

    Args:
        runs: all runs.
        whole: the runs that can be read and have a generation.
    """
    from results.plots.compare import compared_tables, over_runs

    paths, there = _paths(runs), _paths(whole)
    left = [name for name, path in zip(names_of(paths), paths, strict=True) if path not in there]
    if left:
        yield blocks.text(f"Without a generation that can be read: {', '.join(left)}.")
    if not there:
        return
    for name, rows, what in compared_tables(whole):
        labels = list(dict.fromkeys(rows["_label"]))
        if len(labels) > MOST_LINES:
            yield blocks.text(
                f"{what.title}: {len(labels)} settings, and a chart tells {MOST_LINES} apart; "
                "compare fewer runs.",
            )
            continue
        for role in map(str, dict.fromkeys(rows["_role"])):
            part, lines = rows[rows["_role"] == role], []
            for number, label in enumerate(labels):
                mine = part[part["_label"] == label]
                table = over_runs(mine, what.column) if len(mine) else mine
                if table.empty:
                    continue
                count = mine["_run"].nunique()
                ends = (table["low"], table["high"]) if count > 1 else (None, None)
                is_second = number >= MOST_LINES // 2
                title = f"{label} ({counted(count, 'run')})"
                x, y = table["games_played"], table["median"]
                lines.append(blocks.line(title, x, y, *ends, dashed=is_second))
            whose = f", {role}" if role else ""
            scale = "share" if what.shares else "plain"
            if what.column == "win_rate" and wants_odds(part[what.column].to_numpy(float)):
                scale = "odds"
            yield blocks.curves(
                f"{what.title}{whose}",
                (GAMES, what.label),
                lines,
                f"{name}{f'-{role}' if role else ''}",
                scale=scale,
                note="Lines are medians over the runs of a setting, bands their quartiles.",
            )


def _tests(analysis: AnalysisOfRuns) -> Iterator[Block]:
    rows = analysis.comparisons
    if not rows.empty:
        forms = dict(OF_COMPARISON)
        forms |= {name: "" for name in ("game", "population") if rows[name].nunique() > 1}
        yield blocks.table(forms, rows[[*forms]].to_numpy(object), "comparisons")
        yield blocks.text(
            "Differences are those of the shares of points of the newest champions, setting less "
            "other, with 95% intervals; p is of the Mann-Whitney test, one value per run, "
            "corrected for the number of pairs (Holm)."
        )
    verdicts = analysis.verdicts
    forms = {name: "d" if name in ("runs", "of") else "" for name in verdicts.columns}
    yield blocks.table(forms, verdicts.to_numpy(object), "verdicts")
