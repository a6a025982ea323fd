"""The graphs of the experiments: games won over turns, medians and quartiles of the pairs."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from evo.studies.fox_and_hounds.study import ROLES, Course
from results.folder.files import atomic_write, make_folder
from results.plots.style import COLOURS, STYLE, figure_of, quiet

COLOUR = dict(zip(ROLES, (COLOURS[1], COLOURS[0]), strict=True))
ACROSS = 3
"""Panels side by side."""
_DOTS_AN_INCH = 80


def plot_courses(
    courses: Sequence[Course],
    published: Mapping[str, Course],
    file: Path,
    is_of_positions: bool = False,
) -> Path:
    """Draw courses, a panel each, into a PNG file; return its path.

    Args:
        courses: of one experiment.
        published: published courses, by the name of the cell.
        is_of_positions: draw the positions seen, in place of games won.
        file: written whole or not at all.

    Raises:
        ResultsError: the system refused.
    """
    with matplotlib.rc_context(STYLE):
        across = 4 if len(courses) == 8 else 2 if len(courses) == 4 else min(len(courses), ACROSS)
        down = -(-len(courses) // across)
        figure = figure_of(0.6 + 3.8 * across, 0.6 + 2.7 * down)
        grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
        for axes in grid[len(courses) :]:
            axes.set_visible(False)
        for axes, course in zip(grid, courses, strict=False):
            _panel(axes, course, published.get(course.cell.name), is_of_positions)
        shown = {label: handle for axes in grid for handle, label in _legend(axes)}
        figure.legend(shown.values(), list(shown), loc="outside lower center", ncols=3)
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=_DOTS_AN_INCH, metadata={"Software": None})
    make_folder(file.parent)
    atomic_write(file, stream.getvalue())
    return file


def _legend(axes: Axes) -> list[tuple[Artist, str]]:
    handles, labels = axes.get_legend_handles_labels()
    return list(zip(handles, labels, strict=True))


def _panel(axes: Axes, course: Course, source: Course | None, is_of_positions: bool) -> None:
    """Draw the roles that learn, or both where none does, and the published curves."""
    quiet(axes)
    axes.set_title(course.cell.in_words.replace("; ", "\n"), loc="left", fontsize=8)
    learning = [role for role in ROLES if any(getattr(course.cell, role))] or list(ROLES)
    for role in learning:
        if source is not None:
            turns, values = _curve(source, role, is_of_positions)
            axes.plot(turns, values[:, 0], color="0.45", linewidth=0.5, label="published")
        turns, values = _curve(course, role, is_of_positions)
        low, middle, high = np.quantile(values, (0.25, 0.5, 0.75), axis=1)
        axes.plot(turns, middle, color=COLOUR[role], linewidth=1.4, label=role)
        axes.fill_between(turns, low, high, color=COLOUR[role], alpha=0.25, linewidth=0)
    axes.set_xlabel("million turns", fontsize=8)
    if not is_of_positions:
        axes.set_ylim(0, 1.02)
        axes.yaxis.set_major_formatter(PercentFormatter(1))


def _curve(course: Course, role: str, is_of_positions: bool) -> tuple[np.ndarray, np.ndarray]:
    """Million turns, and the values of each pair, after the phases that have some."""
    values = course.seen(role) if is_of_positions else course.wins[role]
    counted = ~np.isnan(values).any(axis=1)
    return course.turns[counted] / 1e6, values[counted]
