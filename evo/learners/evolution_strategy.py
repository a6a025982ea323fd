"""An evolution strategy on real weights: the optimisers of the package ``cmaes`` as a learner.

A population is drawn from a normal distribution. Its row 0 is the mean itself, which plays, is the
champion and is not passed to the optimiser. So a population of N is N - 1 draws, the strategy's
lambda. The optimiser receives the weights as they were played and their raw fitness.

The state of a generation holds the distribution that its population was drawn from. So the next
distribution depends on the configuration and on that generation alone: a new optimiser is made, set
to the saved distribution, and updated with the fitness of the draws. The next draws come from a
stream of their own.

Sources: N. Hansen, "The CMA Evolution Strategy: A Tutorial" (2016); R. Ros and N. Hansen, "A Simple
Modification in CMA-ES Achieving Linear Time and Space Complexity" (PPSN 2008).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from evo.genomes.base import Plan
from evo.learners.base import Learner, LearnerOptions, Problem
from evo.learners.strategy import Model, Strategy, check
from evo.population import Evaluated, EvaluatedGeneration
from tournaments.errors import ConfigError
from tournaments.options import option

LEAST_POPULATION = 5
"""Least population: the mean and four draws, the minimum of the strategy's own rule of thumb."""
MOST_COVARIED = 2000
"""Most weights for which all covariances are kept: 32 MB, and seconds to decompose."""
POINT = 1e-8
"""Standard deviation below which all weights are equal in their saved form."""


METHODS = {"sep-cma": ("SepCMA", "<f4"), "cma": ("CMA", "<f8")}
"""For each method a class of ``cmaes``, and the type in which the arrays of a model are kept."""
ARRAYS = {"mean": "_mean", "covariance": "_C", "path_sigma": "_p_sigma", "path_c": "_pc"}
"""The arrays of a model, and the attributes of an optimiser that hold them."""


def model_of(optimiser: Any, kept: str) -> Model:
    """Return the distribution of an optimiser of ``cmaes``, as the learner's model.

    The numbers are rounded to the type in which they are saved, ``kept``.
    """
    arrays = {
        name: np.asarray(getattr(optimiser, attribute), dtype=kept).astype(np.float64)
        for name, attribute in ARRAYS.items()
    }
    sigma = float(np.dtype(kept).type(optimiser._sigma))
    return {**arrays, "sigma": sigma, "told": optimiser._g}


def widest(model: Model) -> float:
    """Return the largest standard deviation of a weight in a strategy's distribution."""
    size, variances = model["mean"].size, model["covariance"]
    if variances.size > size:
        variances = variances.reshape(size, size).diagonal()
    return model["sigma"] * math.sqrt(max(float(variances.max()), 0.0))


class EvolutionStrategy(Strategy):
    """The learner ``evolution-strategy``. A scheme arranges the matches and gives the points.

    A model is a distribution: the :data:`ARRAYS`, ``[G]``, or ``[G, G]`` for the covariances of all
    weights; the step size ``sigma``; and ``told``, the number of generations that the optimiser has
    processed.
    """

    model_name = "distribution"

    def __init__(self, problem: Problem, options: EvolutionStrategyOptions) -> None:
        super().__init__(problem, options)
        self.optimiser, self.kept = METHODS[options.method]

    def first_model(self, mean: np.ndarray) -> Model:
        """Return the distribution of generation 0 around a mean, of equal width for all weights."""
        return model_of(self._optimiser(mean), self.kept)

    def next_model(self, plan: Plan, before: Model, present: Evaluated) -> Model:
        """Return the distribution adapted to the raw fitness of a generation.

        All individuals but the mean, row 0, count. ``before`` is the distribution that the
        generation was drawn from.
        """
        optimiser = self._optimiser_of(before)
        genes = present.population.genes.astype(np.float64)
        losses = (-present.raw_fitness).tolist()
        optimiser.tell(list(zip(genes[1:], losses[1:], strict=True)))
        return model_of(optimiser, self.kept)

    def genes(self, model: Model, stream: np.random.Generator) -> np.ndarray:
        """Return the genes of a generation: the mean of the distribution, and draws from it."""
        optimiser = self._optimiser_of(model)
        optimiser._rng = SimpleNamespace(randn=stream.standard_normal)  # in place of its own
        draws = [optimiser.ask() for _ in range(self.problem.population - 1)]
        return np.stack([model["mean"], *draws])

    def fitness(self, points: np.ndarray) -> np.ndarray:
        """Return the fitness of a generation's individuals: the ranks of their points, ``[N]``.

        The ranks run from N - 1 for the best draw to 1 for the worst; among equal draws the first
        ranks higher. The mean, row 0, is the strategy's result and has rank N.
        """
        ranks = np.empty(len(points))
        ranks[0] = len(points)
        ranks[1 + (-points[1:]).argsort(kind="stable")] = np.arange(len(points) - 1, 0, -1)
        return ranks

    def is_done(self, evaluated: EvaluatedGeneration) -> str:
        """Return the reason to stop if every distribution has shrunk to a point.

        Otherwise the text is empty.
        """
        models = (self.model_in(evaluated.state, plan) for plan in self.problem.plans)
        if max(map(widest, models)) >= POINT:
            return ""
        return f"the distribution has shrunk to a point (no weight varies by {POINT:g})"

    def _optimiser(self, mean: np.ndarray) -> Any:
        import cmaes  # late: where there is scipy, it loads that, which takes a second

        make = getattr(cmaes, self.optimiser)
        return make(mean, self.options.sigma, population_size=self.problem.population - 1)

    def _optimiser_of(self, model: Model) -> Any:
        """Return an optimiser of ``cmaes`` that draws from the distribution of a model."""
        optimiser = self._optimiser(model["mean"])
        for name, attribute in ARRAYS.items():
            shape = getattr(optimiser, attribute).shape
            setattr(optimiser, attribute, model[name].reshape(shape).copy())  # changed in place
        optimiser._sigma, optimiser._g = model["sigma"], model["told"]
        return optimiser


@dataclass(frozen=True)
class EvolutionStrategyOptions(LearnerOptions):
    """An evolution strategy on real weights, by the package ``cmaes``.

    Row 0 of each population is the mean of a normal distribution, all other individuals are drawn
    from it. The fitness of these moves the mean and adapts the distribution.

    Attributes:
        method: sep-cma adapts the width of each weight (Ros and Hansen 2008), cma all covariances
            (Hansen 2016), which takes seconds a generation for hundreds of weights
        sigma: standard deviation of a weight in generation 0
        mean: the first mean: zero, or a random network (genome.initial)
    """

    real_weights: ClassVar[bool] = True
    name: str = option("evolution-strategy")
    method: str = option("sep-cma", known=tuple(METHODS))
    sigma: float = option(0.5, low=1e-6, high=1e6)
    mean: str = option("zero", known=("zero", "random"))

    @property
    def in_words(self) -> str:
        return f"{self.name} ({self.method})"

    def checked(self, problem: Problem) -> Any:
        """Return these options of the evolution strategy if they fit the problem of a run.

        Raises:
            ConfigError: the population is too small, there are too many weights, or a step is
                too large.
        """
        draws = "draws of which the better half counts"
        check(self, problem, LEAST_POPULATION, draws, ("sigma",))
        genes = max(plan.genome.num_genes for plan in problem.plans)
        if self.method == "cma" and genes > MOST_COVARIED:
            raise ConfigError(
                f"learner.method='cma' given; it keeps the covariances of up to {MOST_COVARIED:,} "
                f"weights, and these networks have {genes:,}: take sep-cma"
            )
        if self.method == "sep-cma" and min(plan.genome.num_genes for plan in problem.plans) < 2:
            raise ConfigError(
                "learner.method='sep-cma' given; it takes two numbers or more, and players of "
                f"{problem.game.name} have one: take cma"
            )
        return self

    def learner(self, problem: Problem) -> Learner:
        """Return an :class:`EvolutionStrategy` with these options, for the problem of a run."""
        return EvolutionStrategy(problem, self)


LEARNER = EvolutionStrategyOptions
