"""Hill climbing: the best of a round is the incumbent from then on."""

from __future__ import annotations

from dataclasses import dataclass

from evo.learners.base import Learner, Problem
from evo.learners.climbing import Climbing, ClimbingOptions
from evo.learners.measures import Measures
from tournaments.options import option


@dataclass(frozen=True)
class BestOnly:
    """Nothing worse than the incumbent is accepted; what is as good only with ``drift``."""

    drift: bool

    def accepted(self, measures: Measures, generation: int) -> int:
        """See :class:`evo.learners.climbing.Acceptance`."""
        best = measures.best(first=1)
        verdict = measures.compare(best, 0)
        return best if verdict > 0 or (verdict == 0 and self.drift) else 0


@dataclass(frozen=True)
class HillClimbingOptions(ClimbingOptions):
    """Hill climbing (Kennedy, "Using Optimization to Solve Adversarial Problems")."""

    name: str = option("hill-climbing", "the learner")

    def learner(self, problem: Problem) -> Learner:
        """Rounds in which nothing worse is accepted."""
        return Climbing(problem, self, BestOnly(self.drift))


LEARNER = HillClimbingOptions
