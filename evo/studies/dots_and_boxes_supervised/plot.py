"""Figure 5 of the study of 1998: networks in training, their mean and the best of them.

Source: L. Weaver and T. Bossomaier, "Evolution of neural networks to play the game of
Dots-and-Boxes" (1998), section 4.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evo.studies.report import Evidence
from results.plots.style import (
    COLOURS,
    Curve,
    as_shares,
    figure_of,
    quiet,
    reference,
    save_all,
    share_top,
)
from results.plots.style import (
    draw as draw_lines,
)


def draw(evidence: Evidence, folder: Path) -> list[Path]:
    """Draw the curves of networks in training (figure 5) into a folder, and return the paths."""
    random_play = evidence.record["random_play"]["win_rate"]
    levels = {"level-0": (0.5, "even"), "level-1": (random_play, "random play")}
    curve = pd.DataFrame(evidence.tables["curve"])
    return save_all({"figure-5": lambda: training_figure(curve, levels)}, folder)


def training_figure(curve: pd.DataFrame, levels: Mapping[str, tuple[float, str]]) -> Figure:
    """Return a figure of networks in training: a panel per opponent, a colour per width.

    Args:
        curve: a row a ``width`` (of the first weights), ``epoch`` and ``opponent``, with the win
            rates ``mean``, ``best`` and ``again``, the win rate of the best in fresh games.
        levels: a named win rate to compare with, by opponent.
    """
    opponents = curve["opponent"].unique()
    title = "Training by back-propagation, by the width of the first weights"
    figure = figure_of(12.6, 4.6, title)
    grid = figure.subplots(1, len(opponents), squeeze=False)[0]
    for axes, opponent in zip(grid, opponents, strict=True):
        _panel(axes, curve[curve["opponent"] == opponent], levels.get(opponent))
        axes.set_title(f"against {opponent}", loc="left", fontsize=11)
    grid[0].set_ylabel("games won (line: mean, dashed: best, dots: best again)")
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, level: tuple[float, str] | None) -> None:
    """Plot the mean and the best win rate of networks over epochs, a colour per width.

    ``level`` is a named win rate to compare with.
    """
    quiet(axes)
    axes.set_xlabel("epochs")
    axes.set_xlim(0, max(1.0, 1.01 * float(rows["epoch"].max())))
    highest = float(rows[["mean", "best", "again"]].max().max())
    top = share_top(highest)
    axes.set_ylim(-0.02 * top, 1.02 * top)
    as_shares(axes, top)
    if level is not None:
        reference(axes, *level)
    lines = []
    groups = rows.groupby("width", sort=True)
    for (width, part), colour in zip(groups, COLOURS * 99, strict=False):
        x, mean, best = (part[name].to_numpy(float) for name in ("epoch", "mean", "best"))
        lines.append(Curve(f"±{width:g}, best  {best[-1]:.1%}", x, best, colour, dashes="--"))
        lines.append(Curve(f"±{width:g}, mean  {mean[-1]:.1%}", x, mean, colour))
        axes.plot(x, part["again"], ".", color=colour, markersize=7, alpha=0.6)
    draw_lines(axes, lines)
