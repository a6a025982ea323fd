"""Encodings of network weights: as bits, or as real numbers.

**Bits** are the direct encoding of Weaver and Bossomaier 1998, section 3.3.

**Shared weights.** On a symmetric board, a pattern that is good in one corner is good in the
others. A genome of independent weights must find the pattern once for each corner. So weights that
rotations and reflections of the board map to one another may form a group. The genes begin with one
number per group. A weight is the number of its group plus its own number, which has a smaller scale
(an indirect encoding, after J. Gauci and K. Stanley, "Autonomous Evolution of Topographic
Regularities in Artificial Neural Networks", 2010, with the groups given). With the numbers of the
groups alone, the network could not prefer one of several symmetric moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.player import Export, Kind, Representation
from tournaments.players.encodings import RealNumbers
from tournaments.players.network import by_role, play
from tournaments.players.network.weights import (
    from_levels,
    from_weights,
    largest_first_weight,
    layers_for,
)


class Networks(Representation):
    """Genomes that encode the weights of networks.

    Attributes:
        layers: nodes of each layer: inputs, one or more hidden layers, outputs.
        seats: the seats that each network plays.
        is_by_role: whether a player has a network for each seat, one after the other in a row.
    """

    layers: tuple[int, ...]
    is_by_role: bool

    offer: ClassVar[str] = "network:weights"
    unit: ClassVar[str] = "weights"

    @property
    def num_weights(self) -> int:
        """Number of weights and thresholds of a network: 465 for 24-9-24."""
        return sum((inputs + 1) * nodes for inputs, nodes in pairwise(self.layers))

    @property
    def rows(self) -> int:  # type: ignore[override]
        """The number of networks of a genome: one per role, or one.

        See :attr:`tournaments.player.Representation.rows`.
        """
        return 2 if self.is_by_role else 1

    @property
    def kind(self) -> Kind:
        """The kind of player of these networks.

        See :attr:`tournaments.player.Representation.kind`.
        """
        return (by_role if self.is_by_role else play).kind_of(self.layers)

    def of_networks(self, genomes: np.ndarray) -> np.ndarray:
        """Return packed genomes with one row per network, uint8 ``[N, B]``.

        A genome of a game with roles may have two networks.
        """
        return genomes.reshape(self.rows * len(genomes), -1) if self.is_by_role else genomes

    def for_game(self, game: Game) -> Representation:
        """Return this encoding if its networks have the inputs and outputs of a game, else raise.

        See :meth:`tournaments.player.Representation.for_game`.
        """
        own, layers = layers_for(game), self.layers
        if len(layers) < 3 or (layers[0], layers[-1]) != (own[0], own[-1]):
            raise TournamentError(
                f"a {dashed(layers)} network given; {game.spec} takes {dashed(own)}, or other "
                f"hidden layers between {own[0]} and {own[-1]}"
            )
        return self

    def of_roles(self) -> Representation:
        """Return the encoding of genomes that have one network per role.

        See :meth:`tournaments.player.Representation.of_roles`.
        """
        return replace(self, seats=(0, 1), is_by_role=True)  # type: ignore[type-var]

    def export(self, game: Game, genomes: Sequence[bytes], file: str) -> Export:
        """Return the weights of networks for export to a file, with one row per role.

        Layers that differ from the game's own are written to ``.json`` files, but not to ``.npy``.
        """
        held = super().export(game, genomes, file)
        if self.layers == layers_for(game):
            return held
        return held._replace(
            what=f"{held.what} of a {dashed(self.layers)} network", layers=self.layers
        )

    def file_options(self, game: Game, file: str) -> dict[str, Any]:
        """Return the options with which a player reads exported weights: hidden layers if unusual.

        See :meth:`tournaments.player.Representation.file_options`.
        """
        if self.layers == layers_for(game) or file.endswith(".json"):
            return {}
        return {"hidden": "+".join(map(str, self.layers[1:-1]))}

    def is_named_by_file(self, game: Game) -> bool:
        """Return true: the name of a file of weights without options is a network player.

        See :meth:`tournaments.player.Representation.is_named_by_file`.
        """
        return True


def dashed(layers: Sequence[int]) -> str:
    """Return the layers of a network as text, such as ``24-9-24``."""
    return "-".join(map(str, layers))


@dataclass(frozen=True)
class Encoding(Networks):
    """Direct encoding of a network's weights as bits (section 3.3).

    Each weight is one of ``2**bits`` evenly spaced numbers from ``low`` to ``high`` inclusive,
    written most significant bit first. Weights are ordered by layer, from the first hidden layer,
    then by node: a node's input weights, then its threshold. Bytes are filled from their most
    significant bit. The unused bits of the last byte are zero. A genome of 24-9-24 nodes and 10
    bits has 465 weights, 4650 bits, 582 bytes.

    Attributes:
        layers: nodes of each layer: inputs, one or more hidden layers, outputs.
        bits: number of bits per weight.
        low, high: the smallest weight and the largest.
    """

    layers: tuple[int, ...]
    bits: int = 10
    low: float = -64.0
    high: float = 64.0
    seats: tuple[int, ...] = (0, 1)
    is_by_role: bool = False

    def __post_init__(self) -> None:
        if len(self.layers) < 3 or min(self.layers) < 1:
            raise TournamentError(
                f"layers {self.layers!r} given; three or more numbers from 1 up are expected: "
                "inputs, each hidden layer, outputs"
            )
        if not 1 <= self.bits <= 16:
            raise TournamentError(f"bits={self.bits!r} given; a weight takes 1 to 16 bits")
        if not self.low < self.high:
            raise TournamentError(
                f"low={self.low!r}, high={self.high!r} given; low must be below high"
            )

    @property
    def layout(self) -> dict[str, Any]:
        """The layout of a packed genome, see :attr:`tournaments.player.Representation.layout`."""
        numbers = {"bits": self.bits, "low": self.low, "high": self.high}
        return {"numbers": "weights", **numbers, "shape": [self.num_weights]}

    @property
    def num_bits(self) -> int:
        """The number of bits of a genome."""
        return self.num_weights * self.bits

    @property
    def num_bytes(self) -> int:
        """The number of bytes of a packed genome."""
        return (self.num_bits + 7) // 8

    @property
    def step(self) -> float:
        """The distance between two neighbouring levels of a weight: 128/1023 by default."""
        return (self.high - self.low) / ((1 << self.bits) - 1)

    def levels(self, genomes: np.ndarray) -> np.ndarray:
        """Return the level of each weight of packed genomes, 0..2**bits-1, int32 ``[N, W]``."""
        genomes, last = self.checked_rows(genomes), self.num_bytes - 1
        start = np.arange(self.num_weights, dtype=np.int32) * self.bits
        window = np.zeros((len(genomes), self.num_weights), dtype=np.int32)
        for byte in range(3):  # up to 16 bits lie within three bytes
            window <<= 8
            window |= genomes.take(np.minimum((start >> 3) + byte, last), axis=1)
        return (window >> (24 - self.bits - (start & 7))) & ((1 << self.bits) - 1)

    def decode(self, genomes: np.ndarray) -> np.ndarray:
        """Return the network weights of packed genomes, uint8 ``[N, B]``, as float64 ``[N, W]``.

        Level k is the mean of low and high weighted by ``top - k`` and k, which is rounded once, at
        the division, where low and high are whole numbers.
        """
        return self.weights_at(self.levels(self.of_networks(genomes)))

    def parameters(self, genomes: np.ndarray) -> Any:
        """Return the parameters that the kernels of networks read for packed genomes.

        See :meth:`tournaments.player.Representation.parameters`.
        """
        return from_levels(self, self.levels(self.of_networks(genomes)))

    def from_numbers(self, numbers: np.ndarray) -> Any:
        """Return network weights ``[N, W]`` as the parameters that kernels read.

        Weights on the levels of the encoding convert exactly.
        """
        if np.abs(numbers).max() <= self.high:
            levels = self.nearest_levels(numbers)
            if np.array_equal(self.weights_at(levels), numbers):
                return from_levels(self, levels)
        return from_weights(self.layers, numbers)

    def weights_at(self, levels: np.ndarray) -> np.ndarray:
        """Return the network weights at levels of the encoding, float64 of the same shape."""
        top = (1 << self.bits) - 1
        return (self.low * (top - levels) + self.high * levels) / top

    def nearest_levels(self, weights: np.ndarray) -> np.ndarray:
        """Return the levels nearest to finite network weights, int64 of the same shape."""
        top = (1 << self.bits) - 1
        return np.clip(np.rint((weights - self.low) / self.step), 0, top).astype(np.int64)

    def encode(self, weights: np.ndarray) -> np.ndarray:
        """Return network weights ``[N, W]``, at their nearest levels, as packed genomes.

        The genomes are uint8 ``[N, B]``. Weights outside low..high take the end of the range.
        """
        weights = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        if weights.ndim != 2 or weights.shape[1] != self.num_weights:
            raise TournamentError(
                f"weights of shape {weights.shape} given; rows of {self.num_weights} are expected"
            )
        if not np.isfinite(weights).all():
            raise TournamentError("weights that are not finite numbers cannot be encoded")
        shifts = np.arange(self.bits - 1, -1, -1)  # the most significant bit first
        bits = (self.nearest_levels(weights)[:, :, None] >> shifts) & 1
        return np.packbits(bits.reshape(len(weights), -1).astype(np.uint8), axis=1)

    def spec(self) -> dict[str, Any]:
        """Return the description of the encoding for ``run.json``."""
        return {
            "encoding": "bit-network",
            "layers": list(self.layers),
            "bits": self.bits,
            "low": self.low,
            "high": self.high,
            "bytes": self.num_bytes,
        }

    def __str__(self) -> str:
        return f"layers {self.layers} at {self.bits} bits a weight"


@dataclass(frozen=True)
class RealEncoding(Networks, RealNumbers):
    """Weights as float32, in the order of :class:`Encoding`.

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
    seats: tuple[int, ...] = (0, 1)
    is_by_role: bool = False

    def __post_init__(self) -> None:
        most = largest_first_weight(Encoding(self.layers).layers)  # which checks the layers, too
        if self.shared:
            most /= 1.0 + self.own
        if not 0.0 < self.limit <= most:
            raise TournamentError(
                f"limit={self.limit!r} given; networks of {self.layers[0]} inputs take weights "
                f"within +-{most:g}: a limit above 0 and up to that is expected"
            )

    @property
    def layout(self) -> dict[str, Any]:
        """The layout of a packed genome, see :attr:`tournaments.player.Representation.layout`."""
        groups = {"groups": list(self.shared), "own": self.own} if self.shared else {}
        return {**super().layout, **groups, "shape": [self.num_weights]}

    @property
    def num_genes(self) -> int:
        """The number of genes: one per group of weights, then one per weight."""
        return self._groups + self.num_weights

    @property
    def _groups(self) -> int:
        return max(self.shared, default=-1) + 1

    def decode(self, genomes: np.ndarray) -> np.ndarray:
        """Return the weights of networks in packed genomes, uint8 ``[N, 4 G]``.

        They are float64 ``[N, W]``.
        """
        return self.weights(self.genes(self.of_networks(genomes)))

    def from_numbers(self, numbers: np.ndarray) -> Any:
        """Return network weights ``[N, W]`` as the parameters that kernels read."""
        return from_weights(self.layers, numbers)

    def weights(self, genes: np.ndarray) -> np.ndarray:
        """Return the network weights of genes, float32 ``[N, G]``, as float64 ``[N, W]``."""
        numbers = genes.astype(np.float64)
        if not self.shared:
            return numbers
        return numbers[:, list(self.shared)] + self.own * numbers[:, self._groups :]

    def __str__(self) -> str:
        return f"real weights of layers {self.layers}"

    def spec(self) -> dict[str, Any]:
        """Return the description of the encoding for ``run.json``."""
        groups = {"own": self.own, "shared": list(self.shared)} if self.shared else {}
        return {
            "encoding": "real-network",
            "layers": list(self.layers),
            "limit": self.limit,
            **groups,
            "bytes": self.num_bytes,
        }


def groups_of(game: Game, layers: tuple[int, ...]) -> tuple[int, ...]:
    """Return the group of each weight of a network: symmetries of the game permute a group.

    Groups are numbered in the order of their first weights. A 24-9-24 network on 3x3 boxes has 67
    groups.

    Raises:
        TournamentError: the game has no symmetries, or the network's layers are not the game's own.
    """
    rules = game.rules.network
    if rules is None or rules.symmetries is None or layers != layers_for(game):
        raise TournamentError(
            f"genome.symmetry=true given for a {dashed(layers)} network of {game.short_spec}; a "
            "game that declares its symmetries (Rules.network), and the game's own hidden layers, "
            "are expected: leave genome.hidden out, or set genome.symmetry=false"
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
    """Return the weight to which each symmetry takes each weight of a layer.

    The result is int64 ``[K, nodes * width]``.

    Args:
        nodes: the node to which each symmetry takes each node of the layer.
        sources: the same for the nodes of the layer before.
        width: the number of weights of a node, with its threshold.
    """
    still = np.full((len(sources), 1), width - 1)
    return (nodes[:, :, None] * width + np.hstack([sources, still])[:, None, :]).reshape(
        len(nodes), -1
    )
