"""The learning curve of a study that trains one player in stages: games won, and how soon.

Drawn as :mod:`results.plots.run` draws: without pyplot, the same data giving the same SVG bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evo.studies.page import columns_of
from evo.studies.report import Evidence
from results.plots.style import COLOURS, GREY, figure_of, quiet, save_all

TITLES = {1: "stage 1: random mouse", 2: "stage 2: careful mouse", 3: "stage 3: both mice"}


def draw(evidence: Evidence, folder: Path) -> list[Path]:
    """Draw the learning curve of the cat into a folder, and return the paths."""
    curve, games = columns_of(evidence.tables["curve"]), evidence.record["settings"]["games"]
    return save_all({"learning-curve": lambda: learning_curve_figure(curve, TITLES, games)}, folder)


def learning_curve_figure(
    curve: Mapping[str, Any], labels: Mapping[int, str], games: int
) -> Figure:
    """Return a figure of the cat's learning curve: wins above, mean moves below.

    Each stage of training is a column.

    Stages follow each other from left to right, each as wide as any other however many rounds it
    has, so that a short first stage can be read.

    Args:
        curve: columns of equal length K: ``round`` and ``stage``, whole numbers in rising order,
            ``wins`` of ``games``, and ``mean_moves``.
        labels: the name of each stage, by number.
        games: number of games in which wins are counted.
    """
    curve = {name: np.asarray(column) for name, column in curve.items()}
    stages = np.unique(curve["stage"]).tolist()
    figure = figure_of(7.2, 5.2, "Learning curve")
    panels = figure.subplots(2, len(stages), sharex="col", sharey="row", squeeze=False)
    for (above, below), stage in zip(panels.T, stages, strict=True):
        rows = curve["stage"] == stage
        rounds = curve["round"][rows] - curve["round"][rows][0]
        above.set_title(labels[stage], loc="left", fontsize=10, color=GREY)
        above.axhline(games, color=GREY, linewidth=0.9, dashes=(4, 3), zorder=1)
        _step(above, rounds, curve["wins"][rows], COLOURS[0])
        _step(below, rounds, curve["mean_moves"][rows], COLOURS[1])
        below.set_xlabel("rounds of the stage")
    spread = max(1.0, games - float(curve["wins"].min()))
    panels[0, 0].set_ylim(max(0.0, games - 1.3 * spread), games + 0.1 * spread)
    panels[0, 0].set_ylabel(f"games won of {games:,}")
    panels[1, 0].set_ylim(0, 1.08 * float(curve["mean_moves"].max()))
    panels[1, 0].set_ylabel("moves of a game (mean)")
    return figure


def _step(axes: Axes, rounds: np.ndarray, values: np.ndarray, colour: str) -> None:
    """Plot the values of the best table over the rounds as steps, and annotate the last value."""
    quiet(axes)
    axes.step(rounds, values, where="post", color=colour, linewidth=1.6)
    axes.plot(rounds[-1:], values[-1:], "o", color=colour)
    axes.set_xlim(0, max(1.0, 1.03 * float(rounds[-1])))
    axes.annotate(
        f"{values[-1]:,.4g}",
        (float(rounds[-1]), float(values[-1])),
        xytext=(-2, -8),
        textcoords="offset points",
        color=colour,
        ha="right",
        va="top",
        fontweight="bold",
    )
