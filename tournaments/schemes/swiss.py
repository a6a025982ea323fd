"""A Swiss tournament: all individuals play every round, against opponents of similar score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tournaments.errors import TournamentError
from tournaments.options import option
from tournaments.schedules.base import Schedule
from tournaments.schedules.pairings import SwissPairing, most_rounds
from tournaments.schemes.base import MatchPoints, Roster, Scheme, Scoring, Sizes
from tournaments.schemes.scoring import InRounds, Rounds, worth_of


@dataclass(frozen=True)
class Swiss(Scheme, MatchPoints):
    """Rounds in which individuals of equal scores meet, no two twice as long as that is possible.

    The pairing of chess tournaments since Zürich 1895, simplified: from the top, each individual
    meets the next that it has not met, equal scores in random order. In an odd population one
    individual has no opponent, each time another one, and gets the points of a win. A match is two
    games with the seats swapped, so no individual has a seat more often.

    Attributes:
        rounds: rounds; 0: as many as single elimination has, log2 of the population
    """

    name: ClassVar[str] = "swiss"
    has_roles: ClassVar[bool] = False
    rounds: int = option(0, low=0, high=10_000)

    def num_rounds(self, individuals: int) -> int:
        """Return the number of rounds of a Swiss tournament with so many individuals."""
        return self.rounds or (individuals - 1).bit_length()

    def check(self, sizes: Sizes) -> None:
        """Raise if a Swiss tournament has more rounds than each individual has opponents."""
        super().check(sizes)
        most = most_rounds(sizes[0])
        if self.rounds > most:
            raise TournamentError(
                f"rounds={self.rounds} and population={sizes[0]} given; everybody has met "
                f"everybody after {most} rounds: set scheme.rounds={most} or less"
            )

    def num_matches(self, sizes: Sizes) -> int:
        """Return the number of matches of a Swiss tournament: in each round one per pair."""
        return self.num_rounds(sizes[0]) * (sizes[0] // 2)

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return the random matches of the first round of a Swiss tournament, and its scoring.

        The scoring covers all rounds.
        """
        scoring = InRounds(self._rounds(roster))
        return scoring.schedule, scoring

    def _rounds(self, roster: Roster) -> Rounds:
        pairing = SwissPairing(roster.total)
        for number in range(self.num_rounds(roster.total)):
            pairing.enter((yield pairing.pairs(roster.generator("equal scores", number))))
        return worth_of(pairing.results, self.worth)


SCHEME = Swiss
