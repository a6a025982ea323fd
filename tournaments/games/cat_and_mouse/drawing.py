"""Cat and mouse as pictures: a grid, cats and mice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tournaments.drawing import shapes
from tournaments.drawing.figures import cat, mouse
from tournaments.drawing.shapes import (
    BLUE,
    MARGIN,
    ORANGE,
    SEAT_PALES,
    Disc,
    Drawing,
    Scene,
    Shape,
)
from tournaments.games.cat_and_mouse.board import COLS, NUMBER, PIECES, ROWS, beside, num_pieces

CATS, MICE = (ORANGE, "#8a3d00"), (BLUE, "#003f66")
"""Second pieces are darker."""


def draw(scenes: Sequence[Scene]) -> Drawing:
    """Draw positions of cat and mouse on a grid, with a pale dot where the last mover came from."""
    board = scenes[0].state.game.board
    rows, cols = int(board[ROWS]), int(board[COLS])
    floor = list(_floor(board))
    frames = [
        [*floor, *_left(board, before.state.array, scene), *_figures(board, scene.state.array)]
        for before, scene in zip([scenes[0], *scenes], scenes, strict=False)
    ]
    return Drawing(cols, rows, frames)


def _corner(board: np.ndarray, cell: int) -> tuple[float, float]:
    """Return the upper left corner of a cell in a drawing of cat and mouse.

    Cells are numbered from the bottom left.
    """
    y, x = divmod(int(cell), int(board[COLS]))
    return MARGIN + x, MARGIN + int(board[ROWS]) - 1 - y


def _floor(board: np.ndarray) -> Iterator[Shape]:
    free = beside(board).max(axis=1) >= 0
    for cell in range(len(free)):
        yield shapes.cell(*_corner(board, cell), "#f1f1f1" if free[cell] else "#555555", 0.03)


def _left(board: np.ndarray, before: np.ndarray, scene: Scene) -> Iterator[Shape]:
    """Yield a dot on the cell that the last mover left, unless another piece is there."""
    pieces = slice(PIECES, PIECES + num_pieces(board))
    if scene.seat >= 0:
        for cell in {*before[pieces].tolist()} - {*scene.state.array[pieces].tolist()}:
            x, y = _corner(board, cell)
            yield Disc(x + 0.5, y + 0.5, 0.1, SEAT_PALES[scene.seat])


def _figures(board: np.ndarray, state: np.ndarray) -> Iterator[Shape]:
    """Yield the cats and the mice of a position. Pieces on one cell are smaller, side by side."""
    cats = int(board[NUMBER])
    placed = state[PIECES : PIECES + num_pieces(board)].tolist()
    for piece, cell in enumerate(placed):
        together = [other for other, place in enumerate(placed) if place == cell]
        if cell >= 0:
            x, y = _corner(board, cell)
            share = 1 / len(together)
            middle = x + (together.index(piece) + 0.5) * share, y + 0.5
            figure, colours = (cat, CATS) if piece < cats else (mouse, MICE)
            yield figure(middle, 0.5 + 0.5 * share, colours[piece not in (0, cats)])
