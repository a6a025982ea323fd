"""Pictures of a run: fitness, diversity, and what measures its champions, over the games played.

In a run with islands a line is an island, in the colour of its number, and a panel a role.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from results.errors import ResultsError
from results.folder.files import Place
from results.format.genomes import are_programs, is_of_bits, is_of_reals, layout_of
from results.format.islands import ALL, has_islands, role_and_island
from results.plots.style import (
    COLOURS,
    GREY,
    Curve,
    Scale,
    chart,
    columns_of,
    curve_of,
    interval_of,
    look_of,
    save_all,
    share_format,
    thinned,
    with_margin,
)
from results.read.curves import (
    champion_curve,
    exploitability_curve,
    regret_curve,
    running_curve,
    seat_curve,
    window_of,
)
from results.read.run import Run

MOST_LINES = 12
"""Number of islands beyond which lines are pale and only the mean has a label."""
RELATIVE = ", relative to its opponents"
"""Words in the title of fitness that cannot be compared between generations."""
UNIT = "net wins (or points, in games of points)"
"""Of regret and exploitability: what counts is declared by the game, which is not read here."""


def plot_run(run: Run, folder: str | os.PathLike[str] | None = None) -> list[Place]:
    """Draw a run into ``folder`` (RUN/plots) and return the paths of the files, PNG and SVG.

    ``fitness`` and ``diversity`` are always drawn, after what measures the champions. ``win-rate``,
    the champions' win rate against each opponent, pooled over neighbouring snapshots
    (:func:`results.read.curves.running_curve`), with its interval, ``win-rate-by-seat``, the same
    in each seat where they held both, ``exploitability``, what a best response gains on them,
    ``regret`` and ``optimal-moves``, what their moves lose and how many lose nothing, only when
    there are evaluations of the kind.

    Raises:
        ResultsError: the run has no generation yet, is damaged, or the folder cannot be written.
    """
    return save_all(figures_of(run), folder or run.path / "plots")


def figures_of(run: Run) -> dict[str, Callable[[], Figure]]:
    """Return the functions that draw the pictures of a run, by name; see :func:`plot_run`."""
    generations = run.generations
    if generations.empty:
        raise ResultsError(f"{run.path} has no generation to draw yet; let the run go on a while")
    # A learner without a scheme, as a climber, counts wins.
    climbs = "learner" in run.config and "scheme" not in run.config
    unit = "share of games won" if climbs else "points of the scheme"
    regret = regret_curve(run)
    of_champions: list[tuple[str, Callable[[pd.DataFrame], Figure], pd.DataFrame]] = [
        ("win-rate", win_rate_figure, champion_curve(run)),
        ("win-rate-by-seat", seat_figure, seat_curve(run)),
        ("exploitability", exploitability_figure, exploitability_curve(run)),
        ("regret", regret_figure, regret),
        ("optimal-moves", optimal_moves_figure, regret),
    ]
    pictures: dict[str, Callable[[], Figure]] = {}
    for name, figure_of_curve, curve in of_champions:
        if not curve.empty:
            pictures[name] = lambda figure=figure_of_curve, curve=curve: figure(curve)  # type: ignore[misc]
    pictures["fitness"] = lambda: fitness_figure(generations, unit, run.has_relative_fitness)
    pictures["diversity"] = lambda: diversity_figure(generations, run.layouts)
    return pictures


def fitness_figure(
    generations: pd.DataFrame, unit: str = "points of the scheme", is_relative: bool = False
) -> Figure:
    """Draw the best raw fitness, the mean, and one standard deviation about the mean.

    For islands, draw the best on each.
    """
    if has_islands(generations):
        best = generations["best"]
        scale = Scale(f"best raw fitness ({unit})", with_margin(best.min(), best.max()))
        curves, shown = _island_curves(generations, "best", ".4g")
        return chart(
            f"The best on each island{RELATIVE * is_relative}{shown}", curves, generations, scale
        )
    parts, shown = _by_population(generations)
    curves = {name: _fitness_curves(rows) for name, rows in parts.items()}
    ends = [end for each in curves.values() for curve in each for end in (curve.band or (curve.y,))]
    ends += [curve.y for each in curves.values() for curve in each]
    limits = with_margin(float(min(map(np.min, ends))), float(max(map(np.max, ends))))
    title = f"Fitness{RELATIVE}" if is_relative else "Fitness in the course of evolution"
    return chart(f"{title}{shown}", curves, generations, Scale(f"raw fitness ({unit})", limits))


def _fitness_curves(rows: pd.DataFrame) -> list[Curve]:
    x, best, mean, std = columns_of(rows, "games_played", "best", "mean", "std")
    if not std.any() and np.array_equal(best, mean):  # a population of one
        return [Curve("fitness", x, best, COLOURS[1])]
    spread = Curve("mean ± s.d.", x, mean, COLOURS[0], (mean - std, mean + std))
    return [spread, Curve("best", x, best, COLOURS[1])]  # of equal heights the last label is above


def diversity_figure(generations: pd.DataFrame, layouts: Mapping[str, Any]) -> Figure:
    """Draw the mean share of genes in which two individuals differ; for real weights, their spread.

    For programs, draw the share of pairs that differ. For islands, draw the diversity within each.

    ``layouts`` are those of ``run.json``: random networks of bits differ in half of their genes.
    """
    names = generations["population"].unique()
    own = [layout_of(layouts, str(name)) for name in names]
    of_bits = any(map(is_of_bits, own))
    on_islands = has_islands(generations)
    parts, shown = _by_population(generations)
    highest = generations if on_islands else pd.concat(parts.values())
    top = max(0.55 if of_bits else 0.0, 1.05 * float(highest["diversity"].max())) or 1.0
    if on_islands:
        curves, shown = _island_curves(generations, "diversity", ".1%")
        title, where = "Diversity within each island", " on an island"
    else:
        as_text, look = share_format(top), look_of(0)
        curves = {
            name: [curve_of(rows, "diversity", as_text(rows["diversity"].iloc[-1]), look)]
            for name, rows in parts.items()
        }
        title, where = "Diversity in the course of evolution", ""
    label = f"genes in which two individuals{where} differ (mean)"
    if any(map(is_of_reals, own)):
        label = f"spread of a weight{where}, of a random network's (mean)"
    if are_programs(layouts):
        label = f"pairs of individuals{where} whose programs differ"
    level = (0.5, "random genomes") if of_bits else None
    scale = Scale(label, (0.0, top), shares=True, level=level)
    return chart(f"{title}{shown}", curves, generations, scale)


def win_rate_figure(curve: pd.DataFrame) -> Figure:
    """Draw a curve of ``champion_curve`` against each opponent, with its interval."""
    return _win_rates(curve, "The champion{} against each opponent")


def seat_figure(curve: pd.DataFrame) -> Figure:
    """Draw the curves of ``seat_curve``, a panel a seat."""
    seats = " in the " + curve["seat"] + " seat"
    if has_islands(curve):
        by_panel = curve.assign(opponent=curve["opponent"] + seats)
    else:
        names = curve["population"].where(curve["population"] != ALL, "")
        by_panel = curve.assign(population=(names + seats).str.strip())
    return _win_rates(by_panel, "The champion{} in each seat against each opponent")


def _win_rates(curve: pd.DataFrame, title: str) -> Figure:
    """Draw the win rates of a curve, pooled over neighbouring snapshots."""
    window, rates = window_of([curve]), curve["win_rate"].to_numpy(float)
    label = "games won" if has_islands(curve) else "games won (band: 95% Wilson interval)"
    if window > 1:
        curve = running_curve(curve, window)
        label = f"{label},\npooled over {window} snapshots"
    scale = Scale(label, (-0.02, 1.02), shares=True, rates=rates, level=(0.5, "even"))
    return _against_each(curve, title, "win_rate", ".1%", scale)


def regret_figure(curve: pd.DataFrame) -> Figure:
    """Draw what a move of the champion loses in its games against each opponent; 0 is perfect."""
    scale = _loss_scale(curve["regret"], f"{UNIT} that a move loses, mean")
    return _against_each(curve, "What a move of the champion{} loses", "regret", ".3g", scale)


def optimal_moves_figure(curve: pd.DataFrame) -> Figure:
    """Draw how many moves of the champion lose nothing in its games against each opponent."""
    title, perfect = "Moves of the champion{} that lose nothing", (1.0, "perfect play")
    scale = Scale("share of its moves", (-0.02, 1.1), shares=True, level=perfect)
    return _against_each(curve, title, "optimal_share", ".1%", scale)


def exploitability_figure(curve: pd.DataFrame) -> Figure:
    """Draw what a best response gains on the champion of each population; 0 is perfect play."""
    curves = []
    for number, (name, rows) in enumerate(curve.groupby("population", sort=True)):
        value, plies = rows[["exploitability", "plies"]].astype(float).iloc[-1]
        label = f"{name}  {value:.3g}" + ("" if np.isnan(plies) else f", {plies:g} plies")
        curves.append(curve_of(rows, "exploitability", label, (look_of(number)[0], "-")))
    scale = _loss_scale(curve["exploitability"], f"{UNIT} a game that a best response gains")
    return chart("How exploitable the champion is", {"": curves}, curve, scale)


def _loss_scale(losses: pd.Series[float], label: str) -> Scale:
    highest = float(losses.max()) or 1.0
    return Scale(label, (-0.03 * highest, 1.05 * highest), level=(0.0, "perfect play"))


def _against_each(curve: pd.DataFrame, title: str, column: str, form: str, scale: Scale) -> Figure:
    """Draw a column of a curve of champions: a panel per population and a line per opponent.

    For islands, draw a panel per role and opponent and a line per island. The title names the
    islands then.
    """
    if has_islands(curve):
        curves, shown = _island_curves(curve, column, form, "snapshots")
        return chart(f"{title.format(' of each island')}{shown}", curves, curve, scale)
    looks = {name: look_of(k) for k, name in enumerate(sorted(curve["opponent"].unique()))}
    curves = {}
    for population, rows in curve.groupby("population", sort=True):
        curves[str(population)] = [
            replace(
                curve_of(part, column, _named(name, part, column, form), looks[name]),
                band=interval_of(part),
                points=part["measured"].to_numpy(float) if "measured" in part else None,
            )
            for name, part in rows.groupby("opponent")
        ]
    return chart(title.format(""), curves, curve, scale)


def _named(name: object, rows: pd.DataFrame, column: str, form: str) -> str:
    """Return the label of a line: its name and its last value."""
    return f"{name}  {np.round(rows[column].iloc[-1], 9):{form}}"


def _island_curves(
    rows: pd.DataFrame, column: str, form: str, unit: str = "generations"
) -> tuple[dict[str, list[Curve]], str]:
    """Return the lines of islands by their panel, and the title's text about their points.

    A panel shows a role and an opponent. If there are many islands, only their mean is named.
    """
    places = [role_and_island(str(name)) for name in rows["population"]]
    islands = np.array([island for _, island in places], dtype=np.int64)
    rows = rows.assign(_role=[role for role, _ in places], _island=islands)
    keys = ["_role", *(["opponent"] if "opponent" in rows else []), "_island"]
    groups = list(rows.groupby(keys, sort=False))
    lines, shown = thinned([part for _, part in groups], unit)
    parts: dict[str, list[tuple[int, pd.DataFrame]]] = {}
    for (key, _), line in zip(groups, lines, strict=True):
        role, *opponent, island = map(str, key)
        panel = " against ".join([*([] if role == ALL else [role]), *opponent])
        parts.setdefault(panel, []).append((int(island), line))
    return {panel: _of_islands(each, column, form) for panel, each in parts.items()}, shown


def _of_islands(parts: list[tuple[int, pd.DataFrame]], column: str, form: str) -> list[Curve]:
    if len(parts) <= MOST_LINES:
        named = [(f"island {island}", look_of(island), part) for island, part in parts]
        return [curve_of(p, column, _named(name, p, column, form), look) for name, look, p in named]
    mean = pd.concat([part for _, part in parts]).groupby("games_played")[[column]].mean()
    mean = mean.reset_index()
    pale = [curve_of(part, column, "", (GREY, "-")) for _, part in parts]
    label = _named(f"mean of {len(parts)} islands", mean, column, form)
    return [*pale, curve_of(mean, column, label, look_of(0))]


def _by_population(rows: pd.DataFrame) -> tuple[dict[str, pd.DataFrame], str]:
    """Return the rows of each population, no more than can be drawn, and what the title says."""
    groups = list(rows.groupby("population", sort=True))
    means, shown = thinned([part for _, part in groups])
    return dict(zip([str(name) for name, _ in groups], means, strict=True)), shown
