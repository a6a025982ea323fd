"""Turns and mirrors of a board of dots and boxes."""

from __future__ import annotations

import numpy as np

from tournaments.games.dots_and_boxes.rules import COLS, EDGES, ROWS, place_of
from tournaments.rules import Symmetries


def symmetries(board: np.ndarray) -> Symmetries:
    """What they do to edges, which are inputs and actions, and to boxes, the hidden nodes.

    A board of unlike sides has four, one of equal sides the eight of a square.
    """
    rows, cols = int(board[ROWS]), int(board[COLS])
    shape = 2 * rows + 1, 2 * cols + 1  # in half edges, so that middles are whole numbers
    edges = _moved([place_of(board, edge) for edge in range(board[EDGES])], shape)
    boxes = _moved([(2 * r + 1, 2 * c + 1) for r in range(rows) for c in range(cols)], shape)
    return Symmetries(edges, boxes, edges)


def _moved(places: list[tuple[int, int]], shape: tuple[int, int]) -> np.ndarray:
    """Return the number of the place to which each map takes each place, int64 ``[K, places]``."""
    y, x = np.array(places).T
    numbers = np.zeros(shape, dtype=np.int64)
    numbers[y, x] = np.arange(len(places))
    maps = [numbers, numbers[:, ::-1], numbers[::-1], numbers[::-1, ::-1]]
    if shape[0] == shape[1]:
        maps += [turned.T for turned in maps]
    return np.array([turned[y, x] for turned in maps])
