"""Turns and mirrors of a board of dots and boxes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tournaments.games.dots_and_boxes.rules import COLS, EDGES, ROWS, place_of
from tournaments.rules import Symmetries

Point = tuple[int, int]


def symmetries(board: np.ndarray) -> Symmetries:
    """What they do to edges, which are inputs and actions, and to boxes, the hidden nodes.

    A board of unlike sides has four, one of equal sides the eight of a square.
    """
    rows, cols = int(board[ROWS]), int(board[COLS])
    height, width = 2 * rows, 2 * cols  # in half edges, so that middles are whole numbers
    maps: list[Callable[[Point], Point]] = [
        lambda at: at,
        lambda at: (at[0], width - at[1]),
        lambda at: (height - at[0], at[1]),
        lambda at: (height - at[0], width - at[1]),
    ]
    if rows == cols:
        maps += [lambda at, turn=turn: turn((at[1], at[0])) for turn in list(maps)]  # type: ignore[misc]
    edges = [place_of(board, edge) for edge in range(board[EDGES])]
    boxes = [(2 * r + 1, 2 * c + 1) for r in range(rows) for c in range(cols)]
    moved_edges, moved_boxes = _moved(edges, maps), _moved(boxes, maps)
    return Symmetries(moved_edges, moved_boxes, moved_edges)


def _moved(places: list[Point], maps: list[Callable[[Point], Point]]) -> np.ndarray:
    """The number of the place to which each map takes each place, int64 ``[K, places]``."""
    numbers = {place: number for number, place in enumerate(places)}
    return np.array([[numbers[turn(place)] for place in places] for turn in maps], dtype=np.int64)
