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
from tournaments.players.network.bits import Encoding, layers_for
from tournaments.players.network.weights import largest_first_weight
from tournaments.players.reals import RealNumbers


@dataclass(frozen=True)
class RealEncoding(RealNumbers):
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

    def weights(self, genes: np.ndarray) -> np.ndarray:
        """The weights that genes, float32 ``[N, G]``, stand for, float64 ``[N, W]``."""
        numbers = genes.astype(np.float64)
        if not self.shared:
            return numbers
        return numbers[:, list(self.shared)] + self.own * numbers[:, self._groups :]

    def __str__(self) -> str:
        return f"real weights of layers {self.layers}"


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
