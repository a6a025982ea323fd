"""Which schemes climb, and which go in circles: `python -m benchmarks.numbers [--quick]`.

The numbers game of Watson and Pollack, "Coevolutionary dynamics in a minimal substrate" (GECCO
2001): an individual is one number or several, the ones in equal parts of its genome; a rule says
who of two wins. How good an individual is can be seen from outside, which coevolution cannot.
Everybody starts at zero, and mutation pulls towards half of the bits. The rules:

* plain: one number, the greater wins;
* focusing: ten numbers, that in which the two differ most decides, so that others can be given up;
* intransitive: two numbers, that in which they differ least decides, so that a may beat b, b beat
  c, and c beat a.

A table of Markdown, a row a rule and scheme, medians over the seeds:

* mean: of the numbers in the population at the end, as a share of the largest;
* least: the same for the number that is the least then;
* lost: how far the mean has fallen from where it was highest;
* beaten: the share of its ancestors, champions of earlier generations, that beat a champion, over
  the second half of the run: none where there is progress, half where there is nothing but chance.
"""

import argparse
from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cluster import Entrants
from evo.config import config as configuration
from evo.evolution.loop import Clock, evaluate
from evo.learners.genetic.learner import GeneticLearner
from evo.population import Generation
from tournaments import schemes
from tournaments.arena.entrants import Genomes
from tournaments.arena.outcomes import Played
from tournaments.schedules.base import Matches

RULES = {"plain": 1, "focusing": 10, "intransitive": 2}
"""Rule -> how many numbers an individual is."""
BITS = 130
"""Genes of a network for one box, which nobody plays."""
POPULATION = 25
OPPONENTS = {
    "random-opponents": {"opponents": 10},
    "hall-of-fame": {"current": 5, "veterans": 5},
    "competitive-sharing": {"opponents": 10},
    "maxsolve": {"candidates": 10, "tests": 15, "current": 5},
    "red-queen": {"opponents": 10, "deep": 5, "deep_matches": 1},
    "generalist": {"kept": 10, "current": 5},
}
"""What differs from the defaults, so that a scheme fits the small population."""
SCHEMES = [name for name in schemes.names() if name != "direct"]
LEARNER = {
    "mutation_probability": 0.005,
    "crossover_probability": 0.0,
    "elites": 0,
    "selection": "stochastic-universal",
}
"""As in the paper without crossover or elite."""
BEST_SHARE = 2 / POPULATION
"""Fitness is scaled so that the best has two children, whatever points a scheme gives."""
WINDOW = 10


class Numbers:
    """An evaluator that compares the individuals' numbers in place of a game."""

    def __init__(self, rule: str) -> None:
        """Args: rule: one of RULES."""
        self.rule = rule

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        """All matches in one part; the seats make no difference."""
        pairs, _ = matches.part(0, len(matches))
        packed = np.concatenate(
            [one.packed for one in entrants.populations if isinstance(one, Genomes)]
        )
        values = numbers_of(self.rule, np.unpackbits(packed, axis=1)[:, :BITS])
        lead = leads(self.rule, values[pairs[:, 0]] - values[pairs[:, 1]])
        outcomes = np.zeros((len(pairs), matches.games, 2), dtype=np.int16)
        for game in range(matches.games):
            outcomes[:, game, game % 2] = lead
        yield Played(0, pairs, outcomes)

    def close(self) -> None:
        """Nothing is open."""


def numbers_of(rule: str, genes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Count the ones in each part of genes, `[N, BITS]`: `[N, D]`, D by the rule."""
    return genes.reshape(len(genes), RULES[rule], -1).sum(axis=2, dtype=np.int64)


def leads(rule: str, apart: NDArray[np.int64]) -> NDArray[np.int64]:
    """Who wins by how far apart the numbers are, `[M, D]`: +1, 0 or -1 for each first one.

    Where several numbers are as far apart as the one that decides, their sum decides.
    """
    size = np.abs(apart)
    decides = size.min(axis=1) if rule == "intransitive" else size.max(axis=1)
    return np.sign((apart * (size == decides[:, None])).sum(axis=1))


class FromZero(GeneticLearner):
    """The genetic algorithm, from individuals without ones."""

    def first(self) -> Generation:
        """Return generation 0, in which all genes are zero."""
        generation = super().first()
        for population in generation.populations:
            population.genes[:] = 0
        return generation


class Course(NamedTuple):
    """A run seen from outside; G generations, D numbers.

    Attributes:
        rule: by which it was.
        means: of the population's numbers, as shares of the largest, `[G, D]`.
        champions: their numbers, `[G, D]`.
    """

    rule: str
    means: NDArray[np.float64]
    champions: NDArray[np.int64]

    @property
    def windows(self) -> NDArray[np.float64]:
        """The mean of all numbers over windows of generations, `[G / WINDOW]`."""
        return self.means.mean(axis=1).reshape(-1, WINDOW).mean(axis=1)

    @property
    def least(self) -> float:
        """The number that is the least at the end."""
        return float(self.means[-WINDOW:].mean(axis=0).min())

    @property
    def lost(self) -> float:
        """How far the mean has fallen from where it was highest."""
        return float(self.windows.max() - self.windows[-1])

    @property
    def beaten(self) -> float:
        """The share of ancestors that beat the champions of the second half."""
        chosen = self.champions[::WINDOW]
        shares = [
            float(np.mean(leads(self.rule, chosen[:late] - chosen[late]) > 0))
            for late in range(len(chosen) // 2, len(chosen))
        ]
        return float(np.mean(shares))


def course(scheme: str, rule: str, seed: int, generations: int) -> Course:
    """Evolve under a scheme by a rule, for so many generations, a multiple of WINDOW."""
    config = configuration.from_dict(
        {
            "game": "dots-and-boxes:rows=1,cols=1",
            "scheme": {"name": scheme, "best_share": BEST_SHARE, **OPPONENTS.get(scheme, {})},
            "population": POPULATION,
            "seed": seed,
            "learner": LEARNER,
        }
    )
    learner, evaluator, clock = FromZero(config.problem(), config.learner), Numbers(rule), Clock()
    generation, means, champions = learner.first(), [], []
    for _ in range(generations):
        evaluated, _ = evaluate(config, learner, evaluator, generation, clock)
        population = evaluated.populations[0]
        numbers = numbers_of(rule, population.population.genes)
        means.append(numbers.mean(axis=0) * RULES[rule] / BITS)
        champions.append(numbers[np.argmax(population.fitness)])
        generation = learner.next(evaluated)
    return Course(rule, np.array(means), np.array(champions))


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="fewer generations and seeds")
    options.add_argument("--schemes", nargs="+", choices=SCHEMES, default=SCHEMES)
    options.add_argument("--rules", nargs="+", choices=RULES, default=list(RULES))
    chosen = options.parse_args()
    generations, seeds = (100, 2) if chosen.quick else (300, 5)
    print("| rule | scheme | mean | least | lost | beaten |\n|---|---|---|---|---|---|")
    for rule in chosen.rules:
        for scheme in chosen.schemes:
            runs = [course(scheme, rule, seed, generations) for seed in range(1, seeds + 1)]
            columns = (
                [float(run.windows[-1]) for run in runs],
                [run.least for run in runs],
                [run.lost for run in runs],
                [run.beaten for run in runs],
            )
            cells = " | ".join(f"{median(column):.2f}" for column in columns)
            print(f"| {rule} | {scheme} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
