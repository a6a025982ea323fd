"""A robot arm of ``deap`` against the physics of its world, as DEAP's issue 544 asks for."""

import random
import sys

import numpy as np
from deap import algorithms, base, creator, tools

import tournaments

creator.create("Most", base.Fitness, weights=(1.0,))
creator.create("Vector", list, fitness=creator.Most)
toolbox = base.Toolbox()
toolbox.register("vector", tools.initRepeat, creator.Vector, lambda: random.gauss(0, 1), 4)
toolbox.register("mate", tools.cxBlend, alpha=0.5)
toolbox.register("mutate", tools.mutGaussian, mu=0, sigma=0.3, indpb=0.5)


def reach(players, seed):
    """Let an arm with four gains swing to a target in a world of mass, friction and wind."""
    (p, d, i, feed), (mass, friction, wind, push) = players
    target, place, speed, total = np.random.default_rng(seed).uniform(-1, 1), 0.0, 0.0, 0.0
    for step in range(50):
        total += target - place
        force = p * (target - place) - d * speed + 0.1 * i * total + feed * target
        force += 0.2 * np.tanh(wind) * np.sin(0.3 * step + push) - abs(friction) * speed
        speed = np.clip(speed + 0.1 * force / (0.5 + abs(mass)), -5, 5)
        place += 0.1 * speed
    return [-abs(target - place), abs(target - place)]


def main(population=20, generations=20):
    random.seed(1)
    groups = [[toolbox.vector() for _ in range(population)] for _ in range(2)]
    contest = tournaments.contest(reach, seats=("arm", "world"))
    competition = tournaments.Competition(contest, "round-robin:fitness=score", seed=1)
    for generation in range(generations):
        fitness = competition.evaluate(*groups).fitness
        errors = -fitness[0]
        print(f"generation {generation}: error {errors.min():.3f}, mean {errors.mean():.3f}")
        for side, group in enumerate(groups):
            for vector, points in zip(group, fitness[side], strict=True):
                vector.fitness.values = (points,)
            parents = tools.selTournament(group, population, tournsize=3)
            groups[side] = algorithms.varAnd(parents, toolbox, cxpb=0.5, mutpb=0.5)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))  # POPULATION GENERATIONS
