"""Direct evolution: every individual against one or several named opponents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tournaments.errors import TournamentError
from tournaments.options import option, shared
from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import Chain, Placed
from tournaments.schedules.pairs import against_panel
from tournaments.schemes.base import (
    Roster,
    Scheme,
    Scoring,
    Sizes,
    points_option,
    same_games_option,
)
from tournaments.schemes.racing import InRaces, RacedWins
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

        race: individuals of each population that play further matches in each round of a race:
            the ones that are nearest to the border of the best, in standard errors
        race_rounds: rounds of a race, each with as many matches as the first round
        race_best: share of a population that is to be told from the others by a race

    At tables of more than two, each individual meets each group of different opponents, or all of
    them several times at one table if they are fewer than its other seats. After a race the points
    are those of the first round's number of matches, at the mean of all matches.
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
    race: int = option(0, low=0, high=1_000_000, sparse=True)
    race_rounds: int = option(3, low=1, high=1_000, sparse=True)
    race_best: float = option(0.2, low=0.0, high=1.0, sparse=True)
    best_share: float = shared(points_option(0.1, high=1.0))

    @property
    def panel(self) -> tuple[str, ...]:
        return self.opponents or (self.opponent,)

    def check(self, sizes: Sizes) -> None:
        """Raise if options conflict, or roles have more than one opponent."""
        super().check(sizes)
        if self.opponents and self.opponent != type(self).opponent:
            raise TournamentError(
                f"scheme.opponent={self.opponent!r} and opponents={list(self.opponents)} given; "
                "opponents replace it: leave scheme.opponent out, or add it to opponents"
            )
        if self.race and self.score:
            raise TournamentError(
                f"scheme.race={self.race} and score={self.score:g} given; a race goes by matches "
                "won alone: leave one of them out"
            )
        if len(sizes) > 1 and len(self.panel) > 1:
            raise TournamentError(
                f"scheme.opponents={list(self.opponents)} given; in games with roles each "
                "population meets one opponent: set scheme.opponent instead"
            )

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return the matches of every individual against the fixed opponents, and their scoring."""
        if not self.race:
            return in_turn(
                (self._schedule(roster, side), self._scoring(roster, side)) for side in roster.sides
            )
        first = [self._schedule(roster, side) for side in roster.sides]
        worth = self._worth(roster)
        races = [
            RacedWins(roster, worth, side, len(met) // roster.sizes[side])
            for side, met in enumerate(first)
        ]
        schedule, scoring = in_turn(zip(first, races, strict=True))

        def next_round() -> Chain:
            doubtful = (race.in_doubt(self.race, self.race_best) for race in races)
            met = zip(races, doubtful, strict=True)
            return Chain(tuple(self._schedule(roster, race.side, rows) for race, rows in met))

        return schedule, InRaces(
            schedule, scoring.parts, scoring.keep, next_round, self.race_rounds
        )

    def num_tables(self, sizes: Sizes, seats: int) -> int:
        first = len(self._schedules(sizes, seats))
        raced = [min(size, self.race) for size in sizes]
        return first + self.race_rounds * len(self._schedules(raced, seats))

    def num_matches(self, sizes: Sizes) -> int:
        """Return the number of matches of a generation, those of its race included."""
        return self.num_tables(sizes, 2)

    def _schedules(self, sizes: Sequence[int], seats: int) -> Schedule:
        roster = Roster(tuple(sizes), seats=seats)
        return Chain(tuple(self._schedule(roster, side) for side in roster.sides))

    def _schedule(self, roster: Roster, side: int, rows: np.ndarray | None = None) -> Schedule:
        """Return the matches of a population, or of some rows of it."""
        each = np.arange(roster.sizes[side]) if rows is None else rows
        met = against_panel(each, self.matches, len(self.panel), roster.seats, self.same_games)
        if roster.seats > 2:
            return met
        return Placed(met, side, (side, -1), (roster.start(side), 0))

    def _scoring(self, roster: Roster, side: int) -> Scoring:
        """Return the scoring of a population: points for games won and, if set, for the score."""
        worth = self._worth(roster)
        if self.score == 0.0:
            return ByWins(roster.total, worth, (side,))
        return ByScore(roster.total, worth, side, self.score)

    def _worth(self, roster: Roster) -> tuple[float, ...]:
        return by_games(roster, self.no_wins, self.one_win, self.two_wins)


SCHEME = Direct
