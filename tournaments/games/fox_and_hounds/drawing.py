"""Fox and hounds as pictures: a board of light and dark squares, the fox and the hounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tournaments.drawing.figures import fox, hound
from tournaments.drawing.shapes import (
    MARGIN,
    SEAT_PALES,
    WHITE,
    Disc,
    Drawing,
    Point,
    Scene,
    Shape,
    Text,
    cell,
)
from tournaments.games.fox_and_hounds.board import COLS, FOX, HOUNDS, ROWS

LIGHT, DARK = "#f7f1e6", "#b58863"


def draw(scenes: Sequence[Scene]) -> Drawing:
    """Draw positions of fox and hounds, with a pale dot where the last mover came from."""
    board = scenes[0].state.game.board
    rows, cols = int(board[ROWS]), int(board[COLS])
    floor: list[Shape] = [
        cell(MARGIN + x, MARGIN + y, DARK if (rows - 1 - y + x) % 2 == 0 else LIGHT, 0.0)
        for y in range(rows)
        for x in range(2 * cols)
    ]
    frames = [
        [*floor, *_left(board, before.state.array, scene), *_figures(board, scene.state.array)]
        for before, scene in zip([scenes[0], *scenes], scenes, strict=False)
    ]
    return Drawing(2 * cols, rows, frames)


def _middle(board: np.ndarray, square: int) -> Point:
    """Return the middle of a dark square in a drawing of fox and hounds.

    The lowest row has dark squares from its first square on.
    """
    row, col = divmod(int(square), int(board[COLS]))
    return MARGIN + 2 * col + row % 2 + 0.5, MARGIN + int(board[ROWS]) - row - 0.5


def _left(board: np.ndarray, before: np.ndarray, scene: Scene) -> Iterator[Shape]:
    """Yield a dot on the square that the last mover left in fox and hounds."""
    now = scene.state.array
    if scene.seat >= 0:
        for square in {*before[FOX:].tolist()} - {*now[FOX:].tolist(), -1}:
            yield Disc(*_middle(board, square), 0.12, SEAT_PALES[scene.seat])


def _figures(board: np.ndarray, state: np.ndarray) -> Iterator[Shape]:
    if state[FOX] >= 0:
        yield fox(_middle(board, state[FOX]), 0.95)
    for number, square in enumerate(state[HOUNDS:], start=1):
        x, y = _middle(board, square)
        yield hound((x, y), 0.95)
        yield Text(x + 0.26, y + 0.46, str(number), 0.34, WHITE)
