"""Players made of what a Python file holds: a class, a function or an object."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tournaments.errors import TournamentError
from tournaments.game import Game, State
from tournaments.kernels.rng import Stream
from tournaments.rules import PlayerOffer

SUMMARY = "of a file of one's own"


@dataclass(frozen=True)
class ByFunction:
    """A player that is a function ``(state, rng) -> action``."""

    name: str
    function: Callable[[State, Stream], int]

    def choose(self, state: State, rng: Stream) -> int:
        """See :meth:`tournaments.player.Player.choose`."""
        return self.function(state, rng)


@dataclass(frozen=True)
class Named:
    """A player whose class gives it no name."""

    name: str
    player: Any

    def choose(self, state: State, rng: Stream) -> int:
        """See :meth:`tournaments.player.Player.choose`."""
        return self.player.choose(state, rng)


def of_thing(name: str, thing: Any) -> PlayerOffer:
    """The offer that a thing of a file stands for.

    A class is called with the options, after the game where it begins with an argument ``game``. So
    is a function that begins so; any other function is the player itself.

    Raises:
        TournamentError: it is none of these.
    """
    if isinstance(thing, PlayerOffer):
        return thing
    if isinstance(thing, type):
        return PlayerOffer(SUMMARY, _made_by(name, thing))
    if callable(getattr(thing, "choose", None)):
        return PlayerOffer(SUMMARY, lambda game: _with_name(name, thing))
    if not inspect.isroutine(thing):
        raise TournamentError(
            f"player {name!r} is a {type(thing).__name__}; a class, a function or an object with "
            "choose(state, rng) is expected"
        )
    if _begins_with_game(thing):
        return PlayerOffer(SUMMARY, _made_by(name, thing))
    return PlayerOffer(SUMMARY, lambda game: ByFunction(name, thing))


def _made_by(name: str, thing: Callable[..., Any]) -> Callable[..., Any]:
    """A maker ``(game, **options)`` whose signature is that of a class or a function."""
    own = list(inspect.signature(thing).parameters.values())
    takes_game = _begins_with_game(thing)

    def make(game: Game, **options: Any) -> Any:
        return _with_name(name, thing(game, **options) if takes_game else thing(**options))

    parameters = [parameter.replace(annotation=parameter.empty) for parameter in own[takes_game:]]
    by_name = [
        parameter.replace(kind=parameter.KEYWORD_ONLY)
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        else parameter
        for parameter in parameters
    ]
    first = inspect.Parameter("game", inspect.Parameter.POSITIONAL_ONLY)
    make.__signature__ = inspect.Signature([first, *by_name])  # type: ignore[attr-defined]
    return make


def _begins_with_game(thing: Any) -> bool:
    return next(iter(inspect.signature(thing).parameters), "") == "game"


def _with_name(name: str, made: Any) -> Any:
    return made if hasattr(made, "name") else Named(name, made)
