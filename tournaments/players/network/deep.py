"""Networks of more than one hidden layer: their weights, and which outputs are the highest.

**The first hidden layer** is that of :mod:`tournaments.players.network.weights`: sums are whole
numbers of units, exact, kept from move to move, and their sigmoids are looked up where there is a
table.

**Later layers** are float64. A sum starts from minus the threshold and takes the nodes of the layer
before in their order, so that a move depends on the position and the weights alone. The sigmoid is
that of :mod:`tournaments.kernels.arithmetic`. The highest legal output plays, found as in
:func:`tournaments.players.network.outputs.highest`.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.kernels import bitset as action_sets
from tournaments.kernels.arithmetic import sigmoid
from tournaments.kernels.hooks import MOST_SHOWN
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import below
from tournaments.players.network.bits import Encoding
from tournaments.players.network.outputs import U0, U5, activate, highest
from tournaments.players.network.weights import (
    LANES,
    NODES_A_PASS,
    REAL_UNIT,
    all_aligned,
    check_weights,
    decode,
    largest_first_weight,
    padded,
    sigmoid_table,
)

LARGEST = 2.0**40
"""Of real weights of later layers: their sums stay far from the ends of float64."""


class Parameters(NamedTuple):
    """Weights of N networks, the receiving node as the innermost index. Primes: padded.

    Attributes:
        first: ``[N, (I + 1) * H']``, as in :class:`tournaments.players.network.weights.Parameters`.
        later: float64 ``[N, W]``: for each layer after the first hidden one, minus the thresholds
            of its nodes, then a row of weights to them for each node of the layer before.
        sigmoids, lowest, unit: as there.
        sizes: int64, the nodes of each layer but the inputs.
    """

    first: np.ndarray
    later: np.ndarray
    sigmoids: np.ndarray
    lowest: int
    unit: float
    sizes: np.ndarray


class Memory(NamedTuple):
    """As :class:`tournaments.players.network.play.Memory`, of one side of one game.

    ``hidden``, float64 ``[2, widest]``, takes the outputs of one layer after the other, in turn.
    """

    inputs: np.ndarray
    before: np.ndarray
    changed: np.ndarray
    sums: np.ndarray
    places: np.ndarray
    activities: np.ndarray
    legal: np.ndarray
    actions: np.ndarray
    scores: np.ndarray
    tops: np.ndarray
    candidates: np.ndarray
    bits: np.ndarray
    hidden: np.ndarray


# --- weights -----------------------------------------------------------------------------------


def first_sizes(layers: tuple[int, ...]) -> tuple[int, int]:
    """Sums H' and nodes H'' of the first hidden layer, padded."""
    nodes = padded(layers[1], NODES_A_PASS)
    return padded(nodes, LANES), nodes


def from_genomes(encoding: Encoding, genomes: np.ndarray) -> Parameters:
    """Packed genomes, uint8 ``[N, B]``, as parameters.

    Raises:
        TournamentError: genomes of another size, or weights so large that sums would overflow.
    """
    if encoding.low != -encoding.high:
        return from_weights(encoding.layers, encoding.decode(genomes))
    genomes = encoding.checked(genomes)
    top = (1 << encoding.bits) - 1
    if not np.isfinite(encoding.high * top * (max(encoding.layers) + 1)):
        raise TournamentError(f"network weights up to {encoding.high:g} given; sums would overflow")
    fits = top * (MOST_SHOWN * encoding.layers[0] + 1) < 2**31
    places = _places(encoding.layers)
    first, later = _room(encoding.layers, len(genomes), np.int32 if fits else np.float64)
    weights = encoding.weights_at(np.arange(top + 1))
    build(decode)(genomes, weights, places.first, places.later, first, later)
    later[:, places.thresholds] *= -1.0
    unit = encoding.high / top
    return Parameters(first, later, *sigmoid_table(unit, fits), unit, _sizes(encoding.layers))


def from_weights(layers: tuple[int, ...], weights: np.ndarray) -> Parameters:
    """Real weights, ``[N, W]`` in the order of the encoding, as parameters.

    Those of the first layer are rounded to multiples of 2^-32.

    Raises:
        TournamentError: weights that are not finite, or so large that sums of the first hidden
            layer would not be exact.
    """
    weights = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    places = _places(layers)
    split = places.first.size
    check_weights(weights[:, :split], largest_first_weight(layers))
    check_weights(weights[:, split:], LARGEST)
    first, later = _room(layers, len(weights), np.float64)
    first[:, places.first] = np.rint(weights[:, :split] / REAL_UNIT)
    later[:, places.later] = weights[:, split:]
    later[:, places.thresholds] *= -1.0
    return Parameters(first, later, *sigmoid_table(REAL_UNIT, False), REAL_UNIT, _sizes(layers))


def _room(layers: tuple[int, ...], count: int, kind: type) -> tuple[np.ndarray, np.ndarray]:
    sums, _ = first_sizes(layers)
    width = _places(layers).later.size
    shapes = (count, (layers[0] + 1) * sums), (count, width)
    first, later = all_aligned([(shapes[0], kind), (shapes[1], np.float64)])
    return first, later


def _sizes(layers: tuple[int, ...]) -> np.ndarray:
    return np.array(layers[1:], dtype=np.int64)


class Places(NamedTuple):
    """Where the weights of a genome stand, uint64, in the order of the genome.

    ``thresholds``, int64, are the places that hold one after the first hidden layer.
    """

    first: np.ndarray
    later: np.ndarray
    thresholds: np.ndarray


@lru_cache(maxsize=16)
def _places(layers: tuple[int, ...]) -> Places:
    """A genome goes layer by layer and node by node; a node's threshold comes last."""
    sums, _ = first_sizes(layers)
    first = np.arange(layers[0] + 1) * sums + np.arange(layers[1])[:, None]
    later, thresholds, start = [], [], 0
    for inputs, nodes in pairwise(layers[1:]):
        node = start + np.arange(nodes)
        rows = nodes * np.arange(1, inputs + 1)
        later.append(np.hstack([node[:, None] + rows, node[:, None]]).ravel())
        thresholds.append(node)
        start += (inputs + 1) * nodes
    return Places(
        first.ravel().astype(np.uint64),
        np.concatenate(later).astype(np.uint64),
        np.concatenate(thresholds),
    )


# --- the kernels -------------------------------------------------------------------------------


@kernel
def add_layer(weights, start, before, count, sums, nodes):
    """Fill ``sums``, the weighted sums of a layer whose weights begin at ``start``.

    ``before`` has the outputs of the ``count`` nodes of the layer before. Return where the weights
    of the next layer begin. Indices are unsigned: they need no check for counting from the end.
    """
    for node in range(nodes):
        sums[node] = weights[start + node]
    place = start + nodes
    for source in range(count):
        for node in range(nodes):
            sums[node] += before[source] * weights[place + node]
        place += nodes
    return place


@kernel
def compute(parameters, row, memory):
    """Fill the candidates of lane 0, the legal actions of the highest output; return how many."""
    activate(parameters, memory, 0, 0)
    sizes, weights = parameters.sizes, parameters.later[np.uint64(row)]
    scores, legal, hidden = memory.scores[0], memory.legal[0], memory.hidden
    count = np.uint64(sizes[0])
    for node in range(count):
        hidden[0, node] = memory.activities[0, node]
    turn, start = 0, U0
    for layer in range(1, sizes.size - 1):
        sums, nodes = hidden[1 - turn], np.uint64(sizes[layer])
        start = add_layer(weights, start, hidden[turn], count, sums, nodes)
        for node in range(nodes):
            sums[node] = sigmoid(sums[node])
        turn, count = 1 - turn, nodes
    outputs = np.uint64(sizes[sizes.size - 1])
    add_layer(weights, start, hidden[turn], count, scores, outputs)
    top = -np.inf
    for output in range(outputs):
        is_legal = (legal[output >> U5] & action_sets.bit(output)) != U0
        top = max(top, scores[output] if is_legal else -np.inf)
    memory.tops[0] = top
    return highest(memory, 0)


@kernel
def choose(board, state, parameters, row, memory, stream):
    """The legal action with the highest output; equal outputs are told apart at random."""
    count = compute(parameters, row, memory)
    return action_sets.nth(memory.candidates[0], below(stream, count))


@kernel
def candidates(board, state, parameters, row, memory, words):
    """What :func:`choose` draws from."""
    count = compute(parameters, row, memory)
    for index in range(words.size):
        words[index] = memory.candidates[0, index]
    return count
