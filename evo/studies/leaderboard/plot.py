"""The picture of a leaderboard: shares of games won over the games that evolution had spent."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter

from results.folder.files import atomic_write
from results.plots.style import COLOURS, GREY, PALE, STYLE, figure_of

_DASHES = ("-", "--", ":")
_DOTS_AN_INCH = 80


def plot_leaders(
    curves: Mapping[str, Any], entries: Sequence[str], opponents: Sequence[str], file: Path
) -> Path:
    """Draw the entries, a panel an opponent, into a PNG file; its path.

    Args:
        curves: columns of equal length: ``entry``, ``games``, and for each opponent a share.
        entries: those to be drawn, in the order of the legend.
        opponents: columns of ``curves``.
        file: written whole or not at all.

    Raises:
        ResultsError: the system refused.
    """
    with matplotlib.rc_context(STYLE):
        figure = leaders_figure(curves, entries, opponents)
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=_DOTS_AN_INCH, metadata={"Software": None})
    atomic_write(file, stream.getvalue())
    return file


def leaders_figure(
    curves: Mapping[str, Any], entries: Sequence[str], opponents: Sequence[str]
) -> Figure:
    """The figure of :func:`plot_leaders`; games on a logarithmic axis."""
    figure = figure_of(11.5, 5.2)
    names, games = np.array(curves["entry"]), np.array(curves["games"])
    panels = figure.subplots(1, len(opponents), sharex=True, squeeze=False)[0]
    for axes, opponent in zip(panels, opponents, strict=True):
        axes.set_title(f"against {opponent}", loc="left", fontsize=11)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(GREY)
        axes.tick_params(colors=GREY, length=3)
        axes.grid(axis="y", color=PALE, linewidth=0.7)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(EngFormatter(sep=" "))
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.set_xlabel("games spent")
        for place, entry in enumerate(entries):
            mine = (names == entry) & (games > 0)
            axes.plot(
                games[mine],
                np.array(curves[opponent])[mine],
                _DASHES[place // len(COLOURS) % len(_DASHES)],
                color=COLOURS[place % len(COLOURS)],
                linewidth=1.6,
                label=entry,
            )
    panels[0].set_ylabel("games won (median over seeds)")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
