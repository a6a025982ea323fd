"""Games as blocks of a page: positions, moves, and what the players saw before each move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from evo.pages.blocks import Block, plain
from evo.play.advice import PERFECT as OPTIMAL
from evo.play.advice import gains_of
from evo.play.record import GameRecord
from evo.play.watched import Watched
from tournaments.drawing.scenes import draw_text
from tournaments.drawing.shapes import (
    MARGIN,
    Disc,
    Drawing,
    Line,
    Polygon,
    Scene,
    Shape,
    ShapeGroup,
    Text,
)
from tournaments.game import State
from tournaments.kernels.rng import Stream
from tournaments.player import CompiledPlayer, CompiledSeat, Insight, Player

MOST_ACTIONS = 24
"""Maximum number of actions with a number in a position, those with the highest numbers."""
LEAST_BELIEF = 0.005
"""Least probability that is shown."""
LARGEST = 1e9
"""Numbers of players that are larger, of either sign, mean that an action was not considered."""
APART = 0.4
"""Least distance, in cells, between the places that an arrow of an action connects."""
PERFECT = "perfect play"


def game_block(watched: Watched | GameRecord, title: str, name: str) -> Block:
    """Return a game as a block: it is played, and drawn as ``evo watch --save`` draws it.

    Args:
        watched: the game.
        title: heading of the game.
        name: name of the file when a picture is saved.
    """
    scenes: list[Scene] = []
    insights: dict[int, Insight] = {}
    if isinstance(watched, Watched) and not watched.fault:
        note = lambda insight: insights.update({len(scenes) - 1: insight})  # noqa: E731
        first, second = (_observed(player, note) for player in watched.players)
        watched = watched._replace(players=(first, second))
    for scene in watched.scenes():
        scenes.append(scene)  # before the next move, whose insight is that of this position
    return {
        "kind": "game",
        "title": title,
        "name": name,
        "players": [
            f"{seat}: {player}"
            for seat, player in zip(watched.game.seats, watched.names, strict=True)
        ],
        **drawing_as_data((watched.game.rules.draw or draw_text)(scenes)),
        "moves": _moves(scenes, insights, watched.names),
    }


def drawing_as_data(drawing: Drawing) -> Block:
    """Return a drawing as data: its size, its different shapes, and the numbers of each frame's."""
    shapes: dict[Shape, int] = {}
    frames = [[shapes.setdefault(s, len(shapes)) for s in frame] for frame in drawing.frames]
    return {
        "width": drawing.width,
        "height": drawing.height,
        "margin": MARGIN,
        "shapes": [shape_as_data(shape) for shape in shapes],
        "frames": frames,
    }


def shape_as_data(shape: Shape) -> list[Any]:
    """Return a shape as a list: its kind in lower case, then its fields."""
    if isinstance(shape, ShapeGroup):
        return ["group", [shape_as_data(part) for part in shape.shapes]]
    return [type(shape).__name__.lower(), *plain([*shape])]


class _ObservedPlayer:
    """A compiled player whose insight is noted after each of its choices."""

    def __init__(self, player: CompiledPlayer, note: Callable[[Insight], None]) -> None:
        self.name, self.seats, self.limit_seconds = player.name, player.seats, player.limit_seconds
        self._player, self._note = player, note

    def choose(self, state: State, rng: Stream) -> int:
        """Return the action that the player chooses in a game that begins here."""
        return self._player.choose(state, rng)

    def sit(self, state: State, seat: int) -> _ObservedSeat:
        """Return the player seated in a game that begins at this position."""
        return _ObservedSeat(self._player.sit(state, seat), self._note)


class _ObservedSeat:
    """The seat of an :class:`_ObservedPlayer` in one game."""

    def __init__(self, seat: CompiledSeat, note: Callable[[Insight], None]) -> None:
        self.name, self.watch = seat.name, seat.watch
        self._seat, self._note = seat, note

    def choose(self, state: State, rng: Stream) -> int:
        """Return the action that the seated player chooses, after a note of its insight."""
        action = self._seat.choose(state, rng)
        self._note(self._seat.insight(state))
        return action


def _observed(player: Player, note: Callable[[Insight], None]) -> Player:
    return _ObservedPlayer(player, note) if isinstance(player, CompiledPlayer) else player


def _moves(
    scenes: Sequence[Scene], insights: Mapping[int, Insight], names: Sequence[str]
) -> list[Block]:
    """Return the words of each move, what it gave away, and what was seen in each position.

    Positions are solved from the end of the game backwards, up to the first that cannot be solved.
    """
    moves: list[Block] = [{"words": " · ".join(each.caption), "note": ""} for each in scenes]
    game, is_solved = scenes[0].state.game, True
    for number in range(len(scenes) - 2, -1, -1):
        state, after = scenes[number].state, scenes[number + 1]
        gains = gains_of(state) if is_solved else {}
        is_solved = after.action in gains
        if is_solved:
            lost = max(gains.values()) - gains[after.action]
            moves[number + 1]["loss"] = plain(round(lost, 6))
            if lost > 0:
                moves[number + 1]["note"] = f"gives away {lost:.3g} {game.unit}"
        layers = [_layer(PERFECT, game.unit, gains, state)]
        if number in insights and not (gains and names[after.seat] == OPTIMAL):
            insight, who = insights[number], f"{game.seats[after.seat]} ({names[after.seat]})"
            layers.insert(0, _layer(who, insight.what, insight.values, state, insight.belief))
        if any(layers):
            moves[number]["seen"] = [layer for layer in layers if layer]
            if after.action >= 0:
                moves[number]["played"] = game.rules.describe(game.board, after.action)
    return moves


def _layer(
    by: str, what: str, values: Mapping[int, float], state: State, belief: Any = None
) -> Block | None:
    """Return what a player saw in a position, or perfect play; None if it says nothing.

    Args:
        by: name of the player.
        what: what the values are.
        values: numbers of actions; nothing is shown if all are equal.
        state: the position.
        belief: see :class:`tournaments.player.Insight`.
    """
    if len(values) > 1 and len({*values.values()}) == 1:
        values = {}
    values = {action: value for action, value in values.items() if abs(value) < LARGEST}
    if not values and belief is None:
        return None
    best = sorted(values, key=lambda action: -values[action])[:MOST_ACTIONS]
    places, describe = places_of(state, best), state.game.rules.describe
    actions = [
        [describe(state.game.board, action), _short(values[action]), *places.get(action, ())]
        for action in best
    ]
    layer: Block = {"by": by, "what": what, "actions": actions}
    if belief is not None:
        layer["belief"] = [
            [int(column), int(row), _short(share)]
            for column, row, share in zip(*belief, strict=True)
            if share >= LEAST_BELIEF
        ]
    return layer


def _short(value: float) -> float | int:
    return plain(float(f"{value:.3g}"))


def places_of(state: State, actions: Iterable[int]) -> dict[int, list[float]]:
    """Return where actions change the picture of a position: ``[x, y]`` by action.

    If shapes also vanish in another place, the list is ``[x, y, from_x, from_y]``. The dictionary
    is empty if the game has no picture, hides information or draws by chance, or if two actions
    change the same place.
    """
    draw, places = state.game.rules.draw, {}
    if draw is None or state.game.view is not None:
        return {}
    before = draw([Scene(state, -1, -1, ())]).frames[0]
    for action in actions:
        after = state.clone()
        after.play(action)
        frame = draw([Scene(after, state.seat_to_move, action, ())]).frames[0]
        place = _place([*{*frame} - {*before}], [*{*before} - {*frame}])
        if not place:
            return {}
        places[action] = place
    is_told_apart = len({tuple(place) for place in places.values()}) == len(places)
    return places if is_told_apart else {}


def _place(new: Sequence[Shape], gone: Sequence[Shape]) -> list[float]:
    """Return where a picture changes, and where a piece that moved came from; empty if nowhere.

    A piece moved if shapes of the same colours appear in one place and vanish in another.
    """
    common = {_colours(shape) for shape in new} & {_colours(shape) for shape in gone}
    to, start = (
        _middle([shape for shape in shapes if _colours(shape) in common]) for shapes in (new, gone)
    )
    if common and max(abs(a - b) for a, b in zip(to, start, strict=True)) > APART:
        return [*to, *start]
    return _middle(new) or _middle(gone)


def _middle(shapes: Iterable[Shape]) -> list[float]:
    """Return the middle of shapes; empty if there are none."""
    points = [point for shape in shapes for point in points_of(shape)]
    return [round(sum(axis) / len(axis), 3) for axis in zip(*points, strict=True)]


def _colours(shape: Shape) -> tuple[str, ...]:
    if isinstance(shape, ShapeGroup):
        return tuple(colour for part in shape.shapes for colour in _colours(part))
    return (shape.colour,)


def points_of(shape: Shape) -> list[tuple[float, float]]:
    """Return points of a shape whose mean is its middle."""
    match shape:
        case Polygon(points, _):
            return list(points)
        case Disc(x, y, _, _) | Text(x, y, _, _, _):
            return [(x, y)]
        case Line(x, y, to_x, to_y, _, _):
            return [(x, y), (to_x, to_y)]
        case ShapeGroup(shapes):
            return [point for part in shapes for point in points_of(part)]
