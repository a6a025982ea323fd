"""The cat trap as pictures: hexagons, the cat, and blocked tiles, the last one in its colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np

from tournaments.drawing.figures import cat
from tournaments.drawing.shapes import (
    BLUE,
    CHARACTER,
    GREY,
    MARGIN,
    SEAT_PALES,
    Disc,
    Drawing,
    Point,
    Polygon,
    Scene,
    Shape,
    Text,
)
from tournaments.games.cat_trap.board import BLOCKED, CAT, SEATS, SIZE, TILES
from tournaments.games.cat_trap.rules import steps_to_rim

ROW = sqrt(3) / 2
"""From a row to the next, where a tile is 1 wide."""
FREE, RIM, TAKEN = "#f1e6c8", "#f7f1e0", "#555555"
RULER = 0.32
"""The size of the numbers beside the tiles."""
GAP = 0.93
"""The size of a hexagon as a share of its tile."""


def draw(scenes: Sequence[Scene]) -> Drawing:
    """Draw positions of cat trap: hexagons, the cat, and the tile blocked last in blue.

    A dot shows where the cat came from.
    """
    board = scenes[0].state.game.board
    frames: list[list[Shape]] = []
    for before, scene in zip([scenes[0], *scenes], scenes, strict=False):
        here, there = int(scene.state.array[CAT]), int(before.state.array[CAT])
        shapes = list(_tiles(board, scene, before.state.array))
        if scene.seat == SEATS.index("cat"):
            shapes.append(Disc(*_middle(board, there), 0.1, SEAT_PALES[scene.seat]))
        frames.append([*shapes, cat(_middle(board, here), 0.95), *_rulers(board)])
    size = int(board[SIZE])
    return Drawing(size + 0.5, (size - 1) * ROW + 1 / ROW, frames)


def _rulers(board: np.ndarray) -> Iterator[Text]:
    """Yield the numbers of columns and rows beside a drawing of cat trap, which name tiles."""
    for number in range(int(board[SIZE])):
        width = len(str(number)) * RULER * CHARACTER
        yield Text(MARGIN + number + 0.5 - width / 2, MARGIN - 0.12, str(number), RULER, GREY)
        y = _middle(board, number * int(board[SIZE]))[1]
        yield Text(MARGIN - 0.1 - width, y + RULER / 3, str(number), RULER, GREY)


def _middle(board: np.ndarray, tile: int) -> Point:
    """Return the middle of a tile in a drawing of cat trap.

    Odd rows are half a tile to the right.
    """
    y, x = divmod(tile, int(board[SIZE]))
    return MARGIN + x + 0.5 + 0.5 * (y % 2), MARGIN + 0.5 / ROW + y * ROW


def _tiles(board: np.ndarray, scene: Scene, before: np.ndarray) -> Iterator[Shape]:
    for tile in range(int(board[TILES])):
        blocked = scene.state.array[BLOCKED + tile]
        is_new = scene.seat >= 0 and blocked != before[BLOCKED + tile]
        free = RIM if steps_to_rim(board, tile) == 0 else FREE
        yield _hexagon(_middle(board, tile), (BLUE if is_new else TAKEN) if blocked else free)


def _hexagon(middle: Point, colour: str) -> Polygon:
    """Return a hexagon that stands on a corner, around a point."""
    x, y = middle
    half, side = 0.5 * GAP, 0.5 * GAP / ROW
    right = ((half, -side / 2), (half, side / 2))
    left = ((-half, side / 2), (-half, -side / 2))
    corners = ((0.0, -side), *right, (0.0, side), *left)
    return Polygon(tuple((x + across, y + down) for across, down in corners), colour)
