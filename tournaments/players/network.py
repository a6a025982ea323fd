"""Networks: an evolved genome, a weights file, or a hand-built one, as players.

A network has one input for each feature of the game, one hidden layer and one output for each
action; every node is a sigmoid unit with a threshold, a weight on a constant input of -1 (Weaver
and Bossomaier 1998, section 3.2). The highest legal output plays; equal outputs are told apart at
random.

**What is computed.** A node's output is the float64 number ``1 / (1 + exp(-z))`` with the
exponential of :mod:`tournaments.arithmetic`. A hidden sum is a whole number of units
(:mod:`tournaments.players.network_weights`), exact: it is kept from move to move and changed only
where an input changed. Output sums are added in the order of the hidden nodes. Hence a move depends
on the position and the weights alone.

**Ties.** Units saturate, so equal outputs are common. The kernel ranks by the sum before the
sigmoid and computes the sigmoid only of those sums that can share the highest output; see
:func:`highest`.

**Speed.** Loops run over whole vectors, over unsigned indices, which need no check for counting
from the end: so they are compiled to vector instructions with nothing left over. The legal actions
and the candidates are sets of bits (:mod:`tournaments.action_sets`), on which no branch depends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tournaments import action_sets
from tournaments.arithmetic import sigmoid
from tournaments.encoding import Encoding, layers_for
from tournaments.errors import TournamentError
from tournaments.hooks import encode as encode_position
from tournaments.hooks import encode_change, note_legal, note_legal_change
from tournaments.kernels import kernel
from tournaments.players.network_weights import (
    BLOCK,
    NODES_A_PASS,
    Parameters,
    aligned,
    from_genomes,
    padded_sizes,
)
from tournaments.players.network_weights import from_weights as from_weights
from tournaments.rng import below
from tournaments.types import Game, Kind

SATURATED = 36.73680056967711
"""The least number whose float64 sigmoid is exactly 1."""
FLAT, FLAT_FROM = 1.25, 30.0
"""Between ``FLAT_FROM`` and ``SATURATED``, sums further apart than this have different sigmoids.

The widest step is the last below 1: ``1 + exp(-z)`` rounds to ``1 + 2^-52`` for ``exp(-z)`` from
2^-53 to 3 * 2^-53, which are sums ln(3) = 1.0986 apart.
"""
GENTLE, GENTLE_FROM = 0.05, 15.0
"""The same from here to ``FLAT_FROM``: at 30, 0.05 changes the sigmoid by 43 of its last units."""
NEAR = 1e-6
"""The same below ``GENTLE_FROM``."""
EXTINCT = -709.0
"""Below this, sigmoids run out of float64 numbers and end at 0."""
LEAST = -1.7976931348623157e308
"""Below every sum, and above the minus infinity that stands for what is illegal."""

MAGNITUDE = 0x7FFFFFFFFFFFFFFF
U0, U1, U2, U3 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
U4, U5, U6, U7, U8 = np.uint64(4), np.uint64(5), np.uint64(6), np.uint64(7), np.uint64(8)
# Rows of a block, as many as nodes a pass.
ROW1, ROW2, ROW3, ROW4 = np.uint64(32), np.uint64(64), np.uint64(96), np.uint64(128)
ROW5, ROW6, ROW7, ROW8 = np.uint64(160), np.uint64(192), np.uint64(224), np.uint64(256)


class Memory(NamedTuple):
    """What one side keeps between moves, and room to compute in. Primes: padded.

    ``before [I]`` are the inputs that the hidden sums ``sums [H']``, in units, stand for;
    ``inputs`` are those of the position. The two differ only inside :func:`watch`. ``legal`` is the
    set of legal actions. ``bits`` (uint64 [32]) is constant: bit k of a word for each k.
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
    candidates: np.ndarray
    bits: np.ndarray


def memory(game: Game, parameters: Parameters) -> Memory:
    """One side's memory for networks of this size.

    Raises:
        TournamentError: networks of another board.
    """
    layers = layers_for(game)
    shown, _, actions = layers
    sums, nodes, outputs = padded_sizes(layers)
    widths = parameters.first.shape[1], parameters.second.shape[1]
    if widths != ((shown + 1) * sums, outputs * (nodes + 1)):
        raise TournamentError(
            f"networks of {widths[0]} and {widths[1]} weights a layer, padded, given; {game.spec} "
            f"takes {'-'.join(map(str, layers))} networks"
        )
    kind = parameters.first.dtype
    bits = aligned(int(BLOCK), np.uint64)
    bits[:] = U1 << np.arange(bits.size, dtype=np.uint64)
    return Memory(
        inputs=np.zeros(shown, dtype=kind),
        before=np.zeros(shown, dtype=kind),
        changed=np.zeros(shown, dtype=np.int16),
        sums=aligned(sums, kind),
        places=aligned(sums, np.int32),
        activities=aligned(nodes, np.float64),
        legal=action_sets.empty(actions),
        actions=np.zeros(actions, dtype=np.int16),
        scores=aligned(outputs, np.float64),
        candidates=action_sets.empty(actions),
        bits=bits,
    )


# --- the kernels -------------------------------------------------------------------------------


@kernel
def begin(board, state, parameters, row, memory):
    """Hidden sums, in units, of a whole position: minus the thresholds, plus what is shown."""
    first, inputs, before, sums = parameters.first, memory.inputs, memory.before, memory.sums
    note_legal(board, state, memory.legal, memory.actions)
    encode_position(board, state, inputs)
    for node in range(sums.size):
        sums[node] = 0
    add_input(first, row, inputs.size, -1, sums)
    for index in range(inputs.size):
        before[index] = inputs[index]
        if inputs[index] != 0:
            add_input(first, row, index, inputs[index], sums)


@kernel
def watch(board, state, action, parameters, row, memory):
    """Bring the hidden sums up to an action that changed some inputs."""
    inputs, before = memory.inputs, memory.before
    note_legal_change(board, state, action, memory.legal, memory.actions)
    changes = encode_change(board, state, action, before, inputs, memory.changed)
    for place in range(changes):
        index = np.uint64(memory.changed[place])
        change = inputs[index] - before[index]
        before[index] = inputs[index]
        add_input(parameters.first, row, index, change, memory.sums)


@kernel
def add_input(first, row, index, change, sums):
    """Add a change of one input to the hidden sums."""
    nodes = (np.uint64(sums.size) >> U4) << U4
    place = np.uint64(index) * nodes
    for node in range(nodes):
        sums[node] += change * first[row, place + node]


@kernel
def activate(parameters, memory):
    """The hidden nodes' outputs: looked up where there is a table, else computed."""
    sums, places, activities = memory.sums, memory.places, memory.activities
    sigmoids = parameters.sigmoids
    if sigmoids.size == 0:
        for node in range(activities.size):
            activities[node] = sigmoid(sums[node] * parameters.unit)
        return
    lowest = np.int32(parameters.lowest)
    highest_sum = np.int32(parameters.lowest + sigmoids.size - 1)
    for node in range((np.uint64(sums.size) >> U4) << U4):
        places[node] = min(max(sums[node], lowest), highest_sum) - lowest
    for node in range(U0, np.uint64(activities.size), NODES_A_PASS):
        for after in range(NODES_A_PASS):
            activities[node + after] = sigmoids[np.uint64(places[node + after])]


@kernel
def output_sums(second, row, memory):
    """Each output node's weighted sum, before its sigmoid; minus infinity for illegal actions.

    Nine hidden nodes a pass, added one after another: the order of the sum is that of the nodes.
    """
    activities, scores, bits = memory.activities, memory.scores, memory.bits
    nodes = np.uint64(activities.size)
    outputs = (np.uint64(scores.size) >> U5) << U5
    for block in range(U0, outputs, BLOCK):
        legal = memory.legal[np.uint64(block) >> U5]
        for lane in range((np.uint64(bits.size) >> U5) << U5):
            threshold = second[row, block + lane]
            scores[block + lane] = -threshold if (legal & bits[lane]) != U0 else -np.inf
        for node in range(U0, nodes, NODES_A_PASS):
            start = outputs + block * nodes + BLOCK * node
            a0, a1, a2 = activities[node], activities[node + U1], activities[node + U2]
            a3, a4, a5 = activities[node + U3], activities[node + U4], activities[node + U5]
            a6, a7, a8 = activities[node + U6], activities[node + U7], activities[node + U8]
            for lane in range(BLOCK):
                place = start + lane
                score = scores[block + lane] + a0 * second[row, place]
                score += a1 * second[row, place + ROW1]
                score += a2 * second[row, place + ROW2]
                score += a3 * second[row, place + ROW3]
                score += a4 * second[row, place + ROW4]
                score += a5 * second[row, place + ROW5]
                score += a6 * second[row, place + ROW6]
                score += a7 * second[row, place + ROW7]
                scores[block + lane] = score + a8 * second[row, place + ROW8]


@kernel
def in_order(bits):
    """The bits of a float64 as an integer in the order of the numbers, and back.

    Compilers take the largest of many integers side by side, of floats one by one.
    """
    return bits ^ ((bits >> 63) & MAGNITUDE)


@kernel
def largest(scores):
    """The largest sum."""
    best = in_order(np.float64(-np.inf).view(np.int64))
    for output in range((np.uint64(scores.size) >> U5) << U5):
        best = max(best, in_order(np.float64(scores[output]).view(np.int64)))
    return np.int64(in_order(best)).view(np.float64)


@kernel
def highest(scores, bits, candidates):
    """Fill ``candidates`` with the set of actions whose sigmoid is the highest; return how many.

    The sigmoid rises with the sum, so only sums near the largest can share its sigmoid: all from
    ``SATURATED`` on, those within ``FLAT``, ``GENTLE`` or ``NEAR`` elsewhere, and all where it
    ends. Below ``SATURATED`` there is mostly one; where not, sigmoids are computed.
    """
    top = largest(scores)
    nearest = top - (FLAT if top > FLAT_FROM else GENTLE if top > GENTLE_FROM else NEAR)
    nearest = LEAST if top < EXTINCT else nearest
    nearest = SATURATED if top >= SATURATED else nearest
    for index in range(np.uint64(candidates.size)):
        word = U0
        for lane in range((np.uint64(bits.size) >> U5) << U5):
            word |= bits[lane] if scores[BLOCK * index + lane] >= nearest else U0
        candidates[index] = word
    count = action_sets.size(candidates)
    if (count > 1) & (top < SATURATED):
        return keep_equal(scores, candidates)
    return count


@kernel
def keep_equal(scores, candidates):
    """Keep the candidates whose sigmoid, computed, is the highest; return how many.

    Their ``scores`` are overwritten by their sigmoids.
    """
    best = -1.0
    for output in range(32 * candidates.size):
        if (candidates[output >> 5] & action_sets.bit(output)) != U0:
            scores[output] = sigmoid(scores[output])
            best = max(best, scores[output])
    for output in range(32 * candidates.size):
        if scores[output] != best:
            candidates[output >> 5] &= ~action_sets.bit(output)
    return action_sets.size(candidates)


@kernel
def choose(board, state, parameters, row, memory, stream):
    """The legal action with the highest output; equal outputs are told apart at random."""
    activate(parameters, memory)
    output_sums(parameters.second, row, memory)
    count = highest(memory.scores, memory.bits, memory.candidates)
    return action_sets.nth(memory.candidates, below(stream, count))


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
