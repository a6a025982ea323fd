"""Pictures of a run with islands: a line an island, in the colour of its number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from results.format.genomes import is_of_bits, is_of_reals, layout_of
from results.format.islands import ALL, role_and_island
from results.plots.odds import odds_axis, wants_odds
from results.plots.style import (
    COLOURS,
    GREY,
    Curve,
    as_shares,
    draw,
    panels,
    reference,
    thinned,
)

MOST_LINES = 12
"""Islands beyond which lines are pale and the mean alone has a name."""


class View(NamedTuple):
    """How a column is drawn: what it is, the form of its numbers, the ends of the axis (None: by
    what is there), a named level (None: there is none), and whether by odds where shares are near 0
    or 1."""

    column: str
    label: str
    form: str
    limits: tuple[float, float] | None = None
    level: tuple[float, str] | None = None
    shares: bool = False
    odds: bool = False


def islands_fitness(generations: pd.DataFrame, unit: str) -> Figure:
    """Draw the best raw fitness on each island, a panel a role."""
    view = View("best", f"best raw fitness ({unit})", ".4g")
    return _figure(generations, "The best on each island", view)


def islands_diversity(generations: pd.DataFrame, layouts: Mapping[str, Any]) -> Figure:
    """Draw the diversity within each island, a panel a role; ``layouts`` as in ``run.json``."""
    own = [layout_of(layouts, str(name)) for name in _names(generations)]
    of_bits = any(is_of_bits(layout) for layout in own)
    top = max(0.55 if of_bits else 0.0, 1.05 * float(generations["diversity"].max())) or 1.0
    label = "genes that differ on an island (mean)"
    if any(is_of_reals(layout) for layout in own):
        label = "spread of a weight on an island, of a random network's (mean)"
    level = (0.5, "random genomes") if of_bits else None
    view = View("diversity", label, ".1%", (0.0, top), level, shares=True)
    return _figure(generations, "Diversity within each island", view)


def islands_against_each(curve: pd.DataFrame, title: str, view: View) -> Figure:
    """Draw a column of a curve of champions, a panel a role and opponent, a line an island."""
    return _figure(curve, title, view, "snapshots")


def _names(rows: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(rows["population"]))


def _figure(rows: pd.DataFrame, title: str, view: View, unit: str = "generations") -> Figure:
    parts = dict(_panels(rows))
    keys = [(name, island) for name, part in parts.items() for island in part["_island"].unique()]
    lines, shown = thinned([parts[name][parts[name]["_island"] == i] for name, i in keys], unit)
    figure, axes_of = panels(f"{title}{shown}", list(parts), rows)
    limits = view.limits or _limits(rows[view.column])
    values = rows[view.column].to_numpy(float)
    for axes, panel in zip(axes_of, parts, strict=True):
        if view.odds and wants_odds(values):
            odds_axis(axes, values)
        else:
            axes.set_ylim(*limits)
            if view.shares:
                as_shares(axes, limits[1])
        if view.level is not None:
            reference(axes, *view.level)
        of_panel = [
            (int(i), line) for (name, i), line in zip(keys, lines, strict=True) if name == panel
        ]
        _draw(axes, of_panel, view)
    axes_of[0].set_ylabel(view.label)
    return figure


def _panels(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each role and opponent, under the title of their panel."""
    places = [role_and_island(str(name)) for name in rows["population"]]
    numbers = np.array([island for _, island in places], dtype=np.int64)
    rows = rows.assign(_role=[role for role, _ in places], _island=numbers)
    keys = ["_role", "opponent"] if "opponent" in rows else ["_role"]
    for key, part in rows.groupby(keys, sort=False):
        role = "" if key[0] == ALL else str(key[0])
        yield " against ".join(filter(None, [role, *map(str, key[1:])])), part


def _limits(values: pd.Series[float]) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.04 * (high - low) or 1.0
    return low - margin, high + margin


def _draw(axes: Axes, groups: list[tuple[int, pd.DataFrame]], view: View) -> None:
    """Draw a line an island, and where there are many, their mean."""
    if len(groups) <= MOST_LINES:
        draw(axes, [_line(island, part, view) for island, part in groups])
        return
    for _, part in groups:
        axes.plot(part["games_played"], part[view.column], color=GREY, alpha=0.3, linewidth=0.7)
    mean = pd.concat([part for _, part in groups]).groupby("games_played")[view.column].mean()
    label = f"mean of {len(groups)} islands  {mean.iloc[-1]:{view.form}}"
    draw(axes, [Curve(label, mean.index.to_numpy(float), mean.to_numpy(float), COLOURS[0])])


def _line(island: int, rows: pd.DataFrame, view: View) -> Curve:
    x, y = rows["games_played"].to_numpy(float), rows[view.column].to_numpy(float)
    colour, dashes = COLOURS[island % len(COLOURS)], ("-", "--", ":")[island // len(COLOURS) % 3]
    return Curve(f"island {island}  {np.round(y[-1], 9):{view.form}}", x, y, colour, None, dashes)
