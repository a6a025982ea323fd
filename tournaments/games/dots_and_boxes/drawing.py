"""Dots and boxes as pictures: dots, edges, and boxes in the colour of the seat that closed them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tournaments.drawing import shapes
from tournaments.drawing.shapes import (
    GREY,
    INK,
    MARGIN,
    SEAT_COLOURS,
    SEAT_PALES,
    Disc,
    Drawing,
    Line,
    Scene,
    Shape,
)
from tournaments.games.dots_and_boxes.rules import BOXES, COLS, DRAWN, EDGES, ROWS, place_of

PALE_GREY = "#e4e4e4"


def draw(scenes: Sequence[Scene]) -> Drawing:
    """Draw positions of dots and boxes: dots, edges, and boxes in the colour of their seat.

    The last edge has the mover's colour.
    """
    board = scenes[0].state.game.board
    rows, cols = int(board[ROWS]), int(board[COLS])
    dots = [
        Disc(MARGIN + x, MARGIN + y, 0.09, INK) for y in range(rows + 1) for x in range(cols + 1)
    ]
    owned: list[Shape] = []
    frames: list[list[Shape]] = []
    for before, scene in zip([scenes[0], *scenes], scenes, strict=False):
        owned = _owned(board, owned, before.state.array, scene)
        drawn = (scene if scene.seat < 0 else before).state.array[DRAWN : DRAWN + board[EDGES]]
        edges = [_edge(board, edge, GREY) for edge in np.flatnonzero(drawn).tolist()]
        if scene.seat >= 0:
            edges.append(_edge(board, scene.action, SEAT_COLOURS[scene.seat]))
        frames.append([*owned, *edges, *dots])
    return Drawing(cols, rows, frames)


def _owned(board: np.ndarray, owned: list[Shape], before: np.ndarray, scene: Scene) -> list[Shape]:
    """Return the shapes of the boxes closed so far in dots and boxes, the last move's included.

    Boxes that are closed in a start position are grey.

    Args:
        board: the constants of the game.
        owned: the shapes of the boxes that were closed earlier.
        before: the position before the last move.
        scene: the position after it, and its mover.
    """
    first = DRAWN + int(board[EDGES])
    sides = slice(first, first + int(board[BOXES]))
    closed = scene.state.array[sides] == 4
    if scene.seat < 0:
        return list(_boxes(board, closed, PALE_GREY))
    return owned + list(_boxes(board, closed & (before[sides] < 4), SEAT_PALES[scene.seat]))


def _boxes(board: np.ndarray, which: np.ndarray, colour: str) -> Iterator[Shape]:
    for box in np.flatnonzero(which).tolist():
        y, x = divmod(box, int(board[COLS]))
        yield shapes.cell(MARGIN + x, MARGIN + y, colour, 0.1)


def _edge(board: np.ndarray, edge: int, colour: str) -> Line:
    """Return the line of an edge in a drawing of dots and boxes. It stops short of its dots."""
    y, x = place_of(board, edge)
    across, down = (1, 0) if y % 2 == 0 else (0, 1)
    ends = [
        (MARGIN + x // 2 + share * across, MARGIN + y // 2 + share * down) for share in (0.17, 0.83)
    ]
    return Line(*ends[0], *ends[1], 0.08, colour)
