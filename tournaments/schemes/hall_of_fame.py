"""A hall of fame: champions of earlier generations are met again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tournaments.arena.outcomes import Played, Points, Results
from tournaments.kernels.rng import generator
from tournaments.options import one_of, option
from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import Chain
from tournaments.schedules.pairs import Cross
from tournaments.schemes.base import (
    Archives,
    Kept,
    Roster,
    Scoring,
    Sizes,
    best_share_option,
    bonus_option,
    enough_opponents,
    points_option,
)
from tournaments.schemes.random_opponents import drawn_opponents, judged
from tournaments.schemes.scoring import ByVerdict, InTurn


@dataclass(frozen=True)
class HallOfFame:
    """Individuals meet random ones of their generation and champions of earlier ones.

    Rosin and Belew, "New methods for competitive coevolution" (Evolutionary Computation 5(1),
    1997), section 3.3: each generation's best joins the hall, and a random sample of it is met by
    all. Where the seats have roles each population meets the other one's hall.
    """

    name: ClassVar[str] = "hall-of-fame"
    current: int = option(
        5, "random opponents of the generation that each individual meets", low=1, high=1_000_000
    )
    veterans: int = option(
        5, "random members of the hall that all individuals meet", low=1, high=1_000_000
    )
    kept: int = option(0, "the most members that the hall has; 0: all", low=0, high=10_000_000)
    leaves: str = one_of("oldest", "who leaves a full hall: oldest or random", ("oldest", "random"))
    win: float = points_option(1.0, "points for winning a match: more games won than lost")
    draw: float = points_option(0.5, "points for a drawn match")
    loss: float = points_option(0.0, "points for a lost match")
    bonus: float = bonus_option()
    best_share: float = best_share_option(0.0)

    @property
    def panel(self) -> tuple[str, ...]:
        return ()

    def check(self, sizes: Sizes) -> None:
        """There must be as many others."""
        enough_opponents(sizes, "current", self.current, self.name)

    def num_matches(self, sizes: Sizes) -> int:
        """So many for each individual, once the hall has as many members."""
        veterans = min(self.veterans, self.kept) if self.kept else self.veterans
        return sum(sizes) * (self.current + veterans)

    def schedule(
        self, sizes: Sizes, seed: int, generation: int, archives: Archives = ()
    ) -> Schedule:
        """Those of the generation, then those against the hall, population after population."""
        roster = Roster(sizes, archives)
        current = drawn_opponents(roster, self.current, seed, generation)
        return Chain(
            (*current, *(self._past(roster, side, seed, generation) for side in roster.sides))
        )

    def _past(self, roster: Roster, side: int, seed: int, generation: int) -> Cross:
        hall = roster.archived(roster.opponents_of(side))
        drawn = generator(seed, f"veterans/{side}", generation).permutation(hall)[: self.veterans]
        return Cross(roster.living(side), np.sort(drawn), side, (0, len(roster.sizes) - 1))

    def scoring(
        self,
        schedule: Schedule,
        sizes: Sizes,
        seed: int = 0,
        generation: int = 0,
        archives: Archives = (),
    ) -> Scoring:
        """1 point a match won, 0.5 a match drawn, to the one that is judged."""
        assert isinstance(schedule, Chain)
        roster, worth = Roster(sizes, archives), (self.loss, self.draw, self.win)
        past = (ByVerdict(Points(roster.total, worth), (side,)) for side in roster.sides)
        parts = InTurn(schedule, (*judged(roster, worth), *past))
        return _Inducted(self, parts, roster, seed, generation)


@dataclass(frozen=True)
class _Inducted(Scoring):
    """Points, and the halls with the best of this generation."""

    scheme: HallOfFame
    parts: InTurn
    roster: Roster
    seed: int
    generation: int

    def take(self, played: Played, results: Results) -> None:
        self.parts.take(played, results)

    def points(self) -> np.ndarray:
        return self.parts.points()

    def kept(self) -> Kept:
        """Each hall with the champion, the first of equals, at its end."""
        return tuple((self._hall(side),) for side in self.roster.sides)

    def _hall(self, side: int) -> np.ndarray:
        living = self.roster.living(side)
        champion = living[np.argmax(self.points()[living])]
        hall = np.append(self.roster.archived(side), champion)
        if not 0 < self.scheme.kept < len(hall):
            return hall
        leaves = 0
        if self.scheme.leaves == "random":
            stream = generator(self.seed, f"leaves the hall/{side}", self.generation)
            leaves = int(stream.integers(0, len(hall) - 1))
        return np.delete(hall, leaves)
