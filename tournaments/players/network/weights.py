"""Weights as the kernels of :mod:`tournaments.players.network.play` take them.

**First layer.** Weights are held as whole multiples of one unit, so a hidden sum is a whole number,
exact, and the same in whichever order it was added up. Those of a genome fit 32 bits.

**Hidden activities.** A hidden sum being a whole number of units, its sigmoid is looked up in a
table of the very numbers that :func:`tournaments.kernels.arithmetic.sigmoid` gives, from where it
is just 0 to where it is just 1. Weights off the grid, and grids too fine for a table, have none;
their sigmoids are computed.

**Second layer.** Output nodes come in blocks of 32, one after another for each hidden node, so that
a processor adds up a whole block at once. Where there are more layers
(:mod:`tournaments.players.network.deep`), all after the first hidden one are rows of weights.
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
"""Outputs that are added up side by side."""
NODES_A_PASS = np.uint64(9)
"""Hidden nodes that are added to the output sums in one pass; theirs are padded to a multiple."""
LANES = np.uint64(16)
"""Hidden sums that are changed side by side."""

REAL_UNIT = 2.0**-32
"""The unit of weights that come as real numbers rather than from a grid."""
LARGEST_LATER = 2.0**40
"""Of real weights after two hidden layers: their sums stay far from the ends of float64."""

ZERO_FROM, ONE_FROM = -709.8, 37.0
"""The sigmoid is exactly 0 up to the one and exactly 1 from the other."""
MOST_SIGMOIDS = 65_536
"""Entries of the largest table: 512 KB, as much as stays near a processor."""


class Parameters(NamedTuple):
    """Weights of N networks, the receiving node as the innermost index. Primes: padded.

    Attributes:
        first: ``[N, (I + 1) * H']``, whole multiples of ``unit``, row I of a network being the
            thresholds; int32, or float64 where sums may pass 32 bits.
        second: float64 ``[N, O' + H'' * O']``: minus the thresholds, then each block of outputs
            with a row a hidden node.
        sigmoids: float64, the sigmoid of ``lowest``, ``lowest + 1``... units; empty: computed.
        lowest: the hidden sum that ``sigmoids`` starts from.
        unit: what a first-layer weight of 1 stands for.
    """

    first: np.ndarray
    second: np.ndarray
    sigmoids: np.ndarray
    lowest: int
    unit: float


class DeepParameters(NamedTuple):
    """Weights of N networks of more than one hidden layer.

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


def layers_for(game: Game, hidden: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the layers of a network for this game: its inputs, hidden layers and its actions.

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


def padded(nodes: int, whole: np.uint64) -> int:
    """Nodes in whole vectors: what is left over of a vector would be computed one by one."""
    return -(-nodes // int(whole)) * int(whole)


def first_sizes(hidden: int) -> tuple[int, int]:
    """Sums H' and nodes H'' of a first hidden layer of so many nodes, each padded."""
    nodes = padded(hidden, NODES_A_PASS)
    return padded(nodes, LANES), nodes


def from_levels(encoding: Any, levels: np.ndarray) -> Any:
    """Return the parameters of networks whose weights are levels of an encoding, ``[N, W]``.

    On a symmetric range a level k stands for the weight ``(2k - top) * high / top``, so ``2k -
    top`` is the whole multiple and the rest the unit. Other ranges are treated as real weights.

    Raises:
        TournamentError: weights so large that sums would overflow.
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
        TournamentError: weights that are not finite, or so large that sums of the first hidden
            layer would not be exact: beyond +-5447 with 24 inputs.
    """
    weights = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    split, largest = _places(layers).first.size, largest_first_weight(layers)
    _check_weights(weights[:, :split], largest)
    _check_weights(weights[:, split:], largest if len(layers) == 3 else LARGEST_LATER)
    multiples = np.rint(weights[:, :split] / REAL_UNIT)
    return _placed(layers, multiples, weights[:, split:], REAL_UNIT, False)


def _placed(
    layers: tuple[int, ...], multiples: np.ndarray, weights: np.ndarray, unit: float, on_grid: bool
) -> Parameters | DeepParameters:
    """Return weights in their places.

    Args:
        layers: nodes of each layer.
        multiples: the first layer, in whole multiples of ``unit``.
        weights: the other layers.
        unit: what a multiple of 1 stands for.
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
    """How large real weights of the first layer may be: their sums must be exact.

    Whole multiples of whole inputs add up exactly below 2^53 units.
    """
    return 2.0**53 * REAL_UNIT / (MOST_SHOWN * layers[0] + 1)


def _check_weights(weights: np.ndarray, largest: float) -> None:
    """Refuse weights that are no finite numbers, or larger than that."""
    if not np.isfinite(weights).all() or np.abs(weights).max(initial=0.0) > largest:
        raise TournamentError(f"network weights must be finite numbers within +-{largest:g}")


class Places(NamedTuple):
    """Where the weights of a genome go, in the order of the genome.

    Attributes:
        first, later: int64, places in a row of the first layer, and of what follows it.
        thresholds: int64, the places of the latter that sums start from, with a minus sign.
        widths: of both rows.
    """

    first: np.ndarray
    later: np.ndarray
    thresholds: np.ndarray
    widths: tuple[int, int]


@lru_cache(maxsize=16)
def _places(layers: tuple[int, ...]) -> Places:
    """A genome goes layer by layer and node by node; a node's threshold comes last."""
    sums, nodes = first_sizes(layers[1])
    first = np.arange(layers[0] + 1) * sums + np.arange(layers[1])[:, None]
    later, thresholds, width = _in_blocks(layers, nodes) if len(layers) == 3 else _in_rows(layers)
    widths = (layers[0] + 1) * sums, width
    return Places(first.ravel(), later, thresholds, widths)


def _in_blocks(layers: tuple[int, ...], nodes: int) -> tuple[np.ndarray, np.ndarray, int]:
    """The places of a second layer, those of its thresholds, and the width of a row."""
    outputs = padded(layers[2], BLOCK)
    output, node = np.arange(layers[2])[:, None], np.arange(layers[1])
    block, lane = np.divmod(output, int(BLOCK))
    weights = outputs + int(BLOCK) * (block * nodes + node) + lane
    places = np.hstack([weights, output]).ravel()
    return places, np.arange(outputs), outputs * (nodes + 1)


def _in_rows(layers: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, int]:
    """The same of all layers after the first hidden one, where they are several."""
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
    """The table of a unit and the sum that it starts from; an empty one where it would be large."""
    if not on_grid or (ONE_FROM - ZERO_FROM) / unit > MOST_SIGMOIDS:
        return np.zeros(0), 0
    lowest = int(np.floor(ZERO_FROM / unit))
    sigmoids = np.zeros(int(np.ceil(ONE_FROM / unit)) - lowest + 1)
    build(tabulate)(sigmoids, lowest, unit)
    assert (sigmoids[0], sigmoids[-1]) == (0.0, 1.0)
    return sigmoids, lowest


@kernel
def tabulate(sigmoids, lowest, unit):
    """Fill a table with the sigmoids of ``lowest``, ``lowest + 1``... units."""
    for place in range(sigmoids.size):
        sigmoids[place] = sigmoid(np.float64(lowest + place) * unit)
