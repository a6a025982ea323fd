"""The graphs of the experiments: games won over turns, medians and quartiles of the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from evo.studies.figures import draw_band, save_small
from evo.studies.fox_and_hounds.courses import LearningCourse, published_courses
from evo.studies.fox_and_hounds.experiments import ROLES
from evo.studies.report import Evidence
from results.plots.style import COLOURS, figure_of, quiet

COLOUR = dict(zip(ROLES, (COLOURS[1], COLOURS[0]), strict=True))
ACROSS = {8: 4, 4: 2}
"""Panels side by side, by the number of panels; otherwise at most three."""


def draw(evidence: Evidence, folder: Path) -> list[Path]:
    """Draw the learning courses of each experiment with fox and hounds, and return the paths.

    There are figures of games won and of positions seen.
    """
    courses = list(evidence.values.values())
    figures = {}
    for number in (1, 2, 3, 4, 5, 0):
        some = [course for course in courses if course.cell.experiment == number]
        name = f"experiment-{number}" if number else "adaptive"
        figures[name] = partial(courses_figure, some)
    seen = [evidence.values[name] for name in ("5-low-low", "5-high-high")]
    figures["seen"] = partial(courses_figure, seen, is_of_positions=True)
    return [
        save_small(figure, folder / f"fox-and-hounds-{name}.png")
        for name, figure in figures.items()
    ]


def courses_figure(courses: Sequence[LearningCourse], is_of_positions: bool = False) -> Figure:
    """Return a figure of learning courses, a panel each: games won, or positions seen."""
    across = ACROSS.get(len(courses), min(len(courses), 3))
    down = -(-len(courses) // across)
    figure = figure_of(0.6 + 3.8 * across, 0.6 + 2.7 * down)
    grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
    for axes in grid[len(courses) :]:
        axes.set_visible(False)
    published = published_courses()
    shown: dict[Any, Artist] = {}
    for axes, course in zip(grid, courses, strict=False):
        _panel(axes, course, published.get(course.cell.name), is_of_positions)
        handles, labels = axes.get_legend_handles_labels()
        shown |= dict(zip(labels, handles, strict=True))
    figure.legend(list(shown.values()), list(shown), loc="outside lower center", ncols=3)
    return figure


def _panel(
    axes: Axes, course: LearningCourse, source: LearningCourse | None, is_of_positions: bool
) -> None:
    """Draw the course of each learning role, or of both if none learns, and the published curve."""
    quiet(axes)
    axes.set_title(course.cell.in_words.replace("; ", "\n"), loc="left", fontsize=8)
    learning = [role for role in ROLES if any(getattr(course.cell, role))] or list(ROLES)
    for role in learning:
        if source is not None:
            turns, values = _curve(source, role, is_of_positions)
            axes.plot(turns, values[:, 0], color="0.45", linewidth=0.5, label="published")
        turns, values = _curve(course, role, is_of_positions)
        band = np.quantile(values, (0.25, 0.5, 0.75), axis=1)
        draw_band(axes, turns, band, 0.25, color=COLOUR[role], linewidth=1.4, label=role)
    axes.set_xlabel("million turns", fontsize=8)
    if not is_of_positions:
        axes.set_ylim(0, 1.02)
        axes.yaxis.set_major_formatter(PercentFormatter(1))


def _curve(
    course: LearningCourse, role: str, is_of_positions: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the curve of a role: million turns, and the values of each pair.

    Phases without values are left out. Values are games won, or positions seen.
    """
    values = course.seen(role) if is_of_positions else course.wins[role]
    counted = ~np.isnan(values).any(axis=1)
    return course.turns[counted] / 1e6, values[counted]
