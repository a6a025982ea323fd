"""Genomes of real numbers: what an evolution strategy, or a genetic algorithm without bits, varies.

Genes are float32 ``[N, G]``. What is made here is as it will be written down, so a population that
was read from a snapshot is the one that played, to the bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evo.genomes.base import Genome
from tournaments.players.encodings import RealNumbers


@dataclass(frozen=True)
class RealGenes(Genome):
    """Genomes of real numbers, whatever players they are.

    Attributes:
        representation: the numbers, and the players that go by them.
        initial: standard deviation of random genes.
    """

    default_mutation: ClassVar[str] = "gaussian"
    unit: ClassVar[str] = "real weights"
    rule: ClassVar[str] = "every gene must stay a finite number"
    representation: RealNumbers
    initial: float

    @property
    def mutation_arguments(self) -> dict[str, Any]:
        """Mutation steps are by default as wide as the first weights."""
        return {"sigma": self.initial, "limit": self.representation.most}

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        """Normal weights around 0, float32 ``[N, G]``."""
        normal = rng.standard_normal((individuals, self.num_genes))
        return self.representation.nearest(self.initial * normal)

    def diversity(self, genes: np.ndarray) -> float:
        """How far apart individuals are, relative to random ones.

        The root of the mean variance of a weight in the population, over ``initial``: 1 of random
        networks in the mean, 0 of copies.
        """
        if len(genes) < 2:
            return 0.0
        variance = genes.var(axis=0, dtype=np.float64, ddof=1).mean()
        return math.sqrt(variance) / self.initial

    def are_alleles(self, genes: np.ndarray) -> bool:
        """Any number will do: :meth:`settled` brings it within the limit."""
        return genes.dtype.kind in "iuf" and bool(np.isfinite(genes).all())

    def settled(self, genes: np.ndarray) -> np.ndarray:
        return self.representation.nearest(genes)

    def change(self, genes: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> None:
        """Add a normal step as wide as the first weights; see
        :meth:`evo.genomes.base.Genome.change`."""
        places = rng.integers(0, genes.shape[1], len(rows))
        steps = self.initial * rng.standard_normal(len(rows))
        genes[rows, places] = self.representation.nearest(genes[rows, places] + steps)
