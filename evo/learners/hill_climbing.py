"""Hill climbing: the best challenger of a round becomes the incumbent."""

from __future__ import annotations

from dataclasses import dataclass

from evo.learners.climbing import ClimbingOptions
from tournaments.options import option


@dataclass(frozen=True)
class HillClimbingOptions(ClimbingOptions):
    """Hill climbing (Kennedy, "Using Optimization to Solve Adversarial Problems")."""

    name: str = option("hill-climbing")


LEARNER = HillClimbingOptions
