"""The package ``cma`` evolves the weights of a numpy network by games against one another."""

import sys
from functools import partial

import cma
import numpy as np

import tournaments
from tournaments import games

GAME = games.make("tic-tac-toe")
SQUARES, HIDDEN = GAME.num_actions, 8


def inputs(state):
    """Each square: +1 the mover's mark, -1 the other's, 0 free."""
    marks, seat = state.array[-SQUARES:], state.seat_to_move
    return (marks == 1 + seat) * 1.0 - (marks == 2 - seat)


def network(weights, state, rng):
    """Return the legal action with the greatest output."""
    first, second = np.split(np.asarray(weights), [SQUARES * HIDDEN])
    hidden = np.tanh(inputs(state) @ first.reshape(SQUARES, HIDDEN))
    outputs = hidden @ second.reshape(HIDDEN, -1)
    return max(state.legal_actions(), key=lambda action: outputs[action])


def main(population=12, generations=40):
    options = {"popsize": population, "seed": 1, "verbose": -9}
    strategy = cma.CMAEvolutionStrategy(2 * SQUARES * HIDDEN * [0.0], 0.5, options)
    competition = tournaments.Competition(GAME, "round-robin", seed=1)
    for generation in range(generations):
        candidates = strategy.ask()
        result = competition.evaluate([partial(network, weights) for weights in candidates])
        strategy.tell(candidates, -result.fitness)  # it looks for the least
        champion = partial(network, candidates[np.argmax(result.fitness)])
        record = tournaments.play_matches(GAME, champion, "random", matches=20)
        print(f"generation {generation}: the best wins {record.win_rate:.0%} against random play")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))  # POPULATION GENERATIONS
