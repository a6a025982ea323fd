"""The picture of the study: how strong the players of each cell are, a panel a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from evo.studies.intervals import median_interval
from evo.studies.islands.study import CELLS, GAMES, of_cell
from evo.studies.report import Evidence
from results.plots.style import COLOURS, figure_of, quiet, save_all

VIEWS = {
    "strength": "Share of games won by the player of a run",
    "together": "Diversity of all individuals together",
}


def draw(evidence: Evidence, folder: Path) -> list[Path]:
    """Draw the strength and the diversity of each kind of run, and return the paths."""
    pictures = {field: partial(cells_figure, evidence.record["runs"], field) for field in VIEWS}
    return save_all(pictures, folder)


def cells_figure(rows: Sequence[Mapping[str, Any]], field: str) -> Figure:
    """Return a figure with a dot for each run, and the median of each kind of run with interval.

    ``rows`` are the results of the runs, ``field`` is the value that is drawn.
    """
    figure = figure_of(10.4, 3.6, VIEWS[field])
    panels = figure.subplots(1, len(GAMES), sharey=True)
    for axes, game in zip(panels, GAMES, strict=True):
        quiet(axes, ticks="x")
        axes.set_title(game, loc="left", fontsize=11)
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        for place, cell in enumerate(CELLS):
            own = [row[field] for row in of_cell(rows, game, cell)]
            middle = median_interval(own)
            axes.plot(own, [place] * len(own), "o", color=COLOURS[5], alpha=0.45, markersize=4)
            axes.plot([middle.low, middle.high], [place + 0.22] * 2, color=COLOURS[0], linewidth=2)
            axes.plot(middle.middle, place + 0.22, "o", color=COLOURS[0], markersize=7)
        axes.set_ylim(len(CELLS) - 0.4, -0.5)
    panels[0].set_yticks(range(len(CELLS)), CELLS)
    return figure
