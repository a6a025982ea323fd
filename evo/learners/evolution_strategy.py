"""An evolution strategy on real weights: the optimisers of the package ``cmaes`` as a learner.

A population is drawn from a normal distribution. Its row 0 is the mean itself, which plays, is the
champion and is not told to the optimiser; so a population of N is N - 1 draws, the strategy's
lambda. What is told are the weights as they were played and their raw fitness.

The distribution that a population was drawn from stands in the state of its generation. So the next
one depends on the configuration and on that generation alone: an optimiser is made anew, set to
that distribution, told what came of the draws, and asked for the next ones from a stream of their
own.

Sources: N. Hansen, "The CMA Evolution Strategy: A Tutorial" (2016); R. Ros and N. Hansen, "A Simple
Modification in CMA-ES Achieving Linear Time and Space Complexity" (PPSN 2008).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from evo.genomes.base import Plan
from evo.learners.base import Learner, LearnerOptions, Problem
from evo.learners.strategy import Strategy, array_of, check_steps, texts_of
from evo.population import Evaluated, EvaluatedGeneration
from tournaments.errors import ConfigError
from tournaments.options import one_of, option

LEAST_POPULATION = 5
"""The mean and four draws, the least that the strategy's own rule of thumb ever gives."""
MOST_COVARIED = 2000
"""Weights of which all covariances are kept: 32 MB, and seconds to decompose."""
POINT = 1e-8
"""A distribution narrower than this gives weights that are alike once they are written down."""


class Method(NamedTuple):
    """An optimiser, and the type in which its distribution is kept.

    Attributes:
        optimiser: the name of a class of ``cmaes``.
        kept: of the arrays. Where it is float32, what the last bits of a library's exponential or
            dot product are on another processor is rounded away.
    """

    optimiser: str
    kept: str


METHODS = {"sep-cma": Method("SepCMA", "<f4"), "cma": Method("CMA", "<f8")}

ARRAYS = {"mean": "_mean", "covariance": "_C", "path_sigma": "_p_sigma", "path_c": "_pc"}
"""The arrays of a distribution, and what an optimiser calls them."""


@dataclass(frozen=True)
class Distribution:
    """What a generation is drawn from, and what the strategy remembers beside it.

    Attributes:
        arrays: those of :data:`ARRAYS`, float64: ``[G]``, covariances of all weights ``[G, G]``.
        sigma: the step size.
        told: generations that the optimiser was told of.
        kept: the type in which the arrays are kept.
    """

    arrays: Mapping[str, np.ndarray]
    sigma: float
    told: int
    kept: str

    @classmethod
    def of(cls, optimiser: Any, kept: str) -> Distribution:
        """The distribution of an optimiser, rounded to the type in which it is kept."""
        arrays = {
            name: np.asarray(getattr(optimiser, attribute), dtype=kept).astype(np.float64)
            for name, attribute in ARRAYS.items()
        }
        return cls(arrays, float(np.dtype(kept).type(optimiser._sigma)), optimiser._g, kept)

    def give(self, optimiser: Any) -> None:
        """Set an optimiser that was made for as many weights to this distribution."""
        for name, attribute in ARRAYS.items():
            setattr(optimiser, attribute, self.arrays[name].copy())  # it changes them in place
        optimiser._sigma, optimiser._g = self.sigma, self.told

    @classmethod
    def from_state(cls, state: Mapping[str, Any], kept: str) -> Distribution:
        """The distribution that a generation's state tells of."""
        arrays = {name: array_of(state[name], kept) for name in ARRAYS}
        size = arrays["mean"].size
        if kept == METHODS["cma"].kept:
            arrays["covariance"] = arrays["covariance"].reshape(size, size)
        return cls(arrays, state["sigma"], state["told"], kept)

    def state(self) -> dict[str, Any]:
        """Return the distribution as JSON holds it: arrays little-endian, in base64."""
        return {**texts_of(self.arrays, self.kept), "sigma": self.sigma, "told": self.told}

    @property
    def widest(self) -> float:
        """The largest standard deviation of a weight."""
        covariance = self.arrays["covariance"]
        variances = covariance if covariance.ndim == 1 else covariance.diagonal()
        return self.sigma * math.sqrt(max(float(variances.max()), 0.0))


class SeededDraws:
    """The random numbers of an optimiser, from a stream of the run in place of its own."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def randn(self, count: int) -> np.ndarray:
        """Standard normal numbers, as numpy's ``RandomState`` gives them."""
        return self.rng.standard_normal(count)


class EvolutionStrategy(Strategy):
    """The learner ``evolution-strategy``; a scheme says who meets whom and what it is worth."""

    model_name = "distribution"

    @property
    def method(self) -> Method:
        """The optimiser of these options."""
        return METHODS[self.options.method]

    def first_model(self, mean: np.ndarray) -> Distribution:
        """Draw every weight as widely."""
        return Distribution.of(self._optimiser(mean), self.method.kept)

    def next_model(
        self, plan: Plan, parents: EvaluatedGeneration, present: Evaluated
    ) -> Distribution:
        """Adapt the distribution to the raw fitness of all individuals but the mean."""
        optimiser = self._optimiser_of(self._distribution(parents.state, plan))
        genes = present.population.genes.astype(np.float64)
        losses = (-present.raw_fitness).tolist()
        optimiser.tell(list(zip(genes[1:], losses[1:], strict=True)))
        return Distribution.of(optimiser, self.method.kept)

    def genes(self, plan: Plan, model: Distribution, stream: np.random.Generator) -> np.ndarray:
        """Return the mean and draws from the distribution as it is kept, and from nothing else."""
        optimiser = self._optimiser_of(model)
        optimiser._rng = SeededDraws(stream)
        draws = [optimiser.ask() for _ in range(self.problem.population - 1)]
        return np.stack([model.arrays["mean"], *draws])

    def fitness(self, points: np.ndarray) -> np.ndarray:
        """What the strategy sees of the points, float64 ``[N]``.

        N - 1 of the best draw down to 1 of the worst, of equals the first being better, and N of
        the mean, row 0: what the strategy has found.
        """
        ranks = np.empty(len(points))
        ranks[0] = len(points)
        ranks[1 + (-points[1:]).argsort(kind="stable")] = np.arange(len(points) - 1, 0, -1)
        return ranks

    def is_done(self, evaluated: EvaluatedGeneration) -> str:
        """Whether nothing is left to be drawn, of any population."""
        state, plans = evaluated.state, self.problem.plans
        if max(self._distribution(state, plan).widest for plan in plans) >= POINT:
            return ""
        return f"the distribution has shrunk to a point (no weight varies by {POINT:g})"

    def _optimiser(self, mean: np.ndarray) -> Any:
        import cmaes  # late: where there is scipy, it loads that, which takes a second

        make = getattr(cmaes, self.method.optimiser)
        return make(mean, self.options.sigma, population_size=self.problem.population - 1)

    def _optimiser_of(self, distribution: Distribution) -> Any:
        """Return an optimiser that draws from a distribution."""
        optimiser = self._optimiser(distribution.arrays["mean"])
        distribution.give(optimiser)
        return optimiser

    def _distribution(self, state: Mapping[str, Any], plan: Plan) -> Distribution:
        return Distribution.from_state(state[self.key_of(plan)], self.method.kept)


@dataclass(frozen=True)
class EvolutionStrategyOptions(LearnerOptions):
    """An evolution strategy on real weights, by the package ``cmaes``.

    Row 0 of each population is the mean of a normal distribution, all other individuals are drawn
    from it. The fitness of these moves the mean and adapts the distribution.
    """

    real_weights: ClassVar[bool] = True
    name: str = option("evolution-strategy", "the learner")
    method: str = one_of(
        "sep-cma",
        "sep-cma adapts the width of each weight (Ros and Hansen 2008), cma all covariances "
        "(Hansen 2016), which takes seconds a generation for hundreds of weights",
        ("sep-cma", "cma"),
    )
    sigma: float = option(0.5, "standard deviation of a weight in generation 0", 1e-6, 1e6)
    mean: str = one_of(
        "zero", "the first mean: zero, or a random network (genome.initial)", ("zero", "random")
    )

    @property
    def in_words(self) -> str:
        return f"{self.name} ({self.method})"

    def checked(self, problem: Problem) -> Any:
        """Individuals must be enough, weights few enough, and steps within their limit.

        Raises:
            ConfigError: they are not.
        """
        if problem.population < LEAST_POPULATION:
            raise ConfigError(
                f"population={problem.population} given; the evolution strategy takes "
                f"{LEAST_POPULATION} or more: its mean, and draws of which the better half counts"
            )
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
        check_steps(self, problem, ("sigma",))
        return self

    def learner(self, problem: Problem) -> Learner:
        """See :class:`EvolutionStrategy`."""
        return EvolutionStrategy(problem, self)


LEARNER = EvolutionStrategyOptions
