"""Set as pictures: cards with their symbols, and the set that was taken last beside the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import cos, pi, sin

import numpy as np

from tournaments.drawing.shapes import (
    GREY,
    MARGIN,
    SEAT_COLOURS,
    WHITE,
    Drawing,
    Line,
    Point,
    Polygon,
    Scene,
    Shape,
    ShapeGroup,
    rectangle,
)
from tournaments.games.set.board import DIMENSIONS, features_of
from tournaments.games.set.rules import ON_TABLE, cards_at

WIDTH, HEIGHT = 1.2, 1.7
"""Of the room of a card."""
ROWS = 3
COLOURS = ("#d7263d", "#1b8a4c", "#6b3fa0")
REACH, STEP = 0.36, 0.42
"""Half the width of a symbol, and from one to the next."""
STRIPES = 9
CORNERS = 24
STRIPED = 1
STROKE = 0.025
Edges = tuple[float, float]
"""The upper and the lower edge of a symbol."""
Shaped = Callable[[float], Edges]
"""The edges from the left end of a symbol, -1, to the right one, 1."""
Part = Polygon | Line


def _oval(u: float) -> Edges:
    half = 0.15 * (1 - abs(u) ** 3) ** 0.5
    return -half, half


def _diamond(u: float) -> Edges:
    half = 0.17 * (1 - abs(u))
    return -half, half


def _wave(u: float) -> Edges:
    half, middle = 0.1 * (1 - abs(u) ** 5) ** 0.5, 0.06 * sin(pi * u)
    return middle - half, middle + half


SHAPES: tuple[Shaped, ...] = (_oval, _diamond, _wave)


def draw(scenes: Sequence[Scene]) -> Drawing:
    """Draw the tables of a game of Set. Cards keep their place between positions.

    New cards have a frame in the colour of the seat that dealt.
    """
    dimensions = int(scenes[0].state.game.board[DIMENSIONS])
    before: dict[int, int] = {}
    tables: list[dict[int, int]] = []
    frames: list[list[Shape]] = []
    for scene in scenes:
        before = _slots(before, cards_at(scene.state.array, ON_TABLE))
        tables.append(before)
    columns = 1 + max(max(table.values(), default=0) for table in tables) // ROWS
    for earlier, now, scene in zip([tables[0], *tables], tables, scenes, strict=False):
        shapes: list[Shape] = []
        for card, slot in now.items():
            middle = _middle(slot // ROWS, slot % ROWS)
            shapes += _card(middle, card, dimensions, scene.seat if card not in earlier else -1)
        for row, card in enumerate(sorted(set(earlier) - set(now))):
            shapes += _card(_middle(columns + 0.2, row), card, dimensions, scene.seat)
        frames.append(shapes)
    return Drawing((columns + 1.2) * WIDTH, ROWS * HEIGHT, frames)


def _slots(before: dict[int, int], cards: list[int]) -> dict[int, int]:
    """Return the place of each card on a drawn table: its previous place or the first free one."""
    kept = {card: before[card] for card in cards if card in before}
    free = (slot for slot in range(len(before) + len(cards)) if slot not in kept.values())
    return {**kept, **{card: next(free) for card in cards if card not in kept}}


def _middle(column: float, row: int) -> Point:
    return MARGIN + (column + 0.5) * WIDTH, MARGIN + (row + 0.5) * HEIGHT


def _card(middle: Point, card: int, dimensions: int, seat: int) -> Iterator[Shape]:
    """Yield the shapes of a card of Set, with a frame in the colour of the seat if one is given."""
    if seat >= 0:
        yield _rectangle(middle, 1.04, 1.54, SEAT_COLOURS[seat])
    else:
        yield _rectangle(middle, 1.0, 1.5, GREY)
    (features,) = features_of(np.array([card]), dimensions)
    number, colour, shape, texture = np.pad(features, (0, 4 - dimensions)).tolist()
    parts: list[Part] = [_rectangle(middle, 0.96, 1.46, WHITE)]
    for place in range(number + 1):
        down = middle[1] + (place - number / 2) * STEP
        parts += _symbol((middle[0], down), SHAPES[shape], COLOURS[colour], texture)
    yield ShapeGroup(tuple(parts))


def _rectangle(middle: Point, width: float, height: float, colour: str) -> Polygon:
    (x, y), w, h = middle, width / 2, height / 2
    return rectangle(x - w, y - h, x + w, y + h, colour)


def _symbol(middle: Point, edges: Shaped, colour: str, texture: int) -> Iterator[Part]:
    """Yield a symbol on a card of Set that is full, striped or empty, by its texture."""
    yield _outline(middle, edges, colour, 0.0)
    if texture:
        yield _outline(middle, edges, WHITE, STROKE)
    if texture == STRIPED:
        for stripe in range(1, STRIPES):
            u = 2 * stripe / STRIPES - 1
            (high, low), x = edges(u), middle[0] + REACH * u
            yield Line(x, middle[1] + 0.9 * high, x, middle[1] + 0.9 * low, 0.02, colour)


def _outline(middle: Point, edges: Shaped, colour: str, inside: float) -> Polygon:
    """Return the outline of a symbol of Set as a polygon, at a distance (``inside``) within it."""
    upper, lower = [], []
    for step in range(CORNERS + 1):
        u = -cos(pi * step / CORNERS)
        high, low = edges(u)
        x, between = middle[0] + (REACH - inside) * u, (high + low) / 2
        upper.append((x, middle[1] + min(high + inside, between)))
        lower.append((x, middle[1] + max(low - inside, between)))
    return Polygon((*upper, *lower[-2:0:-1]), colour)
