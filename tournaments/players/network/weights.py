"""Weights as the kernels of :mod:`tournaments.players.network.play` take them: of three layers.

**First layer.** Weights are held as whole multiples of one unit, so a hidden sum is a whole number,
exact, and the same in whichever order it was added up. Those of a genome fit 32 bits.

**Hidden activities.** A hidden sum being a whole number of units, its sigmoid is looked up in a
table of the very numbers that :func:`tournaments.kernels.arithmetic.sigmoid` gives, from where it
is just 0 to where it is just 1. Weights off the grid, and grids too fine for a table, have none;
their sigmoids are computed.

**Second layer.** Output nodes come in blocks of 32, one after another for each hidden node, so that
a processor adds up a whole block at once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.kernels.arithmetic import sigmoid
from tournaments.kernels.hooks import MOST_SHOWN
from tournaments.kernels.linker import build, kernel
from tournaments.players.network.bits import Encoding

BLOCK = np.uint64(32)
"""Outputs that are added up side by side."""
NODES_A_PASS = np.uint64(9)
"""Hidden nodes that are added to the output sums in one pass; theirs are padded to a multiple."""
LANES = np.uint64(16)
"""Hidden sums that are changed side by side."""

REAL_UNIT = 2.0**-32
"""The unit of weights that come as real numbers rather than from a grid."""

ZERO_FROM, ONE_FROM = -709.8, 37.0
"""The sigmoid is exactly 0 up to the one and exactly 1 from the other."""
MOST_SIGMOIDS = 65_536
"""Entries of the largest table: 512 KB, as much as stays near a processor."""
LINE = 64
"""Bytes of a cache line: vectors that straddle two take twice as long."""


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


def padded(nodes: int, whole: np.uint64) -> int:
    """Nodes in whole vectors: what is left over of a vector would be computed one by one."""
    return -(-nodes // int(whole)) * int(whole)


def padded_sizes(layers: tuple[int, ...]) -> tuple[int, int, int]:
    """Hidden sums H', hidden nodes H'' and outputs O' of networks, each padded."""
    nodes = padded(layers[1], NODES_A_PASS)
    return padded(nodes, LANES), nodes, padded(layers[2], BLOCK)


def all_aligned(wanted: Collection[tuple[tuple[int, ...], Any]]) -> list[np.ndarray]:
    """Arrays of zeros of these shapes and types, each beginning with a cache line, in one room."""
    sizes = [math.prod(shape) * np.dtype(kind).itemsize for shape, kind in wanted]
    lines = [-(-size // LINE) * LINE for size in sizes]
    room = np.zeros(sum(lines) + LINE, dtype=np.uint8)
    start = -room.ctypes.data % LINE
    starts = itertools.accumulate(lines, initial=start)
    return [
        np.ndarray(shape, kind, buffer=room.data, offset=start)
        for (shape, kind), start in zip(wanted, starts, strict=False)
    ]


def from_genomes(encoding: Encoding, genomes: np.ndarray) -> Parameters:
    """Packed genomes, uint8 ``[N, B]``, as parameters.

    On a symmetric range a level k stands for the weight ``(2k - top) * high / top``, so ``2k -
    top`` is the whole multiple and the rest the unit. Other ranges are treated as real weights.

    Raises:
        TournamentError: genomes of another size, or weights so large that sums would overflow.
    """
    if encoding.low != -encoding.high:
        return from_weights(encoding.layers, encoding.decode(genomes))
    genomes = encoding.checked(genomes)
    inputs, hidden, _ = encoding.layers
    top = (1 << encoding.bits) - 1
    if not np.isfinite(encoding.high * top * (hidden + 1)):
        raise TournamentError(f"network weights up to {encoding.high:g} given; sums would overflow")
    fits = top * (MOST_SHOWN * inputs + 1) < 2**31
    first, second = _room(encoding.layers, len(genomes), np.int32 if fits else np.float64)
    weights = encoding.weights_at(np.arange(top + 1))
    build(decode)(genomes, weights, *_places(encoding.layers), first, second)
    _negate_thresholds(encoding.layers, second)
    unit = encoding.high / top
    return Parameters(first, second, *sigmoid_table(unit, fits), unit)


def from_weights(layers: tuple[int, ...], weights: np.ndarray) -> Parameters:
    """Real weights, ``[N, W]`` in the order of the encoding, as parameters.

    First-layer weights are rounded to multiples of 2^-32.

    Raises:
        TournamentError: weights that are not finite, or so large that hidden sums would not be
            exact: beyond +-5447 with 24 inputs.
    """
    weights = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    check_weights(weights, largest_first_weight(layers))
    first, second = _room(layers, len(weights), np.float64)
    places = _places(layers)
    split = places.first.size
    first[:, places.first] = np.rint(weights[:, :split] / REAL_UNIT)
    second[:, places.second] = weights[:, split:]
    _negate_thresholds(layers, second)
    return Parameters(first, second, *sigmoid_table(REAL_UNIT, False), REAL_UNIT)


def largest_first_weight(layers: tuple[int, ...]) -> float:
    """How large real weights of the first layer may be: their sums must be exact.

    Whole multiples of whole inputs add up exactly below 2^53 units.
    """
    return 2.0**53 * REAL_UNIT / (MOST_SHOWN * layers[0] + 1)


def check_weights(weights: np.ndarray, largest: float) -> None:
    """Refuse weights that are no finite numbers, or larger than that."""
    if not np.isfinite(weights).all() or np.abs(weights).max(initial=0.0) > largest:
        raise TournamentError(f"network weights must be finite numbers within +-{largest:g}")


def _room(layers: tuple[int, ...], count: int, kind: type) -> tuple[np.ndarray, np.ndarray]:
    sums, nodes, outputs = padded_sizes(layers)
    shapes = (count, (layers[0] + 1) * sums), (count, outputs * (nodes + 1))
    first, second = all_aligned([(shapes[0], kind), (shapes[1], np.float64)])
    return first, second


def _negate_thresholds(layers: tuple[int, ...], second: np.ndarray) -> None:
    """Output sums start from minus the threshold."""
    second[:, : padded_sizes(layers)[2]] *= -1.0


class Places(NamedTuple):
    """Where the weights of a genome stand in each layer, uint64, in the order of the genome."""

    first: np.ndarray
    second: np.ndarray


@lru_cache(maxsize=16)
def _places(layers: tuple[int, ...]) -> Places:
    """A genome goes node by node, hidden nodes first; a node's threshold comes last."""
    inputs, hidden, outputs = layers
    sums, nodes, lanes = padded_sizes(layers)
    into = np.arange(inputs + 1) * sums + np.arange(hidden)[:, None]
    output, node = np.arange(outputs)[:, None], np.arange(hidden)
    block, lane = np.divmod(output, int(BLOCK))
    weights = lanes + int(BLOCK) * (block * nodes + node) + lane
    second = np.hstack([weights, output])
    return Places(into.ravel().astype(np.uint64), second.ravel().astype(np.uint64))


@kernel
def decode(genomes, weights, first_places, second_places, first, second):
    """Write the weights of packed genomes, uint8 ``[N, B]``, to ``first`` and ``second``.

    ``weights`` has what each level stands for.
    """
    bits = 1
    while (1 << bits) < weights.size:
        bits += 1
    split = first_places.size
    for row in range(genomes.shape[0]):
        for number in range(split):
            whole = 2 * level(genomes, row, number, bits) - (weights.size - 1)
            first[row, first_places[number]] = whole
        for number in range(second_places.size):
            weight = weights[level(genomes, row, split + number, bits)]
            second[row, second_places[number]] = weight


@kernel
def level(genomes, row, number, bits):
    """The level of one weight: up to 16 bits, which lie within three bytes."""
    start = number * bits
    byte = start >> 3
    last = genomes.shape[1] - 1
    window = np.int64(genomes[row, byte]) << 16
    window |= np.int64(genomes[row, min(byte + 1, last)]) << 8
    window |= np.int64(genomes[row, min(byte + 2, last)])
    return (window >> (24 - bits - (start & 7))) & ((1 << bits) - 1)


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
