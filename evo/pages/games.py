"""Games as blocks of a page: the shapes of each position, the moves, and what each gave away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evo.pages.blocks import Block, plain
from evo.play.advice import loss_of
from evo.play.record import GameRecord
from evo.play.watched import Watched
from tournaments.drawing.scenes import draw_text
from tournaments.drawing.shapes import MARGIN, Scene, Shape, ShapeGroup


def game_block(watched: Watched | GameRecord, title: str, name: str) -> Block:
    """Return a game as a block: it is played, and drawn as ``evo watch --save`` draws it.

    Args:
        watched: the game.
        title: heading of the game.
        name: name of the file when a picture is saved.
    """
    scenes = list(watched.scenes())
    drawing = (watched.game.rules.draw or draw_text)(scenes)
    shapes: dict[Shape, int] = {}
    frames = [[shapes.setdefault(s, len(shapes)) for s in frame] for frame in drawing.frames]
    return {
        "kind": "game",
        "title": title,
        "name": name,
        "players": [
            f"{seat}: {player}"
            for seat, player in zip(watched.game.seats, watched.names, strict=True)
        ],
        "width": drawing.width,
        "height": drawing.height,
        "margin": MARGIN,
        "shapes": [shape_as_data(shape) for shape in shapes],
        "frames": frames,
        "moves": _moves(scenes),
    }


def shape_as_data(shape: Shape) -> list[Any]:
    """Return a shape as a list: its kind in lower case, then its fields."""
    if isinstance(shape, ShapeGroup):
        return ["group", [shape_as_data(part) for part in shape.shapes]]
    return [type(shape).__name__.lower(), *plain([*shape])]


def _moves(scenes: Sequence[Scene]) -> list[Block]:
    """Return the words of each move, and what the move gave away where the game is solved.

    Positions are solved from the end of the game backwards, up to the first that cannot be solved.
    """
    moves: list[Block] = [{"words": " · ".join(each.caption), "note": ""} for each in scenes]
    game = scenes[0].state.game
    for number in range(len(scenes) - 1, 0, -1):
        lost = loss_of(scenes[number - 1].state, scenes[number].action)
        if lost is None:
            break
        moves[number]["loss"] = plain(round(lost, 6))
        if lost > 0:
            moves[number]["note"] = f"gives away {lost:.3g} {game.unit}"
    return moves
