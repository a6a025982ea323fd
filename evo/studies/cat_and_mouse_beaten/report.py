"""What ``evo reproduce cat-and-mouse-beaten`` prints and keeps."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from evo.studies.cat_and_mouse_beaten.study import Result, Settings, run, validated
from evo.studies.page import Announce, text_table
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


def reproduce(settings: Settings, announce: Announce) -> Reproduction:
    """Learn with each seed, and prove what the best possible opponent does to what was learned.

    Raises:
        ConfigError: a setting that cannot be.
    """
    settings = validated(settings)
    announce(f"{settings.seeds} seeds of each: {settings.tasks.replace('+', ', ')}")
    begun = time.perf_counter()
    result = run(settings, SeedsOver(announce))
    record = {
        "learner": "hill-climbing, both sides in turn",
        "summary": [
            {**asdict(row), "goal": GOALS[row.task], "success_rate": row.proved / row.seeds}
            for row in result.summaries
        ],
        "rows": [asdict(row) for row in result.rows],
        "seconds": time.perf_counter() - begun,
        "settings": as_options(settings),
    }
    return Reproduction(record, tuple(_lines(record)), arrays=_tables(result))


class SeedsOver:
    """Announces how far the study is, each time a seed is over."""

    def __init__(self, announce: Announce) -> None:
        self._announce, self._over = announce, 0

    def __call__(self, over: int, seeds: int, played: int) -> None:
        if over > self._over:
            self._over = over
            self._announce(f"{over} of {seeds} seeds, {played:,} games")


def _tables(result: Result) -> dict[str, Any]:
    """The first seed's table of each task that reached its goal, by the name of the task."""
    tables: dict[str, Any] = {}
    for row, table in zip(result.rows, result.tables, strict=True):
        if row.proved:
            tables.setdefault(row.task, table)
    return tables


def _lines(record: dict[str, Any]) -> Iterator[str]:
    settings = record["settings"]
    yield (
        f"Hill climbing of both sides in turn: {settings['candidates']} variants a round, "
        f"{settings['changes']} changed cell each, {settings['games']} games each, "
        f"{settings['turn_after']} rounds a turn."
    )
    yield "Games of both sides are counted. Exact play proves what the best possible opponent does."
    yield from text_table(record["rows"], ROW_COLUMNS)
    yield from text_table(record["summary"], SUMMARY_COLUMNS)
    yield ""
    yield f"{record['seconds']:.0f} s"
