"""The genetic algorithm, with operators of ours, of DEAP and of a user."""

from evo.learners.genetic.learner import GeneticOptions

LEARNER = GeneticOptions
