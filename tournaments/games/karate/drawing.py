"""Two fighters."""

from __future__ import annotations

from collections.abc import Sequence

from tournaments.drawing.shapes import Disc, Drawing, Line, Point, Scene, Shape, ShapeGroup
from tournaments.repeated.drawing import draw_figures

HEAD, NECK, HIP = (0.0, -0.75), (0.0, -0.5), (0.0, 0.25)
READY = (
    (((0.0, -0.4), (0.3, -0.15)), ((0.0, -0.4), (-0.2, -0.05))),
    (
        ((0.0, 0.25), (0.3, 1.0)),
        ((0.0, 0.25), (-0.3, 1.0)),
    ),
)
"""Two arms and two legs, each from a joint to its end; the figure looks to the right."""
ARMS = {
    0: (((0.0, -0.4), (1.0, -0.45)), ((0.0, -0.4), (-0.3, -0.1))),
    2: (((0.0, -0.4), (0.45, -0.7)), ((0.0, -0.4), (0.45, -0.35))),
    3: (((0.0, -0.4), (0.5, 0.3)), ((0.0, -0.4), (0.4, 0.1))),
}
LEGS = {
    1: (((0.0, 0.25), (1.0, 0.6)), ((0.0, 0.25), (-0.25, 1.0))),
    3: (((0.0, 0.25), (0.45, 0.6)), ((0.0, 0.25), (-0.3, 1.0))),
}
"""Of the moves in which they are not as in :data:`READY`."""


def fighter(middle: Point, way: int, colour: str, move: int) -> Shape:
    """A figure of strokes."""
    strokes = [(NECK, HIP), *ARMS.get(move, READY[0]), *LEGS.get(move, READY[1])]
    placed = [[_at(middle, way, point) for point in stroke] for stroke in strokes]
    lines = [Line(*begin, *end, 0.14, colour) for begin, end in placed]
    return ShapeGroup((Disc(*_at(middle, way, HEAD), 0.22, colour), *lines))


def _at(middle: Point, way: int, point: Point) -> Point:
    return (middle[0] + way * point[0], middle[1] + point[1])


def draw(scenes: Sequence[Scene]) -> Drawing:
    """Both fighters, and who was ahead after each round."""
    return draw_figures(scenes, fighter)
