"""Guards of third-party learners: checks of the results of their hooks during a run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from evo.config.config import Config
from evo.learners.base import Learner, Problem
from evo.population import EvaluatedGeneration, Generation
from tournaments.guard import (
    Guarded,
    Hook,
    Plugin,
    call_hook,
    expect,
    expect_array,
    refuse,
    type_and_shape,
)
from tournaments.schemes import Contest


def guarded_learner(config: Config, problem: Problem, plugin: Plugin) -> Learner:
    """Return the learner of a configuration. The hooks of a third-party learner are guarded.

    ``problem`` is the problem that it has to solve, ``plugin`` says where the learner comes from.

    Raises:
        TournamentError: a hook is missing, or generation 0 is not reproducible.
    """
    learner = call_hook(plugin, Hook("learner(problem)"), config.learner.learner, problem)
    if plugin.is_ours:
        return learner
    guarded: Any = Guarded(plugin, learner, hooks_of(config))
    if _bits(guarded.first()) != _bits(guarded.first()):
        raise plugin.error(
            "first() gave another generation at its second call",
            "take all randomness from tournaments.kernels.rng, by the seed of the problem",
        )
    return guarded


def hooks_of(config: Config) -> Mapping[str, Hook]:
    """Return the hooks that a third-party learner must offer, with the results expected of each."""
    expect_generation = partial(_expect_generation, config)
    return {
        "first": Hook("first()", expect_generation),
        "contest": Hook("contest(generation)", _expect_contest),
        "judge": Hook("judge(generation, contest, tally)", _expect_judged),
        "next": Hook("next(parents)", expect_generation),
        "is_done": Hook("is_done(evaluated)"),
    }


def _expect_generation(config: Config, made: Any, *parents: EvaluatedGeneration) -> None:
    number = parents[0].number + 1 if parents else 0
    given = f"generation {made.number}" if isinstance(made, Generation) else type_and_shape(made)
    fits = isinstance(made, Generation) and made.number == number
    expect(fits, given, f"give an evo.population.Generation of number {number}")
    for each in made.populations:
        genes, shape = each.genes, (len(each.ids), config.plan(each.name).genome.num_genes)
        fits = genes.shape == shape and genes.dtype.kind in "uif"
        given = f"genes {type_and_shape(genes)} of {each.name}"
        expect(fits, given, f"give numbers {list(shape)}")


def _expect_contest(made: Any, generation: Generation) -> None:
    expect(isinstance(made, Contest), type_and_shape(made), "give a Contest of a scheme")


def _expect_judged(made: Any, generation: Generation, *played: Any) -> None:
    fits = isinstance(made, EvaluatedGeneration) and made.number == generation.number
    expect(fits, type_and_shape(made), "give an EvaluatedGeneration.of(...)")
    for each in made.populations:
        for name in ("raw_fitness", "fitness"):
            values = np.asarray(getattr(each, name))
            expect_array(values, (len(each.population),), ("float",), "float64", f"{name} ")
            for row in np.flatnonzero(~np.isfinite(values)):
                given = f"{name} {values[row]} to individual {row} of {each.population.name}"
                refuse(given, "give finite numbers")


def _bits(generation: Generation) -> list[bytes]:
    return [each.genes.tobytes() for each in generation.populations]
