"""The parts of a run's pictures: panels, labelled lines, a second axis of generations.

They use matplotlib's objects, never pyplot, so that the pictures of the calling program are not
affected. The same lines give the same SVG bytes.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from results.folder.files import Place, atomic_write, make_folder, place_of
from results.format.schema import AND
from results.plots.odds import odds_axis
from results.statistics import wants_odds

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Told apart with any colour vision. Source: Okabe and Ito, Color Universal Design (2008)."""
STYLE: dict[Any, Any] = matplotlib.rc_params_from_file(
    Path(__file__).with_name("pictures.mplstyle"), use_default_template=False
)
"""The settings of matplotlib under which pictures are drawn and saved."""

GREY, PALE = "#555555", "#DDDDDD"
_SIZE = (7.2, 4.3)
_LETTER = 0.017
"""How wide a letter of a tick is, as a share of a panel."""
_LONGEST_LABEL = 24
"""Number of letters of a label above which it is broken into lines."""
_COLUMNS = 4
"""Panels beside one another; those beyond stand in rows below."""
Band = tuple[np.ndarray, np.ndarray]
"""The lower and the upper end of a band, float64 [K] each."""


@dataclass(frozen=True)
class Curve:
    """A line with an optional band: x, y, the band's ends and points are float64 [K].

    A line without a label is drawn pale. ``points`` are the measurements of a line that pools them.
    """

    label: str
    x: np.ndarray
    y: np.ndarray
    colour: str
    band: Band | None = None
    dashes: str = "-"
    points: np.ndarray | None = None


@dataclass(frozen=True)
class Scale:
    """The vertical axis that all panels of a picture share.

    Attributes:
        label: its title.
        limits: its ends.
        shares: whether it shows shares, which are written in percent.
        rates: all shares that are drawn; if they lie near 0 or 1, the axis is by odds. None: by
            limits alone.
        level: height and name of a marked level, or None.
    """

    label: str
    limits: tuple[float, float]
    shares: bool = False
    rates: np.ndarray | None = None
    level: tuple[float, str] | None = None

    def apply(self, axes: Axes) -> None:
        """Give a panel this axis."""
        if self.rates is not None and wants_odds(self.rates):
            odds_axis(axes, self.rates)
        else:
            axes.set_ylim(*self.limits)
            if self.shares:
                as_shares(axes, self.limits[1])
        if self.level is not None:
            reference(axes, *self.level)


def with_margin(low: float, high: float) -> tuple[float, float]:
    """Return the ends of an axis on which values from ``low`` to ``high`` are seen."""
    margin = 0.04 * (high - low) or 1.0
    return low - margin, high + margin


def reference(axes: Axes, height: float, label: str) -> None:
    """Draw a dashed level with its name."""
    axes.axhline(height, color=GREY, linewidth=0.9, dashes=(4, 3), zorder=1)
    axes.annotate(
        label,
        (0, height),
        xycoords=("axes fraction", "data"),
        xytext=(6, 4),
        textcoords="offset points",
        color=GREY,
        ha="left",
        fontsize=9,
    )


def as_shares(axes: Axes, highest: float) -> None:
    """Write the vertical axis in percent, with the decimals of ``share_format``."""
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=_decimals(highest)))


def share_format(highest: float) -> Callable[[float], str]:
    """Return a function that formats a share as a percentage.

    The number of decimals suits shares up to ``highest``: none above 10%, one above 1%, else two.
    """
    return f"{{:.{_decimals(highest)}%}}".format


def _decimals(highest: float) -> int:
    return 0 if highest > 0.1 else 1 if highest > 0.01 else 2


def share_top(highest: float) -> float:
    """Return where an axis of shares up to ``highest`` ends: at 1, or little above small ones."""
    return 1.0 if highest > 0.4 else max(1.15 * highest, 0.02)


def look_of(number: int) -> tuple[str, str]:
    """Return colour and dashes of the line of a number, distinct for neighbours."""
    return COLOURS[number % len(COLOURS)], ("-", "--", ":")[number // len(COLOURS) % 3]


def curve_of(
    rows: pd.DataFrame, column: str, label: str, look: tuple[str, str], band: Band | None = None
) -> Curve:
    """Return the line of a column over the games played; ``look`` is its colour and dashes."""
    x, y = rows["games_played"].to_numpy(float), rows[column].to_numpy(float)
    return Curve(label, x, y, look[0], band, look[1])


def columns_of(rows: pd.DataFrame, *names: str) -> Iterator[np.ndarray]:
    """Yield columns of a frame as float64 arrays."""
    return (rows[name].to_numpy(float) for name in names)


def interval_of(rows: pd.DataFrame) -> Band | None:
    """Return the columns ``low`` and ``high``; None if there are none."""
    if "low" not in rows:
        return None
    low, high = columns_of(rows, "low", "high")
    return low, high


def over_seeds_at(
    games: np.ndarray, curves: Sequence[tuple[np.ndarray, ...]]
) -> dict[str, np.ndarray]:
    """Return the median and quartiles of several lines, x and y of each, at numbers of games."""
    values = [np.interp(games, x, y) for x, y in curves]
    low, median, high = np.percentile(values, (25, 50, 75), axis=0)
    return {"games_played": games, "median": median, "low": low, "high": high}


def median_curve(rows: pd.DataFrame, label: str, look: tuple[str, str], band: bool = True) -> Curve:
    """Return the line of medians over seeds, its quartiles as a band."""
    return curve_of(rows, "median", label, look, interval_of(rows) if band else None)


def figure_of(width: float, height: float, title: str = "") -> Figure:
    """Return an empty figure with a title. Sizes are in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    if title:
        figure.suptitle(title, x=0.02, ha="left", fontsize=13, fontweight="bold")
    return figure


def quiet(axes: Axes, ticks: Literal["x", "y"] = "y") -> None:
    """Remove unneeded lines of a panel, and draw pale lines at the ticks of one axis."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(colors=GREY, length=3)
    axes.grid(axis=ticks, color=PALE, linewidth=0.7)
    axes.set_axisbelow(True)


MOST_POINTS = 400
"""Generations beyond which neighbours are averaged: the points of more cannot be told apart."""


def thinned(
    parts: Sequence[pd.DataFrame], unit: str = "generations"
) -> tuple[list[pd.DataFrame], str]:
    """Return no more rows of each part than can be drawn, means of as many neighbours in each.

    The neighbours are shared out evenly, so that no mean at the end is one of a few rows.

    Args:
        parts: the rows of each line, or of several.
        unit: what a row is, in the plural.

    Returns:
        The parts, and what they show, such as ``, means of 3 generations``; empty: all rows.
    """
    step = max((-(-len(part) // MOST_POINTS) for part in parts), default=1)
    if step <= 1:
        return list(parts), ""
    means = []
    for part in parts:
        points = max(1, round(len(part) / step))
        places = np.arange(len(part)) * points // max(1, len(part))
        means.append(part.groupby(places).mean(numeric_only=True))
    return means, f", means of {step} {unit}"


def grid_of(
    title: str, count: int, size: tuple[float, float], step: float, shared: bool = False
) -> tuple[Figure, list[Axes]]:
    """Return a figure of ``count`` panels, in rows of at most four.

    Args:
        title: the title of the figure.
        count: the number of panels.
        size: the width and the height of a row of one panel, in inches.
        step: the width of each further panel of a row, in inches.
        shared: whether all panels have the same axes.
    """
    columns = min(count, _COLUMNS)
    height = -(-count // columns)
    figure = figure_of(size[0] + step * (columns - 1), size[1] * height, title)
    grid = figure.subplots(height, columns, sharex=shared, sharey=shared, squeeze=False).ravel()
    for unused in grid[count:]:
        unused.remove()
    return figure, list(grid[:count])


def panels(title: str, names: Sequence[str], rows: pd.DataFrame) -> tuple[Figure, list[Axes]]:
    """Return a figure with one panel per name, on shared axes. Several panels have titles.

    The horizontal axis shows the games of ``rows``, with their generations along the top.
    """
    figure, grid = grid_of(title, len(names), _SIZE, 4.2, shared=True)
    end = float(rows["games_played"].max())
    for axes, name in zip(grid, names, strict=True):
        quiet(axes)
        axes.set_xlabel("games played")
        axes.xaxis.set_major_formatter(FuncFormatter(_games))
        if len(names) > 1:
            axes.set_title(name, loc="left", fontsize=11)
        axes.set_xlim(0, end * 1.01 if end else 1)
        _add_generations(axes, rows)
    return figure, grid


def chart(
    title: str, curves: Mapping[str, Sequence[Curve]], rows: pd.DataFrame, scale: Scale
) -> Figure:
    """Return a figure with one panel of lines per name, all on the same scale.

    Args:
        title: the title of the figure.
        curves: the lines of each panel, by the panel's name.
        rows: the generations of the runs, which set the range of the axes.
        scale: the scale of the vertical axes.
    """
    figure, axes_of = panels(title, list(curves), rows)
    measured = {float(x) for lines in curves.values() for line in lines for x in line.x}
    for axes, lines in zip(axes_of, curves.values(), strict=True):
        scale.apply(axes)
        if len(measured) == 1:  # beside one another, not on the edge of an empty panel
            lines = [replace(line, x=np.array([place + 0.5])) for place, line in enumerate(lines)]
            axes.set_xlim(0, len(lines))
            axes.set_xticks([])
            axes.set_xlabel(f"a single measurement, after {min(measured):,.0f} games")
        draw(axes, lines)
    axes_of[0].set_ylabel(scale.label)
    return figure


def share_map(axes: Axes, edges: Sequence[float] | np.ndarray, shares: np.ndarray) -> Any:
    """Draw shares, float64 [N, N], as colours; ``edges`` are those of rows and columns alike."""
    axes.spines[:].set_visible(False)
    return axes.pcolormesh(edges, edges, shares, cmap="RdBu", vmin=0, vmax=1, rasterized=True)


def share_bar(figure: Figure, image: Any, label: str, **where: Any) -> None:
    """Draw the bar that says which colour of a ``share_map`` is which share."""
    bar = figure.colorbar(image, format=PercentFormatter(1, decimals=0), **where)
    bar.set_label(label, color=GREY)
    bar.outline.set_visible(False)


def draw(axes: Axes, lines: Sequence[Curve]) -> None:
    """Draw lines, bands first, and write each label at the end of its line.

    The vertical limits are set before, for all panels: labels are placed by them.
    """
    for line in lines:
        if line.band is not None and len(line.x) == 1:  # a band of no width would not be seen
            axes.vlines(line.x, *line.band, color=line.colour, alpha=0.4, linewidth=3)
        elif line.band is not None:
            axes.fill_between(line.x, *line.band, color=line.colour, alpha=0.16, linewidth=0)
    for line in lines:
        if line.points is not None:
            axes.plot(line.x, line.points, ".", color=line.colour, alpha=0.35, markersize=4)
        is_marked = len(line.x) == 1 or (len(line.x) <= 25 and line.points is None)
        marker = "o" if is_marked else ""
        width = 1.8 if len(line.x) <= 400 else 0.7  # many points of a line would fill an area
        look: dict[str, Any] = {"linewidth": width, "marker": marker, "clip_on": not marker}
        if not line.label:
            look = {"linewidth": 0.7, "alpha": 0.3}
        axes.plot(line.x, line.y, line.dashes, color=line.colour, **look)
    lines = [line for line in lines if line.label]
    to_axes = axes.transScale + axes.transLimits
    ends = [float(to_axes.transform((line.x[-1], line.y[-1]))[1]) for line in lines]
    heights = spread(ends, 0.062, 0.0, 1.0)
    for line, height in zip(lines, heights, strict=True):
        is_long = len(line.label) > _LONGEST_LABEL  # the opponents at a table, joined by +
        axes.annotate(
            line.label.replace(AND, f"{AND}\n") if is_long else line.label,
            (1, height),
            xycoords="axes fraction",
            xytext=(8, 0),
            textcoords="offset points",
            color=line.colour,
            va="center",
            fontweight="bold",
            annotation_clip=False,
        )


def spread(heights: list[float], gap: float, low: float, high: float) -> list[float]:
    """Return label heights moved apart, as little as need be, until each pair is ``gap`` apart."""
    order = np.argsort(heights, kind="stable")
    wanted = np.clip(np.asarray(heights, float)[order], low, high)
    steps = gap * np.arange(len(wanted))
    blocks: list[list[float]] = []  # monotone regression of (height - step) by pooling neighbours
    for value in wanted - steps:
        blocks.append([value])
        while len(blocks) > 1 and np.mean(blocks[-2]) > np.mean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    placed = np.repeat([np.mean(block) for block in blocks], [len(block) for block in blocks])
    placed += steps
    # Back inside, the top first: each bound moves only the labels that crowd at it.
    placed = np.minimum(placed, high - gap * np.arange(len(placed))[::-1])
    placed = np.maximum(placed, low + steps)
    result = np.empty_like(placed)
    result[order] = placed
    return result.tolist()


def _add_generations(axes: Axes, rows: pd.DataFrame) -> None:
    """Write generations along the top: games on the lower axis, at equal games a generation."""
    numbers, first = np.unique(rows["generation"].to_numpy(float), return_index=True)
    games = rows["games_played"].to_numpy(float)[first]
    if len(numbers) < 2:
        return
    ticks = [
        tick
        for tick in MaxNLocator(6, integer=True).tick_values(numbers[0], numbers[-1])
        if numbers[0] <= tick <= numbers[-1]
    ]
    places, names = np.interp(ticks, numbers, games), [f"{tick:,.0f}" for tick in ticks]
    shown = _apart(places / (games.max() or 1.0), names)
    upper = axes.secondary_xaxis("top")
    upper.set_xticks(places[shown], [names[tick] for tick in shown])
    upper.spines["top"].set_visible(False)
    upper.tick_params(colors=GREY, length=0, labelsize=9)
    upper.set_xlabel("generation", color=GREY, fontsize=9)


def _apart(places: np.ndarray, names: Sequence[str]) -> list[int]:
    """Return which names at these shares of an axis can be written without overlapping.

    The last name is kept first. Some names lie close together if generations differ in their games.
    """
    shown: list[int] = []
    for tick in reversed(range(len(names))):
        need = _LETTER * (len(names[tick]) + len(names[shown[-1]]) + 2) / 2 if shown else 0.0
        if not shown or places[shown[-1]] - places[tick] >= need:
            shown.append(tick)
    return shown[::-1]


def _games(value: float, _position: int | None = None) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g}"


def plain_name(text: str) -> str:
    """Return a text as a part of the name of a file.

    Signs other than letters, digits and _ = become hyphens, without dots and slashes.
    """
    return re.sub(r"[^\w=]+", "-", text).strip("-")


def save_all(
    pictures: Mapping[str, Callable[[], Figure]], folder: str | os.PathLike[str] | Place
) -> list[Place]:
    """Draw pictures into a folder, made where it is missing, by name; their paths, PNG and SVG.

    Raises:
        ResultsError: the system refused.
    """
    folder = place_of(folder)
    make_folder(folder)
    with matplotlib.rc_context(STYLE):
        return [path for name, draw in pictures.items() for path in save(draw(), folder / name)]


def save(figure: Figure, stem: Place) -> list[Place]:
    """Write a figure as STEM.png and STEM.svg and return their paths."""
    paths = [stem.with_name(f"{stem.name}.{kind}") for kind in ("png", "svg")]
    for path, options in zip(paths, ({"dpi": 160}, {"metadata": {"Date": None}}), strict=True):
        picture = io.BytesIO()
        figure.savefig(picture, format=path.suffix[1:], **options)  # type: ignore[arg-type]
        atomic_write(path, picture.getvalue())
    return paths


def copy_small(source: Path, target: Path) -> None:
    """Write a PNG again with 64 colours, a third of the size, as a page wants it."""
    from PIL import Image

    picture = io.BytesIO()
    with Image.open(source) as full:
        full.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(
            picture, "PNG", optimize=True
        )
    atomic_write(target, picture.getvalue())
