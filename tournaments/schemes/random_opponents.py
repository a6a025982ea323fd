"""Random opponents: each individual is evaluated against a few random opponents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tournaments.options import option
from tournaments.schedules.base import Schedule
from tournaments.schemes.base import MatchPoints, Roster, Scheme, Scoring
from tournaments.schemes.scoring import in_turn, judged


@dataclass(frozen=True)
class RandomOpponents(Scheme, MatchPoints):
    """Each individual is judged by matches against a number of random others.

    Panait and Luke, "A comparison of two competitive fitness functions" (GECCO 2002), where it is
    K-random-opponents; they find it better than single elimination with 10 opponents or so.

    Attributes:
        opponents: number of different others that each individual meets; at tables of more than
            two, number of tables
    """

    name: ClassVar[str] = "random-opponents"
    takes_tables: ClassVar[bool] = True
    opponents_field: ClassVar[str] = "opponents"
    opponents: int = option(10, low=1, high=1_000_000)

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return the matches of individuals against random opponents, and their scoring.

        They are grouped by population and individual.
        """
        return in_turn(judged(roster, self.opponents, self.worth))


SCHEME = RandomOpponents
