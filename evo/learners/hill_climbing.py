"""Hill climbing: the best of a round is the incumbent from then on."""

from __future__ import annotations

from dataclasses import dataclass

from evo.learners.base import Learner, Problem
from evo.learners.climbing import Climbing, ClimbingOptions
from evo.learners.measures import Measures
from tournaments.options import option


def best_or_incumbent(measures: Measures, drift: bool) -> int:
    """Return the row of the best variant, or 0 if it is worse than the incumbent; what is as good
    is accepted only with ``drift``."""
    best = measures.best(first=1)
    verdict = measures.compare(best, 0)
    return best if verdict > 0 or (verdict == 0 and drift) else 0


@dataclass(frozen=True)
class HillClimbingOptions(ClimbingOptions):
    """Hill climbing (Kennedy, "Using Optimization to Solve Adversarial Problems")."""

    name: str = option("hill-climbing", "the learner")

    def learner(self, problem: Problem) -> Learner:
        """Rounds in which nothing worse is accepted."""
        return Climbing(problem, self, lambda measures, _: best_or_incumbent(measures, self.drift))


LEARNER = HillClimbingOptions
