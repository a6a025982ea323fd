"""A Swiss tournament: all individuals play every round, against opponents of similar score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tournaments.errors import TournamentError
from tournaments.options import option
from tournaments.schedules.base import Schedule
from tournaments.schedules.pairings import SwissPairing, most_rounds
from tournaments.schemes.base import MatchPoints, Roster, Scheme, Scoring, Sizes
from tournaments.schemes.scoring import InRounds, Rounds, worth_of


@dataclass(frozen=True)
class Swiss(Scheme, MatchPoints):
    """Rounds in which individuals of similar scores meet. No two meet twice if that is possible.

    The pairing of chess tournaments since Zürich 1895, simplified: from the top, each individual
    meets the next that it has not met. Equal scores are in random order. In an odd population one
    individual has no opponent in a round, each time another one, and gets the points of a win. A
    match is two games with the seats swapped, so all individuals play equally often in each seat.
    In contests of more than two players, neighbours in the order of scores share a table, even if
    they met before. Individuals without a table, different ones in each round, get the points of
    wins.

    Attributes:
        rounds: rounds; 0: as many as single elimination has, log2 of the population rounded up
    """

    name: ClassVar[str] = "swiss"
    takes_tables: ClassVar[bool] = True
    has_roles: ClassVar[bool] = False
    rounds: int = option(0, low=0, high=10_000)

    def num_rounds(self, individuals: int) -> int:
        """Return the number of rounds of a Swiss tournament with this number of individuals."""
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

    def num_tables(self, sizes: Sizes, seats: int) -> int:
        return self.num_rounds(sizes[0]) * (sizes[0] // seats)

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return the random matches of the first round of a Swiss tournament, and its scoring.

        The scoring covers all rounds.
        """
        rounds = self._rounds(roster) if roster.seats == 2 else self._tables(roster)
        scoring = InRounds(rounds)
        return scoring.schedule, scoring

    def _rounds(self, roster: Roster) -> Rounds:
        pairing = SwissPairing(roster.total)
        for number in range(self.num_rounds(roster.total)):
            pairing.enter((yield pairing.pairs(roster.generator("equal scores", number))))
        return worth_of(pairing.results, self.worth)

    def _tables(self, roster: Roster) -> Rounds:
        """Arrange rounds of tables of more than two individuals."""
        individuals, seats = roster.total, roster.seats
        counts = np.zeros((individuals, 3), dtype=np.int64)  # lost, drawn and won against others
        rests = np.zeros(individuals, dtype=np.int64)
        for number in range(self.num_rounds(individuals)):
            drawn = roster.generator("equal scores", number).permutation(individuals)
            order = drawn[np.argsort(-(counts @ (0, 1, 2))[drawn], kind="stable")]
            lowest = order[::-1][np.argsort(rests[order[::-1]], kind="stable")]
            resting = lowest[: individuals % seats]
            rests[resting] += 1
            counts[resting, 2] += seats - 1
            tables = order[~np.isin(order, resting)].reshape(-1, seats).astype(np.int32)
            verdicts = yield tables
            for result in (-1, 0, 1):
                alike = (verdicts == result).sum(axis=2) - (result == 0)  # each draws with itself
                counts[tables, 1 + result] += alike
        return worth_of(counts, self.worth)


SCHEME = Swiss
