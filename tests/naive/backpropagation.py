"""Back-propagation as it is taught: one position after another, one weight after another.

Nothing here imports the project.
"""

from __future__ import annotations

import math

Net = tuple[list[list[float]], list[list[float]]]
"""Hidden nodes and outputs, each a list of nodes: the weights of a node, then its threshold."""


def split(weights: list[float], layers: tuple[int, int, int]) -> Net:
    inputs, hidden, outputs = layers
    rest = iter(weights)
    first = [[next(rest) for _ in range(inputs + 1)] for _ in range(hidden)]
    return first, [[next(rest) for _ in range(hidden + 1)] for _ in range(outputs)]


def joined(net: Net) -> list[float]:
    return [weight for layer in net for node in layer for weight in node]


def layer_outputs(layer: list[list[float]], values: list[float]) -> list[float]:
    sums = [sum(w * x for w, x in zip(node, [*values, -1.0], strict=True)) for node in layer]
    return [1.0 / (1.0 + math.exp(-total)) for total in sums]


def outputs_of(net: Net, inputs: list[float]) -> list[float]:
    return layer_outputs(net[1], layer_outputs(net[0], inputs))


def half_error(net: Net, inputs, targets, worth) -> float:
    """Half the squared error of one position, each output as much as it is worth."""
    outputs = outputs_of(net, inputs)
    return sum(w * (t - o) ** 2 / 2.0 for w, t, o in zip(worth, targets, outputs, strict=True))


def asked_for(net: Net, inputs, targets, worth) -> list[float]:
    """What one position asks of every weight."""
    hidden = layer_outputs(net[0], inputs)
    outputs = layer_outputs(net[1], hidden)
    at_outputs = [
        w * (t - o) * o * (1 - o) for w, t, o in zip(worth, targets, outputs, strict=True)
    ]
    at_hidden = [
        h * (1 - h) * sum(node[place] * e for node, e in zip(net[1], at_outputs, strict=True))
        for place, h in enumerate(hidden)
    ]
    first = [[e * x for x in [*inputs, -1.0]] for e in at_hidden]
    second = [[e * x for x in [*hidden, -1.0]] for e in at_outputs]
    return joined((first, second))


def epoch(weights, last, layers, examples, order, rate, momentum, batch):
    """The weights, and their last change, after all positions were seen once in an order."""
    weights, last = list(weights), list(last)
    gathered = [0.0] * len(weights)
    for count, place in enumerate(order, start=1):
        net = split(weights, layers)
        for number, part in enumerate(asked_for(net, *(table[place] for table in examples))):
            gathered[number] += part
        if count % batch == 0 or count == len(order):
            for number in range(len(weights)):
                last[number] = rate * gathered[number] + momentum * last[number]
                weights[number] += last[number]
                gathered[number] = 0.0
    return weights, last
