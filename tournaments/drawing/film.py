"""A game as an animated picture in SVG.

A film consists of plain shapes, in units of a cell of the board, x to the right and y downwards.
This module depends on no game. The same film gives the same bytes.
"""

from __future__ import annotations

import os
from html import escape
from itertools import groupby
from pathlib import Path

from tournaments.drawing.shapes import Disc, Film, Line, Polygon, Shape, ShapeGroup, Text
from tournaments.errors import TournamentError

ENDING = ".svg"
_FONTS = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
_LONGER_SIDE = 560  # pixels, where a viewer asks for no size
_MOST_PIXELS = 96  # a unit


def check_target(path: str | os.PathLike[str]) -> None:
    """Raise if a path cannot be the file of a film: before any work is done.

    Raises:
        TournamentError: another ending, or no such folder.
    """
    path = Path(path)
    if path.suffix.lower() != ENDING:
        raise TournamentError(f"{path} given; a name that ends in {ENDING} is expected")
    if not path.parent.is_dir():
        raise TournamentError(f"{path} given, but there is no folder {path.parent}; make it first")


def write_film(path: str | os.PathLike[str], film: Film) -> None:
    """Write a film of a game to an SVG file.

    Raises:
        TournamentError: another ending, no such folder, or the system refused.
    """
    check_target(path)
    try:
        Path(path).write_text(svg(film), encoding="utf-8")
    except OSError as error:
        raise TournamentError(
            f"{path} cannot be written ({error.strerror}); give another name or make room"
        ) from error


def svg(film: Film, most: int = _MOST_PIXELS) -> str:
    """Return a film of a game as an SVG document, animated without a script.

    If animations are not played, the last frame is seen. ``most`` is the maximum number of pixels
    of a unit.
    """
    pixels = max(4, min(most, int(_LONGER_SIDE / max(film.width, film.height))))  # a unit
    size = f'width="{film.width * pixels:.0f}" height="{film.height * pixels:.0f}"'
    box = f'viewBox="0 0 {film.width:.3f} {film.height:.3f}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} font-family="{_FONTS}">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *(_element(shape, seen, film) for shape, seen in _seen_in(film).items()),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _seen_in(film: Film) -> dict[Shape, list[int]]:
    """Return the frames of a film that show each shape, in order of painting."""
    seen: dict[Shape, list[int]] = {}
    for number, frame in enumerate(film.frames):
        for shape in dict.fromkeys(frame):
            seen.setdefault(shape, []).append(number)
    return seen


def _element(shape: Shape, seen: list[int], film: Film) -> str:
    """Return the SVG element of a shape, animated so that only its frames of the film show it."""
    count = len(film.frames)
    if len(seen) == count:
        return _drawn(shape)
    shown = set(seen)
    runs = [next(run) for _, run in groupby(range(count), key=lambda frame: frame in shown)]
    duration = count * film.seconds + film.hold
    times = ";".join(f"{frame * film.seconds / duration:.6g}" for frame in runs)
    values = ";".join("visible" if frame in shown else "hidden" for frame in runs)
    animation = (
        f'<animate attributeName="visibility" calcMode="discrete" dur="{duration:g}s" '
        f'repeatCount="indefinite" keyTimes="{times}" values="{values}"/>'
    )
    at_rest = "visible" if count - 1 in shown else "hidden"
    return f'<g visibility="{at_rest}">{animation}{_drawn(shape)}</g>'


def _drawn(shape: Shape) -> str:
    """Return the SVG element of a shape, without animation."""
    match shape:
        case Polygon(points, colour):
            placed = " ".join(f"{x:.3f},{y:.3f}" for x, y in points)
            return f'<polygon points="{placed}" fill="{colour}"/>'
        case Disc(x, y, radius, colour):
            return f'<circle cx="{x:.3f}" cy="{y:.3f}" r="{radius:.3f}" fill="{colour}"/>'
        case Line(x, y, to_x, to_y, width, colour):
            ends = f'x1="{x:.3f}" y1="{y:.3f}" x2="{to_x:.3f}" y2="{to_y:.3f}"'
            pen = f'stroke="{colour}" stroke-width="{width:.3f}" stroke-linecap="round"'
            return f"<line {ends} {pen}/>"
        case Text(x, y, text, size, colour):
            place = f'x="{x:.3f}" y="{y:.3f}" font-size="{size:.3f}" fill="{colour}"'
            return f'<text {place} xml:space="preserve">{escape(text)}</text>'
        case ShapeGroup(shapes):
            return "".join(map(_drawn, shapes))
