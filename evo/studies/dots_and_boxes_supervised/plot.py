"""Figure 5 of the study of 1998: networks in training, their mean and the best of them.

Source: L. Weaver and T. Bossomaier, "Evolution of neural networks to play the game of
Dots-and-Boxes" (1998), section 4.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from results.folder.files import make_folder
from results.plots.style import COLOURS, STYLE, Line, as_shares, draw, reference, save

_GREY, _PALE = "#555555", "#DDDDDD"
_SIZE = (12.6, 4.6)


def plot_training(
    curve: Mapping[str, Any], levels: Mapping[str, tuple[float, str]], folder: Path
) -> list[Path]:
    """Draw networks in training into ``folder`` as ``figure-5.png`` and ``.svg``; their paths.

    Args:
        curve: columns of equal length, a row a ``width`` (of the first weights), ``epoch`` and
            ``opponent``, with the win rates ``mean``, ``best`` and ``again``, what the best wins of
            fresh games.
        levels: a named win rate to compare with, by opponent.
        folder: made where it is missing.

    Raises:
        ResultsError: the system refused.
    """
    make_folder(folder)
    with matplotlib.rc_context(STYLE):
        return save(training_figure(pd.DataFrame(curve), levels), folder / "figure-5")


def training_figure(curve: pd.DataFrame, levels: Mapping[str, tuple[float, str]]) -> Figure:
    """The figure of :func:`plot_training`: a panel an opponent, a colour a width."""
    opponents = curve["opponent"].unique()
    figure = Figure(figsize=_SIZE, layout="constrained")
    FigureCanvasAgg(figure)
    title = "Training by back-propagation, by the width of the first weights"
    figure.suptitle(title, x=0.02, ha="left", fontsize=13, fontweight="bold")
    grid = figure.subplots(1, len(opponents), squeeze=False)[0]
    for axes, opponent in zip(grid, opponents, strict=True):
        _panel(axes, curve[curve["opponent"] == opponent], levels.get(opponent))
        axes.set_title(f"against {opponent}", loc="left", fontsize=11)
    grid[0].set_ylabel("games won (line: mean, dashed: best, dots: best again)")
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, level: tuple[float, str] | None) -> None:
    """The mean and the best of each width over the epochs."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(_GREY)
    axes.tick_params(colors=_GREY, length=3)
    axes.grid(axis="y", color=_PALE, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.set_xlabel("epochs")
    axes.set_xlim(0, max(1.0, 1.01 * float(rows["epoch"].max())))
    highest = float(rows[["mean", "best", "again"]].max().max())
    top = 1.0 if highest > 0.4 else max(1.15 * highest, 0.02)
    axes.set_ylim(-0.02 * top, 1.02 * top)
    as_shares(axes, top)
    if level is not None:
        reference(axes, *level)
    lines = []
    groups = rows.groupby("width", sort=True)
    for (width, part), colour in zip(groups, COLOURS * 99, strict=False):
        x, mean, best = (part[name].to_numpy(float) for name in ("epoch", "mean", "best"))
        lines.append(Line(f"±{width:g}, best  {best[-1]:.1%}", x, best, colour, dashes="--"))
        lines.append(Line(f"±{width:g}, mean  {mean[-1]:.1%}", x, mean, colour))
        axes.plot(x, part["again"], ".", color=colour, markersize=7, alpha=0.6)
    draw(axes, lines)
