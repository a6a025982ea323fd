"""Competitive fitness sharing: a win against a rarely beaten opponent is worth more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tournaments.options import option
from tournaments.schedules.base import Schedule
from tournaments.schedules.pairs import Cross
from tournaments.schemes.base import Roster, Scheme, Scoring, Sizes
from tournaments.schemes.scoring import Sheet, in_order, in_turn, shares

SHARED, RANDOM = "shared", "random"


@dataclass(frozen=True)
class CompetitiveSharing(Scheme):
    """Coevolution in which the individuals that beat an opponent share a point.

    Rosin and Belew, "New methods for competitive coevolution" (Evolutionary Computation 5(1),
    1997), sections 3.1 (competitive fitness sharing) and 3.2 (shared sampling: the opponents are
    those of the generation before that together beat the most different individuals).

    Attributes:
        opponents: number of opponents that all individuals meet
        sampling: the opponents: shared, those of the generation before that together beat the most
            different individuals; random, any of the same generation
    """

    name: ClassVar[str] = "competitive-sharing"
    opponents_field: ClassVar[str] = "opponents"
    opponents: int = option(10, low=1, high=1_000_000)
    sampling: str = option(SHARED, known=(SHARED, RANDOM))

    def num_matches(self, sizes: Sizes) -> int:
        """Return the number of matches of a generation: ``opponents`` for each individual.

        Matches of individuals against themselves are left out.
        """
        own = len(sizes) == 1 and self.sampling == RANDOM
        return (sum(sizes) - own) * self.opponents

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return the matches of a generation against sampled opponents, and their scoring.

        They are grouped by population and opponent.
        """
        sheets = [Sheet(self._met(roster, side), roster.total, shares) for side in roster.sides]
        parts = ((sheet.cross, sheet) for sheet in sheets)
        sampled = sheets if self.sampling == SHARED else []
        return in_turn(
            parts,
            lambda points: tuple(
                (sheet.cross.individuals[shared_sample(sheet.beaten, self.opponents)],)
                for sheet in sampled
            ),
        )

    def _met(self, roster: Roster, side: int) -> Cross:
        other = roster.opponents_of(side)
        opponents = roster.archived(other)
        if not len(opponents):  # no shared sample: generation 0, or random sampling
            opponents = roster.drawn(f"sampled/{side}", roster.living(other), self.opponents)
        return Cross(roster.living(side), opponents, side, roster.groups)


def shared_sample(beaten: np.ndarray, count: int) -> np.ndarray:
    """Return individuals that together beat the most different opponents, in rising order.

    The sample is chosen greedily. Each step adds the individual whose victories are worth the most.
    A victory over an opponent is worth 1 / (1 + b), where b members of the sample so far beat that
    opponent (Rosin and Belew, 3.2). The first of equal individuals is taken.

    Args:
        beaten: bool ``[O, K]``, which opponents each individual beat.
        count: size of the sample, up to K.
    """
    sampled = np.zeros(beaten.shape[1], dtype=bool)
    for _ in range(count):
        before = np.count_nonzero(beaten[:, sampled], axis=1)
        worth = in_order(beaten, 1.0 / (1.0 + before))
        worth[sampled] = -1.0
        sampled[np.argmax(worth)] = True
    return np.flatnonzero(sampled)


SCHEME = CompetitiveSharing
