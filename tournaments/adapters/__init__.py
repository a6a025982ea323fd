"""Games of other packages played here, and games of ours played there (the extra ``peers``).

``openspiel:connect_four`` is a game wherever one is named; :func:`pettingzoo` makes one of ours an
environment of PettingZoo's.
"""

from __future__ import annotations

from typing import Any

from tournaments.errors import TournamentError
from tournaments.game import Game, parse

__all__ = ["pettingzoo"]


def pettingzoo(game: Game | str, render_mode: str | None = None) -> Any:
    """A game as an environment of PettingZoo's, one agent a turn (AEC).

    Args:
        game: as typed, ``connect-four:rows=4``, or from :func:`tournaments.games.make`.
        render_mode: ``ansi``: ``render()`` gives the text board; None: there is nothing to render.

    Raises:
        TournamentError: PettingZoo is not installed, or there is no such game or mode.
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
