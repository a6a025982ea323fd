"""Games as pictures: the shapes of each position, for :mod:`tournaments.drawing.film`.

A game draws itself (``Rules.draw``). The picture of a game without ``draw`` is the text board.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tournaments.drawing.shapes import (
    CHARACTER,
    INK,
    MARGIN,
    SEAT_COLOURS,
    Drawing,
    Film,
    Scene,
    Shape,
    Text,
)
from tournaments.game import State

LETTER = 0.045
"""The size of letters below a board, as a share of its longer side."""
LINE_HEIGHT = 1.6
"""As a share of the size of letters."""


def film(scenes: Sequence[Scene], players: Sequence[str], seconds: float) -> Film:
    """Return the film of a game, with its players named below in the colours of their seats.

    Args:
        scenes: the positions of the game.
        players: the names of the players, by seat.
        seconds: how long a frame is shown.
    """
    draw = scenes[0].state.game.rules.draw or draw_text
    drawing = draw(scenes)
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
    """Yield a line of text per seat of a game, the player and its points, in the seat's colour."""
    for number, (seat, player) in enumerate(zip(state.game.seats, players, strict=True)):
        points = f"  {state.scores[number]}" if with_points else ""
        yield f"{seat}: {player}{points}", SEAT_COLOURS[number]


def _written(lines: Sequence[tuple[str, str]], top: float, size: float) -> Iterator[Shape]:
    for number, (line, colour) in enumerate(lines):
        yield Text(MARGIN, top + (number + 0.6) * LINE_HEIGHT * size, line, size, colour)


def draw_text(scenes: Sequence[Scene]) -> Drawing:
    """Draw positions of a game as their text boards, for games without a drawing."""
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
