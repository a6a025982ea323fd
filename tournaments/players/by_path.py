"""Players made of what a Python file by path holds: a class, a function or an object."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tournaments.code_files import is_code
from tournaments.game import Game
from tournaments.player import Player
from tournaments.players.objects import limited, made_by, player_of
from tournaments.rules import PlayerOffer

SUMMARY = "of a file of one's own"
LIMIT = "limit_seconds"
"""Option of every player of a file: seconds for a move, see :func:`players.objects.limited`."""


def names_thing(name: str) -> bool:
    """Whether a name is that of a thing in a Python file; a file alone is a program that is run."""
    return is_code(name) and ":" in name


def of_thing(name: str, thing: Any) -> PlayerOffer:
    """The offer that a thing of a file stands for.

    A class is called with the options, after the game where its first argument is ``game``. So is a
    function that begins so; any other function is the player itself.
    """
    if isinstance(thing, PlayerOffer):
        return thing
    if isinstance(thing, type) or (inspect.isroutine(thing) and _begins_with_game(thing)):
        return PlayerOffer(SUMMARY, _maker(name, thing))
    return PlayerOffer(SUMMARY, _taking_limit(lambda game: player_of(thing, game, name), ()))


def _maker(name: str, thing: Callable[..., Any]) -> Callable[..., Player]:
    """A function ``(game, **options)`` whose signature is that of a class or a function."""
    takes_game = _begins_with_game(thing)

    def make(game: Game, **options: Any) -> Player:
        given = (game,) if takes_game else ()
        return player_of(made_by(name, partial(thing, *given, **options)), game, name)

    own = list(inspect.signature(thing).parameters.values())[takes_game:]
    plain = inspect.Parameter.POSITIONAL_OR_KEYWORD
    by_name = [each.replace(kind=each.KEYWORD_ONLY) if each.kind is plain else each for each in own]
    return _taking_limit(make, by_name)


def _taking_limit(
    make: Callable[..., Player], own: Sequence[inspect.Parameter]
) -> Callable[..., Player]:
    """The function with these parameters, and with seconds a move unless one is called so."""
    first = inspect.Parameter("game", inspect.Parameter.POSITIONAL_ONLY)
    if not any(each.name == LIMIT for each in own):
        make = _with_limit(make)
        limit = inspect.Parameter(LIMIT, inspect.Parameter.KEYWORD_ONLY, default=None)
        at_end = [each for each in own if each.kind is each.VAR_KEYWORD]
        own = [*(each for each in own if each not in at_end), limit, *at_end]
    make.__signature__ = inspect.Signature([first, *own])  # type: ignore[attr-defined]
    return make


def _with_limit(plain: Callable[..., Player]) -> Callable[..., Player]:
    def make(game: Game, *, limit_seconds: Any = None, **options: Any) -> Player:
        player = plain(game, **options)
        return player if limit_seconds is None else limited(player, limit_seconds)

    return make


def _begins_with_game(thing: Callable[..., Any]) -> bool:
    return next(iter(inspect.signature(thing).parameters), "") == "game"
