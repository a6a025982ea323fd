"""Networks of ``neat-python`` that evolve by games against one another."""

import sys
from pathlib import Path

import neat

import tournaments
from tournaments import games

GAME = games.make("tic-tac-toe")


def inputs(state):
    """Each square: +1 the mover's mark, -1 the other's, 0 free."""
    marks, seat = state.array[-9:], state.seat_to_move
    return (marks == 1 + seat) * 1.0 - (marks == 2 - seat)


def player(genome, config):
    """Return the legal action with the greatest output."""
    network = neat.nn.FeedForwardNetwork.create(genome, config)

    def choose(state, rng):
        outputs = network.activate(inputs(state))
        return max(state.legal_actions(), key=lambda action: outputs[action])

    return choose


def main(population=20, generations=40):
    parts = neat.DefaultGenome, neat.DefaultReproduction, neat.DefaultSpeciesSet
    config = neat.Config(*parts, neat.DefaultStagnation, Path(__file__).with_suffix(".ini"))
    config.pop_size = population
    competition = tournaments.Competition(GAME, "hall-of-fame:current=3,veterans=3", seed=1)

    def evaluate(genomes, config):
        players = [player(genome, config) for _, genome in genomes]
        result = competition.evaluate(players)
        for (_, genome), points in zip(genomes, result.fitness, strict=True):
            genome.fitness = float(points)
        record = tournaments.play_matches(GAME, players[result.fitness.argmax()], "random", 20)
        print(f"generation {result.generation}: {record.win_rate:.0%} of games against random won")

    neat.Population(config, seed=1).run(evaluate, generations)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))  # POPULATION GENERATIONS
