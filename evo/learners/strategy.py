"""What evolution strategies share: a mean that plays as individual 0 of each population, and a
state of arrays."""

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
    """What the streams and the state of a population are named by, after the learner: nothing for
    the only one."""
    return "" if plan.name == ALL else f"/{plan.name}"


class Strategy(ByScheme):
    """A learner that draws each generation around a mean, which plays as individual 0.

    A subclass says what a generation is drawn from: its *model* of a population, which depends on
    the model before and on what the generation earned. Its ``state()``, which JSON can hold, stands
    in the state of the generation.

    Attributes:
        model_name: name of the model in the state.
    """

    model_name: ClassVar[str]

    def __init__(self, problem: Problem, options: Any) -> None:
        super().__init__(problem)
        self.options = options

    def first_model(self, mean: np.ndarray) -> Any:
        """Return the model of generation 0 around a mean, float64 ``[G]``."""
        raise NotImplementedError

    def next_model(self, plan: Plan, parents: EvaluatedGeneration, present: Evaluated) -> Any:
        """Return the model that follows from a population of this generation and its fitness."""
        raise NotImplementedError

    def genes(self, plan: Plan, model: Any, stream: np.random.Generator) -> np.ndarray:
        """Return the mean and individuals drawn around it, float64 ``[N, G]``."""
        raise NotImplementedError

    def key_of(self, plan: Plan) -> str:
        """Return the name of a population's model in the state."""
        return f"{self.model_name}{label_of(plan)}"

    def first(self) -> Generation:
        """Draw around the first means."""
        populations, state = list[Population](), dict[str, Any]()
        for plan in self.problem.plans:
            model = self.first_model(self._first_mean(plan))
            populations.append(self.drawn(0, plan, model, NO_PARENT))
            state[self.key_of(plan)] = model.state()
        return Generation(0, with_ids(populations, 0), state)

    def _first_mean(self, plan: Plan) -> np.ndarray:
        """Return the champion of the run that is started from, else zeros or a random network."""
        champion = self.problem.first_genes(plan, 1)
        if champion is not None:
            return champion[0].astype(np.float64)
        if self.options.mean == "zero":
            return np.zeros(plan.genome.num_genes)
        purpose = f"{self.options.name}/mean{label_of(plan)}"
        return plan.genome.random(1, generator(self.problem.seed, purpose))[0].astype(np.float64)

    def next(self, parents: EvaluatedGeneration) -> Generation:
        """Draw from the models that follow from the parents' fitness."""
        populations, state = list[Population](), dict[str, Any]()
        for plan, present in zip(self.problem.plans, parents.living, strict=True):
            model = self.next_model(plan, parents, present)
            parent = int(present.population.ids[0])
            populations.append(self.drawn(parents.number + 1, plan, model, parent))
            state[self.key_of(plan)] = model.state()
        return self.following(parents, populations, state)

    def drawn(self, number: int, plan: Plan, model: Any, parent: int) -> Population:
        """Return a population of a model; all individuals have one parent, the last mean."""
        stream = generator(self.problem.seed, f"{self.options.name}{label_of(plan)}", number)
        genes = encoding_of(plan).nearest(self.genes(plan, model, stream))
        return Population(number, genes, lineage(len(genes), parent), plan.name)


def texts_of(arrays: Mapping[str, np.ndarray], kept: str) -> dict[str, str]:
    """Arrays as JSON has them: of the type ``kept``, such as ``<f4``, in base64."""
    return {
        name: base64.b64encode(array.astype(kept).tobytes()).decode()
        for name, array in arrays.items()
    }


def array_of(text: str, kept: str) -> np.ndarray:
    """The numbers of such a text, float64 ``[n]``."""
    return np.frombuffer(base64.b64decode(text), dtype=kept).astype(np.float64)


def check_steps(options: LearnerOptions, problem: Problem, names: tuple[str, ...]) -> None:
    """Refuse steps of these options that lead beyond the weights' limit.

    Raises:
        ConfigError: the first of them.
    """
    limit = min(encoding_of(plan).limit for plan in problem.plans)
    for name in names:
        if (step := getattr(options, name)) > limit:
            raise ConfigError(
                f"learner.{name}={step:g} given, but weights end at genome.limit={limit:g}; a "
                "smaller one is expected"
            )


def encoding_of(plan: Plan) -> RealNumbers:
    """The encoding of a population whose genes are real weights."""
    return plan.genome.representation
