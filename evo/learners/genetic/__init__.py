"""The genetic algorithm, with operators of ours, of DEAP and of a user."""

from evo.learners.genetic.learner import GeneticAlgorithm

LEARNER = GeneticAlgorithm
