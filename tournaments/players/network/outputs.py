"""The choice of a network, step by step, for one of several games at a time.

**What is computed.** A node's output is the float64 number ``1 / (1 + exp(-z))`` with the
exponential of :mod:`tournaments.kernels.arithmetic`. Output sums are added in the order of the
hidden nodes. Hence a move depends only on the position and the weights.

**Ties.** Units saturate, so equal outputs are common. The kernels rank by the sum before the
sigmoid. They compute the sigmoid only for sums that can share the highest output, see
:func:`highest`.

**Speed.** Loops run over whole vectors with unsigned indices, which need no check for negative
indices. So they compile to vector instructions without a remainder. The legal actions and the
candidates are sets of bits (:mod:`tournaments.kernels.bitset`), and no branch depends on them.

The arguments of the kernels are the ``memory`` of :mod:`tournaments.players.network.play`, and
``lane``, the index of the game.
"""

from __future__ import annotations

import numpy as np

from tournaments.kernels import bitset as action_sets
from tournaments.kernels.arithmetic import sigmoid
from tournaments.kernels.linker import kernel
from tournaments.players.network.weights import BLOCK, NODES_A_PASS

SATURATED = 36.73680056967711
"""The smallest number whose float64 sigmoid is exactly 1."""
FLAT, FLAT_FROM = 1.25, 30.0
"""Between ``FLAT_FROM`` and ``SATURATED``, sums further apart than this have different sigmoids.

The widest step is the last below 1: ``1 + exp(-z)`` rounds to ``1 + 2^-52`` for ``exp(-z)`` from
2^-53 to 3 * 2^-53, which are sums ln(3) = 1.0986 apart.
"""
GENTLE, GENTLE_FROM = 0.05, 15.0
"""The same from 15 to ``FLAT_FROM``: at 30, 0.05 changes the sigmoid by 43 of its last units."""
NEAR = 1e-6
"""The same below ``GENTLE_FROM``."""
EXTINCT = -709.0
"""Limit below which sigmoids underflow to 0."""
LEAST = -1.7976931348623157e308
"""A value below every sum."""

MAGNITUDE = 0x7FFFFFFFFFFFFFFF
LOWEST = np.int64(-0x7FF0000000000001)
"""Minus infinity in the order of :func:`in_order`, the rank of illegal actions."""
SATURATED_BITS = np.float64(SATURATED).view(np.int64)
LEAST_BITS = np.float64(LEAST).view(np.int64)
U0, U1, U4, U5 = np.uint64(0), np.uint64(1), np.uint64(4), np.uint64(5)


@kernel
def activate(parameters, memory, lane, seat):
    """Fill the outputs of a network's hidden nodes in one game: the sigmoids of their sums.

    They come from the table of sigmoids, or are computed. ``lane`` is the number of the game, and
    ``seat`` the seat whose network it is.
    """
    sums, activities = memory.sums[lane, seat], memory.activities[lane]
    places, sigmoids = memory.places[lane], parameters.sigmoids
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
def in_order(bits):
    """Convert the bits of a float64 to an integer that sorts like the number, or back.

    Compilers take the largest of many integers side by side, of floats one by one.
    """
    return bits ^ ((bits >> 63) & MAGNITUDE)


@kernel
def output_sums(second, row, memory, lane):
    """Compute the weighted sum of each output node of a network in one game.

    ``memory.scores`` gets the sums, before the sigmoid, and ``memory.tops`` the largest of a legal
    action.

    Args:
        second: the weights of the output layers of all networks.
        row: the network.
        memory: the memory of the games.
        lane: the number of the game.
    """
    weights, scores = second[np.uint64(row)], memory.scores[lane]
    nodes = np.uint64(memory.activities.shape[1])
    last = nodes - NODES_A_PASS
    top = LOWEST
    for block in range(U0, (np.uint64(scores.size) >> U5) << U5, BLOCK):
        before = weights  # which begins with minus the thresholds
        for node in range(U0, last, NODES_A_PASS):
            add_nodes(weights, block, node, before, memory, lane)
            before = scores
        top = max(top, add_last_nodes(weights, block, last, before, memory, lane))
    memory.tops[lane] = np.int64(in_order(top)).view(np.float64)


@kernel
def with_nine(score, weights, place, activities, node):
    """Return a sum plus the weighted outputs of nine hidden nodes, in the order of the nodes.

    Args:
        score: the sum.
        weights: the weights of the output layer.
        place: where the weights of these nodes begin.
        activities: the outputs of the hidden nodes.
        node: the first of the nine nodes.
    """
    for after in range(NODES_A_PASS):
        score += activities[node + after] * weights[place + BLOCK * after]
    return score


@kernel
def add_nodes(weights, block, node, before, memory, lane):
    """Add the weighted outputs of nine hidden nodes to the sums of a block of output nodes.

    ``before`` has the sums so far. The new sums are written to ``memory.scores`` of the game
    ``lane``.
    """
    activities, scores = memory.activities[lane], memory.scores[lane]
    outputs = (np.uint64(scores.size) >> U5) << U5
    start = outputs + block * np.uint64(activities.size) + BLOCK * node
    for output in range(BLOCK):
        place = start + output
        scores[block + output] = with_nine(before[block + output], weights, place, activities, node)


@kernel
def add_last_nodes(weights, block, node, before, memory, lane):
    """Add the weighted outputs of the last hidden nodes to a block of a network's output sums.

    Compilers process several vectors side by side in a loop that looks for its largest number, so
    the sums do not wait for one another.

    Returns:
        The largest sum of a legal action, as the integer of :func:`in_order`.
    """
    activities, scores, bits = memory.activities[lane], memory.scores[lane], memory.bits
    legal = memory.legal[lane, np.uint64(block) >> U5]
    outputs = (np.uint64(scores.size) >> U5) << U5
    start = outputs + block * np.uint64(activities.size) + BLOCK * node
    best = LOWEST
    for output in range(BLOCK):
        place = start + output
        score = with_nine(before[block + output], weights, place, activities, node)
        scores[block + output] = score
        rank = in_order(np.float64(score).view(np.int64))
        best = max(best, rank if (legal & bits[output]) != U0 else LOWEST)
    return best


@kernel
def nearest(top):
    """Return the least sum of an output node that may have the same sigmoid as the largest sum.

    If the largest is at least ``SATURATED``, this is ``SATURATED``. Below ``EXTINCT`` it is less
    than any sum. Elsewhere it is ``FLAT``, ``GENTLE`` or ``NEAR`` below the largest. The choice is
    made among integers, which takes no branch.
    """
    flat, gentle = np.float64(top - FLAT).view(np.int64), np.float64(top - GENTLE).view(np.int64)
    least = gentle if top > GENTLE_FROM else np.float64(top - NEAR).view(np.int64)
    least = flat if top > FLAT_FROM else least
    least = SATURATED_BITS if top >= SATURATED else least
    least = LEAST_BITS if top < EXTINCT else least
    return np.int64(least).view(np.float64)


@kernel
def highest(memory, lane):
    """Fill ``memory.candidates`` with the legal actions of the highest output of a network.

    The sigmoid rises with the sum, so only sums near the largest can share its sigmoid. Below
    ``SATURATED`` there is mostly one candidate. If there are several, sigmoids are computed.
    ``lane`` is the number of the game.

    Returns:
        The number of these actions.
    """
    scores, candidates, bits = memory.scores[lane], memory.candidates[lane], memory.bits
    top = memory.tops[lane]
    least = nearest(top)
    for index in range(np.uint64(candidates.size)):
        word = U0
        for output in range((np.uint64(bits.size) >> U5) << U5):
            word |= bits[output] if scores[BLOCK * index + output] >= least else U0
        candidates[index] = word & memory.legal[lane, index]
    count = action_sets.size(candidates)
    if (count > 1) & (top < SATURATED):
        return keep_equal(scores, candidates)
    return count


@kernel
def keep_equal(scores, candidates):
    """Keep only the candidate actions whose computed sigmoid is the highest.

    Their ``scores`` are overwritten by their sigmoids.

    Returns:
        The number of actions that remain.
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
