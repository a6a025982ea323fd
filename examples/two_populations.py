"""Two populations, cats and mice, each the other's opponents: the oldest arms race."""

import sys

import numpy as np

import tournaments
from tournaments import games

GAME = games.make("cat-and-mouse")


def player(weights):
    """Return a player that takes the legal action of the greatest value for its seat."""

    def choose(state, rng):
        legal = state.legal_actions()
        seen = int(state.array.sum()) % len(weights)  # a crude view of the position
        return max(legal, key=lambda action: weights[seen, action])

    return choose


def children_of(parents, fitness, rng):
    """Return the better half and a mutant of each member."""
    best = parents[np.argsort(-fitness, kind="stable")[: len(parents) // 2]]
    return np.concatenate([best, best + rng.normal(0.0, 0.5, best.shape)])


def main(population=10, generations=10):
    rng = np.random.default_rng(1)
    shape = population, 16, GAME.num_actions
    cats, mice = rng.normal(size=shape), rng.normal(size=shape)
    competition = tournaments.Competition(GAME, "hall-of-fame:current=3,veterans=2", seed=1)
    for generation in range(generations):
        result = competition.evaluate([*map(player, cats)], [*map(player, mice)])
        caught = np.nanmean(result.payoffs)
        print(f"generation {generation}: cats take {caught:.0%} of the points against mice")
        cats = children_of(cats, result.fitness[0], rng)
        mice = children_of(mice, result.fitness[1], rng)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))  # POPULATION GENERATIONS
