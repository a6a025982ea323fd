"""The picture of a leaderboard: shares of games won over the games that evolution had spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter

from evo.studies.figures import save_small
from evo.studies.leaderboard.study import BY, OPPONENTS, STUDY
from evo.studies.page import columns_of
from evo.studies.report import Evidence
from results.folder.files import atomic_write, make_folder, npy
from results.plots.style import figure_of, look_of, quiet

SHOWN = 8
"""Number of the strongest entries in the picture; the best of the study's is shown anyway."""


def draw_page(evidence: Evidence, folder: Path) -> list[Path]:
    """Draw the leaderboard's entries, and write the weights of its best networks, for the page."""
    networks = folder / "networks"
    make_folder(networks)
    for name, weights in evidence.arrays.items():
        atomic_write(networks / f"{name}.npy", npy(weights))
    names = [entry["entry"] for entry in evidence.record["entries"]]
    shown = names[:SHOWN] + [name for name in names[SHOWN:] if name in STUDY][:1]
    figure = partial(
        leaders_figure, columns_of(evidence.tables["curves"]), shown, OPPONENTS[: BY + 2]
    )
    return [save_small(figure, folder / "leaderboard.png")]


def leaders_figure(
    curves: Mapping[str, Any], entries: Sequence[str], opponents: Sequence[str]
) -> Figure:
    """Return a figure of the leaderboard's entries over games played, a panel per opponent.

    ``entries`` gives the order of the legend.
    """
    figure = figure_of(11.5, 5.2)
    names, games = np.array(curves["entry"]), np.array(curves["games"])
    panels = figure.subplots(1, len(opponents), sharex=True, squeeze=False)[0]
    for axes, opponent in zip(panels, opponents, strict=True):
        axes.set_title(f"against {opponent}", loc="left", fontsize=11)
        quiet(axes)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(EngFormatter(sep=" "))
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.set_xlabel("games spent")
        for place, entry in enumerate(entries):
            colour, dashes = look_of(place)
            mine = (names == entry) & (games > 0)
            spent, won = games[mine], np.array(curves[opponent])[mine]
            axes.plot(spent, won, dashes, color=colour, linewidth=1.6, label=entry)
    panels[0].set_ylabel("games won (median over seeds)")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
