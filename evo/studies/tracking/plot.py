"""The pictures of the study: the gain of each piece, the betas, and the tracker at work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from evo.studies.figures import draw_band
from evo.studies.report import Evidence
from evo.studies.tracking.pieces import FULL, VARIANTS, Case, beliefs_of
from evo.studies.tracking.study import shown_case
from evo.studies.tracking.walkers import WALKS
from results.plots.style import COLOURS, figure_of, quiet, save_all
from tournaments.drawing.film import write_film
from tournaments.drawing.shapes import Film
from tournaments.games.capture_the_flag.board import NOISE, SIGHT
from tournaments.games.capture_the_flag.tracking.frames import film_of

Rows = Sequence[Mapping[str, Any]]


def draw(evidence: Evidence, folder: Path) -> list[Path]:
    """Draw the figures and the film of the tracker, and its last frame; return the paths."""
    *paths, frame = draw_page(evidence, folder)
    write_film(folder / "frames.svg", film_of_case(shown_case(evidence)))
    return [*paths, folder / "frames.svg", frame]


def draw_page(evidence: Evidence, folder: Path) -> list[Path]:
    """Draw the figures of the page and the last frame of the tracker's film; return the paths."""
    drawn = {"pieces": pieces_figure, "betas": betas_figure, "teams": teams_figure}
    figures = {name: partial(figure, evidence.record[name]) for name, figure in drawn.items()}
    paths, film = save_all(figures, folder), film_of_case(shown_case(evidence))
    write_film(folder / "frame.svg", replace(film, frames=film.frames[-1:]))
    return [*paths, folder / "frame.svg"]


def pieces_figure(rows: Rows) -> Figure:
    """Return a figure of the probability that each tracking method gives to the true square.

    It has a panel per walk of the hidden agent, and a bar per method.
    """
    figure = figure_of(10.4, 3.4, "Probability of the square where the agent is")
    panels = figure.subplots(1, len(WALKS), sharex=True, sharey=True)
    for axes, walk in zip(panels, WALKS, strict=True):
        mine = [row for row in rows if row["agent"] == walk and row["tracker"] in VARIANTS]
        quiet(axes, ticks="x")
        axes.set_title(f"{walk} agent", loc="left", fontsize=10)
        middle = np.array([row["probability"] for row in mine])
        ends = np.array([[row["probability_low"], row["probability_high"]] for row in mine]).T
        colours = [COLOURS["exploring" in row["tracker"]] for row in mine]
        axes.barh([row["tracker"] for row in mine], middle, color=colours, height=0.7)
        axes.errorbar(middle, range(len(mine)), xerr=abs(ends - middle), fmt="none", ecolor="black")
        axes.invert_yaxis()
    return figure


def betas_figure(rows: Rows) -> Figure:
    """Return a figure of the probability of the true square over the tracker's beta.

    It has a line per agent and a panel per set of pieces.
    """
    figure = figure_of(8.4, 3.2, "How exploratory the model is")
    for axes, pieces in zip(figure.subplots(1, 2), ("model", "all"), strict=True):
        quiet(axes)
        axes.set_title("model alone" if pieces == "model" else "model, noise, sight", loc="left")
        for number, walk in enumerate(WALKS):
            mine = [row for row in rows if row["agent"] == walk and row["pieces"] == pieces]
            betas = range(len(mine))
            ends = ("probability_low", "probability", "probability_high")
            low, middle, high = ([row[end] for row in mine] for end in ends)
            draw_band(axes, betas, (low, middle, high), 0.15, style="o-", color=COLOURS[number])
            axes.set_xticks(betas, [f"{row['beta']:g}" for row in mine])
        axes.set_xlabel("beta")
        axes.set_ylim(0)
    figure.axes[0].legend(figure.axes[0].lines, list(WALKS), frameon=False)
    return figure


def teams_figure(rows: Rows) -> Figure:
    """Return a figure of the share of games that the first of two teams wins, a line per pair."""
    figure = figure_of(7.6, 0.6 + 0.34 * len(rows), "Games won")
    axes = figure.subplots()
    quiet(axes)
    axes.grid(visible=False, axis="y")
    places = range(len(rows))
    for place, row in zip(places, rows, strict=True):
        colour = COLOURS[row["team"] == "evolved"]
        axes.plot([row["win_rate_low"], row["win_rate_high"]], [place] * 2, color=colour)
        axes.plot(row["win_rate"], place, "o", color=colour)
    axes.set_yticks(places, [f"{row['team']} against {row['against']}" for row in rows])
    axes.axvline(0.5, color="#555555", linewidth=0.8)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.invert_yaxis()
    return figure


def film_of_case(shown: Case) -> Film:
    """Return the frames of a film of the whole tracker."""
    return film_of(
        shown.graph,
        beliefs_of(shown, VARIANTS[FULL]),
        shown.record,
        shown.way[1:].tolist(),
        noise=NOISE,
        sight=SIGHT,
        seconds=0.2,
    )
