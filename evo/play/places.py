"""Places of moves on the board, found by drawing the position after each move."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from evo.play.person import PersonGame
from tournaments.drawing.scenes import draw_text
from tournaments.drawing.shapes import (
    Disc,
    Drawing,
    Line,
    Point,
    Polygon,
    Scene,
    Shape,
    ShapeGroup,
    Text,
)
from tournaments.errors import TournamentError
from tournaments.game import State
from tournaments.kernels.chance import seed_chance

MOST_SCENES = 300
"""Maximum number of past positions that a picture of the current position takes into account."""
MOST_PLACED = 250
"""Maximum number of legal actions that have places on the board."""
CHANCES = 3
"""Number of random outcomes of a move that are compared: only what they share is shown."""

NEAR = 0.02
"""Distance, in cells, below which two places are the same."""


class MovePlace(NamedTuple):
    """The place of a move on the board.

    Attributes:
        action: the action.
        spots: where a person clicks to play the move: where it takes a piece from, then where it
            puts something. In a game of search: all things that it takes. Empty: no place.
        shown: shapes that appear. Empty in games that hide part of a position.
        gone: shapes that vanish.
    """

    action: int
    spots: tuple[Point, ...] = ()
    shown: tuple[Shape, ...] = ()
    gone: tuple[Shape, ...] = ()


class Picture:
    """The picture of the current position of a person's game, from the person's view.

    All positions are computed from the person's views, so that the picture and the places of moves
    depend only on what the person may know. Moves are played on from a view by interpreted rules: a
    view may lack what the rules need, and compiled rules would read beyond their arrays.

    Attributes:
        drawing: the drawing of the last positions, the current one last.
        shapes: the shapes of the current position.
    """

    def __init__(self, played: PersonGame) -> None:
        self._played = played
        past = [Scene(played.start.view(played.seat), -1, -1, ())]
        for ply in played.plies[-MOST_SCENES:]:
            is_shown = ply.seat >= 0 and played.shown_action(ply) == ply.action
            mover = (ply.seat, ply.action) if is_shown else (-1, -1)
            past.append(Scene(ply.after.view(played.seat), *mover, ()))
        self._draw = played.game.rules.draw
        try:
            self.drawing: Drawing = (self._draw or draw_text)(past)
        except Exception:  # a game of a user: its text board is still there
            self._draw, self.drawing = None, draw_text(past)
        self.shapes = self.drawing.frames[-1]
        self._interpreted = replace(played.game, at_speed=False)
        self._past = past if played.game.rules.is_search else []  # things keep their places
        self._plain = self._drawn(played.seen)

    def _drawn(self, state: State) -> list[Shape] | None:
        """Return the shapes of a position without its last move. None: it cannot be drawn."""
        if self._draw is None:
            return None
        try:
            return list(self._draw([*self._past, Scene(state, -1, -1, ())]).frames[-1])
        except Exception:  # a game of a user may not be able to draw what it hides
            return None

    def move_places(self) -> list[MovePlace]:
        """Return the places of the legal moves: of none if all moves change the same place."""
        rules, legal = self._played.game.rules, list(self._played.legal)
        placeless = [MovePlace(action) for action in legal]
        if rules.stage is not None or self._plain is None or not 0 < len(legal) <= MOST_PLACED:
            return placeless
        changes = [self._change(action) for action in legal]
        common = set.intersection(*(set(new) for new, _ in changes)) if len(legal) > 1 else set()
        places = [
            self._place(action, [shape for shape in new if shape not in common], old)
            for action, (new, old) in zip(legal, changes, strict=True)
        ]
        is_one_place = len({place.spots for place in places}) == 1 < len(places)
        return placeless if is_one_place else places

    def _change(self, action: int) -> tuple[list[Shape], list[Shape]]:
        """Return the shapes that a move adds under all outcomes of chance, and those it removes."""
        chance = self._played.game.rules.chance
        frames: list[list[Shape] | None] = []
        for number in range(CHANCES if chance else 1):
            after = State(self._interpreted, self._played.seen.array)
            try:
                with np.errstate(over="ignore"):
                    if chance:
                        seed_chance(after.array, number)
                    after.play(action)
            except Exception:  # the rules may need what the view hides
                return [], []
            frames.append(self._drawn(after))
        return self._compared(*frames)

    def _compared(self, *frames: list[Shape] | None) -> tuple[list[Shape], list[Shape]]:
        """Return the shapes that all frames add to the picture, and the shapes that all lack.

        A frame that could not be drawn differs in nothing.
        """
        known = [frame for frame in frames if frame is not None]
        if self._plain is None or len(known) < len(frames):
            return [], []
        before, every = set(self._plain), set(known[0]).intersection(*known[1:])
        new = [shape for shape in known[0] if shape in every and shape not in before]
        return new, [shape for shape in self._plain if not any(shape in each for each in known)]

    def _place(self, action: int, new: list[Shape], old: list[Shape]) -> MovePlace:
        game = self._played.game
        if game.rules.is_search:  # what replaces the things that are found is no place
            return MovePlace(action, tuple(dict.fromkeys(map(_middle, old))), (), tuple(old))
        spots = [spot for spot in (_place_of(old), _place_of(new)) if spot is not None]
        if len(spots) == 2 and math.dist(*spots) < NEAR:
            del spots[0]
        if game.hides:
            return MovePlace(action, tuple(spots))
        return MovePlace(action, tuple(spots), tuple(new), tuple(old))

    def edit_places(self) -> Iterator[tuple[str, Point]]:
        """Yield the words of each change of the position that the game places on the board."""
        game = self._played.game
        change, board = game.rules.edit, game.board
        if change is None or self._played.state.is_over:
            return
        for action in range(game.num_actions):
            words = game.rules.describe(board, action)
            try:
                array = change(board, self._played.seen.array, words)
            except TournamentError:
                continue
            new, old = self._compared(self._drawn(State(game, array)))
            place = _place_of(new) or _place_of(old)
            if place is not None:
                yield words, place


def _place_of(shapes: Sequence[Shape]) -> Point | None:
    """Return the middle of the smallest shape, the first of several, or None without a shape.

    Text counts only if there is nothing else.
    """
    marks = [shape for shape in shapes if not isinstance(shape, Text)] or shapes
    return _middle(min(marks, key=_size)) if marks else None


def _box(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    corners = np.array(_corners(shape), dtype=float)
    return corners.min(axis=0), corners.max(axis=0)


def _corners(shape: Shape) -> list[Point]:
    match shape:
        case Polygon(points, _):
            return list(points)
        case Disc(x, y, radius, _):
            return [(x - radius, y - radius), (x + radius, y + radius)]
        case Text(x, y, _, _, _):
            return [(x, y)]
        case Line(x, y, to_x, to_y, _, _):
            return [(x, y), (to_x, to_y)]
        case ShapeGroup(shapes):
            return [point for part in shapes for point in _corners(part)]


def _size(shape: Shape) -> float:
    low, high = _box(shape)
    return float(np.round(np.prod(high - low), 6))


def _middle(shape: Shape) -> Point:
    low, high = _box(shape)
    x, y = np.round((low + high) / 2, 2).tolist()
    return x, y
