"""The best individual of each snapshot over the games played, with selection bias and without.

The best of N estimates is higher than the true strength of the best individual. The bias grows with
the number of individuals and with fewer games each. The selected individual is therefore measured
again by independent games, and that estimate is unbiased. Source of the first method: L. Weaver and
T. Bossomaier, "Evolution of neural networks to play the game of Dots-and-Boxes" (1998), section 4.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from results.errors import ResultsError
from results.folder.files import Place
from results.format.schema import are_computed
from results.plots.style import (
    Scale,
    chart,
    columns_of,
    look_of,
    median_curve,
    over_seeds_at,
    plain_name,
    save_all,
    share_format,
    share_top,
)
from results.read.sweep import BASE, Sweep

ESTIMATES = ("best", "again")
"""Columns of :func:`best_of_snapshots`: the highest estimate, and the fresh one of the same."""


def best_of_snapshots(runs: Sweep) -> pd.DataFrame:
    """Return one row a (run, population, snapshot, opponent): the individual that won most games.

    Ties go to the lowest individual. Columns, after those of ``runs.columns``: ``population``,
    ``generation``, ``games_played``, ``opponent``, ``individual``, ``mean`` (win rate of all
    individuals that were measured), ``best`` (its win rate in the ``games`` by which it was chosen,
    biased upwards) and ``again`` (in the fresh games, unbiased; NaN where they were not played).
    """
    measured = runs.evaluations
    evaluation = runs.description["evaluation"]
    choosing = measured[measured["games"] == evaluation["games"]]
    choosing = choosing[~are_computed(choosing["opponent"])]
    keys = [*runs.columns, "population", "generation", "opponent"]
    groups = choosing.groupby(keys, sort=False, dropna=False)
    first = choosing.loc[groups["wins"].idxmax(), [*keys, "individual", "games", "win_rate"]]
    table = first.rename(columns={"win_rate": "best"})
    table = table.merge(groups["win_rate"].mean().rename("mean").reset_index(), on=keys)
    again = evaluation["again"]
    fresh = measured[measured["games"] == again] if again else measured[:0]
    fresh = fresh[[*keys, "individual", "win_rate"]].rename(columns={"win_rate": "again"})
    table = table.merge(fresh, on=[*keys, "individual"], how="left")
    keys = [*runs.columns, "population", "generation"]
    table = table.merge(runs.generations[[*keys, "games_played"]], on=keys)
    last = ["opponent", "individual", "games", "mean", *ESTIMATES]
    return table[[*keys, "games_played", *last]].reset_index(drop=True)


def over_seeds(best: pd.DataFrame, runs: Sweep, points: int | None = None) -> pd.DataFrame:
    """Return the median and the quartiles over seeds, at the same numbers of games for all.

    Snapshots of different schemes lie at different numbers of games, so each run is interpolated
    linearly at ``points`` numbers of games from 0 to as many as all runs have been measured at.
    Before its generation 0 was played a run is at generation 0.

    Args:
        best: what :func:`best_of_snapshots` gave.
        runs: the sweep.
        points: by default as many as a run has snapshots, in the median.

    Returns:
        One row a (cell, population, opponent, estimate, games_played): ``estimate`` is ``best`` or
        ``again``, ``median``, ``low`` and ``high`` (quartiles) win rates, ``seeds`` how many.
    """
    run = [*runs.columns, "population", "opponent"]
    cell = [name for name in run if name != "seed"]
    if best.empty:
        raise ResultsError(f"{runs.path} has no evaluations; let evo sweep measure its runs")
    snapshots = best.groupby(run, dropna=False)["games_played"]
    count = int(snapshots.size().median()) if points is None else points
    grid = np.linspace(0.0, float(snapshots.max().min()), count)
    frames = []
    for names, rows in best.groupby(cell, sort=False, dropna=False):
        for estimate in ESTIMATES:
            parts = (part for _, part in rows.groupby("seed"))
            curves = [tuple(columns_of(part, "games_played", estimate)) for part in parts]
            named = dict(zip(cell, names, strict=True)) | {"estimate": estimate}
            frames.append(
                pd.DataFrame({**named, **over_seeds_at(grid, curves), "seeds": len(curves)})
            )
    return pd.concat(frames, ignore_index=True)


def plot_best(
    runs: Sweep,
    folder: str | os.PathLike[str] | None = None,
    naming: Callable[[str], str] = lambda name: name,
) -> list[Place]:
    """Draw a figure for each opponent and value of the factors; the paths, PNG and SVG.

    To the left the best of each snapshot by the games that chose it, to the right by fresh ones:
    the median over seeds, and the quartiles as a band.

    Args:
        runs: the sweep.
        folder: by default ``SWEEP/plots``.
        naming: what a file is called, of its usual name, such as ``best-level-0`` or
            ``best-level-0-mutation_probability=0.005``.

    Raises:
        ResultsError: nothing has been measured, or the system refused.
    """
    table = best_of_snapshots(runs)
    curves = over_seeds(table, runs)
    evaluation = runs.description["evaluation"]
    games = int(evaluation["games"]), int(evaluation["again"])
    pictures = {
        naming(name): partial(best_figure, rows, title, games)
        for name, title, rows in _figures(curves, runs)
    }
    return save_all(pictures, folder or runs.path / "plots")


def _figures(curves: pd.DataFrame, runs: Sweep) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """File name, title and rows of each figure."""
    factors = list(runs.factors.values())
    keys = ["opponent", "population", *factors]
    several = [name for name in keys if name != "opponent" and curves[name].nunique(False) > 1]
    for names, rows in curves.groupby(["opponent", *several], sort=False, dropna=False):
        opponent, *values = names
        said = [f"{key}={value}" for key, value in zip(several, values, strict=True)]
        seeds = int(rows["seeds"].max())
        detail = "".join(f", {text.replace('_', ' ').replace('=', ' ')}" for text in said)
        title = f"The best against {opponent}{detail} ({seeds} seed{'s' * (seeds > 1)})"
        yield f"best-{plain_name(','.join([str(opponent), *said]))}", title, rows


def best_figure(rows: pd.DataFrame, title: str, games: tuple[int, int]) -> Figure:
    """Draw one opponent: a panel per estimate, a line per population, quartiles as bands.

    Args:
        rows: of :func:`over_seeds`.
        title: title of the figure.
        games: the number of games of the selection, and of the second measurement; 0: none.
    """
    known = rows.dropna(subset="median")["estimate"].unique()
    shown = [name for name in ESTIMATES if name in known]
    texts = {
        "best": f"as it was chosen, by {games[0]:,} games each (biased upwards)",
        "again": f"the same individuals by {games[1]:,} fresh games",
    }
    axis = pd.DataFrame({"generation": [0], "games_played": [rows["games_played"].max()]})
    highest = float(rows[rows["estimate"].isin(shown)]["high"].max())
    top = share_top(highest)
    as_text = share_format(top)
    looks = {name: (look_of(k)[0], "-") for k, name in enumerate(rows["variant"].unique())}
    heads = {name: "" if list(looks) == [BASE] else f"{name}  " for name in looks}
    curves = {
        texts[estimate]: [
            median_curve(part, heads[name] + as_text(part["median"].iloc[-1]), looks[name])
            for name, part in rows[rows["estimate"] == estimate].groupby("variant", sort=False)
        ]
        for estimate in shown
    }
    scale = Scale(
        "games won (median over seeds, quartiles)",
        (-0.02 * top, 1.02 * top),
        shares=True,
        level=(0.5, "even") if top == 1.0 else None,
    )
    return chart(title, curves, axis, scale)
