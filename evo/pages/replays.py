"""Games of a tournament or a league that are played again from their seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evo.evaluation.players import Participant, participants
from evo.play.watched import Watched
from evo.tournaments.ledger import PairMatches, SeededGames
from results.folder.tournament import Tournament
from tournaments import games
from tournaments.arena.evaluator import ThisThread, play_part
from tournaments.arena.outcomes import results_of_a
from tournaments.errors import ConfigError, PlayerFault
from tournaments.game import Game
from tournaments.named_files import named_by
from tournaments.schedules.base import Matches

if TYPE_CHECKING:
    from results import DataFrame

MOST_MATCHES = 50
"""Maximum number of matches of a pair that are played again to find a lost game."""


@dataclass(frozen=True)
class Replays:
    """The games of pairs of players, which are played again on demand.

    Attributes:
        game: the game.
        players: the players by name.
        rows: rows of the table ``pairs``.
        seed_of: returns the seed of the games of a round.
    """

    game: Game
    players: Mapping[str, Participant]
    rows: DataFrame
    seed_of: Callable[[int], int]

    def first_games(self, player: str, opponent: str) -> list[Watched]:
        """Return the first game of two players in each seat. Empty if they have not met."""
        for met in self._stretches(player, opponent):
            return [met.watched(0, turn) for turn in range(2)]
        return []

    def lost_game(self, player: str, opponent: str) -> Watched | None:
        """Return a game that a player lost against an opponent, or None.

        Only the first matches of each stretch are searched, :data:`MOST_MATCHES` at most. The
        result is None if the player lost none of these games, or if a fault occurs before it loses.
        """
        for met in self._stretches(player, opponent):
            for number in range(min(met.count, MOST_MATCHES)):
                try:
                    results = met.results_of(player, number)
                except PlayerFault:
                    return None
                if (results < 0).any():
                    return met.watched(number, int(np.argmax(results < 0)))
        return None

    def _stretches(self, player: str, opponent: str) -> Iterator[ReplayedPair]:
        both = {player, opponent}
        if not both <= self.players.keys():
            return
        sides = sorted((self.players[name] for name in both), key=lambda each: each.order)
        for row in self.rows.to_dict("records"):
            if {row["player"], row["opponent"]} == both:
                seeded = SeededGames(self.game, sides, self.seed_of(row["round"]), ThisThread())
                first = int(row["first_match"])
                met = PairMatches(0, 1, first, first + int(row["games"]) // 2)
                yield ReplayedPair(seeded, seeded.matches([met]))


@dataclass(frozen=True)
class ReplayedPair:
    """A stretch of matches of two players.

    Attributes:
        seeded: the two players, entrant a of their matches first.
        matches: the matches.
    """

    seeded: SeededGames
    matches: Matches

    @property
    def count(self) -> int:
        """Number of matches."""
        return len(self.matches)

    def results_of(self, player: str, number: int) -> np.ndarray:
        """Play a match again, and return the result of each game for a player: +1, 0 or -1.

        Raises:
            PlayerFault: a player commits a fault.
        """
        played = play_part(self.seeded.entrants, self.matches, number, number + 1)
        results = results_of_a(played.outcomes)[0]
        return results if self.seeded.names[0] == player else -results

    def watched(self, number: int, turn: int) -> Watched:
        """Return a game of a match, to be watched."""
        _, seeds = self.matches.part(number, number + 1)
        first, second = (each.player for each in self.seeded.participants)
        players = (first, second) if turn % 2 == 0 else (second, first)
        return Watched(self.seeded.game, players, int(seeds[0]), turn)


def of_tournament(tournament: Tournament, trust: bool = False) -> Replays:
    """Return the games of a tournament, whose players are made again.

    Files that the tournament's folder names are loaded only with ``trust``.

    Raises:
        ConfigError, TournamentError, ResultsError: a player cannot be made again, or is another one
            than in the tournament.
    """
    info = tournament.info
    if info.get("seed") is None:
        raise ConfigError("the seed of its games is not published yet")
    with named_by("" if trust else str(tournament.path)):
        game = games.parse(info["game"])
        several = participants(list(info["players"]), game, trust)
    for each in several:
        if info["players"].get(each.name) != each.identity:
            raise ConfigError(f"{each.name} is no longer the player that it was in the tournament")
    players = {each.name: each for each in several}
    return Replays(game, players, tournament.pairs, lambda number: int(info["seed"]))
