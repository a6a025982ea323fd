"""Genomes: arrays of genes, and packed rows.

A population is one array ``[N, G]``: uint8 with a gene in each byte, a bit of a weight or an action
of a policy table, or float32 with a weight each (:mod:`evo.genomes.real_network`). Packed, as it
is played and written, it is ``uint8 [N, B]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np

from tournaments.player import Representation
from tournaments.players.network.bits import Encoding
from tournaments.players.network.player import NetworkGenomes
from tournaments.players.table.encoding import TableEncoding
from tournaments.players.table.player import TableGenomes

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


def table_diversity(genes: np.ndarray) -> float:
    """:func:`diversity` of genes that take any of a few values."""
    individuals, length = genes.shape
    if individuals < 2:
        return 0.0
    alike, rest = 0, np.full(length, individuals)
    same = np.empty(genes.shape, dtype=bool)
    for value in range(int(genes.max())):
        having = _ones(np.equal(genes, value, out=same).view(np.uint8))
        alike += int(having.dot(having - 1)) // 2
        rest -= having
    alike += int(rest.dot(rest - 1)) // 2  # who have the greatest value
    return 1.0 - alike / (individuals * (individuals - 1) / 2 * length)


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


# --- how individuals are written down ----------------------------------------------------------


class Genome(Protocol):
    """How the individuals of one population are written down, bred and played."""

    default_mutation: ClassVar[str]
    """The mutation of ours that keeps genes what they must be."""
    unit: ClassVar[str]
    """What genes are, for messages."""
    rule: ClassVar[str]
    """What operators must keep to, for messages."""

    @property
    def num_genes(self) -> int: ...

    @property
    def representation(self) -> Representation:
        """What evaluators make players of."""

    @property
    def mutation_arguments(self) -> dict[str, Any]:
        """What mutations that ask for it are told about the genes."""

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        """Random genes ``[N, G]``, of the type that genes are of."""

    def pack(self, genes: np.ndarray) -> np.ndarray:
        """Genes as they are played and written, uint8 ``[N, B]``."""

    def unpack(self, genomes: np.ndarray) -> np.ndarray:
        """Packed rows as genes ``[N, G]``; what follows a narrower genome is left out.

        Raises:
            TournamentError: genes that are not what they may be.
        """

    def diversity(self, genes: np.ndarray) -> float:
        """The mean share of genes in which two different individuals differ, 0 to 1.

        Of real weights, in which all differ, how widely: 1 as random ones, 0 not at all.
        """

    def are_alleles(self, genes: np.ndarray) -> bool:
        """Whether genes, ``[G]``, may stand where they stand."""

    def settled(self, genes: np.ndarray) -> np.ndarray:
        """Alleles ``[G]`` from outside as they will be written down."""

    @property
    def can_change(self) -> bool:
        """Whether any gene has several alleles."""

    def change(self, genes: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> None:
        """Change a gene of each of these rows, int ``[K]``, to another allele, in place.

        Genes that have but one allele are not drawn. One that is drawn twice changes once.
        """

    def spec(self) -> dict[str, Any]:
        """The encoding, complete: what a reader of the genomes needs to decode them."""


class Bits:
    """Genes that are 0 or 1."""

    can_change: ClassVar[bool] = True

    default_mutation: ClassVar[str] = "bit-flip"
    unit: ClassVar[str] = "bits"
    rule: ClassVar[str] = "every gene must stay 0 or 1, so take an operator for bit strings"

    @property
    def mutation_arguments(self) -> dict[str, Any]:
        return {}

    def are_alleles(self, genes: np.ndarray) -> bool:
        """See :meth:`Genome.are_alleles`."""
        return bool(np.isin(genes, (0, 1)).all())

    def settled(self, genes: np.ndarray) -> np.ndarray:
        return genes

    def change(self, genes: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> None:
        """See :meth:`Genome.change`."""
        places = rng.integers(0, genes.shape[1], len(rows))
        genes[rows, places] = 1 - genes[rows, places]


@dataclass(frozen=True)
class BitNetwork(Bits):
    """A direct encoding of weights as bits (Weaver and Bossomaier 1998, section 3.3)."""

    encoding: Encoding

    @property
    def num_genes(self) -> int:
        return self.encoding.num_bits

    @property
    def representation(self) -> Representation:
        return NetworkGenomes(self.encoding)

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        return random_genes(self.encoding, individuals, rng)

    def pack(self, genes: np.ndarray) -> np.ndarray:
        return pack(genes)

    def unpack(self, genomes: np.ndarray) -> np.ndarray:
        return unpack(self.encoding, genomes)

    def diversity(self, genes: np.ndarray) -> float:
        return diversity(genes)

    def spec(self) -> dict[str, Any]:
        encoding = self.encoding
        return {
            "encoding": "bit-network",
            "layers": list(encoding.layers),
            "bits": encoding.bits,
            "low": encoding.low,
            "high": encoding.high,
            "bytes": encoding.num_bytes,
        }


@dataclass(frozen=True)
class PolicyTable:
    """A legal action for each situation that the mover may be in, a byte a gene.

    Rows from outside are looked at where they are unpacked; what is made of them stays legal.
    """

    default_mutation: ClassVar[str] = "reset"
    unit: ClassVar[str] = "legal actions"
    rule: ClassVar[str] = "every gene must stay one of its alleles, so take one that swaps genes"
    encoding: TableEncoding

    @property
    def num_genes(self) -> int:
        return self.encoding.num_genes

    @property
    def representation(self) -> Representation:
        return TableGenomes(self.encoding, are_checked=True)

    @property
    def mutation_arguments(self) -> dict[str, Any]:
        return {"alleles": self.encoding.alleles, "counts": self.encoding.counts}

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        return self.encoding.random(individuals, rng).view(np.uint8)

    def pack(self, genes: np.ndarray) -> np.ndarray:
        return genes

    def unpack(self, genomes: np.ndarray) -> np.ndarray:
        return self.encoding.checked(genomes[:, : self.num_genes]).view(np.uint8)

    def diversity(self, genes: np.ndarray) -> float:
        return table_diversity(genes)

    def are_alleles(self, genes: np.ndarray) -> bool:
        return bool((genes[:, None] == self.encoding.alleles).any(axis=1).all())

    def settled(self, genes: np.ndarray) -> np.ndarray:
        return genes

    def change(self, genes: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> None:
        alleles, counts = self.encoding.alleles, self.encoding.counts
        places = self._free[rng.integers(0, len(self._free), len(rows))]
        others = rng.integers(0, counts[places] - 1)
        # Those before the present one stay as they are numbered, those from it on move up by one.
        present = (alleles[places] == genes[rows, places][:, None]).argmax(axis=1)
        genes[rows, places] = alleles[places, others + (others >= present)]

    @property
    def can_change(self) -> bool:
        return len(self._free) > 0

    @cached_property
    def _free(self) -> np.ndarray:
        """The genes that have several alleles."""
        return np.flatnonzero(self.encoding.counts > 1)

    def spec(self) -> dict[str, Any]:
        return self.encoding.spec()


def trimmed(genome: Genome, genomes: np.ndarray) -> np.ndarray:
    """Packed rows of a snapshot, as wide as its widest genome, as they are played.

    Raises:
        TournamentError: genes that are not what they may be.
    """
    return genome.pack(genome.unpack(genomes))
