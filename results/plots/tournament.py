"""The pictures of a tournament: the cross table as a map of colours, and the ratings."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator

from results.errors import ResultsError
from results.folder.files import Place
from results.folder.tournament import Tournament
from results.plots.style import (
    COLOURS,
    GREY,
    PALE,
    columns_of,
    figure_of,
    quiet,
    save_all,
    share_bar,
    share_map,
)

MOST_NUMBERS = 24
"""Number of players beyond which the squares hold no numbers, which would not be legible."""
MOST_NAMES = 80
"""Number of players beyond which only some names are written."""


def plot_tournament(
    tournament: Tournament, folder: str | os.PathLike[str] | None = None
) -> list[Place]:
    """Draw a tournament into ``folder``; the paths, PNG and SVG.

    ``tournament`` is its cross table with the ratings, ``tournament-by-seat`` the share that each
    won in each seat.

    Args:
        tournament: the tournament.
        folder: by default ``TOURNAMENT/plots``.

    Raises:
        ResultsError: no game was played yet, a part is damaged, or the system refused.
    """
    scores, ratings = tournament.cross_table, tournament.ratings
    if not scores.notna().to_numpy().any():
        raise ResultsError(f"{tournament.path} has no games yet; let the tournament go on a while")
    title = str(tournament.info["game"])
    names = _order(scores, ratings)
    in_seats = {seat: won.loc[names, names] for seat, won in tournament.wins_by_seat.items()}
    pictures = {
        "tournament": lambda: tournament_figure(scores, ratings, title),
        "tournament-by-seat": lambda: seats_figure(in_seats, title),
    }
    return save_all(pictures, folder or tournament.path / "plots")


def tournament_figure(scores: pd.DataFrame, ratings: pd.DataFrame, title: str = "") -> Figure:
    """Draw a map of the share of the points of the row against the column, and the ratings.

    Args:
        scores: float64 ``[P, P]``, players as index and columns; NaN for who did not meet.
        ratings: one row a player (table ``ratings``); without rows the players are in the order
            of their mean share, and there is no panel of ratings.
        title: title of the figure.
    """
    names = _order(scores, ratings)
    ordered = scores.loc[names, names]
    side = float(np.clip(0.42 * len(names), 3.2, 14.0))
    width = side + 2.2 + (3.4 if len(ratings) else 0)
    figure = figure_of(width, side + 1.5, f"Tournament: {title}" if title else "Tournament")
    if len(ratings):
        map_axes, rating_axes = figure.subplots(1, 2, width_ratios=(side, 2.6), sharey=True)
        _draw_ratings(rating_axes, ratings)
    else:
        map_axes = figure.subplots()
    _draw_map(figure, map_axes, ordered, "share of the points of the row against the column")
    return figure


def seats_figure(in_seats: Mapping[str, pd.DataFrame], title: str = "") -> Figure:
    """Draw a map a seat of the share of its games in it that the row's player won.

    Args:
        in_seats: by the name of the seat, float64 ``[P, P]`` as for :func:`tournament_figure`.
        title: title of the figure.
    """
    players = max(map(len, in_seats.values()))
    side = float(np.clip(0.42 * players, 3.2, 14.0))
    head = f"Tournament, by seat: {title}" if title else "Tournament, by seat"
    figure = figure_of(2 * side + 3.2, side + 1.8, head)
    axes_of = figure.subplots(1, len(in_seats), sharey=True)
    for axes, (seat, shares) in zip(axes_of, in_seats.items(), strict=True):
        _draw_map(figure, axes, shares, f"games won in the {seat} seat")
    return figure


def _order(scores: pd.DataFrame, ratings: pd.DataFrame) -> list[str]:
    """Return the players, the best first."""
    if len(ratings):
        return list(ratings["player"])
    return list(scores.mean(axis=1).sort_values(ascending=False, kind="stable").index)


def _draw_map(figure: Figure, axes: Axes, scores: pd.DataFrame, label: str) -> None:
    names, shares = list(scores.index), scores.to_numpy(float)
    edges = np.arange(len(names) + 1) - 0.5
    image = share_map(axes, edges, shares)
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(edges[-1], edges[0])
    axes.tick_params(colors=GREY, length=0)
    step = -(-len(names) // MOST_NAMES)
    places = np.arange(0, len(names), step)
    axes.set_yticks(places, [f"{names[k]}  {k + 1}" for k in places])
    axes.set_xticks(places, [str(k + 1) for k in places])
    if len(names) > MOST_NUMBERS:
        axes.tick_params(labelsize=7)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xlabel("against", color=GREY)
    if len(names) <= MOST_NUMBERS:
        _write_numbers(axes, shares)
    share_bar(figure, image, label, ax=axes, location="bottom", shrink=0.6)


def _write_numbers(axes: Axes, shares: np.ndarray) -> None:
    for row, column in np.argwhere(~np.isnan(shares)).tolist():
        share = shares[row, column]
        colour = "white" if abs(share - 0.5) > 0.32 else "black"
        axes.text(
            column, row, f"{100 * share:.0f}", ha="center", va="center", color=colour, fontsize=8
        )


def _draw_ratings(axes: Axes, ratings: pd.DataFrame) -> None:
    """Draw each player's rating as a point with its 95% interval, in the rows of the map."""
    quiet(axes)
    places = np.arange(len(ratings))
    middle, low, high = columns_of(ratings, "rating", "rating_low", "rating_high")
    known = np.isfinite(middle) & np.isfinite(low) & np.isfinite(high)
    axes.hlines(places[known], low[known], high[known], color=COLOURS[0], alpha=0.4, linewidth=3)
    axes.plot(middle[known], places[known], "o", color=COLOURS[0])
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.tick_params(axis="y", length=0, labelleft=False)
    axes.grid(axis="x", color=PALE, linewidth=0.7)
    axes.set_xlabel("Elo points (95% interval)", color=GREY)
