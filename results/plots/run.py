"""Pictures of a run: fitness, diversity, and what measures its champions, over the games played."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from results.errors import ResultsError
from results.folder.files import Place, place_of
from results.format.genomes import is_of_bits, is_of_reals, layout_of
from results.format.islands import ALL
from results.plots.islands import (
    View,
    islands_against_each,
    islands_diversity,
    islands_fitness,
)
from results.plots.odds import odds_axis, wants_odds
from results.plots.style import (
    COLOURS,
    Curve,
    as_shares,
    draw,
    panels,
    reference,
    save_all,
    thinned,
)
from results.read.curves import champion_curve, exploitability_curve, regret_curve, seat_curve
from results.read.run import Run


def plot_run(run: Run, folder: str | os.PathLike[str] | None = None) -> list[Place]:
    """Draw a run into ``folder`` (RUN/plots) and return the paths of the files, PNG and SVG.

    ``fitness`` and ``diversity`` are always drawn. ``win-rate``, the champions' win rate against
    each opponent with its 95% Wilson interval, ``win-rate-by-seat``, the same in each seat where
    they held both, ``exploitability``, what a best response gains on them, ``regret`` and
    ``optimal-moves``, what their moves lose and how many lose nothing, only when there are
    evaluations of the kind.

    Raises:
        ResultsError: the run has no generation yet, is damaged, or the folder cannot be written.
    """
    generations = run.generations
    if generations.empty:
        raise ResultsError(f"{run.path} has no generation to draw yet; let the run go on a while")
    target = place_of(folder) if folder is not None else run.path / "plots"
    if run.has_islands:
        return save_all(_of_islands(run, generations), target)
    pictures: dict[str, Callable[[], Figure]] = {
        "fitness": lambda: fitness_figure(generations, _unit_of_fitness(run)),
        "diversity": lambda: diversity_figure(generations, run.layouts),
    }
    curve, exploitability = champion_curve(run), exploitability_curve(run)
    if not curve.empty:
        pictures["win-rate"] = lambda: win_rate_figure(curve)
    seats = seat_curve(run)
    if not seats.empty:
        pictures["win-rate-by-seat"] = lambda: seat_figure(seats)
    if not exploitability.empty:
        pictures["exploitability"] = lambda: exploitability_figure(exploitability)
    regret = regret_curve(run)
    if not regret.empty:
        pictures["regret"] = lambda: regret_figure(regret)
        pictures["optimal-moves"] = lambda: optimal_moves_figure(regret)
    return save_all(pictures, target)


def _of_islands(run: Run, generations: pd.DataFrame) -> dict[str, Callable[[], Figure]]:
    """The pictures of a run with islands, by name."""
    pictures: dict[str, Callable[[], Figure]] = {
        "fitness": lambda: islands_fitness(generations, _unit_of_fitness(run)),
        "diversity": lambda: islands_diversity(generations, run.layouts),
    }
    curve, regret = champion_curve(run), regret_curve(run)
    exploitability = exploitability_curve(run)
    title = "The champion of each island against each opponent"
    if not curve.empty:
        pictures["win-rate"] = lambda: islands_against_each(curve, title, WIN_RATE)
    seats = seat_curve(run)
    if not seats.empty:
        by_seat = seats.assign(opponent=seats["opponent"] + ", " + seats["seat"] + " seat")
        pictures["win-rate-by-seat"] = lambda: islands_against_each(by_seat, title, WIN_RATE)
    if not exploitability.empty:
        pictures["exploitability"] = lambda: exploitability_figure(exploitability)
    if not regret.empty:
        lost, best = "What a move of each champion loses", "Moves that lose nothing"
        pictures["regret"] = lambda: islands_against_each(regret, lost, _regret(regret))
        pictures["optimal-moves"] = lambda: islands_against_each(regret, best, OPTIMAL_MOVES)
    return pictures


def _unit_of_fitness(run: Run) -> str:
    """What raw fitness is counted in: a learner without a scheme, as a climber, counts wins."""
    climbs = "learner" in run.config and "scheme" not in run.config
    return "share of games won" if climbs else "points of the scheme"


def fitness_figure(generations: pd.DataFrame, unit: str = "points of the scheme") -> Figure:
    """Draw the best and the mean raw fitness, and one standard deviation about the mean."""
    groups, means = _by_population(generations)
    names = [name for name, _ in groups]
    figure, axes_of = panels(f"Fitness in the course of evolution{means}", names, generations)
    limits = _limits([rows for _, rows in groups])
    for axes, (_, rows) in zip(axes_of, groups, strict=True):
        axes.set_ylim(*limits)
        draw(axes, _fitness_lines(rows))
    axes_of[0].set_ylabel(f"raw fitness ({unit})")
    return figure


def _fitness_lines(rows: pd.DataFrame) -> list[Curve]:
    keys = ("games_played", "best", "mean", "std")
    x, best, mean, std = (rows[key].to_numpy(float) for key in keys)
    if not std.any() and np.array_equal(best, mean):  # a population of one
        return [Curve("fitness", x, best, COLOURS[1])]
    spread = Curve("mean ± s.d.", x, mean, COLOURS[0], (mean - std, mean + std))
    return [spread, Curve("best", x, best, COLOURS[1])]  # of equal heights the last label is above


def _limits(groups: Sequence[pd.DataFrame]) -> tuple[float, float]:
    """The lowest and highest fitness drawn for any population, with a margin."""
    rows = pd.concat(groups)
    low = float(min(rows["best"].min(), (rows["mean"] - rows["std"]).min()))
    high = float(max(rows["best"].max(), (rows["mean"] + rows["std"]).max()))
    margin = 0.04 * (high - low) or 1.0
    return low - margin, high + margin


def diversity_figure(generations: pd.DataFrame, layouts: Mapping[str, Any]) -> Figure:
    """Draw the mean share of genes in which two individuals differ, of real weights their spread.

    ``layouts`` are those of ``run.json``: random networks of bits differ in half of their genes.
    """
    groups, means = _by_population(generations)
    names = [name for name, _ in groups]
    figure, axes_of = panels(f"Diversity in the course of evolution{means}", names, generations)
    own = [layout_of(layouts, name) for name in names]
    of_bits = [is_of_bits(layout) for layout in own]
    highest = max(float(rows["diversity"].max()) for _, rows in groups)
    top = max(0.55 if any(of_bits) else 0.0, 1.05 * highest) or 1.0
    for axes, (_, rows), bits in zip(axes_of, groups, of_bits, strict=True):
        x, y = rows["games_played"].to_numpy(float), rows["diversity"].to_numpy(float)
        axes.set_ylim(0, top)
        if bits:
            reference(axes, 0.5, "random genomes")
        as_text = as_shares(axes, top)
        draw(axes, [Curve(as_text(y[-1]), x, y, COLOURS[0])])
    apart = "genes in which two individuals differ (mean)"
    if any(is_of_reals(layout) for layout in own):
        apart = "spread of a weight, of a random network's (mean)"
    axes_of[0].set_ylabel(apart)
    return figure


def win_rate_figure(curve: pd.DataFrame) -> Figure:
    """Draw a curve of ``analysis`` against each opponent, with its interval."""
    view = WIN_RATE._replace(label=f"{WIN_RATE.label} (band: 95% interval)")
    return _against_each(curve, "The champion against each opponent", view)


def seat_figure(curve: pd.DataFrame) -> Figure:
    """Draw the curves of ``seat_curve``, a panel a seat."""
    panel = curve["population"].where(curve["population"] != ALL, "") + " in the " + curve["seat"]
    by_panel = curve.assign(population=panel.str.strip() + " seat")
    return _against_each(by_panel, "The champion in each seat against each opponent", WIN_RATE)


def regret_figure(curve: pd.DataFrame) -> Figure:
    """Draw what a move of the champion loses in its games against each opponent; 0 is perfect."""
    return _against_each(curve, "What a move of the champion loses", _regret(curve))


def _regret(curve: pd.DataFrame) -> View:
    highest = float(curve["regret"].max()) or 1.0
    limits, level = (-0.03 * highest, 1.05 * highest), (0.0, "perfect play")
    return View("regret", f"{UNIT} that a move loses, mean", ".3g", limits, level)


def optimal_moves_figure(curve: pd.DataFrame) -> Figure:
    """Draw how many moves of the champion lose nothing in its games against each opponent."""
    return _against_each(curve, "Moves of the champion that lose nothing", OPTIMAL_MOVES)


UNIT = "net wins (or points, in games of points)"
"""Of regret and exploitability: what counts is declared by the game, which is not read here."""
WIN_RATE = View(
    "win_rate", "games won", ".1%", (-0.02, 1.02), (0.5, "even"), shares=True, odds=True
)
OPTIMAL_MOVES = View(
    "optimal_share", "share of its moves", ".1%", (-0.02, 1.1), (1.0, "perfect play"), shares=True
)


def _against_each(curve: pd.DataFrame, title: str, view: View) -> Figure:
    """Draw a column of a curve, a panel a population and a line an opponent."""
    groups = [(str(name), rows) for name, rows in curve.groupby("population", sort=True)]
    figure, axes_of = panels(title, [name for name, _ in groups], curve)
    colours = dict(zip(sorted(curve["opponent"].unique()), COLOURS * 99, strict=False))
    rates = curve[view.column].to_numpy(float)
    for axes, (_, rows) in zip(axes_of, groups, strict=True):
        assert view.limits is not None
        if view.odds and wants_odds(rates):
            odds_axis(axes, rates)
        else:
            axes.set_ylim(*view.limits)
            if view.shares:
                as_shares(axes, 1.0)
        if view.level is not None:
            reference(axes, *view.level)
        draw(axes, [_opponent_line(part, colours, view) for _, part in rows.groupby("opponent")])
    axes_of[0].set_ylabel(view.label)
    return figure


def _opponent_line(rows: pd.DataFrame, colours: dict[str, str], view: View) -> Curve:
    name = str(rows["opponent"].iloc[0])
    style = ("-", "--", ":")[list(colours).index(name) // len(COLOURS) % 3]
    x, y = rows["games_played"].to_numpy(float), rows[view.column].to_numpy(float)
    ends = [rows[end].to_numpy(float) for end in ("low", "high") if end in rows]
    band = (ends[0], ends[1]) if ends else None
    return Curve(f"{name}  {y[-1]:{view.form}}", x, y, colours[name], band, style)


def exploitability_figure(curve: pd.DataFrame) -> Figure:
    """Draw what a best response gains on the champion of each population; 0 is perfect play."""
    figure, (axes,) = panels("How exploitable the champion is", [""], curve)
    highest = float(curve["exploitability"].max()) or 1.0
    axes.set_ylim(-0.03 * highest, 1.05 * highest)
    reference(axes, 0.0, "perfect play")
    groups = list(curve.groupby("population", sort=True))
    colours = dict(zip((name for name, _ in groups), COLOURS * 99, strict=False))
    draw(axes, [_exploitability_line(str(name), rows, colours[name]) for name, rows in groups])
    axes.set_ylabel(f"{UNIT} a game that a best response gains")
    return figure


def _exploitability_line(name: str, rows: pd.DataFrame, colour: str) -> Curve:
    x, y = rows["games_played"].to_numpy(float), rows["exploitability"].to_numpy(float)
    plies = float(rows["plies"].iloc[-1])
    caught = "" if np.isnan(plies) else f", {plies:g} plies"
    return Curve(f"{name}  {y[-1]:.3g}{caught}", x, y, colour)


def _by_population(rows: pd.DataFrame) -> tuple[list[tuple[str, pd.DataFrame]], str]:
    """The rows of each population, no more than can be drawn, and what the title says of it."""
    groups = list(rows.groupby("population", sort=True))
    means, shown = thinned([part for _, part in groups])
    return list(zip([str(name) for name, _ in groups], means, strict=True)), shown
