"""Genomes of real weights: what an evolution strategy, or a genetic algorithm without bits, varies.

Genes are float32 ``[N, G]``, a weight each. What is made here is as it will be written down, so a
population that was read from a snapshot is the one that played, to the bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evo.genomes.base import EncodingOptions, Genome, Plan, hidden_option, plans_by_role
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.options import option
from tournaments.player import Representation
from tournaments.players.network.bits import layers_for
from tournaments.players.network.player import RealNetworkGenomes
from tournaments.players.network.reals import RealEncoding, groups_of


@dataclass(frozen=True)
class RealNetworkOptions(EncodingOptions):
    """Networks: weights as real numbers, float32."""

    real_weights: ClassVar[bool] = True
    encoding: str = option("real-network", "how an individual is written down")
    hidden: tuple[int, ...] = hidden_option()
    initial: float = option(1.0, "standard deviation of the first, random weights", 1e-6, 1e6)
    limit: float = option(
        64.0, "the greatest weight, of either sign; what would pass it stays there", 1e-6, 1e6
    )
    symmetry: bool = option(
        False,
        "weights that turns and mirrors of the board lead into one another share a number, to "
        "which each adds one of its own",
    )
    own: float = option(0.1, "what a weight's own number is multiplied by then", 0.0, 1e3)

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """One population, or one a role."""
        if self.own != type(self).own and not self.symmetry:
            raise ConfigError(
                f"genome.own={self.own:g} given without genome.symmetry; it says what a "
                "weight's own number counts where weights are shared: set genome.symmetry=true, "
                "or leave it out"
            )
        layers = layers_for(game, self.hidden)
        shared = groups_of(game, layers) if self.symmetry else ()
        encoding = RealEncoding(layers, self.limit, shared, self.own if shared else 1.0)
        return plans_by_role(game, lambda seats: RealNetwork(encoding, self.initial, seats))


@dataclass(frozen=True)
class RealNetwork(Genome):
    """Weights as real numbers.

    Attributes:
        encoding: the layers, and the greatest weight.
        initial: standard deviation of the weights of a random network.
        seats: those that each network plays.
    """

    default_mutation: ClassVar[str] = "gaussian"
    unit: ClassVar[str] = "real weights"
    rule: ClassVar[str] = "every gene must stay a finite number"
    encoding: RealEncoding
    initial: float
    seats: tuple[int, ...] = (0, 1)

    @property
    def num_genes(self) -> int:
        return self.encoding.num_genes

    @property
    def representation(self) -> Representation:
        return RealNetworkGenomes(self.encoding, self.seats)

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

    def spec(self) -> dict[str, Any]:
        """See :meth:`evo.genomes.base.Genome.spec`."""
        encoding = self.encoding
        groups = {"own": encoding.own, "shared": list(encoding.shared)} if encoding.shared else {}
        return {
            "encoding": "real-network",
            "layers": list(encoding.layers),
            "limit": encoding.limit,
            **groups,
            "bytes": encoding.num_bytes,
        }


GENOME = RealNetworkOptions
