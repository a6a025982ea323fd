"""A fitness of one's own, made of the table of matches: boxes taken, not games won."""

import sys

import numpy as np

import tournaments


def player(order):
    """Return a player that takes the first legal edge in a given order."""
    return lambda state, rng: min(state.legal_actions(), key=lambda action: order[action])


def fitness_of(result):
    """Return the mean share of the boxes that each player took."""
    matches = result.matches
    total = matches["score"] + matches["opponent_score"]
    taken = (matches["score"] / total).groupby(matches["a"]).agg(["sum", "count"])
    lost = (matches["opponent_score"] / total).groupby(matches["b"]).agg(["sum", "count"])
    both = taken.add(lost, fill_value=0)
    return (both["sum"] / both["count"]).to_numpy()


def main(population=12, generations=20):
    rng = np.random.default_rng(1)
    competition = tournaments.Competition("dots-and-boxes:rows=2,cols=2", "round-robin", seed=1)
    orders = [rng.permutation(12) for _ in range(population)]
    for generation in range(generations):
        fitness = fitness_of(competition.evaluate([player(order) for order in orders]))
        print(f"generation {generation}: best {fitness.max():.3f} of the boxes")
        best = [orders[place] for place in np.argsort(-fitness, kind="stable")[: population // 2]]
        orders = best + [swapped(order, rng) for order in best]


def swapped(order, rng):
    """Return an order with two edges exchanged."""
    child = order.copy()
    a, b = rng.integers(len(order), size=2)
    child[[a, b]] = child[[b, a]]
    return child


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))  # POPULATION GENERATIONS
