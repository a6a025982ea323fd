"""Games as pictures: the shapes of each position, for :mod:`tournaments.drawing.film`.

Our own games are drawn; of any other game the text board is the picture. Units are cells of the
board, x to the right, y downwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tournaments.drawing.film import CHARACTER, Disc, Film, Group, Line, Polygon, Shape, Text
from tournaments.games.cat_and_mouse import board as grid
from tournaments.games.dots_and_boxes import rules as boxes
from tournaments.player import State

BLUE, ORANGE, PALE_BLUE, PALE_ORANGE = "#0072b2", "#d55e00", "#bcdcf0", "#f8d5bd"
INK, GREY, WHITE = "#222222", "#8a8a8a", "#ffffff"
Point = tuple[float, float]
Part = Disc | Polygon
SEAT_COLOURS = (ORANGE, BLUE)
SEAT_PALES = (PALE_ORANGE, PALE_BLUE)
MARGIN = 0.5
LETTER = 0.045
"""The size of letters below a board, as a share of its longer side."""
LINE_HEIGHT = 1.6
"""As a share of the size of letters."""


class Scene(NamedTuple):
    """A position in the course of a game.

    Attributes:
        state: the position.
        seat: who moved last; -1 at the start.
        action: what was played last; -1 at the start.
        caption: what the picture says of it, a line each.
    """

    state: State
    seat: int
    action: int
    caption: tuple[str, ...]


class Drawing(NamedTuple):
    """The boards of a game: their width and height, and the shapes of each scene."""

    width: float
    height: float
    frames: list[list[Shape]]


def film(scenes: Sequence[Scene], players: Sequence[str], seconds: float) -> Film:
    """The picture of a game, its players named below it in the colours of their seats."""
    drawing = DRAWINGS.get(scenes[0].state.game.name, draw_text)(scenes)
    size = LETTER * max(drawing.width, drawing.height, 4)
    counts_points = max(scenes[-1].state.scores) > 1
    written = [
        [*_seats(scene.state, players, counts_points), *((line, INK) for line in scene.caption)]
        for scene in scenes
    ]
    widest = max(len(line) for lines in written for line, _ in lines) * CHARACTER * size
    top = 2 * MARGIN + drawing.height
    return Film(
        width=2 * MARGIN + max(drawing.width, widest),
        height=top + max(map(len, written)) * LINE_HEIGHT * size + MARGIN / 2,
        frames=[
            [*shapes, *_written(lines, top, size)]
            for shapes, lines in zip(drawing.frames, written, strict=True)
        ],
        seconds=seconds,
    )


def _seats(state: State, players: Sequence[str], with_points: bool) -> Iterator[tuple[str, str]]:
    """A line a seat, and its colour."""
    for number, (seat, player) in enumerate(zip(state.game.seats, players, strict=True)):
        points = f"  {state.scores[number]}" if with_points else ""
        yield f"{seat}: {player}{points}", SEAT_COLOURS[number]


def _written(lines: Sequence[tuple[str, str]], top: float, size: float) -> Iterator[Shape]:
    for number, (line, colour) in enumerate(lines):
        yield Text(MARGIN, top + (number + 0.6) * LINE_HEIGHT * size, line, size, colour)


def _box(x: float, y: float, colour: str, gap: float) -> Polygon:
    """The cell whose upper left corner is at (x, y), less a gap on each side."""
    low_x, low_y, high_x, high_y = x + gap, y + gap, x + 1 - gap, y + 1 - gap
    return Polygon(((low_x, low_y), (high_x, low_y), (high_x, high_y), (low_x, high_y)), colour)


# --- any game ----------------------------------------------------------------------------------


def draw_text(scenes: Sequence[Scene]) -> Drawing:
    """The text boards."""
    texts = [str(scene.state).split("\n") for scene in scenes]
    size = 0.5
    frames: list[list[Shape]] = [
        [
            Text(MARGIN, MARGIN + (number + 0.8) * size * 1.2, line, size, INK)
            for number, line in enumerate(text)
        ]
        for text in texts
    ]
    width = max(len(line) for text in texts for line in text) * CHARACTER * size
    return Drawing(width, max(map(len, texts)) * size * 1.2, frames)


# --- cat and mouse -----------------------------------------------------------------------------


def draw_pursuit(scenes: Sequence[Scene]) -> Drawing:
    """A grid, with a pale dot where the last mover came from."""
    board = scenes[0].state.game.board
    rows, cols = int(board[grid.ROWS]), int(board[grid.COLS])
    ground = list(_ground(board))
    frames: list[list[Shape]] = []
    before = scenes[0].state
    for scene in scenes:
        left = _left(board, before.array, scene)
        frames.append([*ground, *left, *_pieces(board, scene.state.array)])
        before = scene.state
    return Drawing(cols, rows, frames)


def _corner(board: np.ndarray, cell: int) -> tuple[float, float]:
    """The upper left corner of a cell; cells are numbered from the bottom left."""
    y, x = divmod(int(cell), int(board[grid.COLS]))
    return MARGIN + x, MARGIN + int(board[grid.ROWS]) - 1 - y


def _ground(board: np.ndarray) -> Iterator[Shape]:
    free = grid.beside(board).max(axis=1) >= 0
    for cell in range(len(free)):
        yield _box(*_corner(board, cell), "#f1f1f1" if free[cell] else "#555555", 0.03)


def _left(board: np.ndarray, before: np.ndarray, scene: Scene) -> Iterator[Shape]:
    """A dot on the cell that the last mover left, unless somebody is there."""
    if scene.seat < 0:
        return
    piece = scene.seat * int(board[grid.NUMBER]) + scene.action // 4
    cell = before[grid.PIECES + piece]
    if cell not in scene.state.array[grid.PIECES : grid.PIECES + grid.num_pieces(board)]:
        x, y = _corner(board, cell)
        yield Disc(x + 0.5, y + 0.5, 0.1, SEAT_PALES[scene.seat])


def _pieces(board: np.ndarray, state: np.ndarray) -> Iterator[Shape]:
    """The cats and the mice; those that share a cell stand side by side, and smaller."""
    cats = int(board[grid.NUMBER])
    placed = state[grid.PIECES : grid.PIECES + grid.num_pieces(board)].tolist()
    for piece, cell in enumerate(placed):
        together = [other for other, place in enumerate(placed) if place == cell]
        if cell >= 0:
            x, y = _corner(board, cell)
            share = 1 / len(together)
            middle = x + (together.index(piece) + 0.5) * share, y + 0.5
            second = piece not in (0, cats)
            drawn = (_cat if piece < cats else _mouse)(middle, 0.5 + 0.5 * share, second)
            yield Group(tuple(drawn))


def _cat(middle: Point, size: float, is_second: bool) -> Iterator[Part]:
    """A head with pointed ears; a second cat is darker."""
    x, y = middle
    colour = "#8a3d00" if is_second else ORANGE
    for side in (-1, 1):
        ear = ((0.30, -0.02), (0.27, -0.36), (0.04, -0.2))
        yield Polygon(tuple((x + side * size * dx, y + size * dy) for dx, dy in ear), colour)
    yield Disc(x, y + 0.04 * size, 0.3 * size, colour)
    yield from _face(middle, size)


def _mouse(middle: Point, size: float, is_second: bool) -> Iterator[Part]:
    """A head with round ears; a second mouse is darker."""
    x, y = middle
    colour = "#003f66" if is_second else BLUE
    for side in (-1, 1):
        yield Disc(x + side * 0.2 * size, y - 0.17 * size, 0.15 * size, colour)
        yield Disc(x + side * 0.2 * size, y - 0.17 * size, 0.08 * size, PALE_BLUE)
    yield Disc(x, y + 0.06 * size, 0.23 * size, colour)
    yield from _face(middle, size)


def _face(middle: Point, size: float) -> Iterator[Part]:
    x, y = middle
    for side in (-1, 1):
        yield Disc(x + side * 0.1 * size, y + 0.01 * size, 0.045 * size, WHITE)
    yield Disc(x, y + 0.14 * size, 0.035 * size, WHITE)


# --- dots and boxes ----------------------------------------------------------------------------


def draw_boxes(scenes: Sequence[Scene]) -> Drawing:
    """Dots, edges, and boxes in the colour of who closed them; the last edge in its mover's."""
    board = scenes[0].state.game.board
    rows, cols = int(board[boxes.ROWS]), int(board[boxes.COLS])
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
            yield _box(MARGIN + x, MARGIN + y, SEAT_PALES[scene.seat], 0.1)


def _places(board: np.ndarray) -> tuple[int, int, int]:
    """Where the boxes are in a state, how many they are, and columns."""
    first = boxes.DRAWN + int(board[boxes.EDGES])
    return first, int(board[boxes.BOXES]), int(board[boxes.COLS])


def _edges(board: np.ndarray, state: np.ndarray) -> Iterator[Shape]:
    for edge in range(int(board[boxes.EDGES])):
        if state[boxes.DRAWN + edge]:
            yield from _edge(board, edge, GREY)


def _edge(board: np.ndarray, edge: int, colour: str) -> list[Shape]:
    """One edge, short of its dots."""
    rows, cols = int(board[boxes.ROWS]), int(board[boxes.COLS])
    vertical = (rows + 1) * cols
    y, x = divmod(edge, cols) if edge < vertical else divmod(edge - vertical, cols + 1)
    across, down = (1, 0) if edge < vertical else (0, 1)
    ends = [(MARGIN + x + share * across, MARGIN + y + share * down) for share in (0.17, 0.83)]
    return [Line(*ends[0], *ends[1], 0.08, colour)]


DRAWINGS: dict[str, Callable[[Sequence[Scene]], Drawing]] = {
    "cat-and-mouse": draw_pursuit,
    "dots-and-boxes": draw_boxes,
}
