"""Pictures of repeated games: the moves of both seats, and the leader after each round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tournaments.drawing.shapes import (
    CHARACTER,
    GREY,
    INK,
    MARGIN,
    SEAT_COLOURS,
    SEAT_PALES,
    Disc,
    Drawing,
    Line,
    Point,
    Scene,
    Shape,
    Text,
    rectangle,
)
from tournaments.game import State
from tournaments.repeated.rules import FIRST, NONE, ROUND
from tournaments.repeated.scripted import stage_of

WIDTH, HEIGHT = 8.0, 5.6
MIDDLES = ((MARGIN + 2.2, MARGIN + 1.6), (MARGIN + 5.8, MARGIN + 1.6))
"""Where the two figures stand."""
BASE, REACH = MARGIN + 4.7, 0.8
"""The line of no lead, and how far the greatest lead is from it."""
Figure = Callable[[Point, int, str, int], Shape]
"""Draws a seat about a middle, that looks to the right (1) or left (-1), in a colour, as it makes a
move (-1: none)."""


def draw(scenes: Sequence[Scene]) -> Drawing:
    """Draw rounds of a repeated game, with a disc for each seat."""
    return draw_figures(scenes, lambda middle, way, colour, move: Disc(*middle, 0.6, colour))


def draw_figures(scenes: Sequence[Scene], figure: Figure) -> Drawing:
    """Draw rounds of a repeated game: a figure per seat, moves, points, and the lead over time.

    ``figure`` draws a seat, given its middle, direction, colour and move.
    """
    leads = [(int(scene.state.array[ROUND]), _lead(scene.state)) for scene in scenes]
    most = max(1, *(abs(lead) for _, lead in leads)) if leads else 1
    frames: list[list[Shape]] = []
    for number, scene in enumerate(scenes):
        course = dict(leads[: number + 1])
        frames.append([*_seats(scene.state, figure), *_course(scene.state, course, most)])
    return Drawing(WIDTH, HEIGHT, frames)


def _lead(state: State) -> int:
    return state.scores[0] - state.scores[1]


def _seats(state: State, figure: Figure) -> Iterator[Shape]:
    """Draw both seats of a repeated game, with their moves and points.

    While a seat waits for the other, both figures do nothing.
    """
    stage = stage_of(state.game)
    waits = state.seat_to_move == 1
    for seat, middle in enumerate(MIDDLES):
        move = NONE if waits else int(state.array[FIRST + seat])
        yield figure(middle, 1 - 2 * seat, SEAT_COLOURS[seat], move)
        name = "..." if waits else "" if move == NONE else stage.moves[move]
        yield _centred(middle[0], MARGIN + 3.2, name, INK)
        yield _centred(middle[0], MARGIN + 3.75, str(state.scores[seat]), SEAT_COLOURS[seat])


def _centred(x: float, y: float, text: str, colour: str) -> Text:
    size = 0.4
    return Text(x - len(text) * size * CHARACTER / 2, y, text, size, colour)


def _course(state: State, course: dict[int, int], most: int) -> Iterator[Shape]:
    """Draw the lead after each round of a repeated game, up for the first seat, else down.

    ``course`` has the lead by round, ``most`` is the largest lead of the drawing.
    """
    stage = stage_of(state.game)
    left, width = MARGIN + 0.3, (WIDTH - 0.6) / stage.rounds(state.game.board)
    yield Line(left, BASE, MARGIN + WIDTH - 0.3, BASE, 0.03, GREY)
    for played, lead in course.items():
        x, tip = left + (played - 1) * width, BASE - REACH * lead / most
        if lead:
            yield rectangle(x, BASE, x + width, tip, SEAT_PALES[lead < 0])
