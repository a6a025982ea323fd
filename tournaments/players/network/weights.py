"""Weights in the form that the kernels of :mod:`tournaments.players.network.play` read.

**First layer.** Weights are stored as whole multiples of one unit. So a hidden sum is a whole
number, exact, and independent of the order of addition. The sums of a genome fit 32 bits.

**Hidden activities.** A hidden sum is a whole number of units, so its sigmoid is looked up in a
table. The table holds the values of :func:`tournaments.kernels.arithmetic.sigmoid`, from exactly 0
to exactly 1. Weights off the grid, and grids too fine for a table, have no table. Their sigmoids
are computed.

**Second layer.** Output nodes come in blocks of 32, one after another for each hidden node, so that
a processor adds up a whole block at once. In networks with more layers
(:mod:`tournaments.players.network.deep`), all layers after the first hidden layer are rows of
weights.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.kernels.aligned import all_aligned
from tournaments.kernels.arithmetic import sigmoid
from tournaments.kernels.hooks import MOST_SHOWN
from tournaments.kernels.linker import build, kernel

BLOCK = np.uint64(32)
"""Number of outputs that are added up in parallel."""
NODES_A_PASS = np.uint64(9)
"""Hidden nodes added to the output sums in one pass. Hidden layers are padded to a multiple."""
LANES = np.uint64(16)
"""Number of hidden sums that are updated in parallel."""

REAL_UNIT = 2.0**-32
"""The unit of first-layer weights that are real numbers and not on a grid."""
LARGEST_LATER = 2.0**40
"""Limit of the later weights of deep networks. It keeps sums far from the limits of float64."""

ZERO_FROM, ONE_FROM = -709.8, 37.0
"""Limits of the sigmoid: it is exactly 0 up to ``ZERO_FROM`` and exactly 1 from ``ONE_FROM``."""
MOST_SIGMOIDS = 65_536
"""Number of entries of the largest table: 512 KB, which fits a processor's cache."""


class Parameters(NamedTuple):
    """Weights of N networks, the receiving node as the innermost index. Primes: padded.

    Attributes:
        first: ``[N, (I + 1) * H']``, whole multiples of ``unit``; row I of a network holds the
            thresholds. int32, or float64 if sums may exceed 32 bits.
        later: float64 ``[N, O' + H'' * O']``: minus the thresholds, then each block of outputs,
            with one row per hidden node.
        sigmoids: float64, the sigmoid of ``lowest``, ``lowest + 1``... units; empty: computed.
        lowest: the hidden sum of the first entry of ``sigmoids``.
        unit: the value of a first-layer multiple of 1.
    """

    first: np.ndarray
    later: np.ndarray
    sigmoids: np.ndarray
    lowest: int
    unit: float


class DeepParameters(NamedTuple):
    """Weights of N networks of more than one hidden layer.

    They are no :class:`Parameters` with one more field, which made the kernels of those up to a
    fifth slower.

    Attributes:
        first, sigmoids, lowest, unit: as of :class:`Parameters`, of the first hidden layer.
        later: float64 ``[N, W]``: for each layer after the first hidden one, minus the thresholds
            of its nodes, then a row of weights to them for each node of the layer before.
        sizes: int64, the nodes of each layer but the inputs.
    """

    first: np.ndarray
    later: np.ndarray
    sigmoids: np.ndarray
    lowest: int
    unit: float
    sizes: np.ndarray


AnyParameters = Parameters | DeepParameters


def layers_for(game: Game, hidden: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the layers of a network for this game: its inputs, hidden layers and its actions.

    Args:
        game: the game that is played.
        hidden: nodes of each hidden layer; empty: the published architecture, which has one layer
            with a node per box on any board of dots and boxes.

    Raises:
        TournamentError: the game has no network inputs, or a layer has no node.
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


def padded(nodes: int, whole: np.uint64) -> int:
    """Return a number of nodes rounded up to a multiple of ``whole``, the length of a vector.

    Loops then have no scalar remainder.
    """
    return -(-nodes // int(whole)) * int(whole)


def first_sizes(hidden: int) -> tuple[int, int]:
    """Return the padded numbers of sums H' and nodes H'' of a network's first hidden layer."""
    nodes = padded(hidden, NODES_A_PASS)
    return padded(nodes, LANES), nodes


def from_levels(encoding: Any, levels: np.ndarray) -> Any:
    """Return the parameters of networks whose weights are levels of an encoding, ``[N, W]``.

    Kernels read them. On a symmetric range, level k is the weight ``(2k - top) * high / top``. So
    ``2k - top`` is the whole multiple and ``high / top`` the unit. Other ranges are treated as real
    weights.

    Raises:
        TournamentError: weights are so large that sums would overflow.
    """
    layers, top = encoding.layers, (1 << encoding.bits) - 1
    if encoding.low != -encoding.high:
        return from_weights(layers, encoding.weights_at(levels))
    if not np.isfinite(encoding.high * top * (max(layers) + 1)):
        raise TournamentError(f"network weights up to {encoding.high:g} given; sums would overflow")
    split = _places(layers).first.size
    weights = encoding.weights_at(np.arange(top + 1))
    on_grid = top * (MOST_SHOWN * layers[0] + 1) < 2**31
    multiples = 2 * levels[:, :split] - top
    return _placed(layers, multiples, weights[levels[:, split:]], encoding.high / top, on_grid)


def from_weights(layers: tuple[int, ...], weights: np.ndarray) -> Any:
    """Return the parameters of networks of real weights, ``[N, W]`` in the order of the encoding.

    First-layer weights are rounded to multiples of 2^-32.

    Raises:
        TournamentError: weights are not finite, or so large that sums of the first hidden layer
            would not be exact: beyond +-5447 with 24 inputs.
    """
    weights = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    split, largest = _places(layers).first.size, largest_first_weight(layers)
    _check_weights(weights[:, :split], largest)
    _check_weights(weights[:, split:], largest if len(layers) == 3 else LARGEST_LATER)
    multiples = np.rint(weights[:, :split] / REAL_UNIT)
    return _placed(layers, multiples, weights[:, split:], REAL_UNIT, False)


def _placed(
    layers: tuple[int, ...], multiples: np.ndarray, weights: np.ndarray, unit: float, on_grid: bool
) -> AnyParameters:
    """Arrange the weights of networks in the order that kernels read.

    Args:
        layers: nodes of each layer.
        multiples: the first layer, in whole multiples of ``unit``.
        weights: the other layers.
        unit: the value of a multiple of 1.
        on_grid: whether sums of multiples fit 32 bits, and sigmoids may be looked up.
    """
    places, kind = _places(layers), np.int32 if on_grid else np.float64
    shapes = [(len(weights), width) for width in places.widths]
    first, later = all_aligned([(shapes[0], kind), (shapes[1], np.float64)])
    first[:, places.first] = multiples
    later[:, places.later] = weights
    later[:, places.thresholds] *= -1.0
    sigmoids, lowest = sigmoid_table(unit, on_grid)
    if len(layers) == 3:
        return Parameters(first, later, sigmoids, lowest, unit)
    return DeepParameters(first, later, sigmoids, lowest, unit, np.array(layers[1:], np.int64))


def largest_first_weight(layers: tuple[int, ...]) -> float:
    """Return the largest weight of a network's first layer for which sums are exact.

    Sums of whole multiples of whole inputs are exact below 2^53 units.
    """
    return 2.0**53 * REAL_UNIT / (MOST_SHOWN * layers[0] + 1)


def _check_weights(weights: np.ndarray, largest: float) -> None:
    """Raise if weights of a network are not finite or exceed a limit."""
    if not np.isfinite(weights).all() or np.abs(weights).max(initial=0.0) > largest:
        raise TournamentError(f"network weights must be finite numbers within +-{largest:g}")


class Places(NamedTuple):
    """Indices of the weights of a genome in the parameters, in the order of the genome.

    Attributes:
        first, later: int64, indices in a row of the first layer, and in a row of later layers.
        thresholds: int64, indices of the negated thresholds in a row of later layers.
        widths: widths of both rows.
    """

    first: np.ndarray
    later: np.ndarray
    thresholds: np.ndarray
    widths: tuple[int, int]


@lru_cache(maxsize=16)
def _places(layers: tuple[int, ...]) -> Places:
    """Return where kernels read each weight of a network's genome.

    Genomes list layers, nodes, weights; thresholds come last.
    """
    sums, nodes = first_sizes(layers[1])
    first = np.arange(layers[0] + 1) * sums + np.arange(layers[1])[:, None]
    later, thresholds, width = _in_blocks(layers, nodes) if len(layers) == 3 else _in_rows(layers)
    widths = (layers[0] + 1) * sums, width
    return Places(first.ravel(), later, thresholds, widths)


def _in_blocks(layers: tuple[int, ...], nodes: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Return where kernels read the weights of a network's output layer, in blocks.

    ``nodes`` is the padded number of hidden nodes.

    Returns:
        The place of each weight, the places of the thresholds, and the length of a network's row.
    """
    outputs = padded(layers[2], BLOCK)
    output, node = np.arange(layers[2])[:, None], np.arange(layers[1])
    block, lane = np.divmod(output, int(BLOCK))
    weights = outputs + int(BLOCK) * (block * nodes + node) + lane
    places = np.hstack([weights, output]).ravel()
    return places, np.arange(outputs), outputs * (nodes + 1)


def _in_rows(layers: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, int]:
    """Return where kernels read the weights of all layers after a network's first hidden layer.

    Returns:
        The place of each weight, the places of the thresholds, and the length of a network's row.
    """
    places, thresholds, start = [], [], 0
    for inputs, nodes in itertools.pairwise(layers[1:]):
        node = start + np.arange(nodes)
        rows = nodes * np.arange(1, inputs + 1)
        places.append(np.hstack([node[:, None] + rows, node[:, None]]).ravel())
        thresholds.append(node)
        start += (inputs + 1) * nodes
    return np.concatenate(places), np.concatenate(thresholds), start


@lru_cache(maxsize=16)
def sigmoid_table(unit: float, on_grid: bool) -> tuple[np.ndarray, int]:
    """Return a table of sigmoids of whole multiples of a unit, and its first multiple.

    A table that would be too large is empty.
    """
    if not on_grid or (ONE_FROM - ZERO_FROM) / unit > MOST_SIGMOIDS:
        return np.zeros(0), 0
    lowest = int(np.floor(ZERO_FROM / unit))
    sigmoids = np.zeros(int(np.ceil(ONE_FROM / unit)) - lowest + 1)
    build(tabulate)(sigmoids, lowest, unit)
    assert (sigmoids[0], sigmoids[-1]) == (0.0, 1.0)
    return sigmoids, lowest


@kernel
def tabulate(sigmoids, lowest, unit):
    """Fill a table with the sigmoids of ``lowest``, ``lowest + 1``... times a unit."""
    for place in range(sigmoids.size):
        sigmoids[place] = sigmoid(np.float64(lowest + place) * unit)
