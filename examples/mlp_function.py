"""A multilayer perceptron as a plain function, in numpy alone: hill climbing against its kind."""

import sys
from functools import partial

import numpy as np

import tournaments
from tournaments import games

GAME = games.make("tic-tac-toe")
SQUARES = GAME.num_actions
SHAPES = (SQUARES, 16), (16, SQUARES)


def inputs(state):
    """Each square: +1 the mover's mark, -1 the other's, 0 free."""
    marks, seat = state.array[-SQUARES:], state.seat_to_move
    return (marks == 1 + seat) * 1.0 - (marks == 2 - seat)


def mlp(layers, state, rng):
    """Return the legal action with the greatest output. Each layer is a matrix."""
    signal = inputs(state)
    for number, layer in enumerate(layers):
        signal = signal @ layer if number == len(layers) - 1 else np.tanh(signal @ layer)
    return max(state.legal_actions(), key=lambda action: signal[action])


def mutant(layers, rng):
    return [layer + rng.normal(0.0, 0.2, layer.shape) for layer in layers]


def main(population=10, generations=40):
    rng = np.random.default_rng(1)
    networks = [[rng.normal(size=shape) for shape in SHAPES] for _ in range(population)]
    competition = tournaments.Competition(GAME, "swiss", seed=1)
    for generation in range(generations):
        result = competition.evaluate([partial(mlp, layers) for layers in networks])
        order = np.argsort(-result.fitness, kind="stable")[: population // 2]
        best = [networks[place] for place in order]
        record = tournaments.play_matches(GAME, partial(mlp, best[0]), "random", matches=20)
        print(f"generation {generation}: the best wins {record.win_rate:.0%} against random play")
        networks = best + [mutant(layers, rng) for layers in best]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))  # POPULATION GENERATIONS
