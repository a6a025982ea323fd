"""Dots and boxes as pictures: dots, edges, and boxes in the colour of who closed them."""

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
from tournaments.games.dots_and_boxes.rules import BOXES, COLS, DRAWN, EDGES, ROWS


def draw(scenes: Sequence[Scene]) -> Drawing:
    """Dots, edges, and boxes in the colour of who closed them; the last edge in its mover's."""
    board = scenes[0].state.game.board
    rows, cols = int(board[ROWS]), int(board[COLS])
    dots = [
        Disc(MARGIN + x, MARGIN + y, 0.09, INK) for y in range(rows + 1) for x in range(cols + 1)
    ]
    owned: list[Shape] = []
    frames: list[list[Shape]] = []
    for before, scene in zip([scenes[0], *scenes], scenes, strict=False):
        owned = owned + list(_closed(board, before.state.array, scene))
        edges = _edges(board, before.state.array)
        last = _edge(board, scene.action, SEAT_COLOURS[scene.seat]) if scene.seat >= 0 else []
        frames.append([*owned, *edges, *last, *dots])
    return Drawing(cols, rows, frames)


def _closed(board: np.ndarray, before: np.ndarray, scene: Scene) -> Iterator[Shape]:
    """The boxes that the last move closed."""
    first, count, cols = _places(board)
    now = scene.state.array
    for box in range(count):
        if now[first + box] == 4 and before[first + box] < 4:
            y, x = divmod(box, cols)
            yield shapes.cell(MARGIN + x, MARGIN + y, SEAT_PALES[scene.seat], 0.1)


def _places(board: np.ndarray) -> tuple[int, int, int]:
    """Where the boxes are in a state, how many they are, and columns."""
    first = DRAWN + int(board[EDGES])
    return first, int(board[BOXES]), int(board[COLS])


def _edges(board: np.ndarray, state: np.ndarray) -> Iterator[Shape]:
    for edge in range(int(board[EDGES])):
        if state[DRAWN + edge]:
            yield from _edge(board, edge, GREY)


def _edge(board: np.ndarray, edge: int, colour: str) -> list[Shape]:
    """One edge, short of its dots."""
    rows, cols = int(board[ROWS]), int(board[COLS])
    vertical = (rows + 1) * cols
    y, x = divmod(edge, cols) if edge < vertical else divmod(edge - vertical, cols + 1)
    across, down = (1, 0) if edge < vertical else (0, 1)
    ends = [(MARGIN + x + share * across, MARGIN + y + share * down) for share in (0.17, 0.83)]
    return [Line(*ends[0], *ends[1], 0.08, colour)]
