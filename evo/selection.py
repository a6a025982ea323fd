"""Who reproduces: proportional selection, linear scaling, elitism.

Each selection takes fitness, float64 ``[N]``, and gives the rows of those chosen.
"""

from __future__ import annotations

import math

import numpy as np

from evo.errors import ConfigError

ROUNDING = 1e-9
"""Fitness that differs by this share of the best is equal: points were added in another order."""


def linear_scaling(raw: np.ndarray, best_share: float) -> np.ndarray:
    """Raw fitness scaled so that the best takes a share of the next generation (Goldberg 1989, 77).

    ``f' = a f + b`` keeps the mean, and gives the best ``best_share * N`` times the mean. Where
    that would make the worst negative, the line through the mean is as steep as leaves the worst at
    zero, so the best takes less. Equal fitness stays as it is; so does what differs by rounding
    alone.

    Args:
        raw: float64 ``[N]``, none negative.
        best_share: 0 to 1; 0 or less than an equal share: not scaled.
    """
    factor = best_share * len(raw)
    mean, best, worst = math.fsum(raw) / len(raw), raw.max(), raw.min()  # fsum: in no order
    if factor <= 1.0 or best - worst <= ROUNDING * best:
        return raw.copy()
    if worst > (factor * mean - best) / (factor - 1.0):
        slope = (factor - 1.0) * mean / (best - mean)
        offset = mean * (best - factor * mean) / (best - mean)
    else:
        slope = mean / (mean - worst)
        offset = -worst * mean / (mean - worst)
    return np.maximum(slope * raw + offset, 0.0)


def elite_rows(fitness: np.ndarray, count: int) -> np.ndarray:
    """The rows of the best, the first of equals first."""
    return np.argsort(-fitness, kind="stable")[:count]


def proportional(fitness: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Rows drawn with probability in proportion to fitness, independently (the roulette wheel)."""
    return _on_wheel(fitness, rng.random(count))


def stochastic_universal(fitness: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Rows drawn in proportion to fitness by evenly spaced marks on the wheel (Baker 1987).

    Every row is drawn its expected number of times, rounded down or up; the order is random.
    """
    return rng.permutation(_on_wheel(fitness, (np.arange(count) + rng.random()) / count))


def _on_wheel(fitness: np.ndarray, marks: np.ndarray) -> np.ndarray:
    if fitness.min() < 0 or not np.isfinite(fitness).all():
        raise ConfigError(
            f"proportional selection met the fitness {fitness.min()!r}; it takes finite "
            "numbers from 0: raise scheme.bonus, or take another selection, such as "
            "deap.tools.selTournament"
        )
    wheel = np.cumsum(fitness if fitness.any() else np.ones_like(fitness))
    rows = np.searchsorted(wheel, marks * wheel[-1], side="right")
    return np.minimum(rows, np.flatnonzero(fitness)[-1] if fitness.any() else len(fitness) - 1)


SELECTIONS = {"proportional": proportional, "stochastic-universal": stochastic_universal}
