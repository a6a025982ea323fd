"""How one generation makes the next. One learner a file."""

from __future__ import annotations

from evo.config.config import Config
from evo.config.run_options import (
    AnnealingOptions,
    GradientOptions,
    HillClimbingOptions,
    LearnerOptions,
    StrategyOptions,
)
from evo.learners.base import Learner
from evo.learners.checks import unknown_options


def make(config: Config) -> Learner:
    """The learner of a configuration; it resolves and tries out what the configuration names.

    Raises:
        ConfigError: an operator that cannot be had, that a folder may not name, or that fails.
    """
    if isinstance(config.learner, LearnerOptions):
        from evo.learners.genetic.learner import GeneticLearner

        return GeneticLearner(config)
    if isinstance(config.learner, StrategyOptions):
        from evo.learners.evolution_strategy import EvolutionStrategy

        return EvolutionStrategy(config)
    if isinstance(config.learner, GradientOptions):
        from evo.learners.openai_es import GradientStrategy

        return GradientStrategy(config)
    if isinstance(config.learner, AnnealingOptions):
        from evo.learners.annealing import Annealing

        return Annealing(config)
    if isinstance(config.learner, HillClimbingOptions):
        from evo.learners.hill_climbing import HillClimbing

        return HillClimbing(config)
    raise unknown_options(config.learner)
