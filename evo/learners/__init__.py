"""How one generation makes the next. One learner a file."""

from __future__ import annotations

from evo.config import Config
from evo.learners.contest import Learner
from evo.options import AnnealingOptions, GradientOptions, LearnerOptions, StrategyOptions


def make(config: Config) -> Learner:
    """The learner of a configuration."""
    if isinstance(config.learner, LearnerOptions):
        from evo.learners.genetic import GeneticLearner

        return GeneticLearner(config)
    if isinstance(config.learner, StrategyOptions):
        from evo.learners.evolution_strategy import EvolutionStrategy

        return EvolutionStrategy(config)
    if isinstance(config.learner, GradientOptions):
        from evo.learners.gradient_strategy import GradientStrategy

        return GradientStrategy(config)
    if isinstance(config.learner, AnnealingOptions):
        from evo.learners.annealing import Annealing

        return Annealing(config)
    from evo.learners.hill_climbing import HillClimbing

    return HillClimbing(config)
