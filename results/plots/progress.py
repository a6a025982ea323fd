"""Pictures of how the champions of a run do: CIAO, the master tournament, fixed opponents.

Sources: D. Cliff and G. Miller, Tracking the Red Queen (ECAL 1995), for the plot of current
individuals against ancestral opponents; S. Nolfi and D. Floreano, Coevolving predator and prey
robots (Artificial Life 4, 1998), for the master tournament.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter, StrMethodFormatter

from results.folder.files import Place
from results.format.islands import ALL, on_island, role_and_island
from results.plots.islands import islands_diversity
from results.plots.run import diversity_figure
from results.plots.style import (
    COLOURS,
    GREY,
    Curve,
    as_shares,
    draw,
    figure_of,
    panels,
    reference,
    save_all,
)
from results.read.run import Run
from results.statistics import wilson

_LINES = {"held-out": "-", "training": "--", "perfect": ":", "past": "-."}
"""The kinds of opponents that stay the same, and earlier champions, by how they are drawn."""
_IN_SEATS = {"score_first": "first", "score_second": "second"}


def plot_progress(
    run: Run,
    scores: pd.DataFrame,
    opponents: pd.DataFrame,
    dominant: Mapping[str, Sequence[int]],
    folder: Place,
    islands: pd.DataFrame | None = None,
) -> list[Place]:
    """Draw the findings of ``evo.analyse`` into ``folder``; the paths of the files, PNG and SVG.

    ``ciao`` and ``master-tournament`` only where there are two champions or more.

    Args:
        run: that was analysed.
        scores: of champions against champions, see ``evo.evaluation.findings.Analysis.scores``.
        opponents: see ``evo.evaluation.findings.Analysis.opponents``.
        dominant: generations whose champions beat all dominant ones before them, by island
            (``island-3``); under the empty text those of a run without islands.
        folder: made where it is missing.
        islands: their diversity, see ``evo.evaluation.findings.Analysis.islands``.

    Raises:
        ResultsError: the system refused.
    """
    pictures: dict[str, Callable[[], Figure]] = {"progress": lambda: opponents_figure(opponents)}
    if len(opponents["generation"].unique()) > 1:
        pictures["ciao"] = lambda: ciao_figure(scores)
        pictures["master-tournament"] = lambda: master_figure(opponents, dominant)
    if opponents[list(_IN_SEATS)].notna().all(axis=1).any():
        pictures["progress-by-seat"] = lambda: seats_figure(opponents)
    if not run.generations.empty:
        draw_it = islands_diversity if run.has_islands else diversity_figure
        pictures["diversity"] = lambda: draw_it(run.generations, run.layouts)
    if islands is not None:
        pictures["islands"] = lambda: drift_figure(islands)
    return save_all(pictures, folder)


def ciao_figure(scores: pd.DataFrame) -> Figure:
    """Draw each champion (row) against all before it (columns), as a map of colours."""
    groups = [(str(name), rows) for name, rows in scores.groupby("population", sort=False)]
    title = "Each generation's champion against its ancestors"
    if any(role_and_island(name)[0] != ALL for name, _ in groups):
        title = "Each generation's champion against the other role's so far"
    columns = min(len(groups), 4)
    height = -(-len(groups) // columns)
    figure = figure_of(1.2 + 5.2 * columns, 5.2 * height, title)
    grid = figure.subplots(height, columns, squeeze=False).ravel()
    for unused in grid[len(groups) :]:
        unused.remove()
    grid = grid[: len(groups)]
    for axes, (name, rows) in zip(grid, groups, strict=True):
        image = _map(axes, rows)
        axes.set_xlabel("generation of the opponent")
        if len(groups) > 1:
            axes.set_title(name, loc="left", fontsize=11)
    grid[0].set_ylabel("generation of the champion")
    bar = figure.colorbar(image, ax=list(grid), shrink=0.85, format=PercentFormatter(1, decimals=0))
    bar.set_label("the champion's share of the points", color=GREY)
    bar.outline.set_visible(False)
    return figure


def _map(axes: Axes, rows: pd.DataFrame):
    """The lower triangle of a matrix of scores; the edges of its cells lie between generations."""
    past = rows[rows["opponent_generation"] <= rows["generation"]]
    numbers = np.union1d(rows["generation"], rows["opponent_generation"])
    shares = np.full((len(numbers), len(numbers)), np.nan)
    places = [np.searchsorted(numbers, past[key]) for key in ("generation", "opponent_generation")]
    shares[tuple(places)] = past["score"]
    middles = (numbers[1:] + numbers[:-1]) / 2
    edges = [1.5 * numbers[0] - 0.5 * numbers[1], *middles, 1.5 * numbers[-1] - 0.5 * numbers[-2]]
    axes.spines[:].set_visible(False)
    axes.tick_params(colors=GREY, length=3)
    axes.set_aspect("equal")
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    return axes.pcolormesh(edges, edges, shares, cmap="RdBu", vmin=0, vmax=1, rasterized=True)


def drift_figure(islands: pd.DataFrame) -> Figure:
    """Draw the diversity on an island, and that of all islands together, a panel a role."""
    names = list(dict.fromkeys(islands["population"]))
    figure, axes_of = panels("Diversity on an island, and on all together", names, islands)
    top = 1.05 * float(islands[["within", "together"]].max().max()) or 1.0
    for axes, name in zip(axes_of, names, strict=True):
        rows = islands[islands["population"] == name]
        axes.set_ylim(0, top)
        as_text, x = as_shares(axes, top), rows["games_played"].to_numpy(float)
        lines = [("together", "all together", COLOURS[0]), ("within", "on an island", COLOURS[1])]
        curves = [(label, rows[key].to_numpy(float), colour) for key, label, colour in lines]
        draw(axes, [Curve(f"{label}  {as_text(y[-1])}", x, y, col) for label, y, col in curves])
    axes_of[0].set_ylabel("diversity (mean)")
    return figure


def master_figure(opponents: pd.DataFrame, dominant: Mapping[str, Sequence[int]]) -> Figure:
    """Draw each champion against all champions of the run, and against those before it alone."""
    rows = opponents[opponents["kind"].isin(("run", "past"))]
    names = list(dict.fromkeys(rows["population"]))
    figure, axes_of = panels("Master tournament of the champions", names, rows)
    roles = {role_and_island(name)[0] for name in names}
    who = "champion" if len(roles) == 1 else "team of both roles"
    said = f"dominant {who}{': beats all dominant before' * (len(names) == 1)}"
    for axes, name in zip(axes_of, names, strict=True):
        mine = rows[rows["population"] == name]
        axes.set_ylim(0, 1.02)
        as_shares(axes, 1.0)
        reference(axes, 0.5, "even")
        labels = (("past", "all before it", COLOURS[4]), ("run", "all champions", COLOURS[0]))
        lines = [_line(mine[mine["kind"] == kind], label, col) for kind, label, col in labels]
        draw(axes, lines)
        island = role_and_island(name)[1]
        best = list(dominant.get("" if island is None else on_island(ALL, island), ()))
        levels = mine[(mine["kind"] == "run") & mine["generation"].isin(best)]
        axes.plot(levels["games_played"], levels["score"], "v", color=COLOURS[1], markersize=7)
        legend = f"▼ {said} ({len(levels)})"
        axes.set_title(legend, loc="right", fontsize=9, color=COLOURS[1])
    axes_of[0].set_ylabel("share of the points against")
    return figure


def opponents_figure(
    opponents: pd.DataFrame, title: str = "Progress against past, unseen and perfect opponents"
) -> Figure:
    """Draw the champions against opponents that stay the same, and against those before them."""
    rows = opponents[opponents["kind"] != "run"]
    names = list(dict.fromkeys(rows["population"]))
    figure, axes_of = panels(title, names, rows)
    labels = dict.fromkeys(rows["opponent"])
    colours = dict(zip(labels, COLOURS[:-1] * (1 + len(labels)), strict=False))
    colours |= dict.fromkeys(rows.loc[rows["kind"] == "past", "opponent"], COLOURS[-1])
    for axes, name in zip(axes_of, names, strict=True):
        mine = rows[rows["population"] == name]
        axes.set_ylim(-0.02, 1.02)
        as_shares(axes, 1.0)
        reference(axes, 0.5, "even")
        groups = [part for _, part in mine.groupby("opponent", sort=False)]
        draw(axes, [_opponent(part, colours) for part in groups if part["score"].notna().any()])
    axes_of[0].set_ylabel("share of the points (band: 95% of the games)")
    return figure


def seats_figure(opponents: pd.DataFrame) -> Figure:
    """Draw the same by the seat that the champions held, a panel a seat; where seats are roles,
    each has a population, and a panel, as it is."""
    halves = []
    for column, seat in _IN_SEATS.items():
        held = opponents[opponents[column].notna()]
        names = held["population"].replace(ALL, "").add(f" in the {seat} seat").str.strip()
        halves.append(held.assign(population=names, score=held[column], games=held["games"] / 2))
    return opponents_figure(pd.concat(halves), "Progress by seat")


def _opponent(rows: pd.DataFrame, colours: dict[str, str]) -> Curve:
    name, kind = str(rows["opponent"].iloc[0]), str(rows["kind"].iloc[0])
    text = {"training": " (training)", "perfect": " (perfect play)"}.get(kind, "")
    return _line(rows, f"{name}{text}", colours[name], _LINES[kind], with_band=kind != "past")


def _line(
    rows: pd.DataFrame, label: str, colour: str, dashes: str = "-", with_band: bool = False
) -> Curve:
    """A line that ends in its label and last value; a draw counts as half a game won."""
    known = rows[rows["score"].notna()]
    x, y = known["games_played"].to_numpy(float), known["score"].to_numpy(float)
    games = known["games"].to_numpy(float)
    band = wilson(y * games, games) if with_band else None
    return Curve(f"{label}  {y[-1]:.0%}", x, y, colour, band, dashes)
