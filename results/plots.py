"""Pictures of a run: fitness, diversity and win rates over the games played.

Drawn with matplotlib's objects alone, never through pyplot, so that a program with pictures of
its own is not disturbed. The same run gives the same SVG bytes.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from results.analysis import champion_curve
from results.errors import ResultsError
from results.files import atomic_write, make_folder
from results.reader import Run

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Told apart with any colour vision. Source: Okabe and Ito, Color Universal Design (2008)."""

_GREY, _PALE = "#555555", "#DDDDDD"
_SIZE = (7.2, 4.3)
_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "lines.markersize": 4,
    "svg.hashsalt": "evo-tournaments",
    "svg.fonttype": "path",
}


@dataclass(frozen=True)
class _Line:
    """One labelled line with an optional band: x, y and the band's ends are float64 [K]."""

    label: str
    x: np.ndarray
    y: np.ndarray
    colour: str
    band: tuple[np.ndarray, np.ndarray] | None = None
    dashes: str = "-"


def plot_run(run: Run, folder: str | os.PathLike[str] | None = None) -> list[Path]:
    """Draw a run into ``folder`` (RUN/plots) and return the paths of the files, PNG and SVG.

    ``fitness`` and ``diversity`` are always drawn, ``win-rate`` only when there are evaluations:
    the champions' win rate against each opponent with its 95% Wilson interval.

    Raises:
        ResultsError: the run has no generation yet, is damaged, or the folder cannot be written.
    """
    generations = run.generations
    if generations.empty:
        raise ResultsError(f"{run.path} has no generation to draw yet; let the run go on a while")
    target = Path(folder) if folder is not None else run.path / "plots"
    pictures: dict[str, Callable[[], Figure]] = {
        "fitness": lambda: fitness_figure(generations),
        "diversity": lambda: diversity_figure(generations),
    }
    curve = champion_curve(run)
    if not curve.empty:
        pictures["win-rate"] = lambda: win_rate_figure(curve)
    make_folder(target)
    with matplotlib.rc_context(_STYLE):
        return [path for name, draw in pictures.items() for path in _save(draw(), target / name)]


def fitness_figure(generations: pd.DataFrame) -> Figure:
    """Draw the best and the mean raw fitness, and one standard deviation about the mean."""
    groups = _by_population(generations)
    figure, panels = _panels("Fitness in the course of evolution", [name for name, _ in groups])
    limits = _limits(generations)
    for axes, (_, rows) in zip(panels, groups, strict=True):
        axes.set_ylim(*limits)
        x, mean, std = (rows[key].to_numpy(float) for key in ("games_played", "mean", "std"))
        best = _Line("best", x, rows["best"].to_numpy(float), COLOURS[1])
        spread = _Line("mean ± s.d.", x, mean, COLOURS[0], (mean - std, mean + std))
        _draw(axes, [best, spread])
        _add_generations(axes, rows)
    panels[0].set_ylabel("raw fitness (points of the scheme)")
    return figure


def _limits(rows: pd.DataFrame) -> tuple[float, float]:
    """The lowest and highest fitness drawn for any population, with a margin."""
    low = float(min(rows["best"].min(), (rows["mean"] - rows["std"]).min()))
    high = float(max(rows["best"].max(), (rows["mean"] + rows["std"]).max()))
    margin = 0.04 * (high - low) or 1.0
    return low - margin, high + margin


def diversity_figure(generations: pd.DataFrame) -> Figure:
    """Draw the mean share of bits in which two individuals differ."""
    groups = _by_population(generations)
    figure, panels = _panels("Diversity in the course of evolution", [name for name, _ in groups])
    highest = max(0.55, 1.05 * float(generations["diversity"].max()))
    for axes, (_, rows) in zip(panels, groups, strict=True):
        x, y = rows["games_played"].to_numpy(float), rows["diversity"].to_numpy(float)
        axes.set_ylim(0, highest)
        _reference(axes, 0.5, "random genomes")
        _draw(axes, [_Line(f"{y[-1]:.0%}", x, y, COLOURS[0])])
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        _add_generations(axes, rows)
    panels[0].set_ylabel("bits in which two individuals differ (mean)")
    return figure


def win_rate_figure(curve: pd.DataFrame) -> Figure:
    """Draw a curve of ``analysis`` against each opponent, with its interval."""
    groups = _by_population(curve)
    figure, panels = _panels("The champion against fixed opponents", [name for name, _ in groups])
    colours = dict(zip(sorted(curve["opponent"].unique()), COLOURS * 99, strict=False))
    for axes, (_, rows) in zip(panels, groups, strict=True):
        axes.set_ylim(-0.02, 1.02)
        _reference(axes, 0.5, "even")
        _draw(axes, [_opponent_line(part, colours) for _, part in rows.groupby("opponent")])
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        _add_generations(axes, rows)
    panels[0].set_ylabel("games won (band: 95% interval)")
    return figure


def _opponent_line(rows: pd.DataFrame, colours: dict[str, str]) -> _Line:
    name = str(rows["opponent"].iloc[0])
    low, high = rows["low"].to_numpy(float), rows["high"].to_numpy(float)
    style = ("-", "--", ":")[list(colours).index(name) // len(COLOURS) % 3]
    x, y = rows["games_played"].to_numpy(float), rows["win_rate"].to_numpy(float)
    return _Line(f"{name}  {y[-1]:.0%}", x, y, colours[name], (low, high), style)


def _by_population(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return [(str(name), part) for name, part in rows.groupby("population", sort=True)]


def _panels(title: str, names: Sequence[str]) -> tuple[Figure, list[Axes]]:
    """A figure with one panel a population; several carry their names."""
    width = _SIZE[0] + 4.2 * (len(names) - 1)
    figure = Figure(figsize=(width, _SIZE[1]), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, x=0.02, ha="left", fontsize=13, fontweight="bold")
    panels = list(figure.subplots(1, len(names), sharey=True, squeeze=False)[0])
    for axes, name in zip(panels, names, strict=True):
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(_GREY)
        axes.tick_params(colors=_GREY, length=3)
        axes.grid(axis="y", color=_PALE, linewidth=0.7)
        axes.set_axisbelow(True)
        axes.set_xlabel("games played")
        axes.xaxis.set_major_formatter(FuncFormatter(_games))
        if len(names) > 1:
            axes.set_title(name, loc="left", fontsize=11)
    return figure, panels


def _draw(axes: Axes, lines: Sequence[_Line]) -> None:
    """Draw lines, bands first, and write each label at the end of its line.

    The vertical limits are set before, for all panels: labels are placed by them.
    """
    for line in lines:
        if line.band is not None and len(line.x) == 1:  # a band of no width would not be seen
            axes.vlines(line.x, *line.band, color=line.colour, alpha=0.4, linewidth=3)
        elif line.band is not None:
            axes.fill_between(line.x, *line.band, color=line.colour, alpha=0.16, linewidth=0)
    for line in lines:
        marker = "o" if len(line.x) <= 25 else ""
        width = 1.8 if len(line.x) <= 400 else 0.7  # many points of a line would fill an area
        axes.plot(line.x, line.y, line.dashes, color=line.colour, linewidth=width, marker=marker)
    end = max(float(line.x[-1]) for line in lines)
    axes.set_xlim(0, end * 1.01 if end else 1)
    low, high = axes.get_ylim()
    heights = _spread([float(line.y[-1]) for line in lines], 0.062 * (high - low), low, high)
    for line, height in zip(lines, heights, strict=True):
        axes.annotate(
            line.label,
            (1, height),
            xycoords=("axes fraction", "data"),
            xytext=(8, 0),
            textcoords="offset points",
            color=line.colour,
            va="center",
            fontweight="bold",
            annotation_clip=False,
        )


def _spread(heights: list[float], gap: float, low: float, high: float) -> list[float]:
    """Move label heights apart, as little as need be, until each pair is ``gap`` apart."""
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


def _reference(axes: Axes, height: float, label: str) -> None:
    axes.axhline(height, color=_GREY, linewidth=0.9, dashes=(4, 3), zorder=1)
    axes.annotate(
        label,
        (0, height),
        xycoords=("axes fraction", "data"),
        xytext=(6, 4),
        textcoords="offset points",
        color=_GREY,
        ha="left",
        fontsize=9,
    )


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
    upper = axes.secondary_xaxis("top")
    upper.set_xticks(np.interp(ticks, numbers, games), [f"{tick:,.0f}" for tick in ticks])
    upper.spines["top"].set_visible(False)
    upper.tick_params(colors=_GREY, length=0, labelsize=9)
    upper.set_xlabel("generation", color=_GREY, fontsize=9)


def _games(value: float, _position: int | None = None) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g}"


def _save(figure: Figure, stem: Path) -> list[Path]:
    paths = [stem.with_name(f"{stem.name}.{kind}") for kind in ("png", "svg")]
    for path, options in zip(paths, ({"dpi": 160}, {"metadata": {"Date": None}}), strict=True):
        picture = io.BytesIO()
        figure.savefig(picture, format=path.suffix[1:], **options)  # type: ignore[arg-type]
        atomic_write(path, picture.getvalue())
    return paths
