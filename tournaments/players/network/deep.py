"""Kernels of networks with more than one hidden layer, which find the highest outputs.

**The first hidden layer** is that of :mod:`tournaments.players.network.weights`. Its sums are
exact, whole numbers of units, and are kept from move to move. Their sigmoids are looked up if there
is a table.

**Later layers** are float64. A sum starts from minus the threshold and adds the nodes of the layer
before in their order, so that a move depends only on the position and the weights. The sigmoid is
that of :mod:`tournaments.kernels.arithmetic`. The legal action with the highest output is played,
found as in :func:`tournaments.players.network.outputs.highest`.
"""

from __future__ import annotations

import numpy as np

from tournaments.kernels import bitset as action_sets
from tournaments.kernels.arithmetic import sigmoid
from tournaments.kernels.linker import kernel
from tournaments.players.network.outputs import U0, U5, activate, highest


@kernel
def add_layer(weights, start, before, count, sums, nodes):
    """Fill ``sums``, the weighted sums of the ``nodes`` nodes of one layer of a network.

    Indices are unsigned: they need no check for counting from the end.

    Args:
        weights: the weights of the layers.
        start: where the weights of this layer begin.
        before: the outputs of the layer before.
        count: the number of nodes of the layer before.
        sums: to be filled.
        nodes: the number of nodes of this layer.

    Returns:
        Where the weights of the next layer begin.
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
    """Compute a deep network, and store the legal actions with the highest output.

    The set of actions is written to ``memory.candidates[0]``.

    Returns:
        The number of these actions.
    """
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
