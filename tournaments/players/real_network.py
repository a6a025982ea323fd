"""Genomes that are a network's weights as real numbers, four bytes each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tournaments.encoding import Encoding
from tournaments.errors import TournamentError
from tournaments.players.network import from_weights, kind_of
from tournaments.players.network_weights import largest_first_weight
from tournaments.types import Kind

STORED = np.dtype("<f4")
"""How a weight is written down, on every machine."""


@dataclass(frozen=True)
class RealEncoding:
    """Weights as float32, in the order of :class:`tournaments.encoding.Encoding`.

    A packed genome is uint8 ``[4 W]``, each weight little-endian: 1,860 bytes for 24-9-24 nodes.

    Attributes:
        layers: inputs, each hidden layer, outputs.
        limit: the greatest weight, of either sign.
    """

    layers: tuple[int, ...]
    limit: float = 64.0

    def __post_init__(self) -> None:
        most = largest_first_weight(Encoding(self.layers).layers)  # which looks at the layers, too
        if not 0.0 < self.limit <= most:
            raise TournamentError(
                f"limit={self.limit!r} given; networks of {self.layers[0]} inputs take weights "
                f"within +-{most:g}: a limit above 0 and up to that is expected"
            )

    @property
    def num_weights(self) -> int:
        """Weights and thresholds: 465 for 24-9-24."""
        return Encoding(self.layers).num_weights

    @property
    def num_bytes(self) -> int:
        return STORED.itemsize * self.num_weights

    @property
    def most(self) -> float:
        """The greatest weight within the limit that can be written down."""
        limit = np.float32(self.limit)
        within = float(limit) <= self.limit  # numpy would round the other side to float32 first
        return float(limit if within else np.nextafter(limit, np.float32(0.0)))

    def nearest(self, weights: np.ndarray) -> np.ndarray:
        """Finite real numbers as the nearest weights that can be written down, float32."""
        return np.clip(weights, -self.most, self.most).astype(np.float32)

    def encode(self, weights: np.ndarray) -> np.ndarray:
        """Weights, float32 ``[N, W]``, as packed genomes, uint8 ``[N, 4 W]``."""
        return np.ascontiguousarray(weights, dtype=STORED).view(np.uint8)

    def decode(self, genomes: np.ndarray) -> np.ndarray:
        """Packed genomes, uint8 ``[N, 4 W]``, as weights, float32 ``[N, W]``.

        Raises:
            TournamentError: rows of another length, or weights beyond the limit.
        """
        genomes = np.ascontiguousarray(genomes, dtype=np.uint8)
        if genomes.ndim != 2 or genomes.shape[1] != self.num_bytes:
            raise TournamentError(
                f"genomes of shape {genomes.shape} given; rows of {self.num_bytes} bytes are "
                f"expected for real weights of layers {self.layers}"
            )
        weights = genomes.view(STORED).astype(np.float32)
        if not (np.abs(weights) <= self.most).all():  # nor does it hold of what is no number
            raise TournamentError(
                f"a genome has weights beyond +-{self.limit:g}, its limit, or no numbers at all"
            )
        return weights


@dataclass(frozen=True)
class RealNetworkGenomes:
    """Genomes of real weights; a :class:`tournaments.types.Representation`."""

    encoding: RealEncoding

    @property
    def kind(self) -> Kind:
        return kind_of(self.encoding.layers)

    @property
    def seats(self) -> tuple[int, ...]:
        return (0, 1)

    def parameters(self, genomes: np.ndarray) -> Any:
        """Packed genomes, uint8 ``[N, 4 W]``, as networks."""
        return from_weights(self.encoding.layers, self.encoding.decode(genomes))
