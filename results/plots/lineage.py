"""The picture of a descent: all ancestors of an individual, over the generations."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from results.folder.files import Place
from results.plots.style import COLOURS, GREY, figure_of, quiet, save_all
from results.read.run import Run

LEVELS = 40
"""Number of levels of fitness at which ancestors are counted."""


def plot_lineage(
    run: Run, id: int | None = None, folder: str | os.PathLike[str] | None = None
) -> list[Place]:
    """Draw the descent of an individual into ``folder``; the paths, PNG and SVG.

    Args:
        run: that keeps its lineage.
        id: of the individual; None: the champion of the newest snapshot.
        folder: by default ``RUN/plots``.

    Raises:
        ResultsError: as ``run.lineage``, or the system refused.
    """
    who = int(run.champion()["id"]) if id is None else id
    rows, generations = run.lineage(who), run.generations
    return save_all(
        {"lineage": lambda: lineage_figure(rows, generations, who)}, folder or run.path / "plots"
    )


def lineage_figure(rows: pd.DataFrame, generations: pd.DataFrame, id: int) -> Figure:
    """Draw the ancestors of an individual by their raw fitness, and how many there are.

    The upper panel shows how many ancestors have each fitness, as a density, under the line of
    first parents and that of the best. The lower panel shows the number of ancestors.

    Args:
        rows: of ``run.lineage``.
        generations: of the run.
        id: of the individual.
    """
    figure = figure_of(8.4, 6.2, f"The descent of individual {id}")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    for axes in (above, below):
        quiet(axes)
    _draw_descent(above, rows)
    names = rows["population"].unique()
    mine = generations[generations["population"].isin(names)]
    until = mine[mine["generation"] <= int(rows["generation"].max())]
    best = until.groupby("generation")["best"].max()
    above.plot(best.index, best, color=GREY, linewidth=0.8, label="best of the generation")
    above.set_ylabel("raw fitness")
    above.legend(loc="upper left", bbox_to_anchor=(0, 1.12), ncols=3, frameon=False, fontsize=9)
    counts = rows.groupby("generation").size()
    below.step(counts.index, counts, where="mid", color=COLOURS[0])
    below.set_ylim(0, None)
    below.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    below.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    below.set_ylabel("ancestors")
    below.set_xlabel("generation")
    return figure


def _draw_descent(axes: Axes, rows: pd.DataFrame) -> None:
    last, rows = int(rows["generation"].max()), rows.dropna(subset="raw_fitness")
    if rows.empty:
        return
    counts, _, _, image = axes.hist2d(
        rows["generation"], rows["raw_fitness"], bins=(np.arange(last + 2) - 0.5, LEVELS),
        cmin=1, cmap="Blues", norm=PowerNorm(0.5, vmin=0), alpha=0.7, rasterized=True,
    )  # fmt: skip
    image.set_clim(0, max(8, np.nanmax(counts)))  # few ancestors stay pale
    axes.plot([], [], "s", color=COLOURS[0], alpha=0.5, label="ancestors (darker: more)")
    line = rows[rows["is_first_line"]].sort_values("generation")
    axes.plot(
        line["generation"], line["raw_fitness"], color=COLOURS[1], linewidth=1.4,
        label="first parents",
    )  # fmt: skip
    axes.set_xlim(-0.5, last + 0.5)
