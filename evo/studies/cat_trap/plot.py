"""The picture of the study: the time of a move over ``num_states``, a panel a depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from evo.studies.report import Evidence
from results.plots.style import COLOURS, figure_of, quiet, save_all

ALL = 45
"""Place of a ``num_states`` of -1 on the axis: some 45 tiles are free."""


def draw(evidence: Evidence, folder: Path) -> list[Path]:
    """Draw the times of a move of the planning cat into a folder, and return the paths."""
    return save_all({"times": lambda: times_figure(evidence.record["times"])}, folder)


def times_figure(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Return a figure of the times of a move of the planning cat.

    Each depth has a panel with its own scale, as in the source. ``rows`` are the measured times.
    """
    depths = sorted({row["max_depth"] for row in rows})
    figure = figure_of(9.6, 3.4, "Time of a move")
    for axes, depth in zip(figure.subplots(1, len(depths)), depths, strict=True):
        mine = [row for row in rows if row["max_depth"] == depth]
        quiet(axes)
        axes.set_title(f"max_depth = {depth}", loc="left", fontsize=10)
        places = [row["num_states"] if row["num_states"] > 0 else ALL for row in mine]
        axes.plot(places, [row["milliseconds"] for row in mine], "o-", color=COLOURS[0])
        axes.set_ylim(0, 1.1 * max(row["milliseconds"] for row in mine))
        axes.set_xlabel("num_states")
    figure.axes[0].set_ylabel("milliseconds")
    return figure
