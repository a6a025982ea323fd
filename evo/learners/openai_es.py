"""An evolution strategy that climbs an estimate of the gradient, with mirrored draws and ranks.

T. Salimans, J. Ho, X. Chen, S. Sidor and I. Sutskever, "Evolution Strategies as a Scalable
Alternative to Reinforcement Learning" (2017), section 2, which goes back to D. Wierstra et al.,
"Natural Evolution Strategies" (2014); mirrored draws are from D. Brockhoff et al., "Mirrored
Sampling and Sequential Selection for Evolution Strategies" (2010). The steps are sized by Adam (D.
Kingma and J. Ba, 2015).

A population is the mean, row 0, which plays and is the champion, and pairs of individuals on
opposite sides of the mean. If the size of the population is even, row 1 is the mean, too. The step
of the mean depends on the ranks of the pairs, so raw fitness may be on any scale. The state of a
generation holds the mean and the moments of Adam as float32. Every sum is taken row after row, so a
run is the same on every processor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evo.genomes.base import Plan
from evo.learners.base import Learner, LearnerOptions, Problem
from evo.learners.strategy import Model, Strategy, check, encoding_of
from evo.population import Evaluated
from tournaments.kernels.arithmetic import LN_2, exp
from tournaments.options import option

LEAST_POPULATION = 3
TINY = 1e-8
"""Number that Adam adds to a divisor."""


class GradientStrategy(Strategy):
    """The learner ``openai-es``. A scheme arranges the matches and gives the points.

    A model holds the ``mean``, and Adam's running means of the gradient, ``slope``, and of its
    square, ``square``; all ``[G]``.
    """

    model_name = "ascent"

    def __init__(self, problem: Problem, options: OpenAIOptions) -> None:
        super().__init__(problem, options)
        self.means = 2 - problem.population % 2

    def first_model(self, mean: np.ndarray) -> Model:
        """Return the model of generation 0: a mean, and moments of the gradient of zero."""
        return {"mean": mean, "slope": np.zeros_like(mean), "square": np.zeros_like(mean)}

    def next_model(self, plan: Plan, before: Model, present: Evaluated) -> Model:
        """Return the model after a step along the gradient of fitness.

        The gradient is estimated from the ranks of the individuals of a generation, ``present``,
        which was drawn from the model ``before``.
        """
        population = present.population
        gradient = self._gradient(population.genes, centred_ranks(present.raw_fitness))
        return self._stepped(plan, before, gradient, population.generation)

    def genes(self, model: Model, stream: np.random.Generator) -> np.ndarray:
        """Return the genes of a generation: the model's mean, and mirrored pairs around it.

        One individual of each pair comes first, then the others in the same order.
        """
        pairs = (self.problem.population - self.means) // 2
        away = self.options.sigma * stream.standard_normal((pairs, len(model["mean"])))
        mean = np.repeat(model["mean"][None], self.means, axis=0)
        return np.concatenate([mean, model["mean"] + away, model["mean"] - away])

    def fitness(self, points: np.ndarray) -> np.ndarray:
        """Return the fitness of a generation's individuals: centred ranks of their points.

        The mean of the distribution ranks highest.
        """
        ranks = 0.5 + centred_ranks(points)
        ranks[: self.means] = 2.0
        return ranks

    def _gradient(self, genes: np.ndarray, ranks: np.ndarray) -> np.ndarray:
        """Return the gradient of fitness, float64 ``[G]``, estimated from mirrored pairs.

        ``genes`` has the genes of the individuals that played, ``ranks`` their fitness ranks.
        """
        pairs = genes[self.means :].astype(np.float64)
        half = len(pairs) // 2
        apart = (pairs[:half] - pairs[half:]) / (2.0 * self.options.sigma)
        better = ranks[self.means :][:half] - ranks[self.means :][half:]
        total = np.add.reduce(better[:, None] * apart, axis=0)  # row after row
        return total / (2.0 * half * self.options.sigma)

    def _stepped(self, plan: Plan, before: Model, gradient: np.ndarray, number: int) -> Model:
        """Return the model after a step of Adam up the gradient, rounded as it is saved.

        ``number`` is the generation, ``before`` the model before the step.
        """
        options, step = self.options, number + 1
        slope = options.momentum * before["slope"] + (1.0 - options.momentum) * gradient
        square = options.spread * before["square"] + (1.0 - options.spread) * gradient * gradient
        # Both moments began at zero: correct this bias (algorithm 1 of Kingma and Ba).
        expected = slope / (1.0 - _power(options.momentum, step))
        width = np.sqrt(square / (1.0 - _power(options.spread, step)))
        mean = before["mean"] + self._step(number) * expected / (width + TINY)
        model = {"mean": encoding_of(plan).nearest(mean), "slope": slope, "square": square}
        return {name: array.astype(self.kept).astype(np.float64) for name, array in model.items()}

    def _step(self, number: int) -> float:
        """Return the size of Adam's step in a generation, the same bits on every processor."""
        if self.options.step_half_life == 0.0:
            return self.options.step
        passed = min(number / self.options.step_half_life, 1000.0)
        return self.options.step * float(exp(-LN_2 * passed))


def centred_ranks(raw: np.ndarray) -> np.ndarray:
    """Return raw fitness as ranks from -0.5 for the worst to 0.5 for the best.

    Equal values share their mean rank.

    Args:
        raw: float64 ``[N]``, of two or more.

    Returns:
        float64 ``[N]``.
    """
    _, places, counts = np.unique(raw, return_inverse=True, return_counts=True)
    below = np.concatenate([[0], np.cumsum(counts)[:-1]])
    ranks = (below + (counts - 1) / 2.0)[places.reshape(-1)]
    return ranks / (len(raw) - 1) - 0.5


def _power(base: float, exponent: int) -> float:
    """Return ``base ** exponent`` by squaring.

    It uses multiplications alone, since a library's power may differ between processors.
    """
    result = 1.0
    while exponent:
        if exponent & 1:
            result *= base
        base *= base
        exponent >>= 1
    return result


@dataclass(frozen=True)
class OpenAIOptions(LearnerOptions):
    """An evolution strategy that follows an estimate of the gradient (Salimans et al. 2017).

    Row 0 of each population is the mean of a normal distribution; all other individuals are pairs
    at opposite sides of it. The mean goes along the sum of the differences of the pairs, weighted
    by the difference of their ranks, in steps that Adam (Kingma and Ba 2015) sizes for each weight.

    Attributes:
        sigma: standard deviation of a weight
        step: approximate step of a weight in a generation, at first
        step_half_life: generations in which the step halves; 0: the step stays as it is
        momentum: share of the mean gradient that is kept
        spread: share of the mean squared gradient that is kept
        mean: the first mean: zero, or a random network (genome.initial)
    """

    real_weights: ClassVar[bool] = True
    name: str = option("openai-es")
    sigma: float = option(0.5, low=1e-6, high=1e6)
    step: float = option(0.1, low=1e-9, high=1e6)
    step_half_life: float = option(0.0, low=0.0, high=1e12)
    momentum: float = option(0.9, low=0.0, high=0.999999)
    spread: float = option(0.999, low=0.0, high=0.999999)
    mean: str = option("random", known=("zero", "random"))

    def checked(self, problem: Problem) -> Any:
        """Return these options of ``openai-es`` if they fit the problem of a run.

        They are checked by :func:`evo.learners.strategy.check`.
        """
        pairs = "pairs at opposite sides of it"
        check(self, problem, LEAST_POPULATION, pairs, ("sigma", "step"))
        return self

    def learner(self, problem: Problem) -> Learner:
        """Return a :class:`GradientStrategy` with these options, for the problem of a run."""
        return GradientStrategy(problem, self)


LEARNER = OpenAIOptions
