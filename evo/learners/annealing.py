"""Simulated annealing: a worse variant is accepted with a probability that falls with time.

Kirkpatrick, Gelatt and Vecchi, "Optimization by Simulated Annealing" (1983), with the Metropolis
rule on the first measure that differs.
"""

from __future__ import annotations

from dataclasses import dataclass

from evo.learners.base import Learner, Problem
from evo.learners.climbing import Climbing, ClimbingOptions
from evo.learners.hill_climbing import best_or_incumbent
from evo.learners.measures import Measures
from tournaments.kernels.arithmetic import LN_2, exp
from tournaments.kernels.rng import generator
from tournaments.options import option


@dataclass(frozen=True)
class Metropolis:
    """What is better is accepted; what is worse with probability ``exp(-loss / temperature)``."""

    options: AnnealingOptions
    seed: int

    def temperature(self, generation: int) -> float:
        """It halves every ``half_life`` rounds; the same bits on every processor."""
        passed = generation / self.options.half_life
        return self.options.temperature * float(exp(-LN_2 * min(passed, 1000.0)))

    def __call__(self, measures: Measures, generation: int) -> int:
        """See :data:`evo.learners.climbing.Acceptance`."""
        kept = best_or_incumbent(measures, self.options.drift)
        best, temperature = measures.best(first=1), self.temperature(generation)
        if kept or temperature <= 0.0:
            return kept
        loss = measures.loss(best)
        chance = generator(self.seed, "annealing", generation).random()
        return best if loss > 0.0 and chance < float(exp(-loss / temperature)) else 0


@dataclass(frozen=True)
class AnnealingOptions(ClimbingOptions):
    """Simulated annealing: hill climbing that takes a worse variant with a probability.

    That is ``exp(-loss / temperature)``, where the loss is the relative one of the first measure
    that differs, 0 to 1. The temperature halves every so many rounds.
    """

    name: str = option("annealing", "the learner")
    drift: bool = option(True, "take a variant that is as good as the incumbent, too")
    temperature: float = option(0.1, "of the first round", low=0.0, high=1e6)
    half_life: float = option(1000.0, "rounds in which it halves", low=1e-3, high=1e12)

    def learner(self, problem: Problem) -> Learner:
        """Rounds in which a worse variant may be accepted."""
        return Climbing(problem, self, Metropolis(self, problem.seed))


LEARNER = AnnealingOptions
