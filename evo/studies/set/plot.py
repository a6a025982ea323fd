"""The pictures of the study: how many sets lie on a table, and how that changes in a game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from results.plots.style import COLOURS, figure_of, quiet

WIDTH = 0.4
"""Of a bar."""


def tables_figure(record: Mapping[str, Any]) -> Figure:
    """The article's two histograms, and the course of a game."""
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
        axes.plot(turns, [row[name] for row in rows], color=COLOURS[colour], label=label)
        low, high = ([row[f"{name}_{end}"] for row in rows] for end in ("low", "high"))
        axes.fill_between(turns, low, high, color=COLOURS[colour], alpha=0.2, linewidth=0)
    axes.set_ylim(bottom=0)
    _finish(axes, "turn", "")
    axes.legend(frameon=False)


def _finish(axes: Axes, across: str, up: str) -> None:
    quiet(axes)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(across)
    axes.set_ylabel(up)
