"""Players of each kind that plays a game, for :mod:`tournaments.contract.check` to look at."""

from __future__ import annotations

from collections.abc import Iterable

from tournaments import players
from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.player import CompiledPlayer, Player, compiled


def registered_players(game: Game) -> list[CompiledPlayer]:
    """Compiled players of each kind that plays a game."""
    made = [compiled(player) for name in players.names(game) for player in samples_of(name, game)]
    return [player for player in made if player is not None]


def samples_of(name: str, game: Game) -> Iterable[Player]:
    """Players that stand for all of a name."""
    try:
        samples = players.offer(name, game).samples
        return [players.make(name, game)] if samples is None else samples(game)
    except TournamentError:
        return ()  # needs options, or is broken, which is no fault of the game
