"""The common part of evolution strategies: a mean, which plays, and a state of arrays."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from evo.genomes.base import Plan
from evo.learners.base import LearnerOptions, Problem
from evo.learners.by_scheme import ByScheme
from evo.population import (
    ALL,
    NO_PARENT,
    Evaluated,
    EvaluatedGeneration,
    Generation,
    Population,
    lineage,
    with_ids,
)
from tournaments.errors import ConfigError
from tournaments.kernels.rng import generator
from tournaments.players.encodings import RealNumbers


def label_of(plan: Plan) -> str:
    """Return the suffix that a population's name adds to its random streams and its state.

    The suffix of an only population is empty.
    """
    return "" if plan.name == ALL else f"/{plan.name}"


Model = dict[str, Any]
"""The distribution that a generation is drawn from: float64 arrays and numbers, by name."""


class Strategy(ByScheme):
    """A learner that draws each generation around a mean, which plays as individual 0.

    A subclass defines the *model* of a population, from which a generation is drawn. A model
    depends on the model before and on the fitness of the generation. The state of a generation
    holds the models, with arrays in base64.

    Attributes:
        model_name: name of the model in the state.
        kept: type of the arrays in the state. float32 rounds away the last bits, in which library
            exponentials and dot products differ between processors.
    """

    model_name: ClassVar[str]
    kept: str = "<f4"

    def __init__(self, problem: Problem, options: Any) -> None:
        super().__init__(problem)
        self.options = options

    def first_model(self, mean: np.ndarray) -> Model:
        """Return the strategy's model of generation 0 around a mean, float64 ``[G]``."""
        raise NotImplementedError

    def next_model(self, plan: Plan, before: Model, present: Evaluated) -> Model:
        """Return the model adapted to the fitness of the generation drawn from ``before``."""
        raise NotImplementedError

    def genes(self, model: Model, stream: np.random.Generator) -> np.ndarray:
        """Return the genes of a generation: the model's mean, and individuals drawn around it.

        The result is float64 ``[N, G]``, the mean first.
        """
        raise NotImplementedError

    def key_of(self, plan: Plan) -> str:
        """Return the name of a population's model in the state of a generation."""
        return f"{self.model_name}{label_of(plan)}"

    def state_of(self, model: Model) -> dict[str, Any]:
        """Return the strategy's model as JSON: arrays are little-endian, in base64."""
        return {
            name: base64.b64encode(value.astype(self.kept).tobytes()).decode()
            if isinstance(value, np.ndarray)
            else value
            for name, value in model.items()
        }

    def model_in(self, state: Mapping[str, Any], plan: Plan) -> Model:
        """Return the strategy's model of a population from the state of a generation.

        Arrays have one axis.
        """
        return {
            name: np.frombuffer(base64.b64decode(value), dtype=self.kept).astype(np.float64)
            if isinstance(value, str)
            else value
            for name, value in state[self.key_of(plan)].items()
        }

    def first(self) -> Generation:
        """Return generation 0: individuals drawn around the first mean of each population."""
        populations, state = list[Population](), dict[str, Any]()
        for plan in self.problem.plans:
            model = self.first_model(self._first_mean(plan))
            populations.append(self.drawn(0, plan, model, NO_PARENT))
            state[self.key_of(plan)] = self.state_of(model)
        return Generation(0, with_ids(populations, 0), state)

    def _first_mean(self, plan: Plan) -> np.ndarray:
        """Return the first mean of a population: zeros, or a random network, as configured.

        If the run starts from another run, it is that run's champion.
        """
        champion = self.problem.first_genes(plan, 1)
        if champion is not None:
            return champion[0].astype(np.float64)
        if self.options.mean == "zero":
            return np.zeros(plan.genome.num_genes)
        purpose = f"{self.options.name}/mean{label_of(plan)}"
        return plan.genome.random(1, generator(self.problem.seed, purpose))[0].astype(np.float64)

    def next(self, parents: EvaluatedGeneration) -> Generation:
        """Return the next generation, drawn from models adapted to the parents' fitness."""
        populations, state = list[Population](), dict[str, Any]()
        for plan, present in zip(self.problem.plans, parents.living, strict=True):
            model = self.next_model(plan, self.model_in(parents.state, plan), present)
            parent = int(present.population.ids[0])
            populations.append(self.drawn(parents.number + 1, plan, model, parent))
            state[self.key_of(plan)] = self.state_of(model)
        return self.following(parents, populations, state)

    def drawn(self, number: int, plan: Plan, model: Model, parent: int) -> Population:
        """Return a population of generation ``number`` that is drawn from a strategy's model.

        The only parent of its individuals is the last mean, whose id is ``parent``.
        """
        stream = generator(self.problem.seed, f"{self.options.name}{label_of(plan)}", number)
        genes = encoding_of(plan).nearest(self.genes(model, stream))
        return Population(number, genes, lineage(len(genes), parent), plan.name)


def check(
    options: LearnerOptions, problem: Problem, least: int, draws: str, steps: tuple[str, ...]
) -> None:
    """Raise if the options of an evolution strategy do not fit the problem of a run.

    Args:
        options: of the strategy.
        problem: the problem.
        least: the smallest population.
        draws: the individuals beside the mean, in words.
        steps: the names of the options that must lie within the limit of the weights.

    Raises:
        ConfigError: the population is too small, or a step leads beyond the limit.
    """
    if problem.population < least:
        raise ConfigError(
            f"population={problem.population} given; {options.name} takes {least} or more: its "
            f"mean, and {draws}"
        )
    limit = min(encoding_of(plan).limit for plan in problem.plans)
    for name in steps:
        if (step := getattr(options, name)) > limit:
            raise ConfigError(
                f"learner.{name}={step:g} given, but weights end at genome.limit={limit:g}; a "
                "smaller one is expected"
            )


def encoding_of(plan: Plan) -> RealNumbers:
    """Return the encoding of a population whose genes are real weights."""
    return plan.genome.representation
