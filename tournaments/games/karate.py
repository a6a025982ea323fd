"""Karate, the mind reader: hit your opponent, or block.

Both choose at once, round after round: a hit is worth 10 points, a block 5, a miss nothing (Berkes,
"My AI reads your mind and kicks your ass (part 2)", 2011).
"""

from __future__ import annotations

from collections.abc import Sequence

from tournaments.drawing.shapes import Disc, Drawing, Line, Point, Scene, Shape, ShapeGroup
from tournaments.repeated.drawing import draw_figures
from tournaments.repeated.game import repeated_game

MOVES = ("punch", "kick", "block-punch", "block-kick")
PAYOFFS = (
    (10, 0, 0, 10),
    (10, 10, 10, 0),
    (5, 0, 0, 0),
    (0, 5, 0, 0),
)
"""The gain of a seat by its own move (row) against the other's (column)."""

# --- pictures ----------------------------------------------------------------------------------

HEAD, NECK, SHOULDER, HIP = (0.0, -0.75), (0.0, -0.5), (0.0, -0.4), (0.0, 0.25)
READY_HANDS, READY_FEET = ((0.3, -0.15), (-0.2, -0.05)), ((0.3, 1.0), (-0.3, 1.0))
"""The ends of two arms and two legs; the figure looks to the right."""
HANDS = {
    0: ((1.0, -0.45), (-0.3, -0.1)),
    2: ((0.45, -0.7), (0.45, -0.35)),
    3: ((0.5, 0.3), (0.4, 0.1)),
}
FEET = {1: ((1.0, 0.6), (-0.25, 1.0)), 3: ((0.45, 0.6), (-0.3, 1.0))}
"""The ends in moves where they are not as in :data:`READY_HANDS` and :data:`READY_FEET`."""


def fighter(middle: Point, way: int, colour: str, move: int) -> Shape:
    """Return a fighter of karate drawn with strokes, in the pose of a move.

    ``way`` is the direction that the fighter faces, 1 or -1.
    """
    arms = [(SHOULDER, hand) for hand in HANDS.get(move, READY_HANDS)]
    legs = [(HIP, foot) for foot in FEET.get(move, READY_FEET)]
    placed = [
        [_at(middle, way, point) for point in stroke] for stroke in [(NECK, HIP), *arms, *legs]
    ]
    lines = [Line(*begin, *end, 0.14, colour) for begin, end in placed]
    return ShapeGroup((Disc(*_at(middle, way, HEAD), 0.22, colour), *lines))


def _at(middle: Point, way: int, point: Point) -> Point:
    return (middle[0] + way * point[0], middle[1] + point[1])


def draw(scenes: Sequence[Scene]) -> Drawing:
    """Draw rounds of karate: both fighters, and who was ahead after each round."""
    return draw_figures(scenes, fighter)


RULES = repeated_game(
    "karate",
    "hit or block at once, round after round; rounds=100",
    MOVES,
    PAYOFFS,
    draw=draw,
    results={10: "hit", 5: "block", 0: "miss"},
)
