"""Who reproduces: proportional selection, linear scaling, elitism.

Each selection takes fitness, float64 ``[N]``, and gives the rows of those chosen.
"""

from __future__ import annotations

import math

import numpy as np

from tournaments.errors import ConfigError

LARGEST_TOURNAMENT = 1000
"""Beyond this a tournament is the best of all, at the cost of memory."""


def elite_rows(fitness: np.ndarray, count: int) -> np.ndarray:
    """The rows of the best, the first of equals first."""
    return (-fitness).argsort(kind="stable")[:count]


def proportional(fitness: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Rows drawn with probability in proportion to fitness, independently (the roulette wheel)."""
    return _on_wheel(fitness, rng.random(count))


def stochastic_universal(fitness: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Rows drawn in proportion to fitness by evenly spaced marks on the wheel (Baker 1987).

    Every row is drawn its expected number of times, rounded down or up; the order is random.
    """
    return rng.permutation(_on_wheel(fitness, (np.arange(count) + rng.random()) / count))


def _on_wheel(fitness: np.ndarray, marks: np.ndarray) -> np.ndarray:
    """The row that each mark, 0 to 1, falls on; equal parts where nobody has fitness."""
    least, wheel = fitness.min(), np.add.accumulate(fitness)
    total = wheel[-1]
    if not (least >= 0.0 and total < math.inf):  # neither holds of what is not a number
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
    """The best of so many rows drawn at random, again and again (``deap.tools.selTournament``).

    A row may be drawn twice for one tournament; of equals the one drawn first is chosen.
    """
    drawn = rng.integers(0, len(fitness), (count, tournament_size))
    return drawn[np.arange(count), fitness[drawn].argmax(axis=1)]


def truncation(
    fitness: np.ndarray, count: int, rng: np.random.Generator, share: float = 0.5
) -> np.ndarray:
    """Rows drawn from the best, each as likely as the others.

    That is ``deap.tools.selRandom`` of ``deap.tools.selBest``. The best are that share of the
    population, rounded up; of equals the first.
    """
    best = elite_rows(fitness, math.ceil(share * len(fitness)))
    return best[rng.integers(0, len(best), count)]


SELECTIONS = {
    "proportional": proportional,
    "stochastic-universal": stochastic_universal,
    "tournament": tournament,
    "truncation": truncation,
}
