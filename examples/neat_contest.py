"""Networks of ``neat-python`` that are players of a contest: each guesses the other's signal."""

import sys
from pathlib import Path

import neat
import numpy as np

import tournaments

CONFIG = Path(__file__).with_name("neat_python.ini")
INPUTS = 9


def guessing(players, seed):
    """Let each network send nine signals; the other one, seeing eight, guesses the ninth."""
    rng = np.random.default_rng(seed)
    starts = rng.uniform(-1, 1, (2, INPUTS))
    sent = [np.array(one.activate(start)) for one, start in zip(players, starts, strict=True)]
    errors = []
    for player, signal in zip(players, reversed(sent), strict=True):
        seen = [*signal[:-1], 0.0]
        errors.append(abs(player.activate(seen)[-1] - signal[-1]))
    return [errors[1] - errors[0], errors[0] - errors[1]]


def main(population=20, generations=20):
    parts = neat.DefaultGenome, neat.DefaultReproduction, neat.DefaultSpeciesSet
    config = neat.Config(*parts, neat.DefaultStagnation, CONFIG)
    config.pop_size = population
    contest = tournaments.contest(guessing)
    competition = tournaments.Competition(contest, "red-queen:opponents=4,deep=2", seed=1)

    def evaluate(genomes, config):
        networks = [neat.nn.FeedForwardNetwork.create(genome, config) for _, genome in genomes]
        result = competition.evaluate(networks)
        for (_, genome), points in zip(genomes, result.fitness, strict=True):
            genome.fitness = float(points)
        print(f"generation {result.generation}: best share of points {result.fitness.max():.2f}")

    neat.Population(config, seed=1).run(evaluate, generations)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))  # POPULATION GENERATIONS
