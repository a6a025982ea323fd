"""The genetic algorithm, with operators of ours, of DEAP and of a user."""
