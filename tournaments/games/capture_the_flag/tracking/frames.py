"""A tracker at work as pictures: the beliefs about hidden agents over a maze, frame by frame.

As in the videos of the notebook: the area of a red square is the probability of its cell, blue
lines bound the noisy distance, and a green line how far a watcher sees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from tournaments.drawing.shapes import BLUE, MARGIN, Disc, Film, Line, Shape, cell
from tournaments.games.capture_the_flag.tracking.graph import MazeGraph
from tournaments.games.capture_the_flag.tracking.record import (
    NOTHING,
    Observation,
    Observations,
    record_of,
)

WALLS, RED, GREEN, TRUTH = "#c9cdd2", "#d1232a", "#2e9e4f", "#111111"
LEAST_SHOWN = 0.0004
"""A square of a fiftieth of a cell's side is the smallest that is painted."""


def film_of(
    graph: MazeGraph,
    beliefs: np.ndarray,
    observations: Sequence[Observation] | Observations,
    truth: Sequence[int] = (),
    *,
    noise: int = 6,
    sight: int = 5,
    seconds: float = 0.15,
) -> Film:
    """Return a film of a tracker's beliefs about a hidden agent in a maze, a frame per observation.

    :func:`tournaments.drawing.film.write_film` writes it to a file.

    Args:
        graph: the maze.
        beliefs: float64 ``[T, C]``, as :meth:`.tracker.Tracker.filtered` returns.
        observations: the T observations from which the beliefs follow.
        truth: the cell on which the agent truly was, at each time, if it is known.
        noise: the largest error of noisy distances; -1: do not show them.
        sight: the distance at which watchers see; -1: do not show it.
        seconds: how long a frame is shown.
    """
    record, walls = record_of(observations, graph), list(walls_of(graph))
    frames = [
        [
            *walls,
            *believed(graph, belief),
            *_watched(graph, record, time, noise, sight),
            *(_agent(graph, truth[time]) if len(truth) else ()),
        ]
        for time, belief in enumerate(beliefs)
    ]
    return Film(graph.width + 2 * MARGIN, graph.height + 2 * MARGIN, frames, seconds)


def walls_of(graph: MazeGraph) -> Iterator[Shape]:
    """Yield the walls of a maze as squares: all places that are not cells."""
    free = set(zip(graph.rows.tolist(), graph.columns.tolist(), strict=True))
    for row in range(graph.height):
        for column in range(graph.width):
            if (row, column) not in free:
                yield cell(MARGIN + column, MARGIN + row, WALLS, 0.0)


def believed(graph: MazeGraph, belief: np.ndarray, colour: str = RED) -> Iterator[Shape]:
    """Yield a square per cell of a maze, its area in proportion to the cell's probability."""
    for number in np.flatnonzero(belief > LEAST_SHOWN):
        corner = MARGIN + int(graph.columns[number]), MARGIN + int(graph.rows[number])
        yield cell(*corner, colour, 0.5 - 0.5 * float(min(belief[number], 1.0)) ** 0.5)


def _watched(
    graph: MazeGraph, record: Observations, time: int, noise: int, sight: int
) -> Iterator[Shape]:
    """Draw the watchers of one observation, how far they see, and bounds of the noisy distances."""
    is_given = record.watchers[time] >= 0
    of_each = record.watchers[time][is_given], record.noisy[time][is_given].tolist()
    for watcher, distance in zip(*of_each, strict=True):
        column, row = int(graph.columns[watcher]), int(graph.rows[watcher])
        middle = MARGIN + column + 0.5, MARGIN + row + 0.5
        if noise >= 0 and distance != NOTHING:
            yield from diamond(middle, distance - noise - 0.5, BLUE, graph)
            yield from diamond(middle, distance + noise + 0.5, BLUE, graph)
        if sight >= 0:
            yield from diamond(middle, sight + 0.5, GREEN, graph)
        yield Disc(*middle, 0.36, BLUE)


def _agent(graph: MazeGraph, number: int) -> Iterator[Shape]:
    """Draw a ring around the cell of a maze on which the hidden agent truly is."""
    x, y = MARGIN + graph.columns[number] + 0.5, MARGIN + graph.rows[number] + 0.5
    turns = np.arange(17) * np.pi / 8
    rim = np.column_stack([x + 0.42 * np.cos(turns), y + 0.42 * np.sin(turns)]).round(3)
    for (left, low), (right, high) in pairwise(rim.tolist()):
        yield Line(left, low, right, high, 0.12, TRUTH)


def diamond(
    middle: tuple[float, float], radius: float, colour: str, graph: MazeGraph
) -> Iterator[Shape]:
    """Yield lines through the points of a maze at a Manhattan distance from a point.

    ``radius`` is the distance. Lines are cut off at the edge of the maze.
    """
    x, y = middle
    corners = (x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)
    if radius > 0:
        for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
            within = clipped((start, end), graph.width, graph.height)
            if within:
                (left, low), (right, high) = within
                yield Line(left, low, right, high, 0.09, colour)


Ends = tuple[tuple[float, float], tuple[float, float]]


def clipped(ends: Ends, width: int, height: int) -> Ends | None:
    """Return the part of a line that lies within the maze, or None (Liang and Barsky 1984)."""
    (x, y), (to_x, to_y) = ends
    first, last = 0.0, 1.0
    for begin, change, high in ((x, to_x - x, MARGIN + width), (y, to_y - y, MARGIN + height)):
        near, far = sorted(((MARGIN - begin) / change, (high - begin) / change))
        first, last = max(first, near), min(last, far)
    if first >= last:
        return None
    return (
        (x + first * (to_x - x), y + first * (to_y - y)),
        (x + last * (to_x - x), y + last * (to_y - y)),
    )
