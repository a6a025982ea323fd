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
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from results.folder.files import Place
from results.format.islands import ALL, on_island, role_and_island
from results.plots.run import diversity_figure
from results.plots.style import (
    COLOURS,
    GREY,
    Curve,
    Scale,
    chart,
    columns_of,
    curve_of,
    grid_of,
    look_of,
    save_all,
    share_bar,
    share_format,
    share_map,
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
    seats: int = 2,
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
        seats: number of seats of the game.

    Raises:
        ResultsError: the system refused.
    """
    pictures: dict[str, Callable[[], Figure]] = {"progress": lambda: opponents_figure(opponents)}
    if len(opponents["generation"].unique()) > 1:
        pictures["ciao"] = lambda: ciao_figure(scores)
        pictures["master-tournament"] = lambda: master_figure(opponents, dominant)
    if opponents[list(_IN_SEATS)].notna().all(axis=1).any():
        pictures["progress-by-seat"] = lambda: seats_figure(opponents, seats)
    if not run.generations.empty:
        pictures["diversity"] = lambda: diversity_figure(run.generations, run.layouts)
    if islands is not None:
        pictures["islands"] = lambda: drift_figure(islands)
    return save_all(pictures, folder)


def ciao_figure(scores: pd.DataFrame) -> Figure:
    """Draw each champion (row) against all before it (columns), as a map of colours."""
    groups = [(str(name), rows) for name, rows in scores.groupby("population", sort=False)]
    title = "Each generation's champion against its ancestors"
    if any(role_and_island(name)[0] != ALL for name, _ in groups):
        title = "Each generation's champion against the other role's so far"
    figure, grid = grid_of(title, len(groups), (6.4, 5.2), 5.2)
    for axes, (name, rows) in zip(grid, groups, strict=True):
        image = _map(axes, rows)
        axes.set_xlabel("generation of the opponent")
        if len(groups) > 1:
            axes.set_title(name, loc="left", fontsize=11)
    grid[0].set_ylabel("generation of the champion")
    share_bar(figure, image, "the champion's share of the points", ax=grid, shrink=0.85)
    return figure


def _map(axes: Axes, rows: pd.DataFrame):
    """Draw the lower triangle of a matrix of scores, with cell edges between generations."""
    past = rows[rows["opponent_generation"] <= rows["generation"]]
    numbers = np.union1d(rows["generation"], rows["opponent_generation"])
    shares = np.full((len(numbers), len(numbers)), np.nan)
    places = [np.searchsorted(numbers, past[key]) for key in ("generation", "opponent_generation")]
    shares[tuple(places)] = past["score"]
    middles = (numbers[1:] + numbers[:-1]) / 2
    edges = [1.5 * numbers[0] - 0.5 * numbers[1], *middles, 1.5 * numbers[-1] - 0.5 * numbers[-2]]
    axes.tick_params(colors=GREY, length=3)
    axes.set_aspect("equal")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(6, integer=True))
        axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    return share_map(axes, edges, shares)


def drift_figure(islands: pd.DataFrame) -> Figure:
    """Draw the diversity on an island, and that of all islands together, a panel a role."""
    top = 1.05 * float(islands[["within", "together"]].max().max()) or 1.0
    as_text = share_format(top)
    curves = {}
    for name, rows in islands.groupby("population", sort=False):
        lines = [("together", "all together", 0), ("within", "on an island", 1)]
        curves[str(name)] = [
            curve_of(rows, key, f"{label}  {as_text(rows[key].iloc[-1])}", look_of(number))
            for key, label, number in lines
        ]
    scale = Scale("diversity (mean)", (0.0, top), shares=True)
    return chart("Diversity on an island, and on all together", curves, islands, scale)


def master_figure(opponents: pd.DataFrame, dominant: Mapping[str, Sequence[int]]) -> Figure:
    """Draw each champion against all champions of the run, and against those before it alone."""
    rows = opponents[opponents["kind"].isin(("run", "past"))]
    parts = {str(name): part for name, part in rows.groupby("population", sort=False)}
    labels = (("past", "all before it", COLOURS[4]), ("run", "all champions", COLOURS[0]))
    curves = {
        name: [_line(part[part["kind"] == kind], label, colour) for kind, label, colour in labels]
        for name, part in parts.items()
    }
    scale = Scale("share of the points against", (0.0, 1.02), shares=True, level=(0.5, "even"))
    figure = chart("Master tournament of the champions", curves, rows, scale)
    roles = {role_and_island(name)[0] for name in parts}
    who = "champion" if len(roles) == 1 else "team of both roles"
    said = f"dominant {who}{': beats all dominant before' * (len(parts) == 1)}"
    for axes, (name, part) in zip(figure.axes, parts.items(), strict=True):
        island = role_and_island(name)[1]
        best = list(dominant.get("" if island is None else on_island(ALL, island), ()))
        levels = part[(part["kind"] == "run") & part["generation"].isin(best)]
        axes.plot(levels["games_played"], levels["score"], "v", color=COLOURS[1], markersize=7)
        legend = f"▼ {said} ({len(levels)})"
        axes.set_title(legend, loc="right", fontsize=9, color=COLOURS[1])
    return figure


def opponents_figure(
    opponents: pd.DataFrame, title: str = "Progress against past, unseen and perfect opponents"
) -> Figure:
    """Draw the champions against opponents that stay the same, and against those before them."""
    rows = opponents[opponents["kind"] != "run"]
    labels = dict.fromkeys(rows["opponent"])
    colours = dict(zip(labels, COLOURS[:-1] * (1 + len(labels)), strict=False))
    colours |= dict.fromkeys(rows.loc[rows["kind"] == "past", "opponent"], COLOURS[-1])
    curves = {}
    for name, mine in rows.groupby("population", sort=False):
        groups = [part for _, part in mine.groupby("opponent", sort=False)]
        known = [part for part in groups if part["score"].notna().any()]
        curves[str(name)] = [_opponent(part, colours) for part in known]
    label = "share of the points (band: 95% of the games)"
    return chart(title, curves, rows, Scale(label, (-0.02, 1.02), True, level=(0.5, "even")))


def seats_figure(opponents: pd.DataFrame, seats: int = 2) -> Figure:
    """Draw the champions against opponents in the first seat and in the second, a panel each.

    If seats are roles, each population has a panel. ``seats`` is the number of seats of the game.
    """
    halves = []
    for column, seat in _IN_SEATS.items():
        held = opponents[opponents[column].notna()]
        names = held["population"].replace(ALL, "").add(f" in the {seat} seat").str.strip()
        halves.append(
            held.assign(population=names, score=held[column], games=held["games"] / seats)
        )
    return opponents_figure(pd.concat(halves), "Progress by seat")


def _opponent(rows: pd.DataFrame, colours: dict[str, str]) -> Curve:
    name, kind = str(rows["opponent"].iloc[0]), str(rows["kind"].iloc[0])
    text = {"training": " (training)", "perfect": " (perfect play)"}.get(kind, "")
    return _line(rows, f"{name}{text}", colours[name], _LINES[kind], with_band=kind != "past")


def _line(
    rows: pd.DataFrame, label: str, colour: str, dashes: str = "-", with_band: bool = False
) -> Curve:
    """Return a line that ends in its label and last value. A draw counts as half a win."""
    known = rows[rows["score"].notna()]
    score, games = columns_of(known, "score", "games")
    band = wilson(score * games, games) if with_band else None
    return curve_of(known, "score", f"{label}  {score[-1]:.0%}", (colour, dashes), band)
