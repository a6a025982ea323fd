"""What is computed of players in place of playing them.

A game may offer either part (``Rules.best_responses``, ``Rules.meetings``); of a game that offers
none both are computed of all its positions, where these are not too many
(:mod:`tournaments.exact.every_game`).
"""

from __future__ import annotations

from tournaments.errors import TournamentError
from tournaments.exact.every_game import graph_meetings, graph_responses
from tournaments.exact.offers import (
    Announce,
    BestResponses,
    Meeting,
    Meetings,
    Proof,
    columns_of,
    kept,
)
from tournaments.game import Game
from tournaments.solver.retrograde import solution

__all__ = [
    "Announce",
    "BestResponses",
    "Meeting",
    "Meetings",
    "Proof",
    "best_responses",
    "columns_of",
    "computes_meetings",
    "kept",
    "meetings",
]


def best_responses(game: Game, threads: int = 1) -> BestResponses:
    """The best responses of a game; ``threads`` share what takes seconds.

    Raises:
        TournamentError: it computes none with these options, or has too many positions.
    """
    if game.rules.best_responses is not None:
        return game.rules.best_responses(game, threads)
    _refuse_half(game, "best responses", game.rules.meetings)
    return graph_responses(game, solution(game))


def meetings(game: Game, threads: int = 1) -> Meetings:
    """The meetings of a game.

    Raises:
        TournamentError: as for :func:`best_responses`.
    """
    if game.rules.meetings is not None:
        return game.rules.meetings(game, threads)
    _refuse_half(game, "meetings", game.rules.best_responses)
    return graph_meetings(game, solution(game))


def _refuse_half(game: Game, what: str, other: object) -> None:
    """Refuse a game that offers one part and not the other: it knows why."""
    if other is not None:
        raise TournamentError(
            f"{game.name} computes no {what} (Rules.{what.replace(' ', '_')}), so its games can "
            "only be played"
        )


def computes_meetings(game: Game) -> bool:
    """Whether games can be computed in place of playing them."""
    try:
        meetings(game)
    except TournamentError:
        return False
    return True
