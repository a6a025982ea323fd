"""Genomes of real numbers: what an evolution strategy, or a genetic algorithm without bits, varies.

Genes are float32 ``[N, G]``. What is made here is as it will be written down, so a population that
was read from a snapshot is the one that played, to the bit.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from evo.genomes.base import Genome
from tournaments.players.reals import RealNumbers


class RealGenes(Genome):
    """What genomes of real numbers have in common; each says what players they are.

    Attributes:
        encoding: how they are written down.
        initial: standard deviation of random genes.
    """

    default_mutation: ClassVar[str] = "gaussian"
    unit: ClassVar[str] = "real weights"
    rule: ClassVar[str] = "every gene must stay a finite number"
    encoding: RealNumbers
    initial: float

    @property
    def num_genes(self) -> int:
        return self.encoding.num_genes

    @property
    def mutation_arguments(self) -> dict[str, Any]:
        """Mutation steps are by default as wide as the first weights."""
        return {"sigma": self.initial, "limit": self.encoding.most}

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        """Normal weights around 0, float32 ``[N, G]``."""
        normal = rng.standard_normal((individuals, self.num_genes))
        return self.encoding.nearest(self.initial * normal)

    def pack(self, genes: np.ndarray) -> np.ndarray:
        return self.encoding.encode(genes)

    def unpack(self, genomes: np.ndarray) -> np.ndarray:
        return self.encoding.decode(genomes[:, : self.encoding.num_bytes])

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
        return self.encoding.nearest(genes)

    def change(self, genes: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> None:
        """Add a normal step as wide as the first weights; see
        :meth:`evo.genomes.base.Genome.change`."""
        places = rng.integers(0, genes.shape[1], len(rows))
        steps = self.initial * rng.standard_normal(len(rows))
        genes[rows, places] = self.encoding.nearest(genes[rows, places] + steps)
