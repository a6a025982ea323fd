"""Simulated annealing: a worse variant is accepted with a probability that falls with time.

Kirkpatrick, Gelatt and Vecchi, "Optimization by Simulated Annealing" (1983), with the Metropolis
rule on the first measure that differs.
"""

from __future__ import annotations

from dataclasses import dataclass

from evo.config.config import Config
from evo.config.run_options import AnnealingOptions
from evo.learners.climbing import Climbing
from evo.learners.hill_climbing import BestOnly
from evo.learners.measures import Measures
from tournaments.kernels.arithmetic import LN_2, exp
from tournaments.kernels.rng import generator


@dataclass(frozen=True)
class Metropolis:
    """What is better is accepted; what is worse with probability ``exp(-loss / temperature)``."""

    options: AnnealingOptions
    seed: int

    def temperature(self, generation: int) -> float:
        """It halves every ``half_life`` rounds; the same bits on every processor."""
        passed = generation / self.options.half_life
        return self.options.temperature * float(exp(-LN_2 * min(passed, 1000.0)))

    def accepted(self, measures: Measures, generation: int) -> int:
        """See :class:`evo.learners.climbing.Acceptance`."""
        kept = BestOnly(self.options.drift).accepted(measures, generation)
        best, temperature = measures.best(first=1), self.temperature(generation)
        if kept or temperature <= 0.0:
            return kept
        loss = measures.loss(best)
        chance = generator(self.seed, "annealing", generation).random()
        return best if loss > 0.0 and chance < float(exp(-loss / temperature)) else 0


class Annealing(Climbing):
    """The learner ``annealing``."""

    def __init__(self, config: Config) -> None:
        assert isinstance(config.learner, AnnealingOptions)
        super().__init__(config, Metropolis(config.learner, config.seed))
