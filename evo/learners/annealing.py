"""Simulated annealing: a worse variant is accepted with a probability that falls with time.

Kirkpatrick, Gelatt and Vecchi, "Optimization by Simulated Annealing" (1983), with the Metropolis
rule on the first measure that differs.
"""

from __future__ import annotations

from dataclasses import dataclass

from evo.learners.climbing import ClimbingOptions
from evo.learners.measures import Measures
from tournaments.kernels.arithmetic import LN_2, exp
from tournaments.kernels.rng import generator
from tournaments.options import option


@dataclass(frozen=True)
class AnnealingOptions(ClimbingOptions):
    """Simulated annealing: hill climbing that accepts a worse variant with a probability.

    The probability is ``exp(-loss / temperature)``. The loss, 0 to 1, is the relative loss in the
    first measure that differs. The temperature halves after a fixed number of rounds.

    Attributes:
        temperature: temperature of the first round
        half_life: rounds in which the temperature halves
    """

    name: str = option("annealing")
    drift: bool = option(True)
    temperature: float = option(0.1, low=0.0, high=1e6)
    half_life: float = option(1000.0, low=1e-3, high=1e12)

    def temperature_of(self, generation: int) -> float:
        """Return the temperature of annealing in a generation, the same bits on every processor."""
        passed = generation / self.half_life
        return self.temperature * float(exp(-LN_2 * min(passed, 1000.0)))

    def accepted(self, measures: Measures, generation: int, seed: int) -> int:
        """Return the row of the variant, or of the incumbent, that becomes the next incumbent.

        A worse variant is accepted with a probability that falls with the temperature.
        """
        kept = super().accepted(measures, generation, seed)
        best, temperature = measures.best_variant(), self.temperature_of(generation)
        if kept or temperature <= 0.0:
            return kept
        loss = measures.loss(best)
        chance = generator(seed, "annealing", generation).random()
        return best if loss > 0.0 and chance < float(exp(-loss / temperature)) else 0


LEARNER = AnnealingOptions
