"""Networks as bits: a direct encoding (Weaver and Bossomaier 1998, section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from evo.genomes.base import Genome, NetworkOptions, Plan, plans_by_role
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.options import option
from tournaments.players.network import Encoding, layers_for

LARGEST_RANGE = 65536.0


@dataclass(frozen=True)
class BitNetworkOptions(NetworkOptions):
    """Networks: a direct encoding of weights as bits.

    Attributes:
        bits: bits per weight
        low: the smallest weight
        high: the largest weight
    """

    encoding: str = option("bit-network")
    bits: int = option(10, low=1, high=16)
    low: float = option(-64.0)
    high: float = option(64.0)

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """Return the populations of networks that evolve in a game: one, or one per role."""
        if self.high - self.low > LARGEST_RANGE:
            raise ConfigError(
                f"genome.low={self.low:g}, genome.high={self.high:g} given; a range of at most "
                f"{LARGEST_RANGE:g} is expected"
            )
        encoding = Encoding(layers_for(game, self.hidden), self.bits, self.low, self.high)
        return plans_by_role(game, lambda seats: BitNetwork(replace(encoding, seats=seats)))


@dataclass(frozen=True)
class BitNetwork(Genome):
    """A direct encoding of weights as bits (Weaver and Bossomaier 1998, section 3.3)."""

    default_mutation: ClassVar[str] = "bit-flip"
    unit: ClassVar[str] = "bits"
    rule: ClassVar[str] = "every gene must stay 0 or 1, so take an operator for bit strings"
    representation: Encoding

    @property
    def num_genes(self) -> int:
        """The number of bits of an individual. See :attr:`evo.genomes.base.Genome.num_genes`."""
        return self.representation.num_bits

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        return rng.integers(0, 2, size=(individuals, self.num_genes), dtype=np.uint8)

    def pack(self, genes: np.ndarray) -> np.ndarray:
        """Return the bits of individuals as packed rows, uint8 ``[N, B]``. Unused bits are zero."""
        return np.packbits(genes, axis=1)

    def unpack(self, genomes: np.ndarray) -> np.ndarray:
        return np.unpackbits(np.ascontiguousarray(genomes), axis=1, count=self.num_genes)

    def are_alleles(self, genes: np.ndarray) -> bool:
        return bool(np.isin(genes, (0, 1)).all())

    def change(self, genes: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> None:
        places = rng.integers(0, genes.shape[1], len(rows))
        genes[rows, places] = 1 - genes[rows, places]


GENOME = BitNetworkOptions
