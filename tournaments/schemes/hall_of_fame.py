"""A hall of fame: individuals meet champions of earlier generations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tournaments.options import option
from tournaments.schedules.base import Schedule
from tournaments.schedules.pairs import Challenges, Cross
from tournaments.schemes.base import (
    Kept,
    MatchPoints,
    Roster,
    Scheme,
    Scoring,
    Sizes,
    same_games_option,
)
from tournaments.schemes.scoring import ByVerdict, in_turn, judged


@dataclass(frozen=True)
class HallOfFame(Scheme, MatchPoints):
    """Individuals meet random ones of their generation and champions of earlier ones.

    Rosin and Belew, "New methods for competitive coevolution" (Evolutionary Computation 5(1),
    1997), section 3.3: each generation's best joins the hall, and a random sample of it is met by
    all. Where the seats have roles each population meets the other one's hall. At tables of more
    than two, each individual sits at ``current`` random tables and ``veterans`` tables of members.

    Attributes:
        current: random opponents of the generation that each individual meets
        veterans: random members of the hall that all individuals meet
        kept: the most members that the hall has; 0: all
        leaves: the member that leaves a full hall: oldest or random
    """

    takes_tables: ClassVar[bool] = True

    name: ClassVar[str] = "hall-of-fame"
    opponents_field: ClassVar[str] = "current"
    current: int = option(5, low=1, high=1_000_000)
    veterans: int = option(5, low=1, high=1_000_000)
    kept: int = option(0, low=0, high=10_000_000)
    leaves: str = option("oldest", known=("oldest", "random"))
    same_games: bool = same_games_option()

    def num_matches(self, sizes: Sizes) -> int:
        """Return the number of matches of a generation once the halls of fame are full.

        It is ``current`` + ``veterans`` for each individual.
        """
        veterans = min(self.veterans, self.kept) if self.kept else self.veterans
        return sum(sizes) * (self.current + veterans)

    def num_tables(self, sizes: Sizes, seats: int) -> int:
        if seats == 2:
            return self.num_matches(sizes)
        return sum(sizes) * (self.current + self.veterans)

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return the matches within the generation and then with the hall, and their scoring."""
        past = [
            (self._past(roster, side), ByVerdict(roster.total, self.worth, (side,)))
            for side in roster.sides
        ]
        parts = [*judged(roster, self.current, self.worth), *past]
        return in_turn(parts, lambda points: self._halls(roster, points))

    def _past(self, roster: Roster, side: int) -> Schedule:
        hall = roster.archived(roster.opponents_of(side))
        if roster.seats > 2:
            rng, others = roster.generator(f"veterans/{side}"), roster.seats - 1
            count = self.veterans if len(hall) else 0
            tables = [np.resize(rng.permutation(hall), others) for _ in range(count)]
            veterans = np.array(tables, dtype=np.int32).reshape(-1, others)
            return Challenges(roster.living(side), veterans, 1, is_same_games=self.same_games)
        sample = roster.drawn(f"veterans/{side}", hall, self.veterans)
        return Cross(roster.living(side), sample, side, roster.groups, self.same_games)

    def _halls(self, roster: Roster, points: np.ndarray) -> Kept:
        """Return each population's hall of fame with its new champion, the first of the best.

        A full hall loses its oldest or a random champion.
        """
        halls = []
        for side in roster.sides:
            living = roster.living(side)
            hall = np.append(roster.archived(side), living[np.argmax(points[living])])
            if 0 < self.kept < len(hall):
                stream = roster.generator(f"leaves the hall/{side}")
                oldest = self.leaves == "oldest"
                hall = np.delete(hall, 0 if oldest else int(stream.integers(0, len(hall) - 1)))
            halls.append((hall,))
        return tuple(halls)


SCHEME = HallOfFame
