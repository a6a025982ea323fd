"""Selection of parents: proportional selection, linear scaling, elitism.

Each selection takes fitness, float64 ``[N]``, and returns the rows of the selected individuals.
"""

from __future__ import annotations

import math

import numpy as np

from tournaments.errors import ConfigError

LARGEST_TOURNAMENT = 1000
"""Largest tournament. Larger ones select the best of all, at the cost of memory."""


def elite_rows(fitness: np.ndarray, count: int) -> np.ndarray:
    """Return the rows of the fittest individuals, best first, lower rows first if equal."""
    return (-fitness).argsort(kind="stable")[:count]


def proportional(fitness: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Draw individuals (rows) independently, with probability in proportion to fitness.

    This is selection by the roulette wheel.
    """
    return _on_wheel(fitness, rng.random(count))


def stochastic_universal(fitness: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Draw individuals (rows) in proportion to fitness by evenly spaced marks on the wheel.

    Every row is drawn its expected number of times, rounded down or up; the order is random.
    Source: Baker 1987.
    """
    return rng.permutation(_on_wheel(fitness, (np.arange(count) + rng.random()) / count))


def _on_wheel(fitness: np.ndarray, marks: np.ndarray) -> np.ndarray:
    """Return the individual (row) at each mark, 0 to 1, on the roulette wheel of fitness.

    If all fitness is zero, rows have equal parts.
    """
    least, wheel = fitness.min(), np.add.accumulate(fitness)
    total = wheel[-1]
    if not (least >= 0.0 and total < math.inf):  # both are false for NaN
        wrong = least if not least >= 0.0 else fitness.max()
        raise ConfigError(
            f"proportional selection met the fitness {wrong!r}; it takes finite "
            "numbers from 0: raise scheme.bonus, or take another selection, such as tournament"
        )
    if total == 0.0:
        return (marks * len(fitness)).astype(np.int64).clip(max=len(fitness) - 1)
    rows = wheel.searchsorted(marks * total, side="right")
    return np.minimum(rows, wheel.searchsorted(total))  # a mark may be rounded up to the end


def tournament(
    fitness: np.ndarray, count: int, rng: np.random.Generator, tournament_size: int = 3
) -> np.ndarray:
    """Return the winners (rows) of tournaments between individuals drawn at random.

    The selection is that of ``deap.tools.selTournament``. A row may be drawn twice for one
    tournament. Among equals, the row drawn first wins.
    """
    drawn = rng.integers(0, len(fitness), (count, tournament_size))
    return drawn[np.arange(count), fitness[drawn].argmax(axis=1)]


def truncation(
    fitness: np.ndarray, count: int, rng: np.random.Generator, share: float = 0.5
) -> np.ndarray:
    """Draw individuals (rows) from the fittest, each with the same probability.

    That is ``deap.tools.selRandom`` of ``deap.tools.selBest``. The best are the given share of the
    population, rounded up. Among equals, lower rows come first.
    """
    best = elite_rows(fitness, math.ceil(share * len(fitness)))
    return best[rng.integers(0, len(best), count)]


SELECTIONS = {
    "proportional": proportional,
    "stochastic-universal": stochastic_universal,
    "tournament": tournament,
    "truncation": truncation,
}
