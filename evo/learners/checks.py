"""What a learner needs of the rest of a configuration, looked at before any work."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evo.config.config import Config
from evo.config.run_options import (
    AUTO,
    LEARNERS,
    GradientOptions,
    HillClimbingOptions,
    LearnerOptions,
    StrategyOptions,
)
from evo.errors import ConfigError


def checked_learner(config: Config) -> Any:
    """The learner's options, complete, once they fit the rest of the configuration.

    Raises:
        ConfigError: they do not.
    """
    if isinstance(config.learner, LearnerOptions):
        return _checked_operators(config, config.learner)
    if isinstance(config.learner, StrategyOptions):
        from evo.learners import evolution_strategy

        evolution_strategy.check(config)
    elif isinstance(config.learner, GradientOptions):
        from evo.learners import openai_es as gradient_strategy

        gradient_strategy.check(config)
    elif isinstance(config.learner, HillClimbingOptions):
        from evo.learners import climbing

        climbing.check(config)
    else:
        raise unknown_options(config.learner)
    return config.learner


def unknown_options(learner: Any) -> ConfigError:
    """The error for options that no learner takes."""
    name = getattr(learner, "name", "")
    return ConfigError(
        f"learner {name!r} has options of type {type(learner).__name__}, which no learner takes; "
        f"those of {', '.join(LEARNERS)} are expected: see evo.config.run_options.LEARNERS"
    )


def _checked_operators(config: Config, options: LearnerOptions) -> LearnerOptions:
    from evo.learners.genetic import operators

    if options.elites > config.run.population:
        raise ConfigError(
            f"learner.elites={options.elites} given; a population of "
            f"{config.run.population} has at most that many"
        )
    if options.mutation == AUTO:
        options = replace(options, mutation=config.populations[0].genome.default_mutation)
    for plan in config.populations:
        operators.check(options, plan.genome)
    return options
