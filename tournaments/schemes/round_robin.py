"""Round-robin: each pair of individuals meets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tournaments.arena.outcomes import Points
from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import everybody
from tournaments.schemes.base import (
    Archives,
    Scoring,
    Sizes,
    at_least,
    best_share_option,
    bonus_option,
    points_option,
)
from tournaments.schemes.scoring import ByVerdict


@dataclass(frozen=True)
class RoundRobin:
    """Coevolution by round-robin: each pair of individuals meets in one match."""

    name: ClassVar[str] = "round-robin"
    win: float = points_option(1.0, "points for winning a match: more games won than lost")
    draw: float = points_option(0.5, "points for a drawn match")
    loss: float = points_option(0.0, "points for a lost match")
    bonus: float = bonus_option()
    best_share: float = best_share_option(0.0)

    @property
    def panel(self) -> tuple[str, ...]:
        return ()

    def check(self, sizes: Sizes) -> None:
        """A pair takes two individuals."""
        at_least(sizes, 2 if len(sizes) == 1 else 1, self.name)

    def num_matches(self, sizes: Sizes) -> int:
        """One a pair."""
        return len(everybody(sizes))

    def schedule(
        self, sizes: Sizes, seed: int, generation: int, archives: Archives = ()
    ) -> Schedule:
        """Each pair once; of two populations, each of the one with each of the other."""
        return everybody(sizes)

    def scoring(
        self,
        schedule: Schedule,
        sizes: Sizes,
        seed: int = 0,
        generation: int = 0,
        archives: Archives = (),
    ) -> Scoring:
        """1 point a match won, 0.5 a match drawn."""
        return ByVerdict(Points(sum(sizes), (self.loss, self.draw, self.win)))
