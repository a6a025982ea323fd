"""The genetic algorithm, with built-in operators, operators of DEAP and operators of users."""

from evo.learners.genetic.learner import GeneticOptions

LEARNER = GeneticOptions
