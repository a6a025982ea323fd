"""The genome's encoding, the arithmetic, and which output plays."""

from __future__ import annotations

import math
import random as python_random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.dots_and_boxes import Network, exact_weight, levels_of_genome, library_sigmoid

from tournaments import TournamentError, games
from tournaments.game import Game
from tournaments.kernels import bitset as action_sets
from tournaments.kernels.arithmetic import exp, scaled, sigmoid
from tournaments.kernels.hooks import begin, legal, play, start
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import Stream, below, derived, generator
from tournaments.players.network import Encoding, layers_for
from tournaments.players.network import outputs as network_choice
from tournaments.players.network import play as network
from tournaments.players.network.weights import (
    BLOCK,
    Parameters,
    first_sizes,
    from_weights,
    padded,
)

GAME = games.make("dots-and-boxes")

# --- the encoding --------------------------------------------------------------------------------


def test_the_published_network_takes_4650_bits_in_582_bytes():
    encoding = Encoding(layers_for(GAME))
    assert encoding.layers == (24, 9, 24)
    assert (encoding.num_weights, encoding.num_bits, encoding.num_bytes) == (465, 4650, 582)
    assert encoding.step == 128 / 1023


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    bits=st.integers(1, 16),
    layers=st.lists(st.integers(1, 7), min_size=3, max_size=6),
)
def test_decoded_genomes_encode_to_themselves(seed, bits, layers):
    encoding = Encoding(layers, bits=bits)
    levels = np.random.default_rng(seed).integers(0, 1 << bits, (3, encoding.num_weights))
    text = ["".join(f"{level:0{bits}b}" for level in row) for row in levels]
    padded = [row.ljust(8 * encoding.num_bytes, "0") for row in text]
    genomes = np.array(
        [[int(row[i : i + 8], 2) for i in range(0, len(row), 8)] for row in padded], dtype=np.uint8
    )
    assert np.array_equal(encoding.levels(genomes), levels)
    assert np.array_equal(encoding.encode(encoding.decode(genomes)), genomes)


def test_weights_are_the_1024_even_levels_without_zero():
    encoding = Encoding(layers_for(GAME))
    genome = python_random.Random(4).randbytes(581) + b"\x40"
    levels = levels_of_genome(genome, 465)
    weights = encoding.decode(np.frombuffer(genome, dtype=np.uint8)[None])[0]
    exact = [float(exact_weight(level)) for level in levels]
    assert np.abs(weights - exact).max() < 1e-13
    assert (exact_weight(0), exact_weight(1023)) == (-64, 64)
    assert min(abs(exact_weight(level)) for level in range(1024)) == exact_weight(512)
    assert abs(float(exact_weight(512)) - 0.0626) < 1e-4


def test_the_six_unused_bits_are_zero_and_unread():
    encoding = Encoding(layers_for(GAME))
    genomes = encoding.encode(np.full((1, 465), 64.0))
    assert genomes[0, -1] == 0b11000000
    changed = genomes.copy()
    changed[0, -1] |= 0b00111111
    assert np.array_equal(encoding.decode(changed), encoding.decode(genomes))


def test_weights_take_their_nearest_level():
    encoding = Encoding((1, 1, 1))
    decoded = encoding.decode(encoding.encode(np.array([[0.01, -1000.0, 1000.0, 5.0]])))[0]
    assert np.abs(decoded - [0.0626, -64.0, 64.0, 5.0]).max() <= encoding.step / 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: Encoding((24, 24)),
        lambda: Encoding((24, 9, 0, 24)),
        lambda: Encoding((24, 0, 24)),
        lambda: Encoding((24, 9, 24), bits=0),
        lambda: Encoding((24, 9, 24), bits=17),
        lambda: Encoding((24, 9, 24), low=1.0, high=1.0),
        lambda: Encoding((24, 9, 24)).decode(np.zeros((2, 581), dtype=np.uint8)),
        lambda: Encoding((24, 9, 24)).encode(np.zeros((2, 464))),
        lambda: Encoding((24, 9, 24)).encode(np.full((2, 465), np.inf)),
    ],
)
def test_what_is_no_encoding_is_refused(make):
    with pytest.raises(TournamentError, match=r"expected|must|takes|cannot"):
        make()


# --- arithmetic ----------------------------------------------------------------------------------


@given(st.integers(1, 32767).flatmap(lambda most: st.tuples(st.integers(0, most), st.just(most))))
def test_counts_are_scaled_to_what_networks_may_be_shown(pair):
    count, most = pair
    exact = Fraction(16 * count, most)
    for shown in (scaled(np.int16(count), most), build(scaled)(np.int16(count), most)):
        assert 0 <= shown <= 16
        assert abs(shown - exact) <= Fraction(1, 2)


@kernel
def many_exponentials(x, powers, sigmoids):
    for index in range(x.size):
        powers[index] = exp(x[index])
        sigmoids[index] = sigmoid(x[index])


def exponentials(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    powers, sigmoids = np.zeros(x.size), np.zeros(x.size)
    build(many_exponentials)(x, powers, sigmoids)
    return powers, sigmoids


EDGES = [0.0, -0.0, 1e-300, 5e-324, 709.78, -708.4, -745.0, 36.7368, 36.7369, 0.5 * math.log(2)]


def some_numbers(count: int) -> np.ndarray:
    rng = generator(0, "numbers")
    parts = [
        rng.uniform(-745, 709.78, count),
        rng.uniform(-40, 40, count),
        rng.normal(0, 1e-3, count),
        np.rint(rng.uniform(-1000, 1000, count)) * math.log(2) / 2,
        np.array(EDGES),
    ]
    return np.clip(np.concatenate(parts), -745.1, 709.78)


def test_the_exponential_is_within_a_unit_in_the_last_place_of_the_library():
    x = some_numbers(20_000)
    powers, sigmoids = exponentials(x)
    for given_x, power, share in zip(x.tolist(), powers.tolist(), sigmoids.tolist(), strict=True):
        wanted = math.exp(given_x)
        assert abs(power - wanted) <= 1.5 * math.ulp(wanted)
        wanted = library_sigmoid(given_x)
        assert abs(share - wanted) <= 3 * math.ulp(wanted)


def test_the_exponential_ends_as_float64_does():
    powers, sigmoids = exponentials(np.array([710.0, 1e9, np.inf, -745.2, -1e9, -np.inf]))
    assert powers.tolist() == [np.inf] * 3 + [0.0] * 3
    assert sigmoids.tolist() == [1.0] * 3 + [0.0] * 3
    assert exponentials(np.array([36.74, 0.0]))[1].tolist() == [1.0, 0.5]
    assert exponentials(np.array([36.73]))[1][0] < 1.0
    assert exponentials(np.array([-709.0]))[1][0] > 0.0


def test_compiled_and_readable_exponentials_have_the_same_bits():
    x = some_numbers(2_000)
    powers, sigmoids = exponentials(x)
    with np.errstate(over="ignore", under="ignore"):
        assert powers.tolist() == [float(exp(np.float64(v))) for v in x]
        assert sigmoids.tolist() == [float(sigmoid(np.float64(v))) for v in x]


# --- which output plays --------------------------------------------------------------------------


@kernel
def slow_highest(scores, legal, count, keep):
    """The set of legal actions whose sigmoid is the highest, all sigmoids computed."""
    best = -1.0
    for place in range(count):
        best = max(best, sigmoid(scores[legal[place]]))
    for index in range(keep.size):
        keep[index] = np.uint64(0)
    total = 0
    for place in range(count):
        if sigmoid(scores[legal[place]]) == best:
            keep[legal[place] // 32] |= np.uint64(1) << np.uint64(legal[place] % 32)
            total += 1
    return total


@kernel
def differs(scores, legal, count, keep, memory):
    """Whether ``highest`` finds other actions than the slow way; ``scores`` are put in lane 0."""
    total = slow_highest(scores, legal, count, keep)
    top = -np.inf
    for place in range(count):
        top = max(top, scores[legal[place]])
    memory.tops[0] = top
    for output in range(scores.size):
        memory.scores[0, output] = scores[output]
    if network_choice.highest(memory, 0) != total:
        return 1
    for index in range(keep.size):
        if keep[index] != memory.candidates[0, index]:
            return 1
    return 0


@kernel
def audit_scores(rows, legal, keep, memory):
    """How many rows of sums, ``[M, O']``, are ranked otherwise by the quick way."""
    wrong = 0
    for place in range(legal.size):
        memory.legal[0, legal[place] // 32] |= np.uint64(1) << np.uint64(legal[place] % 32)
    for row in range(rows.shape[0]):
        wrong += differs(rows[row], legal, legal.size, keep, memory)
    return wrong


@kernel
def audit_games(board, state, parameters, memory, stream, keep, listed, games, counts):
    """Networks of all rows play random opponents; every position that they face is audited.

    Fills ``counts``: positions, those ranked otherwise, those with equal highest outputs, and how
    many outputs were equal in these.
    """
    for row in range(parameters.first.shape[0]):
        for game in range(games):
            stream[0] = derived(np.uint64(row), game, 0)
            start(board, state, stream[0])
            begin(board, state, parameters, row, memory)
            while state[0] >= 0:
                count = legal(board, state, listed)
                action = np.int64(listed[below(stream, count)])
                if state[0] == game % 2:
                    network_choice.activate(parameters, memory, 0, 0)
                    network_choice.output_sums(parameters.later, row, memory, 0)
                    top = memory.tops[0]
                    counts[0] += 1
                    counts[1] += differs(memory.scores[0], listed, count, keep, memory)
                    counts[1] += top != memory.tops[0]
                    equal = action_sets.size(memory.candidates[0])
                    action = action_sets.nth(memory.candidates[0], below(stream, equal))
                    if equal > 1:
                        counts[2] += 1
                        counts[3] += equal
                play(board, state, action)
                network.watch(board, state, action, parameters, row, memory)


def audited(game, parameters, matches: int) -> np.ndarray:
    memory = network.memory(game, parameters)
    stream, keep = np.zeros(1, dtype=np.uint64), action_sets.empty(game.num_actions)
    listed = np.zeros(game.num_actions, dtype=np.int16)
    counts = np.zeros(4, dtype=np.int64)
    run = build(audit_games, {**game.hooks, "begin": network.begin})
    state = np.zeros(game.state_size, dtype=np.int16)
    run(game.board, state, parameters, memory, stream, keep, listed, 2 * matches, counts)
    return counts


SPREADS = [
    (29.99, 0.06),
    (30.0, 0.05),
    (15.0, 0.05),
    (33.0, 1.3),
    (36.7368, 1e-4),
    (36.73680056967711, 1e-13),
    (0.0, 800.0),
    (0.0, 40.0),
    (0.0, 1e-6),
    (15.0, 1e-6),
    (20.0, 1e-6),
    (30.0, 1e-3),
    (34.0, 3.0),
    (36.2, 0.6),
    (36.74, 1e-3),
    (37.0, 1.0),
    (-36.0, 1e-13),
    (-700.0, 12.0),
    (-745.0, 30.0),
    (-709.0, 1e-5),
]


@pytest.mark.parametrize(("middle", "spread"), SPREADS)
def test_equal_outputs_are_those_of_all_sigmoids_for_any_sums(middle, spread):
    rng = generator(1, f"sums {middle} {spread}")
    rows = rng.uniform(middle - spread, middle + spread, (60_000, 6))
    rows[::3] = np.round(rows[::3], 3)
    memory = network.memory(GAME, genomes_of("random", GAME, 1))
    scores = np.full((len(rows), 32), 1e300)  # of illegal actions, which must not matter
    places = np.array([0, 1, 7, 8, 22, 23], dtype=np.int16)
    scores[:, places] = rows
    assert build(audit_scores)(scores, places, action_sets.empty(24), memory) == 0


def genomes_of(kind: str, game, count: int) -> Parameters:
    encoding = Encoding(layers_for(game))
    rng = generator(2, kind)
    uniform = rng.uniform(-64, 64, (count, encoding.num_weights))
    weights = {
        "random": uniform,
        "extreme": np.where(uniform > 0, 64.0, -64.0),
        "small": uniform / 100,
        "mixed": uniform * rng.choice([1.0, 0.2, 0.02], uniform.shape),
    }[kind]
    return encoding.parameters(encoding.encode(weights))


@pytest.mark.parametrize(
    "size", [3, *(pytest.param(size, marks=pytest.mark.slow) for size in (5, 10))]
)
@pytest.mark.parametrize("kind", ["random", "extreme", "small", "mixed"])
def test_equal_outputs_are_those_of_all_sigmoids_in_play(kind, size):
    game = games.make("dots-and-boxes", rows=size, cols=size)
    positions, wrong, *_ = audited(game, genomes_of(kind, game, 60), {3: 100, 5: 20, 10: 2}[size])
    assert positions > 10_000
    assert wrong == 0


@pytest.mark.slow
def test_equal_outputs_are_those_of_all_sigmoids_for_large_real_weights():
    encoding = Encoding(layers_for(GAME))
    for scale in (0.1, 200.0, 5_000.0):
        weights = generator(3, "real").normal(0, scale, (40, encoding.num_weights))
        parameters = from_weights(encoding.layers, np.clip(weights, -5_242, 5_242))
        assert audited(GAME, parameters, 50)[1] == 0


def test_random_networks_face_ties_as_often_as_known():
    """Against level 0 the highest output is shared on 57% of moves; 3.4 outputs have it a move."""
    positions, wrong, tied, outputs = audited(GAME, genomes_of("random", GAME, 1000), 30)
    assert positions > 500_000
    assert wrong == 0
    assert abs(tied / positions - 0.57) < 0.02
    assert abs((outputs + positions - tied) / positions - 3.4) < 0.15


@pytest.mark.parametrize("kind", ["random", "extreme", "small", "mixed"])
def test_moves_are_those_of_exact_sums_and_plain_loops(kind):
    """Read bit by bit, hidden sums as fractions: the same set of highest outputs."""
    rng = python_random.Random(5)
    layers = (7, 2, 7)
    game = games.make("dots-and-boxes", rows=1, cols=2)
    encoding = Encoding(layers_for(game))
    assert encoding.layers == layers
    for number in range(12):
        genome = encoding.encode(np.array([weights_like(kind, rng, encoding)]))[0].tobytes()
        slow = Network(levels_of_genome(genome, encoding.num_weights), layers)
        player = Encoding(layers_for(game)).player(game, [genome], "network")
        state, stream = game.start(), Stream(number)
        while not state.is_over:
            inputs = [int(edge not in state.legal_actions()) for edge in range(7)]
            with np.errstate(over="ignore"):
                expected = slow.moves(inputs, state.legal_actions(), sigmoid_of)
            chosen = {player.choose(state, stream) for _ in range(12 * len(expected))}
            assert chosen == set(expected)
            state.play(rng.choice(state.legal_actions()))


def weights_like(kind: str, rng: python_random.Random, encoding: Encoding) -> list[float]:
    scale = {"small": 0.5}.get(kind, 64.0)
    drawn = [rng.uniform(-scale, scale) for _ in range(encoding.num_weights)]
    if kind == "extreme":
        return [math.copysign(64.0, weight) for weight in drawn]
    return [weight * rng.choice([1, 0.1]) for weight in drawn] if kind == "mixed" else drawn


def sigmoid_of(x: float) -> float:
    return float(sigmoid(np.float64(x)))


def test_sums_and_outputs_are_those_of_fractions_and_plain_loops_to_the_last_bit():
    """Whether a hidden sum was followed move by move or added up anew."""
    rng = python_random.Random(7)
    encoding = Encoding(layers_for(GAME))
    genome = rng.randbytes(581) + b"\x80"
    slow = Network(levels_of_genome(genome, 465), encoding.layers)
    parameters = encoding.parameters(np.frombuffer(genome, dtype=np.uint8)[None])
    followed, anew = network.memory(GAME, parameters), network.memory(GAME, parameters)
    begin_here = build(network.begin, GAME.hooks, compiled=False)
    watch_here = build(network.watch, GAME.hooks, compiled=False)
    state = GAME.start()
    begin_here(GAME.board, state.array, parameters, 0, followed)
    while not state.is_over:
        action = rng.choice(state.legal_actions())
        state.play(action)
        watch_here(GAME.board, state.array, action, parameters, 0, followed)
        begin_here(GAME.board, state.array, parameters, 0, anew)
        inputs = [int(edge not in state.legal_actions()) for edge in range(24)]
        wholes = [exact / Fraction(64, 1023) for exact in slow.exact_hidden_sums(inputs)]
        assert followed.sums[0, 0, :9].tolist() == anew.sums[0, 0, :9].tolist() == wholes
        with np.errstate(over="ignore"):
            network_choice.activate(parameters, followed, 0, 0)
            network_choice.output_sums(parameters.later, 0, followed, 0)
            expected = slow.outputs(inputs, sigmoid_of)
            scores = followed.scores[0, :24]
            assert [sigmoid_of(score) for score in scores] == list(expected)
            legal = state.legal_actions()
            assert followed.tops[0] == max(scores[legal], default=-np.inf)
            assert action_sets.members(followed.legal[0]) == legal


def test_published_size_networks_agree_with_exact_sums():
    rng = python_random.Random(6)
    encoding = Encoding(layers_for(GAME))
    for number in range(6):
        genome = rng.randbytes(581) + b"\xc0"
        slow = Network(levels_of_genome(genome, 465), encoding.layers)
        player = Encoding(layers_for(GAME)).player(GAME, [genome], "network")
        state, stream = GAME.start(), Stream(number)
        while not state.is_over:
            inputs = [int(edge not in state.legal_actions()) for edge in range(24)]
            with np.errstate(over="ignore"):
                expected = slow.moves(inputs, state.legal_actions(), sigmoid_of)
            assert player.choose(state, stream) in expected
            state.play(rng.choice(state.legal_actions()))


def test_hidden_sums_of_the_largest_real_weights_are_exact():
    """They do not depend on the order in which edges were drawn."""
    game = games.make("dots-and-boxes", rows=5, cols=5)
    layers = layers_for(game)
    largest = 2.0**21 / (16 * layers[0] + 1)
    weights = np.full(Encoding(layers).num_weights, largest - 2.0**-32)
    from_weights(layers, weights)
    with pytest.raises(TournamentError, match="within"):
        from_weights(layers, weights + 1.0)


def test_an_uneven_range_of_weights_is_taken():
    encoding = Encoding(layers_for(GAME), bits=8, low=-1.0, high=3.0)
    genomes = generator(0, "uneven").integers(0, 256, (4, encoding.num_bytes), dtype=np.uint8)
    parameters = encoding.parameters(genomes)
    assert audited(GAME, parameters, 20)[1] == 0
    hidden = np.asarray(parameters.first).reshape(4, 25, -1)[:, :, :9] * parameters.unit
    expected = encoding.decode(genomes)[:, : 25 * 9].reshape(4, 9, 25).transpose(0, 2, 1)
    assert np.abs(hidden - expected).max() < 2.0**-32


# --- weights as the kernels take them ------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    bits=st.integers(1, 16),
    layers=st.tuples(st.integers(1, 7), st.integers(1, 20), st.integers(1, 70)),
)
def test_parameters_hold_the_weights_that_genomes_decode_to(seed, bits, layers):
    """Read back node by node, in the order of the encoding."""
    encoding = Encoding(layers, bits=bits)
    rng = np.random.default_rng(seed)
    genomes = rng.integers(0, 256, (3, encoding.num_bytes), dtype=np.uint8)
    levels, weights = encoding.levels(genomes), encoding.decode(genomes)
    parameters = encoding.parameters(genomes)
    inputs, hidden, outputs = layers
    (sums, nodes), lanes = first_sizes(layers[1]), padded(layers[2], BLOCK)
    first = parameters.first.reshape(3, inputs + 1, sums)
    blocks = parameters.later[:, lanes:].reshape(3, lanes // 32, nodes, 32)
    split = (inputs + 1) * hidden
    for row in range(3):
        whole = [first[row, index, node] for node in range(hidden) for index in range(inputs + 1)]
        assert whole == (2 * levels[row, :split] - (1 << bits) + 1).tolist()
        real = []
        for output in range(outputs):
            real += blocks[row, output // 32, :hidden, output % 32].tolist()
            real.append(-parameters.later[row, output])
        assert real == weights[row, split:].tolist()
    assert not first[:, :, hidden:].any()
    assert not blocks[:, :, hidden:].any()


@pytest.mark.parametrize(("bits", "high"), [(10, 64.0), (1, 64.0), (12, 64.0), (5, 1.0), (8, 1e4)])
def test_a_table_holds_the_sigmoids_of_all_hidden_sums(bits, high):
    encoding = Encoding((24, 9, 24), bits=bits, low=-high, high=high)
    genome = np.zeros((1, encoding.num_bytes), dtype=np.uint8)
    parameters = encoding.parameters(genome)
    wholes = parameters.lowest + np.arange(parameters.sigmoids.size)
    with np.errstate(over="ignore"):
        computed = [sigmoid_of(float(whole) * parameters.unit) for whole in wholes]
        outside = [sigmoid_of(whole * parameters.unit) for whole in (-(2.0**31), 2.0**31)]
    assert parameters.sigmoids.tolist() == computed
    assert outside == [computed[0], computed[-1]] == [0.0, 1.0]


@pytest.mark.parametrize(
    ("bits", "high", "kind"), [(16, 64.0, np.int32), (10, 0.5, np.int32), (10, 64.0, np.int32)]
)
def test_grids_with_and_without_a_table_play_alike(bits, high, kind):
    """A table is left out where it would be large; the moves are those of computed sigmoids."""
    encoding = Encoding(layers_for(GAME), bits=bits, low=-high, high=high)
    genomes = generator(9, "fine").integers(0, 256, (5, encoding.num_bytes), dtype=np.uint8)
    parameters = encoding.parameters(genomes)
    assert parameters.first.dtype == kind
    wide = parameters._replace(
        first=parameters.first.astype(np.float64), sigmoids=np.zeros(0), lowest=0
    )
    assert np.array_equal(audited(GAME, parameters, 40), audited(GAME, wide, 40))


def test_sums_that_may_pass_32_bits_are_kept_as_float64():
    encoding = Encoding((2_100, 1, 3), bits=16)
    genome = np.full((1, encoding.num_bytes), 255, dtype=np.uint8)
    parameters = encoding.parameters(genome)
    assert parameters.first.dtype == np.float64
    assert parameters.first[0, 0] == 65_535
    assert parameters.sigmoids.size == 0


def test_weights_whose_sums_overflow_are_refused():
    encoding = Encoding((2, 3, 2), low=-1e308, high=1e308)
    with pytest.raises(TournamentError, match="overflow"):
        encoding.parameters(np.zeros((1, encoding.num_bytes), dtype=np.uint8))


def test_saturation_begins_at_the_very_number():
    one = network_choice.SATURATED
    ulp = math.ulp(one)
    assert all(sigmoid_of(one + k * ulp) == 1.0 for k in range(3_000))
    assert all(sigmoid_of(one - k * ulp) < 1.0 for k in range(1, 3_000))


@pytest.mark.slow
def test_a_game_that_offers_a_list_alone_is_played_alike():
    """Legal actions noted from the list and as the set that the game offers."""
    parameters = genomes_of("mixed", GAME, 20)
    assert GAME.rules.network is not None
    network = replace(GAME.rules.network, encode_change=None)
    rules = replace(GAME.rules, sets=None, network=network)
    plain = Game(rules, GAME.options)
    assert plain.hooks["note_legal"] is not GAME.hooks["note_legal"]
    assert np.array_equal(audited(GAME, parameters, 50), audited(plain, parameters, 50))
