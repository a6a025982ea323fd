"""Animals for pictures of games: heads that face the viewer.

Each animal is drawn around a middle, in a colour. A size of 1 fills a cell.
"""

from __future__ import annotations

from collections.abc import Iterator

from tournaments.drawing.shapes import (
    BLUE,
    INK,
    ORANGE,
    PALE_BLUE,
    WHITE,
    Disc,
    Point,
    Polygon,
    ShapeGroup,
)

Part = Disc | Polygon


def cat(middle: Point, size: float = 1.0, colour: str = ORANGE) -> ShapeGroup:
    """Return the shapes of a cat's head, with pointed ears, around a point."""
    x, y = middle
    ears = _ears(middle, size, ((0.30, -0.02), (0.27, -0.36), (0.04, -0.2)), colour)
    return ShapeGroup((*ears, Disc(x, y + 0.04 * size, 0.3 * size, colour), *_face(middle, size)))


def mouse(middle: Point, size: float = 1.0, colour: str = BLUE) -> ShapeGroup:
    """Return the shapes of a mouse's head, with round ears, around a point."""
    x, y = middle
    ears = [
        Disc(x + side * 0.2 * size, y - 0.17 * size, radius * size, ear)
        for side in (-1, 1)
        for radius, ear in ((0.15, colour), (0.08, PALE_BLUE))
    ]
    return ShapeGroup((*ears, Disc(x, y + 0.06 * size, 0.23 * size, colour), *_face(middle, size)))


def fox(middle: Point, size: float = 1.0, colour: str = ORANGE) -> ShapeGroup:
    """Return the shapes of a fox's head, pointed with white cheeks, around a point."""
    x, y = middle
    ears = _ears(middle, size, ((0.36, 0.02), (0.32, -0.4), (0.02, -0.14)), colour)
    corners = ((-0.36, -0.08), (0.0, -0.22), (0.36, -0.08), (0.0, 0.4))
    head = _polygon(middle, size, corners, colour)
    cheeks = _polygon(middle, size, ((-0.3, 0.0), (0.0, 0.12), (0.3, 0.0), (0.0, 0.4)), WHITE)
    eyes = [Disc(x + side * 0.14 * size, y, 0.04 * size, INK) for side in (-1, 1)]
    return ShapeGroup((*ears, head, cheeks, *eyes, Disc(x, y + 0.36 * size, 0.06 * size, INK)))


def hound(middle: Point, size: float = 1.0, colour: str = BLUE) -> ShapeGroup:
    """Return the shapes of a hound's head, with a broad snout and hanging ears, around a point."""
    x, y = middle
    dark = "#003f66"
    ears = _ears(middle, size, ((0.16, -0.26), (0.4, -0.12), (0.3, 0.24)), dark)
    head = Disc(x, y - 0.02 * size, 0.27 * size, colour)
    snout = Disc(x, y + 0.16 * size, 0.16 * size, PALE_BLUE)
    eyes = [Disc(x + side * 0.1 * size, y - 0.08 * size, 0.045 * size, WHITE) for side in (-1, 1)]
    return ShapeGroup((head, *ears, snout, *eyes, Disc(x, y + 0.1 * size, 0.06 * size, INK)))


def _ears(
    middle: Point, size: float, right: tuple[Point, ...], colour: str
) -> tuple[Polygon, Polygon]:
    """Return an ear of an animal and its mirror image, by the corners of the right ear."""
    left = tuple((-x, y) for x, y in right)
    return _polygon(middle, size, left, colour), _polygon(middle, size, right, colour)


def _polygon(middle: Point, size: float, points: tuple[Point, ...], colour: str) -> Polygon:
    return Polygon(tuple((middle[0] + size * x, middle[1] + size * y) for x, y in points), colour)


def _face(middle: Point, size: float) -> Iterator[Part]:
    """Yield the discs of the eyes and the nose of an animal."""
    x, y = middle
    for side in (-1, 1):
        yield Disc(x + side * 0.1 * size, y + 0.01 * size, 0.045 * size, WHITE)
    yield Disc(x, y + 0.14 * size, 0.035 * size, WHITE)
