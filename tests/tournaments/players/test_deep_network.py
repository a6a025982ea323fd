"""Networks of any layers: the same moves as plain loops, and as players, files and runs."""

from __future__ import annotations

import json
import random as python_random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naive.dots_and_boxes import Network, levels_of_genome

import evo
from evo.cli.main import main
from evo.config import config as configuration
from evo.evaluation.players import named
from results import open_run
from tournaments import TournamentError, games, players
from tournaments.arena import match
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants, Genomes
from tournaments.contract import check_player
from tournaments.errors import ConfigError
from tournaments.kernels import bitset as action_sets
from tournaments.kernels.arithmetic import sigmoid
from tournaments.kernels.linker import build
from tournaments.kernels.rng import generator, match_seeds
from tournaments.player import identity
from tournaments.players.network import Encoding, layers_for
from tournaments.players.network import play as network
from tournaments.players.network.weights import from_weights

GAME = games.make("dots-and-boxes")
SMALL = games.make("dots-and-boxes", rows=1, cols=2)
HIDDEN = st.lists(st.integers(1, 20), min_size=2, max_size=4).map(tuple)


def sigmoid_of(x: float) -> float:
    with np.errstate(over="ignore"):
        return float(sigmoid(np.float64(x)))


def genomes_of(encoding: Encoding, count: int, seed: int, scale: float = 64.0) -> np.ndarray:
    weights = generator(seed, "genomes").uniform(-scale, scale, (count, encoding.num_weights))
    return encoding.encode(np.clip(weights, -64, 64))


# --- the same moves ------------------------------------------------------------------------------


@settings(max_examples=30)
@example(hidden=(12, 13), scale=64.0, seed=4, plies=4)  # the second best is a sigmoid, too
@given(
    hidden=HIDDEN,
    scale=st.sampled_from([1.0, 64.0, 1e4]),
    seed=st.integers(0, 2**32),
    plies=st.integers(0, 6),
)
def test_outputs_and_moves_are_those_of_fractions_and_plain_loops(hidden, scale, seed, plies):
    """To the last bit, whether the first sums were followed move by move or added up anew."""
    encoding = Encoding(layers_for(SMALL, hidden))
    genome = genomes_of(encoding, 1, seed, scale)
    slow = Network(levels_of_genome(genome.tobytes(), encoding.num_weights), encoding.layers)
    kind, parameters = (
        network.kind_of(encoding.layers),
        encoding.parameters(genome),
    )
    hooks, memory = SMALL.hooks, kind.memory(SMALL, parameters)
    watch, find = (build(part, hooks, compiled=False) for part in (kind.watch, kind.candidates))
    state, words, draw = SMALL.start(), action_sets.empty(7), python_random.Random(seed)
    build(kind.begin, hooks, compiled=False)(SMALL.board, state.array, parameters, 0, memory)
    for _ in range(plies):
        action = draw.choice(state.legal_actions())
        state.play(action)
        watch(SMALL.board, state.array, action, parameters, 0, memory)
    shown = [int(edge not in state.legal_actions()) for edge in range(7)]
    with np.errstate(over="ignore"):
        count = find(SMALL.board, state.array, parameters, 0, memory, words)
        expected = slow.moves(shown, state.legal_actions(), sigmoid_of)
    assert (count, action_sets.members(words)) == (len(expected), expected)
    outputs = slow.outputs(shown, sigmoid_of)
    for edge, score in enumerate(memory.scores[0, :7]):  # sigmoids by now where sums were near
        assert outputs[edge] in (score, sigmoid_of(score))


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    bits=st.integers(1, 16),
    layers=st.lists(st.integers(1, 40), min_size=4, max_size=6).map(tuple),
)
def test_parameters_hold_the_weights_that_genomes_decode_to(seed, bits, layers):
    """Read back node by node; real weights that are the genome's stand in the same places."""
    encoding = Encoding(layers, bits=bits)
    genomes = generator(seed, "genomes").integers(0, 256, (2, encoding.num_bytes), dtype=np.uint8)
    levels, weights = encoding.levels(genomes), encoding.decode(genomes)
    held = encoding.parameters(genomes)
    split = (layers[0] + 1) * layers[1]
    sums = held.first.reshape(2, layers[0] + 1, -1)
    for row in range(2):
        whole = [
            sums[row, index, node] for node in range(layers[1]) for index in range(layers[0] + 1)
        ]
        assert whole == (2 * levels[row, :split] - (1 << bits) + 1).tolist()
        real, rest = [], held.later[row]
        for inputs, nodes in pairwise(layers[1:]):
            block, rest = (
                rest[: (inputs + 1) * nodes].reshape(inputs + 1, nodes),
                rest[(inputs + 1) * nodes :],
            )
            real += np.column_stack([block[1:].T, -block[0]]).ravel().tolist()
        assert rest.size == 0
        assert real == weights[row, split:].tolist()
    again = from_weights(layers, weights)
    assert np.array_equal(again.later, held.later)
    assert np.abs(again.first * again.unit - held.first * held.unit).max() <= 2.0**-33


@pytest.mark.parametrize("hidden", [(12, 12), (5, 30, 7)])
def test_compiled_games_are_those_played_move_by_move(hidden):
    encoding = Encoding(layers_for(GAME, hidden))
    population = Genomes(encoding, genomes_of(encoding, 3, 5))
    entrants = Entrants(GAME, (players.make("level-0", GAME),), (population,))
    pairs = np.array([[0, 1], [1, 2], [2, 2], [2, -1], [-1, 0]], dtype=np.int32)
    seeds = match_seeds(4, "games", 0, len(pairs))
    readable = [
        match.play_match(GAME, entrants.player(a), entrants.player(b), int(seed))
        for (a, b), seed in zip(pairs.tolist(), seeds, strict=True)
    ]
    assert np.array_equal(play_pairs(entrants, pairs, seeds), readable)


def test_three_layers_of_any_number_of_hidden_nodes_keep_the_fast_kernels():
    for hidden in (1, 9, 10, 40):
        layers = layers_for(GAME, (hidden,))
        encoding = Encoding(layers)
        assert network.kind_of(layers) is network.KIND
        network.KIND.memory(GAME, encoding.parameters(genomes_of(encoding, 2, 1)))
    assert network.kind_of((24, 9, 9, 24)).name == "network"


def test_networks_of_another_board_are_refused():
    for hidden in ((9,), (9, 9)):
        encoding = Encoding(layers_for(GAME, hidden))
        parameters = encoding.parameters(genomes_of(encoding, 1, 1))
        with pytest.raises(TournamentError, match="takes networks of 7 inputs and 7 outputs"):
            network.kind_of(encoding.layers).memory(SMALL, parameters)


# --- by name, and from files ---------------------------------------------------------------------


def test_a_deep_network_keeps_the_contract_and_has_one_identity():
    encoding = Encoding(layers_for(SMALL, (3, 4)))
    genome = genomes_of(encoding, 1, 8)
    by_genome = encoding.player(SMALL, [genome.tobytes()], "network")
    by_weights = players.make("network", SMALL, weights=encoding.decode(genome)[0], hidden="3+4")
    check_player(by_genome, SMALL, games=4)
    assert identity(by_genome) == identity(by_weights)


def test_files_play_where_their_layers_are_known(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    layers = layers_for(GAME, (18, 9))
    encoding = Encoding(layers)
    weights = encoding.decode(genomes_of(encoding, 1, 9))[0]
    np.save("deep.npy", weights)
    Path("deep.json").write_text(json.dumps({"layers": layers, "weights": weights.tolist()}))
    by_file, by_option = "deep.json", "network:weights=deep.npy,hidden=18+9"
    assert len({identity(players.make(spec, GAME)) for spec in (by_file, by_option)}) == 1
    told = players.make("network:weights=deep.json,hidden=18+9", GAME)
    assert named(by_file, GAME)[0] == named("network:weights=deep.json,hidden=18+9", GAME)[0]
    assert identity(told) == identity(players.make(by_option, GAME))
    with pytest.raises(TournamentError, match=r"861 weights given; a 24-9-24 .*hidden=18\+9"):
        players.make("deep.npy", GAME)


WRONG = {
    "other-layers": ({"layers": [24, 9, 18, 24]}, "hidden=18+9", "24-9-18-24 network"),
    "another-board": ({"layers": [12, 9, 12]}, "", "24-9-24, or other hidden layers between"),
    "layers-that-are-no-list": ({"layers": 3}, "", "layers, whole numbers, and weights"),
    "no-layers": ({"layer": [24, 9, 24]}, "", "'layer, weights' given"),
    "too-few": ({"layers": [24, 9, 24]}, "", "3 weights given; a 24-9-24 network"),
    "no-text": ({"layers": [24, 9, 24]}, "hidden=9-9", "hidden='9-9' given"),
    "no-node": ({"layers": [24, 9, 24]}, "hidden=9+0", "hidden=[9, 0] given"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_layers_that_do_not_fit_are_refused(mistake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content, option, expected = WRONG[mistake]
    Path("w.json").write_text(json.dumps({**content, "weights": [1.0, 2.0, 3.0]}))
    with pytest.raises(TournamentError) as refused:
        players.make(",".join(filter(None, ["network:weights=w.json", option])), GAME)
    assert expected in str(refused.value)
    assert "\n" not in str(refused.value)


# --- runs ----------------------------------------------------------------------------------------

DEEP = {"game": "dots-and-boxes:rows=1,cols=2", "genome": {"hidden": [5, 3]}}
SETTINGS = {**DEEP, "scheme": "round-robin", "population": 6, "seed": 2, "threads": 1}


def test_a_deep_run_resumes_decodes_and_exports_what_plays(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    evo.run("whole", generations=4, snapshot_interval=2, **SETTINGS)
    evo.run("parts", generations=2, snapshot_interval=2, **SETTINGS)
    run = evo.resume("parts", generations=4, threads=1)
    last = "snapshots/generation-000004.parquet"
    assert Path("whole", last).read_bytes() == Path("parts", last).read_bytes()
    assert run.genome["layers"] == [7, 5, 3, 7]
    weights = open_run("parts").weights(4)
    packed = np.stack([np.frombuffer(row, np.uint8) for row in run.population(4)["genome"]])
    assert np.array_equal(weights, Encoding((7, 5, 3, 7)).decode(packed))
    for file, spec in (("c.json", "c.json"), ("c.npy", "network:weights=c.npy,hidden=5+3")):
        assert main(["export", "parts", file]) == 0
        said = capsys.readouterr().out
        assert "of a 7-5-3-7 network of individual" in said
        assert said.rstrip().endswith(f"; plays as {spec}")
        player = players.make(spec, games.parse(DEEP["game"]))
        assert identity(player) == identity(evo.evaluation.players.player("parts", player.game))


def test_a_configuration_without_hidden_layers_is_that_of_the_game():
    old = configuration.from_dict({}).to_dict()
    assert old["genome"].pop("hidden") == []
    assert configuration.from_dict(old).genome_spec()["layers"] == [24, 9, 24]
    deep = configuration.from_dict({"genome": {"hidden": [18, 9]}})
    assert deep.genome_spec()["layers"] == [24, 18, 9, 24]
    assert configuration.from_dict(deep.to_dict()).to_dict() == deep.to_dict()


@pytest.mark.parametrize(
    ("hidden", "expected"),
    [
        (9, "genome.hidden=9 given; a list of whole numbers is expected"),
        ([9.0], "genome.hidden=[9.0] given; a list of whole numbers is expected"),
        ([True], "a list of whole numbers is expected"),
        ([9, 0], "genome.hidden=[9, 0] given; a value from 1 to 1000000 is expected"),
        ([500_000], "genes in the population; at most"),
    ],
)
def test_hidden_layers_that_cannot_be_are_refused(hidden, expected):
    with pytest.raises(ConfigError) as refused:
        configuration.from_dict({"genome": {"hidden": hidden}})
    assert expected in str(refused.value)
