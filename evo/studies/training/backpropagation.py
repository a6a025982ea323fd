"""Training networks by back-propagation, from positions with a target for each output.

Gradient descent with momentum on the squared error of sigmoid outputs. Source of the rule: P. H.
Winston, *Artificial Intelligence*, 3rd edition (1992), pages 448-458, as Weaver and Bossomaier
(1998), section 3.7, use it. An output may count for more or less than others, or, where its move is
illegal, not at all.

It is no learner of the generation loop: no game is played while a network trains. Float64 in a
fixed order, so a network is the same on every processor and for any number of threads.

Letters: P positions, I inputs, H hidden nodes, O outputs, W weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tournaments.kernels.arithmetic import sigmoid
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import below, generator, stream_key


class Examples(NamedTuple):
    """Positions to learn from.

    Attributes:
        inputs: float64 ``[P, I]``.
        targets: target of each output, float64 ``[P, O]``.
        worth: how much its squared error counts, float64 ``[P, O]``; 0: anything is right.
    """

    inputs: np.ndarray
    targets: np.ndarray
    worth: np.ndarray


@dataclass(frozen=True)
class UpdateRule:
    """The rule by which weights change.

    Attributes:
        learning_rate: factor of a gradient; gradients of a batch are added up.
        momentum: the share of the last change that is made again, 0 up to but not including 1.
        batch: positions between two changes; 1: after each; 0: after all of an epoch.
        initial: first weights are drawn evenly from -initial to initial.
    """

    learning_rate: float
    momentum: float = 0.0
    batch: int = 1
    initial: float = 0.5


class Layer(NamedTuple):
    """The weights into a layer, a row for each source node; the last row holds the thresholds.

    Attributes:
        weights, change, gradient: float64 ``[from + 1, to]``: the weights, their last change, and
            the gradient of the batch.
        values, errors: float64 ``[to]``: the outputs of the nodes, and their errors.
    """

    weights: np.ndarray
    change: np.ndarray
    gradient: np.ndarray
    values: np.ndarray
    errors: np.ndarray


class TrainedNetwork(NamedTuple):
    """A network in training: its layers, the order of the positions int64 ``[P]``, its stream."""

    hidden: Layer
    outputs: Layer
    order: np.ndarray
    stream: np.ndarray


class Assessment(NamedTuple):
    """The results of a network on examples.

    Attributes:
        error: squared error of a position in the mean, over outputs that count, each once.
        best_moves: share of positions at which the highest output that counts is of the greatest
            target; ties are drawn evenly.
        slope: of the sigmoid of a node in the mean, 0.25 at most; what a node learns is multiplied
            by it, so a network of slope 0 learns nothing.
    """

    error: float
    best_moves: float
    slope: float


def trained(
    layers: Sequence[int],
    examples: Examples,
    rule: UpdateRule,
    stops: Sequence[int],
    seed: int,
    index: int = 0,
) -> Iterator[np.ndarray]:
    """Train one network, and yield its weights after each of some numbers of epochs.

    An epoch shows all positions once, in a new random order.

    Args:
        layers: inputs, hidden nodes, outputs.
        examples: the training examples.
        rule: how weights change.
        stops: numbers of epochs, rising, from 0: before training.
        seed: seed of the first weights and orders.
        index: number of the network among those with the same seed.

    Yields:
        float64 ``[W]`` in the order of :class:`tournaments.players.network.Encoding`.
    """
    inputs, nodes, outputs = layers
    first = first_weights((inputs + 1) * nodes + (nodes + 1) * outputs, rule, seed, index)
    key = stream_key(seed, "order of positions", 0, index)
    order, stream = np.arange(len(examples.inputs)), key[:1].astype(np.uint64)
    pupil = _network(layers, first, order, stream)
    arguments = float(rule.learning_rate), float(rule.momentum), rule.batch or len(order)
    seen = 0
    for stop in stops:
        build(train)(examples, pupil, *arguments, stop - seen)
        seen = stop
        yield _in_order(pupil)


def first_weights(count: int, rule: UpdateRule, seed: int, index: int) -> np.ndarray:
    """Return the small random weights with which a network begins, float64 ``[W]``.

    Args:
        count: number of weights.
        rule: the rule of training, which has the width of the weights.
        seed: seed of the weights.
        index: number of the network among those with the same seed.
    """
    return generator(seed, "first weights", 0, index).uniform(-rule.initial, rule.initial, count)


def assess(layers: Sequence[int], examples: Examples, weights: np.ndarray) -> Assessment:
    """Measure a network of these weights, float ``[W]``, on examples, without training."""
    positions, unused = len(examples.inputs), np.zeros(1, dtype=np.uint64)
    pupil = _network(layers, np.asarray(weights, dtype=np.float64), unused, unused)
    hidden, outputs = (np.zeros((nodes, positions)) for nodes in layers[1:])
    build(show_all)(examples.inputs, pupil, hidden, outputs)
    counts, targets = examples.worth.T > 0.0, examples.targets.T
    missing = np.where(counts, targets - outputs, 0.0)
    greatest = np.where(counts, targets, -1.0).max(axis=0)
    tied = counts & (outputs == np.where(counts, outputs, -1.0).max(axis=0))
    right = (tied & (targets == greatest)).sum(axis=0) / tied.sum(axis=0)
    # Sums go node by node and position by position, so they are the same on every processor.
    slopes = (sum(values * (1.0 - values)) for values in (hidden, outputs))
    slope = sum(slopes) / (len(hidden) + len(outputs))
    sums = (np.cumsum(each)[-1] for each in ((missing * missing).T, right, slope))
    return Assessment(*(float(each / positions) for each in sums))


def _network(
    layers: Sequence[int], weights: np.ndarray, order: np.ndarray, stream: np.ndarray
) -> TrainedNetwork:
    inputs, hidden, outputs = layers
    first, second = np.split(weights, [(inputs + 1) * hidden])
    return TrainedNetwork(_layer(first, hidden), _layer(second, outputs), order, stream)


def _layer(weights: np.ndarray, nodes: int) -> Layer:
    """Return the weights of one layer, the receiving node as the outer index, as in genomes."""
    matrix = np.ascontiguousarray(weights.reshape(nodes, -1).T)
    return Layer(matrix, *np.zeros((2, *matrix.shape)), *np.zeros((2, nodes)))


def _in_order(pupil: TrainedNetwork) -> np.ndarray:
    return np.concatenate([layer.weights.T.ravel() for layer in (pupil.hidden, pupil.outputs)])


# --- kernels -------------------------------------------------------------------------------------


@kernel
def train(examples, pupil, rate, momentum, batch, epochs):
    """Train a network (``pupil``) by showing all positions in each of the epochs.

    The weights change after each ``batch`` positions.
    """
    positions = pupil.order.size
    for _epoch in range(epochs):
        shuffle(pupil.order, pupil.stream)
        for place in range(positions):
            example = pupil.order[place]
            show(examples.inputs, example, pupil)
            blame(examples, example, pupil)
            if (place + 1) % batch == 0 or place + 1 == positions:
                change(pupil.hidden, rate, momentum)
                change(pupil.outputs, rate, momentum)


@kernel
def shuffle(order, stream):
    """Shuffle the array ``order`` in place (Fisher and Yates)."""
    for last in range(order.size - 1, 0, -1):
        other = below(stream, last + 1)
        kept = order[last]
        order[last] = order[other]
        order[other] = kept


@kernel
def show(inputs, example, pupil):
    """Compute the outputs of all nodes of a network at one position.

    They are written into ``values`` of both layers of ``pupil``.
    """
    layer = pupil.hidden
    start(layer)
    for source in range(inputs.shape[1]):
        value = inputs[example, source]
        if value != 0.0:
            add(layer, source, value)
    squash(layer.values)
    after = pupil.outputs
    start(after)
    for source in range(layer.values.size):
        add(after, source, layer.values[source])
    squash(after.values)


@kernel
def show_all(inputs, pupil, hidden, outputs):
    """Compute the outputs of all nodes of a network at every position.

    They are written into ``hidden`` [H, P] and ``outputs`` [O, P].
    """
    for example in range(inputs.shape[0]):
        show(inputs, example, pupil)
        for node in range(hidden.shape[0]):
            hidden[node, example] = pupil.hidden.values[node]
        for node in range(outputs.shape[0]):
            outputs[node, example] = pupil.outputs.values[node]


@kernel
def start(layer):
    """Set the sum of each node of a layer to minus its threshold.

    The input of the threshold is -1 (section 3.2).
    """
    thresholds = layer.weights.shape[0] - 1
    for node in range(layer.values.size):
        layer.values[node] = -layer.weights[thresholds, node]


@kernel
def add(layer, source, value):
    """Add the output of one node, times its weights, to the sums of a layer.

    ``source`` is the number of the node, ``value`` its output.
    """
    for node in range(layer.values.size):
        layer.values[node] += value * layer.weights[source, node]


@kernel
def squash(values):
    """Replace every node's sum by its sigmoid."""
    for node in range(values.size):
        values[node] = sigmoid(values[node])


@kernel
def blame(examples, example, pupil):
    """Add minus half the gradient of the squared error at a position to the network's gradient.

    ``gradient`` of both layers of ``pupil`` changes.

    Errors of the outputs pass back along the weights to the hidden nodes (Winston's beta), each
    times the slope of its sigmoid, ``value * (1 - value)``.
    """
    hidden = pupil.hidden
    outputs = pupil.outputs
    for node in range(outputs.values.size):
        value = outputs.values[node]
        missing = examples.worth[example, node] * (examples.targets[example, node] - value)
        outputs.errors[node] = missing * (value * (1.0 - value))
    hidden.errors[:] = 0.0
    for node in range(outputs.values.size):
        for source in range(hidden.values.size):
            hidden.errors[source] += outputs.weights[source, node] * outputs.errors[node]
    for node in range(hidden.values.size):
        value = hidden.values[node]
        hidden.errors[node] *= value * (1.0 - value)
        ask(outputs, node, value)
    ask(outputs, hidden.values.size, -1.0)
    for source in range(examples.inputs.shape[1]):
        value = examples.inputs[example, source]
        if value != 0.0:
            ask(hidden, source, value)
    ask(hidden, examples.inputs.shape[1], -1.0)


@kernel
def ask(layer, source, value):
    """Add the output of one node, times the errors of a layer, to the layer's ``gradient``.

    ``source`` is the number of the node, ``value`` its output.
    """
    for node in range(layer.errors.size):
        layer.gradient[source, node] += value * layer.errors[node]


@kernel
def change(layer, rate, momentum):
    """Change the weights of a layer by its gradient and momentum, and reset the gradient."""
    for source in range(layer.weights.shape[0]):
        for node in range(layer.weights.shape[1]):
            step = rate * layer.gradient[source, node] + momentum * layer.change[source, node]
            layer.change[source, node] = step
            layer.weights[source, node] += step
            layer.gradient[source, node] = 0.0
