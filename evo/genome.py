"""Genomes: arrays of bits, packed rows, and DEAP individuals.

The population of a generation is one array ``uint8 [N, G]`` with a bit in each byte; packed, as it
is played and written, it is ``uint8 [N, B]``. A DEAP individual is a view of one row for operators
that want one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from deap import base

from tournaments.encoding import Encoding

MOST_IN_A_BYTE = 255


def random_genes(encoding: Encoding, individuals: int, rng: np.random.Generator) -> np.ndarray:
    """Random bits, uint8 ``[N, G]``."""
    return rng.integers(0, 2, size=(individuals, encoding.num_bits), dtype=np.uint8)


def pack(genes: np.ndarray) -> np.ndarray:
    """Bits, uint8 ``[N, G]``, as packed rows, uint8 ``[N, B]``; unused bits are zero."""
    return np.packbits(genes, axis=1)


def unpack(encoding: Encoding, genomes: np.ndarray) -> np.ndarray:
    """Packed rows as bits, uint8 ``[N, G]``."""
    return np.unpackbits(np.ascontiguousarray(genomes), axis=1, count=encoding.num_bits)


def diversity(genes: np.ndarray) -> float:
    """The mean share of genes in which two different individuals differ, 0 to 1.

    Random bits have 0.5; a population of copies has 0.
    """
    individuals, length = genes.shape
    if individuals < 2:
        return 0.0
    ones = _ones(genes)
    differing = int(ones.dot(individuals - ones))
    return differing / (individuals * (individuals - 1) / 2 * length)


def _ones(genes: np.ndarray) -> np.ndarray:
    """How many individuals have each gene, int64 ``[G]``.

    Counted in bytes, 255 rows at a time, which is many times as fast as in wider integers.
    """
    if len(genes) <= MOST_IN_A_BYTE:
        return np.add.reduce(genes, axis=0, dtype=np.uint8).astype(np.int64)
    total = np.zeros(genes.shape[1], dtype=np.int64)
    for first in range(0, len(genes), MOST_IN_A_BYTE):
        total += np.add.reduce(genes[first : first + MOST_IN_A_BYTE], axis=0, dtype=np.uint8)
    return total


class Fitness(base.Fitness):
    """What selection sees: one number, the larger the better."""

    weights = (1.0,)


class Individual(np.ndarray):
    """A genome as DEAP's operators take it: an array of genes with a fitness.

    It is an ordinary class of this module, not one made by ``deap.creator``, so it clashes with no
    class that a user creates there, and a copy or a pickle needs nothing that must be created
    first. A slice is a copy, as it is of a list: operators that swap slices, as most of DEAP's do,
    would otherwise write one parent over the other.

    Attributes:
        fitness: a :class:`Fitness`.
        row: its place in the population, -1 for none.
    """

    fitness: Fitness
    row: int

    def __new__(cls, genes: Any, row: int = -1, fitness: float | None = None) -> Individual:
        individual = np.array(genes, dtype=np.uint8).view(cls)
        individual.row = row
        if fitness is not None:
            individual.fitness.values = (fitness,)
        return individual

    def __array_finalize__(self, source: Any) -> None:
        self.fitness = Fitness()
        self.row = getattr(source, "row", -1)

    def __getitem__(self, key: Any) -> Any:
        item = super().__getitem__(key)
        return item.copy() if isinstance(item, np.ndarray) else item

    def __setitem__(self, key: Any, value: Any) -> None:
        # numpy would write into what __getitem__ of a subclass gives: into a copy that is lost.
        np.asarray(self)[key] = value

    def __deepcopy__(self, memo: dict[int, Any] | None) -> Individual:
        return self._again()

    def __copy__(self) -> Individual:
        return self._again()

    def _again(self) -> Individual:
        values = self.fitness.values
        return Individual(np.asarray(self), self.row, values[0] if values else None)

    def __reduce__(self) -> tuple[Any, ...]:
        values = self.fitness.values
        return Individual, (np.array(self), self.row, values[0] if values else None)
