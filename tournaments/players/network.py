"""Networks: an evolved genome, a weights file, or a hand-built one, as players.

A network has one input for each feature of the game, one hidden layer and one output for each
action; every node is a sigmoid unit with a threshold, a weight on a constant input of -1 (Weaver
and Bossomaier 1998, section 3.2). The highest legal output plays; equal outputs are told apart at
random.

**What is computed.** A node's output is the float64 number ``1 / (1 + exp(-z))`` with the
exponential of :mod:`tournaments.arithmetic`. First-layer weights are held as whole multiples of one
unit (:func:`exact_rows`), so a hidden sum is a whole number, exact, and the same in whichever order
it was added up: it is kept from move to move and changed only where an input changed. Output sums
are added in the order of the hidden nodes. Hence a move depends on the position and the weights
alone.

**Ties.** Units saturate, so equal outputs are common. The kernel ranks by the sum before the
sigmoid and computes the sigmoid only of those sums that can share the highest output; see
:func:`choose`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tournaments.arithmetic import sigmoid
from tournaments.encoding import Encoding, layers_for
from tournaments.errors import TournamentError
from tournaments.hooks import MOST_SHOWN, encode_change, legal
from tournaments.hooks import encode as encode_position
from tournaments.kernels import kernel
from tournaments.rng import below
from tournaments.types import Game, Kind

SATURATED = 37.0
"""From here on the float64 sigmoid is exactly 1: exp(-37) is below 2^-53."""
STEEP = 15.0
"""Below this, sums further apart than ``NEAR`` have different sigmoids."""
NEAR = 1e-6
FLAT = 1.25
"""Between ``STEEP`` and ``SATURATED``, sums further apart than this have different sigmoids.

The widest step is the last below 1: ``1 + exp(-z)`` rounds to ``1 + 2^-52`` for ``exp(-z)`` from
2^-53 to 3 * 2^-53, which are sums ln(3) = 1.0986 apart.
"""
EXTINCT = -709.0
"""Below this, sigmoids run out of float64 numbers and end at 0."""

VECTOR = 8
"""Rows of nodes are padded to a multiple of this; the added nodes weigh nothing."""
NODES_A_PASS = 3
"""Hidden nodes that are added to the output sums in one pass; theirs are padded to a multiple."""

REAL_UNIT = 2.0**-32
"""The unit of weights that come as real numbers rather than from a grid."""


class Parameters(NamedTuple):
    """Weights as the kernels take them, the receiving node as the innermost index.

    Attributes:
        first: float64 ``[N, I + 1, H']``, whole multiples of ``unit``; row I are the thresholds.
        second: float64 ``[N, H'' + 1, O']``; its last row are the thresholds. Primes: padded.
        unit: what a first-layer weight of 1 stands for.
    """

    first: np.ndarray
    second: np.ndarray
    unit: float


class Memory(NamedTuple):
    """What one side keeps between moves, and room to compute in.

    ``before [I]`` are the inputs that the hidden sums ``sums [H']``, in units, stand for;
    ``inputs`` are those of the position. The two differ only inside :func:`watch`.
    """

    inputs: np.ndarray
    before: np.ndarray
    changed: np.ndarray
    sums: np.ndarray
    activities: np.ndarray
    scores: np.ndarray
    actions: np.ndarray


def memory(game: Game, parameters: Parameters) -> Memory:
    """One side's memory for networks of this size.

    Raises:
        TournamentError: networks of another board.
    """
    inputs, hidden = parameters.first.shape[1] - 1, parameters.first.shape[2]
    outputs = parameters.second.shape[2]
    shown, _, actions = layers_for(game)
    if inputs != shown or outputs != _padded(actions):
        raise TournamentError(
            f"networks with {inputs} inputs and about {outputs} outputs given; {game.spec} shows "
            f"{shown} inputs and has {actions} actions"
        )
    return Memory(
        inputs=np.zeros(inputs),
        before=np.zeros(inputs),
        changed=np.zeros(inputs, dtype=np.int16),
        sums=np.zeros(hidden),
        activities=np.zeros(hidden + NODES_A_PASS),
        scores=np.zeros(outputs),
        actions=np.zeros(outputs, dtype=np.int16),
    )


def from_genomes(encoding: Encoding, genomes: np.ndarray) -> Parameters:
    """Packed genomes, uint8 ``[N, B]``, as parameters.

    On a symmetric range a level k stands for the weight ``(2k - top) * high / top``, so ``2k -
    top`` is the whole multiple and the rest the unit. Other ranges are treated as real weights.
    """
    if encoding.low != -encoding.high:
        return from_weights(encoding.layers, encoding.decode(genomes))
    top = (1 << encoding.bits) - 1
    levels = encoding.levels(genomes)
    multiples = (2 * levels - top).astype(np.float64)
    return _split(encoding.layers, multiples, encoding.weights_at(levels), encoding.high / top)


def from_weights(layers: tuple[int, int, int], weights: np.ndarray) -> Parameters:
    """Real weights, ``[N, W]`` in the order of the encoding, as parameters.

    First-layer weights are rounded to multiples of 2^-32.

    Raises:
        TournamentError: weights that are not finite, or so large that hidden sums would not be
            exact: beyond +-5242 with 24 inputs.
    """
    weights = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    # Whole multiples of whole inputs add up exactly below 2^53 units.
    largest = 2.0**53 * REAL_UNIT / (MOST_SHOWN * layers[0] + 1)
    if not np.isfinite(weights).all() or np.abs(weights).max(initial=0.0) > largest:
        raise TournamentError(f"network weights must be finite numbers within +-{largest:g}")
    return _split(layers, np.rint(weights / REAL_UNIT), weights, REAL_UNIT)


def _split(
    layers: tuple[int, int, int], multiples: np.ndarray, weights: np.ndarray, unit: float
) -> Parameters:
    inputs, hidden, outputs = layers
    count, split = len(weights), (inputs + 1) * hidden
    first = np.zeros((count, inputs + 1, _padded(hidden)))
    second = np.zeros((count, _padded(hidden, NODES_A_PASS) + 1, _padded(outputs)))
    first[:, :, :hidden] = (
        multiples[:, :split].reshape(count, hidden, inputs + 1).transpose(0, 2, 1)
    )
    by_node = weights[:, split:].reshape(count, outputs, hidden + 1).transpose(0, 2, 1)
    second[:, :hidden, :outputs] = by_node[:, :hidden]
    second[:, -1, :outputs] = by_node[:, hidden]
    return Parameters(first, second, unit)


def _padded(nodes: int, whole: int = VECTOR) -> int:
    """Nodes in whole vectors: what is left over of a vector would be computed one by one."""
    return -(-nodes // whole) * whole


# --- the kernels -------------------------------------------------------------------------------


@kernel
def begin(board, state, parameters, row, memory):
    """Hidden sums, in units, of a whole position: minus the thresholds, plus what is shown."""
    first, inputs, before, sums = parameters.first, memory.inputs, memory.before, memory.sums
    encode_position(board, state, inputs)
    for node in range(sums.size):
        sums[node] = -first[row, inputs.size, node]
    for index in range(inputs.size):
        shown = inputs[index]
        before[index] = shown
        if shown != 0.0:
            for node in range(sums.size):
                sums[node] += shown * first[row, index, node]


@kernel
def watch(board, state, action, parameters, row, memory):
    """Bring the hidden sums up to an action that changed some inputs."""
    first, inputs, before, sums = parameters.first, memory.inputs, memory.before, memory.sums
    changes = encode_change(board, state, action, before, inputs, memory.changed)
    for place in range(changes):
        index = memory.changed[place]
        change = inputs[index] - before[index]
        before[index] = inputs[index]
        for node in range(sums.size):
            sums[node] += change * first[row, index, node]


@kernel
def output_sums(second, row, unit, sums, activities, scores):
    """Each output node's weighted sum, before its sigmoid, into ``scores``.

    Three hidden nodes a pass, added one after another: the order of the sum is that of the nodes.
    """
    for node in range(sums.size):
        activities[node] = sigmoid(sums[node] * unit)
    last = second.shape[1] - 1
    for output in range(scores.size):
        scores[output] = -second[row, last, output]
    for node in range(0, last, 3):
        one, two, three = activities[node], activities[node + 1], activities[node + 2]
        for output in range(scores.size):
            score = scores[output] + one * second[row, node, output]
            score += two * second[row, node + 1, output]
            scores[output] = score + three * second[row, node + 2, output]


@kernel
def keep_highest(scores, actions, count):
    """Keep the actions whose sigmoid is the highest, at the front; return how many.

    The sigmoid rises with the sum, so only sums near the largest can share its sigmoid: all from
    ``SATURATED`` on, those within ``FLAT`` where it is nearly flat, those within ``NEAR``
    elsewhere, and all where it ends.
    """
    top = scores[actions[0]]
    other = scores[actions[count - 1]]
    for index in range(1, count - 1, 2):  # two chains, as each comparison waits for the last
        top = max(top, scores[actions[index]])
        other = max(other, scores[actions[index + 1]])
    top = max(top, other)
    high = min(top, SATURATED)
    nearest = high - (FLAT if high > STEEP else NEAR)
    if top < EXTINCT:
        nearest = -np.inf
    kept = 0
    saturated = 0
    for index in range(count):
        action = actions[index]
        score = scores[action]
        actions[kept] = action
        kept += score >= nearest
        saturated += score >= SATURATED
    if kept == 1 or kept == saturated:
        return kept
    return keep_equal(scores, actions, kept)


@kernel
def keep_equal(scores, actions, count):
    """Keep the actions whose sigmoid, computed, is the highest; return how many."""
    best = -1.0
    ties = 0
    for index in range(count):
        value = sigmoid(scores[actions[index]])
        if value > best:
            best = value
            ties = 0
        if value == best:
            actions[ties] = actions[index]
            ties += 1
    return ties


@kernel
def choose(board, state, parameters, row, memory, stream):
    """The legal action with the highest output; equal outputs are told apart at random."""
    scores, actions = memory.scores, memory.actions
    count = legal(board, state, actions)
    output_sums(parameters.second, row, parameters.unit, memory.sums, memory.activities, scores)
    return actions[below(stream, keep_highest(scores, actions, count))]


KIND = Kind(name="network", choose=choose, begin=begin, watch=watch, memory=memory)


@dataclass(frozen=True)
class NetworkGenomes:
    """Genomes that stand for networks; a :class:`tournaments.types.Representation`."""

    encoding: Encoding

    @property
    def kind(self) -> Kind:
        return KIND

    def parameters(self, genomes: np.ndarray) -> Parameters:
        """Packed genomes, uint8 ``[N, B]``, as networks."""
        return from_genomes(self.encoding, genomes)
