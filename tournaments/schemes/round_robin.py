"""Round-robin: each pair of individuals meets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import everybody
from tournaments.schemes.base import MatchPoints, Roster, Scheme, Scoring
from tournaments.schemes.scoring import ByVerdict, Points


@dataclass(frozen=True)
class RoundRobin(Scheme, MatchPoints):
    """Coevolution by round-robin: each pair of individuals meets in one match."""

    name: ClassVar[str] = "round-robin"

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        return everybody(roster.sizes), ByVerdict(Points(roster.total, self.worth))


SCHEME = RoundRobin
