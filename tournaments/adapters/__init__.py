"""Adapters to the games and environments of other packages (the extra ``peers``).

``openspiel:connect_four`` can be used wherever a game is named. :func:`pettingzoo` converts a game
of this package to a PettingZoo environment.
"""

from __future__ import annotations

from typing import Any

from tournaments.errors import TournamentError
from tournaments.game import Game, parse

__all__ = ["pettingzoo"]


def pettingzoo(game: Game | str, render_mode: str | None = None) -> Any:
    """Return a game as a PettingZoo environment with one agent per turn (AEC).

    Args:
        game: a text such as ``connect-four:rows=4``, or a game of :func:`tournaments.games.make`.
        render_mode: ``ansi``: ``render()`` returns the text board; None: no rendering.

    Raises:
        TournamentError: PettingZoo is not installed, or the game or the mode does not exist.
    """
    try:
        from tournaments.adapters.aec import GameEnvironment
    except ImportError as error:
        raise not_installed("PettingZoo", error) from None
    return GameEnvironment(parse(game), render_mode)


def not_installed(package: str, error: ImportError) -> TournamentError:
    """Return the error for a package that cannot be imported."""
    return TournamentError(
        f"{package} cannot be imported ({error}); install it: pip install 'evo-tournaments[peers]'"
    )
