"""Games, found by name: our own, and those that installed packages offer.

A package offers a game through the entry point group ``tournaments.games``; the object is a
:class:`tournaments.player.Rules`.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from tournaments.errors import TournamentError, unknown
from tournaments.player import Game, Rules

GROUP = "tournaments.games"
_OWN = {
    "cat-and-mouse": "tournaments.games.cat_and_mouse.rules:RULES",
    "dots-and-boxes": "tournaments.games.dots_and_boxes.rules:RULES",
}


def names() -> list[str]:
    """The games that can be made, sorted."""
    return sorted({*_OWN, *(point.name for point in entry_points(group=GROUP))})


def rules(name: str) -> Rules:
    """The rules behind a name.

    Raises:
        TournamentError: no game of that name; the message has the nearest.
    """
    target = _OWN.get(name)
    if target is not None:
        module, attribute = target.split(":")
        return getattr(import_module(module), attribute)
    offered = load(_from_package(name), "game")
    if not isinstance(offered, Rules):
        raise TournamentError(
            f"game {name!r}: its package offers a {type(offered).__name__}; a "
            "tournaments.player.Rules is expected"
        )
    return offered


def load(point: EntryPoint, what: str) -> Any:
    """What a package offers through an entry point.

    Raises:
        TournamentError: it cannot be imported; the message names the package.
    """
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        package = point.dist.name if point.dist else "an installed package"
        raise TournamentError(
            f"{what} {point.name!r} of {package} cannot be loaded from {point.value}: {error}; "
            "mend or uninstall that package"
        ) from error


def _from_package(name: str) -> EntryPoint:
    for point in entry_points(group=GROUP):
        if point.name == name:
            return point
    raise unknown("game", name, names())


def make(name: str, **options: Any) -> Game:
    """A game by name, with options: ``make("dots-and-boxes", rows=3, cols=3)``.

    Raises:
        TournamentError: an unknown game or option, or a value that the game does not take.
    """
    return Game(rules(name), options)


def parse(spec: str) -> Game:
    """A game as typed on a command line: ``dots-and-boxes`` or ``dots-and-boxes:rows=5,cols=5``."""
    name, options = parse_spec(spec)
    return make(name, **options)


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """Split ``name:key=value,key=value``; numbers become numbers, the rest stay text."""
    name, _, tail = spec.partition(":")
    options: dict[str, Any] = {}
    for item in filter(None, tail.split(",")):
        key, equals, value = item.partition("=")
        if not equals or not key.strip():
            raise TournamentError(
                f"{spec!r}: {item!r} is not an option; write NAME:key=value,key=value"
            )
        options[key.strip()] = _number(value.strip())
    return name.strip(), options


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
