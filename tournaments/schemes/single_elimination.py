"""Single elimination: the loser of a match is eliminated."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import ClassVar

import numpy as np

from tournaments.schedules.base import Schedule
from tournaments.schedules.pairings import Knockout
from tournaments.schemes.base import Roster, Scheme, Scoring, Sizes, points_option
from tournaments.schemes.scoring import InRounds, Rounds


@dataclass(frozen=True)
class SingleElimination(Scheme):
    """A tournament in which the loser of a match is out. Fitness grows with the rounds survived.

    Angeline and Pollack, "Competitive environments evolve better solutions for complex tasks"
    (ICGA 1993). The remaining individuals are paired at random in each round. If the population is
    no power of two, some individuals have no opponent in the first round and go on to the second. A
    drawn match is decided by lot.

    Attributes:
        round_points: points for each round that an individual survives
    """

    name: ClassVar[str] = "single-elimination"
    has_roles: ClassVar[bool] = False
    round_points: float = points_option(1.0)

    def num_matches(self, sizes: Sizes) -> int:
        """Return the number of matches of a knock-out: each eliminates one individual."""
        return sizes[0] - 1

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return the matches of the first round of a knock-out, and the scoring of all rounds."""
        scoring = InRounds(self._rounds(roster))
        return scoring.schedule, scoring

    def _rounds(self, roster: Roster) -> Rounds:
        knockout = Knockout(roster.living(0))
        for number in count():
            knockout.shuffle(roster.generator("bracket", number))
            pairs = knockout.pairs()
            if not len(pairs):
                break
            verdicts = yield pairs
            lots = roster.generator("drawn matches", number).integers(0, 2, len(pairs))
            loses = np.where(verdicts == 0, lots, verdicts < 0)
            knockout.enter(np.where(loses, pairs[:, 1], pairs[:, 0]))
        return knockout.survived * self.round_points


SCHEME = SingleElimination
