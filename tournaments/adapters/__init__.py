"""Adapters to the games and environments of other packages (the extra ``peers``).

``openspiel:connect_four`` and ``pettingzoo:connect_four_v3`` can be used wherever a game is named.
:func:`environment_rules` makes a game of a user's own PettingZoo environment. :func:`to_pettingzoo`
converts a game of this package to a PettingZoo environment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tournaments.errors import TournamentError
from tournaments.game import Game, parse
from tournaments.rules import Rules

__all__ = ["environment_rules", "to_pettingzoo"]


def to_pettingzoo(
    game: Game | str, render_mode: str | None = None, observations: str = "state"
) -> Any:
    """Return a game as a PettingZoo environment with one agent per turn (AEC).

    Args:
        game: a text such as ``connect-four:rows=4``, or a game of :func:`tournaments.games.make`.
        render_mode: ``ansi``: ``render()`` returns the text board; None: no rendering.
        observations: ``state``: the state as the seat sees it; ``inputs``: the inputs that a
            network gets at the seat's turn.

    Raises:
        TournamentError: PettingZoo is not installed, the game, the mode or the kind of observations
            does not exist, or the game has no inputs for networks.
    """
    try:
        from tournaments.adapters.aec import GameEnvironment
    except ImportError as error:
        raise not_installed("PettingZoo", error) from None
    return GameEnvironment(parse(game), render_mode, observations)


def environment_rules(make: Callable[[], Any]) -> Rules:
    """Return the rules of a PettingZoo environment with two agents that act in turn (AEC).

    A Python file with ``RULES = environment_rules(make)`` is a game, named by its path.

    Args:
        make: the function or class of a module that makes the environment.

    Raises:
        TournamentError: PettingZoo is not installed, or the environment is unsuitable: it has other
            agents or no action mask.
    """
    from tournaments.adapters import pettingzoo

    return pettingzoo.rules_of_maker(make)


def not_installed(package: str, error: ImportError) -> TournamentError:
    """Return the error for a package that cannot be imported."""
    return TournamentError(
        f"{package} cannot be imported ({error}); install it: pip install 'evo-tournaments[peers]'"
    )
