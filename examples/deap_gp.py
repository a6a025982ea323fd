"""Trees of ``deap.gp`` that value a move, evolved by antibodies and antigens."""

import operator
import random
import sys

from deap import algorithms, base, creator, gp, tools

import tournaments

creator.create("Best", base.Fitness, weights=(1.0,))
creator.create("Tree", gp.PrimitiveTree, fitness=creator.Best)

MOVES = gp.PrimitiveSet("move", 3, "in")  # its score, how many moves there are, and the move
for function in (operator.add, operator.sub, operator.mul, max):
    MOVES.addPrimitive(function, 2)

toolbox = base.Toolbox()
toolbox.register("tree", tools.initIterate, creator.Tree, lambda: gp.genHalfAndHalf(MOVES, 1, 3))
toolbox.register("mate", gp.cxOnePoint)
toolbox.register("mutate", gp.mutNodeReplacement, pset=MOVES)


def player(tree):
    """Return the legal action with the greatest value of the tree."""
    value = gp.compile(tree, MOVES)

    def choose(state, rng):
        legal, seat = state.legal_actions(), state.seat_to_move
        return max(legal, key=lambda action: value(state.scores[seat], len(legal), action))

    return choose


def main(population=24, generations=10):
    random.seed(1)
    trees = [toolbox.tree() for _ in range(population)]
    competition = tournaments.Competition("nim", "antibody-antigen", seed=1)
    for generation in range(generations):
        result = competition.evaluate([player(tree) for tree in trees])
        for tree, points in zip(trees, result.fitness, strict=True):
            tree.fitness.values = (points,)
        print(f"generation {generation}: {max(trees, key=lambda tree: tree.fitness)}")
        parents = tools.selTournament(trees, population, tournsize=3)
        trees = algorithms.varAnd(parents, toolbox, cxpb=0.7, mutpb=0.2)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))  # POPULATION GENERATIONS
