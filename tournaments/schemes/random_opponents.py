"""Random opponents: each individual is judged by a few others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tournaments.arena.outcomes import Points
from tournaments.options import option
from tournaments.schedules.antibodies import Antibodies
from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import Chain, Placed
from tournaments.schemes.base import (
    Archives,
    Roster,
    Scoring,
    Sizes,
    best_share_option,
    bonus_option,
    enough_opponents,
    points_option,
)
from tournaments.schemes.scoring import ByVerdict, InTurn


@dataclass(frozen=True)
class RandomOpponents:
    """Each individual meets so many random others; only the one that is judged earns.

    Panait and Luke, "A comparison of two competitive fitness functions" (GECCO 2002), where it is
    K-random-opponents; they find it better than single elimination with 10 opponents or so.
    """

    name: ClassVar[str] = "random-opponents"
    opponents: int = option(
        10, "how many different others each individual meets", low=1, high=1_000_000
    )
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
        enough_opponents(sizes, "opponents", self.opponents, self.name)

    def num_matches(self, sizes: Sizes) -> int:
        """So many for each individual."""
        return sum(sizes) * self.opponents

    def schedule(
        self, sizes: Sizes, seed: int, generation: int, archives: Archives = ()
    ) -> Schedule:
        """The matches of each individual in a row, population after population."""
        return Chain(drawn_opponents(Roster(sizes, archives), self.opponents, seed, generation))

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
        return InTurn(schedule, judged(Roster(sizes, archives), (self.loss, self.draw, self.win)))


def drawn_opponents(
    roster: Roster, opponents: int, seed: int, generation: int
) -> tuple[Schedule, ...]:
    """For each population the matches of its individuals against random ones that they can meet."""
    if len(roster.sizes) == 1:
        size = roster.sizes[0]
        return (Antibodies(size, size, opponents, seed, generation, name="/judges"),)
    return tuple(
        Placed(
            Antibodies(
                roster.sizes[1 - side],
                roster.sizes[side],
                opponents,
                seed,
                generation,
                roster.sizes[side],
                f"/judges/{side}",
            ),
            1 - side,
            (1 - side, side),
            (roster.start(1 - side), roster.start(side)),
        )
        for side in roster.sides
    )


def judged(roster: Roster, worth: tuple[float, ...]) -> tuple[Scoring, ...]:
    """What scores the matches of :func:`drawn_opponents`: who is judged there earns.

    The opponent is entrant a where there is one population.
    """
    sides = (1,) if len(roster.sizes) == 1 else (0, 1)
    return tuple(ByVerdict(Points(roster.total, worth), (side,)) for side in sides)
