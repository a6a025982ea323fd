"""The strategy of Salimans et al. (2017) with Adam, written apart: loops, dot products, powers.

Nothing here imports the project.
"""

from __future__ import annotations

import math

import numpy as np


def ranks(raw: list[float]) -> list[float]:
    """For each: how many are worse, less how many are better, over twice all the others."""
    others = max(len(raw) - 1, 1)
    return [(sum(b < a for b in raw) - sum(b > a for b in raw)) / (2 * others) for a in raw]


class Climber:
    """The mean, and what Adam remembers of the gradients (Kingma and Ba, algorithm 1)."""

    def __init__(self, mean: np.ndarray, sigma: float, half_life: float = 0.0) -> None:
        self.mean, self.sigma, self.half_life = mean, sigma, half_life
        self.slope = np.zeros_like(mean)
        self.square = np.zeros_like(mean)
        self.told = 0

    def size(self, step: float) -> float:
        return step * 0.5 ** (self.told / self.half_life) if self.half_life else step

    def tell(
        self, above: np.ndarray, below: np.ndarray, worth: list[float], betas: list[float]
    ) -> None:
        """Go on by pairs, ``[P, G]`` each, of which ``worth`` tells, those above first."""
        noise = np.concatenate([above - self.mean, below - self.mean]) / self.sigma
        gradient = np.dot(np.array(worth), noise) / (len(noise) * self.sigma)
        first, second, step = betas
        size = self.size(step)
        self.told += 1
        self.slope = first * self.slope + (1 - first) * gradient
        self.square = second * self.square + (1 - second) * gradient**2
        for gene in range(len(self.mean)):
            slope = self.slope[gene] / (1 - first**self.told)
            square = self.square[gene] / (1 - second**self.told)
            self.mean[gene] += size * slope / (math.sqrt(square) + 1e-8)
