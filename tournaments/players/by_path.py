"""Players from a user's Python file: a class, a function or an object."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import partial
from typing import Any

from tournaments.game import Game
from tournaments.player import Player
from tournaments.players.objects import made_by, player_of
from tournaments.rules import PlayerOffer

SUMMARY = "of a file of one's own"


def of_thing(name: str, thing: Any) -> PlayerOffer:
    """Return the player offer of an object (a class, a function or a player) from a user's file.

    A class is called with the options, preceded by the game if its first parameter is ``game``. A
    function whose first parameter is ``game`` is called in the same way. Any other function is the
    player itself.
    """
    if isinstance(thing, PlayerOffer):
        return thing
    takes_game = next(iter(_parameters(thing)), "") == "game"
    if not (isinstance(thing, type) or (inspect.isroutine(thing) and takes_game)):
        return PlayerOffer(SUMMARY, lambda game: player_of(thing, game, name))

    def make(game: Game, **options: Any) -> Player:
        given = (game,) if takes_game else ()
        return player_of(made_by(name, partial(thing, *given, **options)), game, name)

    first = inspect.Parameter("game", inspect.Parameter.POSITIONAL_ONLY)
    plain, by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    own = list(_parameters(thing).values())[takes_game:]
    own = [each.replace(kind=by_name) if each.kind is plain else each for each in own]
    make.__signature__ = inspect.Signature([first, *own])  # type: ignore[attr-defined]
    return PlayerOffer(SUMMARY, make)


def _parameters(thing: Any) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a user's class or function. An object has no parameters."""
    is_made = isinstance(thing, type) or inspect.isroutine(thing)
    return inspect.signature(thing).parameters if is_made else {}
