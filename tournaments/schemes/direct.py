"""Direct evolution: every individual against one or several named opponents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tournaments.errors import TournamentError
from tournaments.options import option, shared
from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import Placed
from tournaments.schedules.pairs import against_panel
from tournaments.schemes.base import (
    Roster,
    Scheme,
    Scoring,
    Sizes,
    points_option,
    same_games_option,
)
from tournaments.schemes.scoring import ByScore, ByWins, by_games, in_turn


@dataclass(frozen=True)
class Direct(Scheme):
    """Direct evolution: every individual meets a named opponent in a number of matches.

    Attributes:
        opponent: the player to be beaten
        opponents: several players in place of one opponent, each of which every individual meets
        matches: two-game matches of each individual against each opponent
        two_wins: points for a match with both games won
        one_win: points for a match with one game won
        no_wins: points for a match with no game won
        score: points for each point of an individual's score in a game, such as a box: this
            distinguishes players that do not win any game yet

    At tables of more than two, each individual meets each group of different opponents, or all of
    them several times at one table if they are fewer than its other seats.
    """

    name: ClassVar[str] = "direct"
    least: ClassVar[int] = 1
    is_relative: ClassVar[bool] = False
    takes_tables: ClassVar[bool] = True
    opponent: str = option("level-0")
    opponents: tuple[str, ...] = option(())
    matches: int = option(10, low=1, high=1_000_000_000)
    two_wins: float = points_option(1.0)
    one_win: float = points_option(0.5)
    no_wins: float = points_option(0.0)
    score: float = points_option(0.0)
    same_games: bool = same_games_option()
    best_share: float = shared(points_option(0.1, high=1.0))

    @property
    def panel(self) -> tuple[str, ...]:
        return self.opponents or (self.opponent,)

    def check(self, sizes: Sizes) -> None:
        """Raise if the options for opponents conflict, or roles have more than one opponent."""
        super().check(sizes)
        if self.opponents and self.opponent != type(self).opponent:
            raise TournamentError(
                f"scheme.opponent={self.opponent!r} and opponents={list(self.opponents)} given; "
                "opponents replace it: leave scheme.opponent out, or add it to opponents"
            )
        if len(sizes) > 1 and len(self.panel) > 1:
            raise TournamentError(
                f"scheme.opponents={list(self.opponents)} given; in games with roles each "
                "population meets one opponent: set scheme.opponent instead"
            )

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return the matches of every individual against the fixed opponents, and their scoring."""
        return in_turn(
            (self._schedule(roster, side), self._scoring(roster, side)) for side in roster.sides
        )

    def _schedule(self, roster: Roster, side: int) -> Schedule:
        each = np.arange(roster.sizes[side])
        met = against_panel(each, self.matches, len(self.panel), roster.seats, self.same_games)
        if roster.seats > 2:
            return met
        return Placed(met, side, (side, -1), (roster.start(side), 0))

    def _scoring(self, roster: Roster, side: int) -> Scoring:
        """Return the scoring of a population: points for games won and, if set, for the score."""
        worth = by_games(roster, self.no_wins, self.one_win, self.two_wins)
        if self.score == 0.0:
            return ByWins(roster.total, worth, (side,))
        return ByScore(roster.total, worth, side, self.score)


SCHEME = Direct
