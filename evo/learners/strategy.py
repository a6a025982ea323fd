"""What evolution strategies share: a mean that plays as individual 0 of each population, and a
state of arrays."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import numpy as np

from evo.genomes.base import Plan
from evo.learners.base import LearnerOptions, Problem
from evo.population import ALL
from tournaments.errors import ConfigError
from tournaments.kernels.rng import generator
from tournaments.players.encodings import RealNumbers


def label_of(plan: Plan) -> str:
    """What the streams and the state of a population are named by, after the learner: nothing for
    the only one."""
    return "" if plan.name == ALL else f"/{plan.name}"


def first_mean(problem: Problem, plan: Plan, learner: str, at: str) -> np.ndarray:
    """The champion of the run that is started from, else zeros or a random network.

    Args:
        problem: says where it starts, and from which seed.
        plan: a population of real weights.
        learner: its name.
        at: ``zero`` or ``random``.

    Returns:
        float64 ``[G]``.
    """
    mean = np.zeros(plan.genome.num_genes)
    champion = problem.first_genes(plan, 1)
    if champion is not None:
        mean[:] = champion[0]
    elif at == "random":
        stream = generator(problem.seed, f"{learner}/mean{label_of(plan)}")
        mean[:] = plan.genome.random(1, stream)[0]
    return mean


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
