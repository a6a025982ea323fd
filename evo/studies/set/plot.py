"""The pictures of the study: the number of sets on a table, and its course in a game."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from evo.studies.figures import draw_band
from evo.studies.report import Evidence
from results.plots.style import COLOURS, figure_of, quiet, save_all

WIDTH = 0.4
"""Width of a bar."""


def draw(evidence: Evidence, folder: Path) -> list[Path]:
    """Draw the histograms of sets and the course of a game, and return the paths."""
    return save_all({"tables": lambda: tables_figure(evidence.record)}, folder)


def tables_figure(record: Mapping[str, Any]) -> Figure:
    """Return a figure of the article's two histograms of sets and the course of a game."""
    figure = figure_of(9.6, 3.8, "Sets on the table")
    left, right = figure.subplots(1, 2)
    _histograms(left, record)
    _by_turn(right, record["play"]["turns"])
    return figure


def _histograms(axes: Axes, record: Mapping[str, Any]) -> None:
    sides = (
        ("twelve random cards", record["draws"]["counts"]),
        ("in play, with the last table", record["play"]["readings"][0]["counts"]),
    )
    for place, (name, counts) in enumerate(sides):
        shares = [count / sum(counts) for count in counts]
        places = [number + WIDTH * (place - 0.5) for number in range(len(counts))]
        axes.bar(places, shares, WIDTH, color=COLOURS[place], label=name)
    _finish(axes, "sets on the table", "share of tables")
    axes.legend(frameon=False)


def _by_turn(axes: Axes, rows: list[dict[str, Any]]) -> None:
    turns = [row["turn"] for row in rows]
    for colour, name, label in ((0, "none", "no set"), (1, "many", "three sets or more")):
        ends = ([row[key] for row in rows] for key in (f"{name}_low", name, f"{name}_high"))
        low, middle, high = ends
        draw_band(axes, turns, (low, middle, high), 0.2, color=COLOURS[colour], label=label)
    axes.set_ylim(bottom=0)
    _finish(axes, "turn", "")
    axes.legend(frameon=False)


def _finish(axes: Axes, across: str, up: str) -> None:
    quiet(axes)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(across)
    axes.set_ylabel(up)
