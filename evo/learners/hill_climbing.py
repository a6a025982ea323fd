"""Hill climbing: the best of a round is the incumbent from then on."""

from __future__ import annotations

from dataclasses import dataclass

from evo.config.config import Config
from evo.learners.climbing import Climbing
from evo.learners.measures import Measures


@dataclass(frozen=True)
class BestOnly:
    """Nothing worse than the incumbent is accepted; what is as good only with ``drift``."""

    drift: bool

    def accepted(self, measures: Measures, generation: int) -> int:
        """See :class:`evo.learners.climbing.Acceptance`."""
        best = measures.best(first=1)
        verdict = measures.compare(best, 0)
        return best if verdict > 0 or (verdict == 0 and self.drift) else 0


class HillClimbing(Climbing):
    """The learner ``hill-climbing``."""

    def __init__(self, config: Config) -> None:
        super().__init__(config, BestOnly(config.learner.drift))
