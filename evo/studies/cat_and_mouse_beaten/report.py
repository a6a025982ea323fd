"""What ``evo reproduce cat-and-mouse-beaten`` prints and keeps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from evo.studies.cat_and_mouse_beaten.study import Result, Row, Settings, run, validated
from evo.studies.reproduction import Reproduction
from tournaments.options import as_options

__all__ = ["Settings", "reproduce"]

GOALS = {
    "cat": "to catch every mouse",
    "mouse": "to be caught by no cat",
    "late-mouse": "to live as long as perfect play",
}
ROW_COLUMNS = {
    "task": "",
    "seed": "d",
    "proved": "",
    "games": ",d",
    "plies": "d",
    "perfect": "",
    "perfect_games": ",d",
}
SUMMARY_COLUMNS = {
    "task": "",
    "board": "",
    "first": "",
    "goal": "",
    "seeds": "d",
    "proved": "d",
    "success_rate": ".0%",
    "median_games": ",.0f",
    "perfect": "d",
    "perfect_plies": "d",
    "median_perfect_games": ",.0f",
}


def reproduce(settings: Settings, announce: Callable[[str], None]) -> Reproduction:
    """Learn with each seed, and prove what the best possible opponent does to what was learned.

    Raises:
        ConfigError: a setting that cannot be.
    """
    settings = validated(settings)
    announce(f"{settings.seeds} seeds of each: {settings.tasks.replace('+', ', ')}")
    begun = time.perf_counter()
    result = run(settings, lambda row: announce(_told(row)))
    record = {
        "learner": "hill-climbing, both sides in turn",
        "summary": _summaries(result),
        "rows": [asdict(row) for row in result.rows],
        "seconds": time.perf_counter() - begun,
        "settings": as_options(settings),
    }
    return Reproduction(record, tuple(_lines(record)), arrays=_tables(result))


def _told(row: Row) -> str:
    outcome = f"proved after {row.games:,} games" if row.games is not None else "not proved"
    return f"{row.task}, seed {row.seed}: {outcome}"


def _summaries(result: Result) -> list[dict[str, Any]]:
    return [
        {
            **asdict(summary),
            "goal": GOALS[summary.task],
            "success_rate": summary.proved / summary.seeds,
        }
        for summary in result.summaries
    ]


def _tables(result: Result) -> dict[str, Any]:
    """The first seed's table of each task that reached its goal, by the name of the task."""
    found: dict[str, Any] = {}
    for row, table in zip(result.rows, result.tables, strict=True):
        if row.proved:
            found.setdefault(row.task, table)
    return found


def _lines(record: dict[str, Any]) -> Iterator[str]:
    from results import report

    settings = record["settings"]
    yield (
        f"Hill climbing of both sides in turn: {settings['candidates']} variants a round, "
        f"{settings['changes']} changed cell each, {settings['games']} games each, "
        f"{settings['turn_after']} rounds a turn."
    )
    yield "Games of both sides are counted. Exact play proves what the best possible opponent does."
    yield ""
    yield from report.table(record["rows"], ROW_COLUMNS).splitlines()
    yield ""
    yield from report.table(record["summary"], SUMMARY_COLUMNS).splitlines()
    yield ""
    yield f"{record['seconds']:.0f} s"
