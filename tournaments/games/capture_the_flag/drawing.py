"""Capture the flag as pictures: walls, dots, ghosts, and pac-men that snap where they go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import cos, pi, sin

import numpy as np

from tournaments.drawing.shapes import (
    INK,
    MARGIN,
    SEAT_COLOURS,
    WHITE,
    Disc,
    Drawing,
    Line,
    Point,
    Polygon,
    Scene,
    Shape,
    ShapeGroup,
    rectangle,
)
from tournaments.games.capture_the_flag.board import (
    COLUMN,
    DOT,
    DOTS,
    FACING,
    HALF,
    HEIGHT,
    PLACE,
    ROW,
    WIDTH,
    cells_of,
    maze_begins,
)
from tournaments.games.capture_the_flag.maze import AGENTS, STEPS

FLOOR = "#15151f"
WALL_COLOURS = ("#8a4b22", "#2f5f8f")
DOT_COLOURS = ("#f4c6a4", "#b4d7f0")
WALL, CORNERS = 0.34, 24


def draw(scenes: Sequence[Scene]) -> Drawing:
    """Draw positions of capture the flag: the maze in both teams' colours, dots and agents."""
    board = scenes[0].state.game.board[
        maze_begins(scenes[0].state.game.board, scenes[0].state.array) :
    ]
    width, height = int(board[WIDTH]), int(board[HEIGHT])
    maze = list(_maze(board))
    frames: list[list[Shape]] = []
    for scene in scenes:
        array = scene.state.array
        agents = (
            _agent(board, array, agent) for agent in range(AGENTS) if array[PLACE + agent] >= 0
        )
        frames.append([*maze, *_dots(board, array), *agents])
    return Drawing(width, height, frames)


def _middle(record: np.ndarray) -> Point:
    return MARGIN + 0.5 + float(record[COLUMN]), MARGIN + 0.5 + float(record[ROW])


def _maze(board: np.ndarray) -> Iterator[Shape]:
    """Yield the floor of a maze, and its walls as bars along rows and columns of wall squares."""
    width, height = int(board[WIDTH]), int(board[HEIGHT])
    yield rectangle(MARGIN, MARGIN, MARGIN + width, MARGIN + height, FLOOR)
    wall = np.ones((height, width), dtype=bool)
    wall[cells_of(board)[:, ROW], cells_of(board)[:, COLUMN]] = False
    beside = np.pad(wall, 1)
    for y, x in zip(*np.nonzero(wall), strict=True):
        colour = WALL_COLOURS[int(x >= width // 2)]
        middle = MARGIN + 0.5 + float(x), MARGIN + 0.5 + float(y)
        bars = [(dx, dy) for dx, dy in STEPS if beside[y + dy + 1, x + dx + 1]]
        for dx, dy in bars:  # half a bar, which meets that of the wall beside it
            yield Line(*middle, middle[0] + dx / 2, middle[1] + dy / 2, WALL, colour)
        if not bars:
            yield Disc(*middle, WALL / 2, colour)


def _dots(board: np.ndarray, array: np.ndarray) -> Iterator[Disc]:
    for record in cells_of(board):
        if record[DOT] >= 0 and array[DOTS + record[DOT]]:
            yield Disc(*_middle(record), 0.12, DOT_COLOURS[record[HALF]])


def _agent(board: np.ndarray, array: np.ndarray, agent: int) -> ShapeGroup:
    record = cells_of(board)[array[PLACE + agent]]
    shape = _ghost if record[HALF] == agent % 2 else _pac_man
    return shape(_middle(record), STEPS[array[FACING + agent]], SEAT_COLOURS[agent % 2])


def _pac_man(middle: Point, facing: tuple[int, int], colour: str) -> ShapeGroup:
    """Return a pac-man: a disc with a mouth that opens in the direction of movement."""
    x, y = middle
    ahead = {(1, 0): 0.0, (0, 1): pi / 2, (-1, 0): pi, (0, -1): -pi / 2}[facing]
    turns = (ahead + 0.6 + (2 * pi - 1.2) * corner / CORNERS for corner in range(CORNERS + 1))
    rim = tuple((round(x + 0.42 * cos(turn), 3), round(y + 0.42 * sin(turn), 3)) for turn in turns)
    side = -1 if facing == (-1, 0) else 1
    eye = Disc(x + 0.16 * facing[1] * side, y - 0.22 * abs(facing[0]), 0.06, INK)
    return ShapeGroup((Polygon(((x, y), *rim), colour), eye))


def _ghost(middle: Point, facing: tuple[int, int], colour: str) -> ShapeGroup:
    """Return a ghost with eyes that look in the direction of movement."""
    x, y = middle
    body = rectangle(x - 0.36, y - 0.06, x + 0.36, y + 0.3, colour)
    feet = [Disc(x + dx, y + 0.3, 0.12, colour) for dx in (-0.24, 0.0, 0.24)]
    eyes = [Disc(x + dx, y - 0.08, 0.11, WHITE) for dx in (-0.15, 0.15)]
    pupils = [
        Disc(x + dx + 0.05 * facing[0], y - 0.08 + 0.05 * facing[1], 0.055, INK)
        for dx in (-0.15, 0.15)
    ]
    return ShapeGroup((Disc(x, y - 0.06, 0.36, colour), body, *feet, *eyes, *pupils))
