"""Genomes of real numbers, for evolution strategies and for genetic algorithms without bits.

Genes are float32 ``[N, G]``. New genes are rounded to their saved form, so a population that was
read from a snapshot equals the population that played, to the bit.
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
    """Genomes of real numbers, for every kind of player that uses them.

    Attributes:
        representation: the numbers, and the players that use them.
        initial: standard deviation of random genes.
    """

    default_mutation: ClassVar[str] = "gaussian"
    unit: ClassVar[str] = "real weights"
    rule: ClassVar[str] = "every gene must stay a finite number"
    representation: RealNumbers
    initial: float

    @property
    def mutation_arguments(self) -> dict[str, Any]:
        """The arguments of mutations of real weights.

        Steps are as wide as first weights by default.
        """
        return {"sigma": self.initial, "limit": self.representation.most}

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        """Return random individuals: normal weights around 0, float32 ``[N, G]``."""
        normal = rng.standard_normal((individuals, self.num_genes))
        return self.representation.nearest(self.initial * normal)

    def diversity(self, genes: np.ndarray) -> float:
        """Return the diversity of real weights: their spread, relative to random individuals.

        The spread is the root of the mean variance of a weight, divided by ``initial``: about 1 for
        random networks, 0 for copies.
        """
        if len(genes) < 2:
            return 0.0
        variance = genes.var(axis=0, dtype=np.float64, ddof=1).mean()
        return math.sqrt(variance) / self.initial

    def are_alleles(self, genes: np.ndarray) -> bool:
        """Return whether all weights are finite. :meth:`settled` brings them within the limit."""
        return genes.dtype.kind in "iuf" and bool(np.isfinite(genes).all())

    def settled(self, genes: np.ndarray) -> np.ndarray:
        return self.representation.nearest(genes)

    def change(self, genes: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> None:
        """Mutate individuals: add a normal step to a weight of each row of ``rows``, in place.

        The steps are as wide as the first weights.
        """
        places = rng.integers(0, genes.shape[1], len(rows))
        steps = self.initial * rng.standard_normal(len(rows))
        genes[rows, places] = self.representation.nearest(genes[rows, places] + steps)
