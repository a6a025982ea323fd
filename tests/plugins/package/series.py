"""A scheme: each pair of individuals meets in several matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tournaments.options import option
from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import Repeated, everybody
from tournaments.schemes.base import MatchPoints, Roster, Scheme, Scoring
from tournaments.schemes.scoring import ByVerdict


@dataclass(frozen=True)
class Series(Scheme, MatchPoints):
    """Each pair of individuals meets in several matches."""

    name: ClassVar[str] = "series"
    matches: int = option(3, "matches of each pair", low=1, high=1000)

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Everybody, so many times."""
        schedule = Repeated(everybody(roster.sizes), self.matches)
        return schedule, ByVerdict(roster.total, self.worth)


SCHEME = Series
