"""The picture of the study: the orders and levels of evolved populations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from evo.studies.report import Evidence
from results.plots.style import COLOURS, figure_of, quiet, save_all


def draw(evidence: Evidence, folder: Path) -> list[Path]:
    """Draw the orders and levels of evolved mind readers in karate, and return the paths."""
    return save_all({"evolved": lambda: evolved_figure(evidence.record["evolved"])}, folder)


def evolved_figure(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Return a figure of evolved mind readers in karate: a panel for orders, one for levels."""
    figure = figure_of(9.6, 3.4, "What is left of mind readers after evolution")
    last = [row for row in rows if row["time"] == "last"]
    groups = [("at random", rows[0]), *((f"against {row['world']}", row) for row in last)]
    for axes, (name, most) in zip(figure.subplots(1, 2), (("order", 4), ("level", 3)), strict=True):
        quiet(axes)
        width = 0.8 / len(groups)
        for place, (label, row) in enumerate(groups):
            heights = [100 * row[f"{name}_{value}"] for value in range(most + 1)]
            where = np.arange(most + 1) + (place - (len(groups) - 1) / 2) * width
            axes.bar(where, heights, width, label=label, color=COLOURS[place])
        axes.set_xlabel(name)
        axes.set_xticks(range(most + 1))
    figure.axes[0].set_ylabel("% of individuals")
    figure.axes[0].legend(frameon=False, fontsize=9)
    return figure
