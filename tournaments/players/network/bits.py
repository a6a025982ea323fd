"""The direct encoding of a network's weights as bits (Weaver and Bossomaier 1998, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.players.reals import checked_rows


@dataclass(frozen=True)
class Encoding:
    """Direct encoding of a network's weights as bits (section 3.3).

    Each weight is one of ``2**bits`` evenly spaced numbers from ``low`` to ``high`` inclusive,
    written most significant bit first. Weights follow one another layer by layer, the first hidden
    one first, and node by node: a node's input weights, then its threshold. Bytes are filled from
    their most significant bit; what is left of the last one is zero. With 24-9-24 nodes and 10 bits
    that is 465 weights, 4650 bits, 582 bytes.

    Attributes:
        layers: nodes of each layer: inputs, one or more hidden layers, outputs.
        bits: a weight.
        low, high: the smallest weight and the largest.
    """

    layers: tuple[int, ...]
    bits: int = 10
    low: float = -64.0
    high: float = 64.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(self.layers))  # a description may have a list
        if len(self.layers) < 3 or min(self.layers) < 1:
            raise TournamentError(
                f"layers {self.layers!r} given; three numbers from 1 or more of them are expected: "
                "inputs, each hidden layer, outputs"
            )
        if not 1 <= self.bits <= 16:
            raise TournamentError(f"bits={self.bits!r} given; a weight takes 1 to 16 bits")
        if not self.low < self.high:
            raise TournamentError(
                f"low={self.low!r}, high={self.high!r} given; low must be below high"
            )

    @property
    def num_weights(self) -> int:
        """Weights and thresholds: 465 for 24-9-24."""
        return sum((inputs + 1) * nodes for inputs, nodes in pairwise(self.layers))

    @property
    def num_bits(self) -> int:
        return self.num_weights * self.bits

    @property
    def num_bytes(self) -> int:
        return (self.num_bits + 7) // 8

    @property
    def step(self) -> float:
        """The distance between two neighbouring levels: 128/1023 by default."""
        return (self.high - self.low) / ((1 << self.bits) - 1)

    @cached_property
    def _shifts(self) -> np.ndarray:
        """Of each bit of a weight, the most significant first."""
        return np.arange(self.bits - 1, -1, -1, dtype=np.int64)

    def checked(self, genomes: np.ndarray) -> np.ndarray:
        """Packed genomes, contiguous uint8 ``[N, B]``.

        Raises:
            TournamentError: rows of another length.
        """
        what = f"layers {self.layers} at {self.bits} bits a weight"
        return checked_rows(genomes, self.num_bytes, what)

    def levels(self, genomes: np.ndarray) -> np.ndarray:
        """Packed genomes, uint8 ``[N, B]``, as level numbers 0..2**bits-1, int64 ``[N, W]``."""
        genomes = self.checked(genomes)
        bits = np.unpackbits(genomes, axis=1, count=self.num_bits)
        return bits.reshape(len(genomes), self.num_weights, self.bits) @ (1 << self._shifts)

    def decode(self, genomes: np.ndarray) -> np.ndarray:
        """Packed genomes, uint8 ``[N, B]``, as weights, float64 ``[N, W]``.

        Level k is the mean of low and high weighted by ``top - k`` and k, which is rounded once,
        at the division, where low and high are whole numbers.
        """
        return self.weights_at(self.levels(genomes))

    def weights_at(self, levels: np.ndarray) -> np.ndarray:
        """The weights that level numbers stand for, float64 of the same shape."""
        top = (1 << self.bits) - 1
        return (self.low * (top - levels) + self.high * levels) / top

    def nearest_levels(self, weights: np.ndarray) -> np.ndarray:
        """The numbers of the levels nearest to finite weights, int64 of the same shape."""
        top = (1 << self.bits) - 1
        return np.clip(np.rint((weights - self.low) / self.step), 0, top).astype(np.int64)

    def encode(self, weights: np.ndarray) -> np.ndarray:
        """Weights ``[N, W]`` at their nearest levels, as packed genomes, uint8 ``[N, B]``.

        Weights outside low..high take the end of the range.
        """
        weights = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        if weights.ndim != 2 or weights.shape[1] != self.num_weights:
            raise TournamentError(
                f"weights of shape {weights.shape} given; rows of {self.num_weights} are expected"
            )
        if not np.isfinite(weights).all():
            raise TournamentError("weights that are not finite numbers cannot be encoded")
        return self.packed(self.nearest_levels(weights))

    def packed(self, levels: np.ndarray) -> np.ndarray:
        """Level numbers ``[N, W]`` as packed genomes, uint8 ``[N, B]``."""
        bits = (levels[:, :, None] >> self._shifts) & 1
        return np.packbits(bits.reshape(len(levels), -1).astype(np.uint8), axis=1)


def layers_for(game: Game, hidden: Sequence[int] = ()) -> tuple[int, ...]:
    """The layers of a network for this game, its own number of inputs and outputs around the rest.

    Args:
        game: what is played.
        hidden: nodes of each hidden layer; none: the published architecture, on any board of dots
            and boxes one layer with a node a box.

    Raises:
        TournamentError: the game shows nothing to networks, or a layer has no node.
    """
    rules = game.rules.network
    if rules is None:
        raise TournamentError(f"{game.name} offers no inputs for networks (Rules.network)")
    inputs = rules.num_inputs(game.board)
    if any(nodes < 1 for nodes in hidden):
        raise TournamentError(
            f"hidden={list(hidden)} given; each hidden layer has 1 node or more, as in [18, 9]"
        )
    own = rules.num_hidden(game.board) if rules.num_hidden else max(1, inputs // 2)
    return inputs, *(hidden or (own,)), game.num_actions
