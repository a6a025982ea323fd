"""Plain shapes of pictures of games, and films made of shapes.

Units are cells of the board, x to the right and y downwards. This module depends on no game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tournaments.game import State

BLUE, ORANGE, PALE_BLUE, PALE_ORANGE = "#0072b2", "#d55e00", "#bcdcf0", "#f8d5bd"
INK, GREY, WHITE = "#222222", "#8a8a8a", "#ffffff"
SEAT_COLOURS = (ORANGE, BLUE)
SEAT_PALES = (PALE_ORANGE, PALE_BLUE)
MARGIN = 0.5
"""Around a board."""
CHARACTER = 0.602
"""The width of a character of the font, as a share of its size."""
Point = tuple[float, float]


class Polygon(NamedTuple):
    """A filled polygon."""

    points: tuple[tuple[float, float], ...]
    colour: str


class Disc(NamedTuple):
    """A filled disc."""

    x: float
    y: float
    radius: float
    colour: str


class Line(NamedTuple):
    """A line from (x, y) to (to_x, to_y), with round ends."""

    x: float
    y: float
    to_x: float
    to_y: float
    width: float
    colour: str


class Text(NamedTuple):
    """Text in a monospaced font, beginning at x, with its base line at y."""

    x: float
    y: float
    text: str
    size: float
    colour: str


class ShapeGroup(NamedTuple):
    """Several shapes that are one thing, such as a piece: shown and painted together."""

    shapes: tuple[Polygon | Disc | Line | Text, ...]


Shape = Polygon | Disc | Line | Text | ShapeGroup
"""Colours are ``#rrggbb``."""


@dataclass(frozen=True)
class Film:
    """An animation that repeats for ever, frame by frame.

    Attributes:
        width, height: in units.
        frames: shapes in the order of painting, one or more frames. Shapes that first appear in a
            later frame are painted above shapes of earlier frames.
        seconds: duration of a frame.
        hold: additional duration of the last frame.
    """

    width: float
    height: float
    frames: Sequence[Sequence[Shape]]
    seconds: float = 0.6
    hold: float = 2.4


class Scene(NamedTuple):
    """A position in the course of a game.

    Attributes:
        state: the position.
        seat: the seat that moved last; -1 at the start.
        action: the last action; -1 at the start.
        caption: lines of text of the picture.
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


def rectangle(low_x: float, low_y: float, high_x: float, high_y: float, colour: str) -> Polygon:
    """Return a filled rectangle by its upper left corner and its lower right corner."""
    return Polygon(((low_x, low_y), (high_x, low_y), (high_x, high_y), (low_x, high_y)), colour)


def cell(x: float, y: float, colour: str, gap: float) -> Polygon:
    """Return a cell of a board as a square with a gap on each side.

    The upper left corner of the cell is (x, y), its sides are 1.
    """
    return rectangle(x + gap, y + gap, x + 1 - gap, y + 1 - gap, colour)
