"""Back-propagation: its gradients, its rule, and that nothing but its arguments decides."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import backpropagation as naive

from evo.studies.training import backpropagation
from evo.studies.training.backpropagation import (
    Examples,
    UpdateRule,
    assess,
    first_weights,
    trained,
)
from evo.studies.training.curve import train_all
from tournaments.kernels.linker import build
from tournaments.kernels.rng import Stream, generator, stream_key

SIZES = st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(1, 5))


def some(layers, positions: int, seed: int) -> Examples:
    """Examples with inputs and targets of 0 and 1, an output of each counting for nothing."""
    rng = generator(seed, "examples")
    inputs, targets = (rng.integers(0, 2, (positions, size)) * 1.0 for size in layers[::2])
    worth = rng.integers(0, 3, targets.shape) * 1.0
    worth[:, 0] = 0.0
    worth[:, -1] = 1.0
    return Examples(inputs, targets, worth)


def size_of(layers) -> int:
    inputs, hidden, outputs = layers
    return (inputs + 1) * hidden + (hidden + 1) * outputs


def last_of(layers, examples, rule, epochs: int, seed: int = 1, index: int = 0) -> np.ndarray:
    (weights,) = trained(layers, examples, rule, [epochs], seed, index)
    return weights


@settings(max_examples=30)
@given(layers=SIZES, positions=st.integers(1, 6), seed=st.integers(0, 2**32))
def test_a_change_is_down_the_gradient_of_half_the_squared_error(layers, positions, seed):
    """By central differences of the naive network's error, over a whole set at once."""
    examples, rule = some(layers, positions, seed), UpdateRule(1.0, batch=0, initial=2.0)
    first = first_weights(size_of(layers), rule, seed, 0)
    changed = last_of(layers, examples, rule, 1, seed) - first

    def error(weights) -> float:
        net = naive.split(weights.tolist(), layers)
        rows = zip(*(table.tolist() for table in examples), strict=True)
        return sum(naive.half_error(net, *row) for row in rows)

    for number in range(len(first)):
        step = np.zeros(len(first))
        step[number] = 1e-5
        slope = (error(first + step) - error(first - step)) / 2e-5
        assert changed[number] == pytest.approx(-slope, rel=1e-4, abs=1e-8)


@settings(max_examples=30)
@given(
    layers=SIZES,
    positions=st.integers(1, 7),
    seed=st.integers(0, 2**32),
    rate=st.floats(0.01, 2),
    momentum=st.sampled_from([0.0, 0.5, 0.9]),
    batch=st.integers(0, 8),
)
def test_epochs_are_those_of_the_slow_one(layers, positions, seed, rate, momentum, batch):
    examples, rule = some(layers, positions, seed), UpdateRule(rate, momentum, batch)
    weights = first_weights(size_of(layers), rule, seed, 3)
    last, order = np.zeros(len(weights)), list(range(positions))
    stream = Stream(int(stream_key(seed, "order of positions", 0, 3)[0]))
    tables = [table.tolist() for table in examples]
    for _ in range(3):
        for place in range(positions - 1, 0, -1):
            other = stream.below(place + 1)
            order[place], order[other] = order[other], order[place]
        weights, last = naive.epoch(
            weights, last, layers, tables, order, rate, momentum, batch or positions
        )
    made = last_of(layers, examples, rule, 3, seed, 3)
    np.testing.assert_allclose(made, weights, rtol=1e-9, atol=1e-12)


def test_what_counts_for_nothing_changes_nothing():
    layers, rule = (6, 4, 5), UpdateRule(0.5, 0.9)
    examples = some(layers, 12, 1)
    changed = examples._replace(targets=np.where(examples.worth > 0, examples.targets, 7.0))
    made = [last_of(layers, one, rule, 4) for one in (examples, changed)]
    assert (examples.worth == 0).any()
    assert made[0].tobytes() == made[1].tobytes()
    weighed = examples._replace(worth=2 * examples.worth)
    assert made[0].tobytes() != last_of(layers, weighed, rule, 4).tobytes()


def test_a_pause_changes_nothing():
    layers, rule = (6, 4, 5), UpdateRule(0.3, 0.5, 5)
    examples = some(layers, 12, 2)
    start, *_, end = trained(layers, examples, rule, [0, 2, 3, 7], seed=4, index=1)
    assert start.tobytes() == first_weights(size_of(layers), rule, 4, 1).tobytes()
    assert end.tobytes() == last_of(layers, examples, rule, 7, 4, 1).tobytes()


def test_the_compiled_kernel_and_the_readable_one_agree_to_the_bit(monkeypatch):
    layers, rule = (24, 9, 24), UpdateRule(0.2, 0.5, 3, 4.0)
    examples = some(layers, 8, 5)
    made = last_of(layers, examples, rule, 2), assess(layers, examples, np.full(465, 0.25))
    monkeypatch.setattr(backpropagation, "build", lambda entry: build(entry, compiled=False))
    with np.errstate(over="ignore"):
        slow = last_of(layers, examples, rule, 2), assess(layers, examples, np.full(465, 0.25))
    assert made[0].tobytes() == slow[0].tobytes()
    assert made[1] == slow[1]


def test_networks_do_not_depend_on_the_threads_beside_them():
    layers, rule = (24, 9, 24), UpdateRule(0.1)
    sets = [some(layers, 60, seed) for seed in (1, 2)]
    examples = [sets[number % 2] for number in range(5)]
    one, seconds = train_all(layers, examples, rule, [0, 3, 20], seed=9, threads=1)
    three, _ = train_all(layers, examples, rule, [0, 3, 20], seed=9, threads=3)
    assert (one.shape, one.dtype) == ((5, 3, 465), np.float32)
    assert one.tobytes() == three.tobytes()
    assert seconds > 0
    assert len({row.tobytes() for row in one[:, 2]}) == 5
    alone = last_of(layers, sets[1], rule, 20, 9, 3)
    assert np.array_equal(one[3, 2], alone.astype(np.float32))


@settings(max_examples=30)
@given(layers=SIZES, positions=st.integers(1, 6), seed=st.integers(0, 2**32))
def test_an_assessment_is_what_the_slow_network_does(layers, positions, seed):
    examples = some(layers, positions, seed)
    weights = generator(seed, "weights").normal(0, 2, size_of(layers))
    found = assess(layers, examples, weights)
    first, second = naive.split(weights.tolist(), layers)
    errors, hits, slopes = [], [], []
    for inputs, targets, worth in zip(*(table.tolist() for table in examples), strict=True):
        hidden = naive.layer_outputs(first, inputs)
        outputs = naive.layer_outputs(second, hidden)
        counted = [place for place, much in enumerate(worth) if much > 0]
        errors.append(sum((targets[place] - outputs[place]) ** 2 for place in counted))
        highest = max(outputs[place] for place in counted)
        best = [place for place in counted if outputs[place] > highest - 1e-12]
        greatest = max(targets[place] for place in counted)
        hits.append(np.mean([targets[place] == greatest for place in best]))
        slopes.append(np.mean([value * (1 - value) for value in hidden + outputs]))
    expected = np.mean([errors, hits, slopes], axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
