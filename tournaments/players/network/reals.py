"""Genomes that are a network's weights as real numbers, four bytes each.

**Shared weights.** On a symmetric board what is good in one corner is good in the others, and a
genome of its own weights alone must find it once for each. So weights that turns and mirrors of the
board lead into one another may form a group: genes begin with one number a group, and a weight is
the number of its group plus its own, which counts for less (an indirect encoding, after J. Gauci
and K. Stanley, "Autonomous Evolution of Topographic Regularities in Artificial Neural Networks",
2010, with the groups given). What all of a group share alone would leave the network without a
preference among moves that are alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.players.network.bits import Encoding, checked_rows, layers_for
from tournaments.players.network.weights import largest_first_weight

STORED = np.dtype("<f4")
"""How a weight is written down, on every machine."""


@dataclass(frozen=True)
class RealEncoding:
    """Weights as float32, in the order of :class:`tournaments.players.network.bits.Encoding`.

    A packed genome is uint8 ``[4 G]``, each gene little-endian: 1,860 bytes for 24-9-24 nodes where
    no weight is shared.

    Attributes:
        layers: inputs, each hidden layer, outputs.
        limit: the greatest gene, of either sign.
        shared: the group of each weight, numbered from 0; empty: no weight is shared.
        own: what a weight's own gene is multiplied by where weights are shared.
    """

    layers: tuple[int, ...]
    limit: float = 64.0
    shared: tuple[int, ...] = ()
    own: float = 1.0

    def __post_init__(self) -> None:
        most = largest_first_weight(Encoding(self.layers).layers)  # which looks at the layers, too
        if self.shared:
            most /= 1.0 + self.own
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
    def num_genes(self) -> int:
        """A number a group, then one a weight."""
        return self._groups + self.num_weights

    @property
    def _groups(self) -> int:
        return max(self.shared, default=-1) + 1

    @property
    def num_bytes(self) -> int:
        return STORED.itemsize * self.num_genes

    def weights(self, genes: np.ndarray) -> np.ndarray:
        """The weights that genes, float32 ``[N, G]``, stand for, float64 ``[N, W]``."""
        numbers = genes.astype(np.float64)
        if not self.shared:
            return numbers
        return numbers[:, list(self.shared)] + self.own * numbers[:, self._groups :]

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
        """Genes, float32 ``[N, G]``, as packed genomes, uint8 ``[N, 4 G]``."""
        return np.ascontiguousarray(weights, dtype=STORED).view(np.uint8)

    def decode(self, genomes: np.ndarray) -> np.ndarray:
        """Packed genomes, uint8 ``[N, 4 G]``, as genes, float32 ``[N, G]``.

        Raises:
            TournamentError: rows of another length, or weights beyond the limit.
        """
        genomes = checked_rows(genomes, self.num_bytes, f"real weights of layers {self.layers}")
        weights = genomes.view(STORED).astype(np.float32)
        if not (np.abs(weights) <= self.most).all():  # nor does it hold of what is no number
            raise TournamentError(
                f"a genome has weights beyond +-{self.limit:g}, its limit, or no numbers at all"
            )
        return weights


def groups_of(game: Game, layers: tuple[int, ...]) -> tuple[int, ...]:
    """The group of each weight of a network: weights that symmetries lead into one another.

    Groups are numbered in the order of their first weights. Of 24-9-24 networks on 3x3 boxes there
    are 67.

    Raises:
        TournamentError: the game has no symmetries, or the network's layers are not the game's own.
    """
    rules = game.rules.network
    if rules is None or rules.symmetries is None or layers != layers_for(game):
        named = "-".join(map(str, layers))
        raise TournamentError(
            f"shared weights for a {named} network of {game.short_spec}; the symmetries of a game "
            "are known for dots-and-boxes and its own layers: leave genome.hidden out, or set "
            "genome.symmetry=false"
        )
    found = rules.symmetries(game.board)
    inputs, hidden, _ = layers
    # A threshold is the weight of one more input, which stays where it is.
    first = _moved(found.hidden, found.inputs, inputs + 1)
    second = _moved(found.actions, found.hidden, hidden + 1)
    places = np.hstack([first, hidden * (inputs + 1) + second])
    least = places.min(axis=0)
    return tuple(np.searchsorted(np.unique(least), least).tolist())


def _moved(nodes: np.ndarray, sources: np.ndarray, width: int) -> np.ndarray:
    """Where symmetries lead each weight of a layer, int64 ``[K, nodes * width]``."""
    still = np.full((len(sources), 1), width - 1)
    return (nodes[:, :, None] * width + np.hstack([sources, still])[:, None, :]).reshape(
        len(nodes), -1
    )
