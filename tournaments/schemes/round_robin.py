"""Round-robin: each pair of individuals meets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tournaments.options import option
from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import Repeated, everybody
from tournaments.schemes.base import MatchPoints, Roster, Scheme, Scoring
from tournaments.schemes.scoring import ByVerdict


@dataclass(frozen=True)
class RoundRobin(Scheme, MatchPoints):
    """Coevolution by round-robin: each pair of individuals meets in a number of matches.

    In contests of S > 2 players, each group of S individuals meets.

    Attributes:
        matches: matches of each pair
    """

    name: ClassVar[str] = "round-robin"
    takes_tables: ClassVar[bool] = True
    matches: int = option(1, low=1, high=1_000_000)

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        once = everybody(roster.sizes, roster.seats)
        schedule = Repeated(once, self.matches) if self.matches > 1 else once
        return schedule, ByVerdict(roster.total, self.worth)


SCHEME = RoundRobin
