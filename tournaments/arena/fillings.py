"""What fills the hooks of :mod:`tournaments.arena.arena`, for a kind of player or for two."""

from __future__ import annotations

from tournaments.game import Game
from tournaments.kernels import memoryless
from tournaments.kernels.hooks import view_of_all
from tournaments.player import Kind
from tournaments.rules import Kernel


def hooks_of(game: Game, kind: Kind) -> dict[str, Kernel]:
    """The fillings with which ``take_turn`` is linked for a kind of player."""
    return {**game.hooks, **_of_kind(game, kind)}


def _of_kind(game: Game, kind: Kind) -> dict[str, Kernel]:
    """The fillings of a kind, with what it is shown: no view where it does not look at it."""
    view = view_of_all if kind.is_blind else game.hooks["view_of"]
    watched = view_of_all if kind.watch is memoryless.watch else view
    return {**kind.hooks, "view_to_watch": watched, "view_to_choose": view}


def hooks_for(game: Game, a: Kind, b: Kind) -> dict[str, Kernel]:
    """The fillings with which ``play_matches`` is linked for two kinds of player."""
    of_a = {f"{name}_a": kernel for name, kernel in _of_kind(game, a).items()}
    of_b = {f"{name}_b": kernel for name, kernel in _of_kind(game, b).items()}
    return {**game.hooks, **of_a, **of_b}
