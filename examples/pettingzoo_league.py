"""A league in PettingZoo's ``connect_four_v3``: players of any kind, and their ratings."""

import sys
from functools import partial

import numpy as np
from pettingzoo.classic import connect_four_v3

import evo
import tournaments
from tournaments.players import as_player


def random(observation, legal, rng):
    """Choose any column."""
    return rng.choice(legal)


def by_weights(observation, legal, rng, weights):
    """Choose the column of the greatest weight in the present position."""
    board = observation["observation"].astype(float)
    values = np.tensordot(board[..., 0] - board[..., 1], weights, axes=2)
    return max(legal, key=lambda column: values[column])


def main(population=12, generations=5):
    rng = np.random.default_rng(1)
    contest = tournaments.contest(connect_four_v3.env)
    weights = [*rng.normal(size=(population, 6, 7, 7))]
    competition = tournaments.Competition(contest, "random-opponents:opponents=3", seed=1)
    champions = {"random": random}
    for generation in range(generations):
        players = [partial(by_weights, weights=each) for each in weights]
        fitness = competition.evaluate(players).fitness
        champions[f"generation {generation}"] = players[fitness.argmax()]
        best = [weights[place] for place in np.argsort(-fitness, kind="stable")[: population // 2]]
        weights = best + [each + rng.normal(0, 0.5, each.shape) for each in best]
        print(f"generation {generation}: {fitness.max():.1f} points of 3")
    return contest, [as_player(player, contest, name) for name, player in champions.items()]


if __name__ == "__main__":
    league = main(*map(int, sys.argv[1:]))  # POPULATION GENERATIONS
    print(evo.tournament(*league, games=40))
