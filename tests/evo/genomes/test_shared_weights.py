"""Weights that turns and mirrors of the board lead into one another share a number."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evo
from evo.cli.main import main
from evo.config import config as configuration
from evo.evaluation import players as opponents
from evo.genomes.reals import RealGenes
from results import open_run
from results.errors import ResultsError
from results.format.genomes import decode_genomes
from tournaments import games, players
from tournaments.contract import ContractError, check_game
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import Game
from tournaments.kernels.rng import Stream, generator
from tournaments.players.network import RealEncoding, groups_of, layers_for
from tournaments.rules import Symmetries

SIZES = [(3, 3), (2, 3), (2, 2), (1, 3), (1, 1)]
sizes = pytest.mark.parametrize(("rows", "cols"), SIZES)


def board(rows: int, cols: int) -> Game:
    return games.make("dots-and-boxes", rows=rows, cols=cols)


def encoding_of(game: Game, own: float = 0.1, limit: float = 64.0) -> RealEncoding:
    layers = layers_for(game)
    return RealEncoding(layers, limit, groups_of(game, layers), own)


def outputs(layers: tuple[int, ...], weights: np.ndarray, inputs: np.ndarray) -> list[float]:
    """What a network of one hidden layer gives, by plain loops, before the last sigmoid."""
    given, rest = [float(x) for x in inputs], iter(weights.tolist())
    for nodes in layers[1:]:
        sums = []
        for _ in range(nodes):
            node = [next(rest) for _ in range(len(given) + 1)]
            sums.append(sum(w * x for w, x in zip(node, [*given, -1.0], strict=True)))
        given = [1.0 / (1.0 + math.exp(-x)) if x > -700.0 else 0.0 for x in sums]
    return sums


# --- what turns and mirrors do -------------------------------------------------------------------


@sizes
def test_there_are_as_many_symmetries_as_a_board_has(rows: int, cols: int):
    found = board(rows, cols).rules.network.symmetries(board(rows, cols).board)
    assert len(found.actions) == (8 if rows == cols else 4)
    for moved in found:
        assert (np.sort(moved, axis=1) == np.arange(moved.shape[1])).all()
        assert (moved[0] == np.arange(moved.shape[1])).all()
    together = {row.tobytes() for row in found.actions}
    assert len(together) == len(found.actions)
    for one in found.actions:  # and one after another is one of them
        assert {one[other].tobytes() for other in found.actions} == together


@sizes
def test_a_game_turned_or_mirrored_is_the_same_game(rows: int, cols: int):
    game = board(rows, cols)
    found, rng = game.rules.network.symmetries(game.board), generator(7, "games of a test")
    for inputs, actions in zip(found.inputs, found.actions, strict=True):
        here, there = game.start(), game.start()
        while not here.is_over:
            assert there.legal_actions() == sorted(actions[here.legal_actions()].tolist())
            shown, turned = np.zeros((2, game.num_actions))
            game.rules.network.encode(game.board, here.array, shown)
            game.rules.network.encode(game.board, there.array, turned)
            assert np.array_equal(turned[inputs], shown)
            action = int(rng.choice(here.legal_actions()))
            here.play(action)
            there.play(int(actions[action]))
            assert there.seat_to_move == here.seat_to_move
            assert there.scores == here.scores
        assert there.is_over


def test_a_box_goes_where_its_four_edges_go():
    game = board(2, 3)
    found = game.rules.network.symmetries(game.board)
    boxes = [{r * 3 + c, (r + 1) * 3 + c} for r in range(2) for c in range(3)]
    for number, edges in enumerate(boxes):
        r, c = divmod(number, 3)
        edges |= {9 + r * 4 + c, 9 + r * 4 + c + 1}
    for hidden, actions in zip(found.hidden, found.actions, strict=True):
        for number, edges in enumerate(boxes):
            assert {int(actions[edge]) for edge in edges} == boxes[hidden[number]]


def changed(of_part: int, row: int, column: int, value: int) -> Any:
    """The symmetries of 2x2 boxes with one number changed."""

    def offered(constants: np.ndarray) -> Symmetries:
        parts = [part.copy() for part in board(2, 2).rules.network.symmetries(constants)]
        parts[of_part][row, column] = value
        return Symmetries(*parts)

    return offered


def swapping(nodes: int, first: int, second: int) -> np.ndarray:
    """Nothing, and an exchange of two."""
    rows = np.arange(nodes)[None].repeat(2, axis=0)
    rows[1, [first, second]] = second, first
    return rows


def kept(nodes: int) -> np.ndarray:
    return np.arange(nodes)[None].repeat(2, axis=0)


@pytest.mark.parametrize(
    ("offered", "law"),
    [
        (lambda _: Symmetries(kept(12), kept(5), kept(12)), "where each input, hidden node"),
        (changed(1, 3, 0, 1), "every input, hidden node or action once"),
        (changed(2, 0, 3, 99), "every input, hidden node or action once"),
        (
            lambda constants: Symmetries(
                *(part[:6] for part in board(2, 2).rules.network.symmetries(constants))
            ),
            "in sequence must be one of symmetries",
        ),
        (
            lambda _: Symmetries(swapping(12, 0, 11), kept(4), swapping(12, 0, 11)),
            "must take the same course",
        ),
        (lambda _: Symmetries(swapping(12, 0, 11), kept(4), kept(12)), "must take the same course"),
    ],
)
def test_symmetries_that_are_none_break_the_contract(offered: Any, law: str):
    rules = board(2, 2).rules
    rules = replace(rules, network=replace(rules.network, symmetries=offered))
    game = Game(rules, {"rows": 2, "cols": 2})
    with pytest.raises(ContractError, match=law):
        check_game(game, games=1)


# --- groups --------------------------------------------------------------------------------------


def test_groups_are_numbered_as_they_come_and_there_are_67_on_the_published_board():
    shared = groups_of(board(3, 3), (24, 9, 24))
    assert len(shared) == 465
    assert list(dict.fromkeys(shared)) == list(range(67))
    encoding = encoding_of(board(3, 3))
    assert (encoding.num_weights, encoding.num_genes, encoding.num_bytes) == (465, 532, 2128)


@sizes
def test_groups_are_those_that_plain_search_finds(rows: int, cols: int):
    """Two weights are alike where some symmetry leads the ends of one to those of the other."""
    game = board(rows, cols)
    found, layers = game.rules.network.symmetries(game.board), layers_for(game)
    weights = []
    for layer in (0, 1):
        for node in range(layers[layer + 1]):
            weights += [(layer, node, source) for source in [*range(layers[layer]), "threshold"]]
    of_nodes = (found.inputs, found.hidden, found.actions)
    groups: dict[Any, int] = {}
    shared = []
    for layer, node, source in weights:
        if (layer, node, source) not in groups:
            group = len(set(groups.values()))
            for turn in range(len(found.actions)):
                to = source if source == "threshold" else int(of_nodes[layer][turn, source])
                groups[layer, int(of_nodes[layer + 1][turn, node]), to] = group
        shared.append(groups[layer, node, source])
    assert groups_of(game, layers) == tuple(shared)


@settings(max_examples=40, deadline=None)
@given(size=st.sampled_from(SIZES), seed=st.integers(0, 2**32), wide=st.sampled_from([0.3, 3.0]))
def test_a_network_of_shared_weights_alone_turns_with_the_board(size, seed, wide):
    game, rng = board(*size), generator(seed, "networks of a test")
    encoding, layers = encoding_of(game), layers_for(game)
    genes = RealGenes(encoding, wide).random(1, rng)
    genes[:, -encoding.num_weights :] = 0.0
    weights = encoding.weights(genes)[0]
    inputs = rng.integers(0, 2, layers[0])
    found, plain = game.rules.network.symmetries(game.board), outputs(layers, weights, inputs)
    for moved_inputs, actions in zip(found.inputs, found.actions, strict=True):
        turned = np.zeros(layers[0])
        turned[moved_inputs] = inputs
        assert np.array(outputs(layers, weights, turned))[actions] == pytest.approx(plain, abs=1e-9)
    own = genes.copy()
    own[:, -encoding.num_weights :] = rng.standard_normal(encoding.num_weights)
    assert outputs(layers, encoding.weights(own)[0], inputs) != pytest.approx(plain, abs=1e-9)


def test_the_player_of_shared_weights_chooses_as_the_plain_network_does():
    game, rng = board(2, 2), generator(11, "players of a test")
    encoding = encoding_of(game, own=0.5)
    genes = RealGenes(encoding, 2.0).random(5, rng)
    for packed, weights in zip(encoding.encode(genes), encoding.weights(genes), strict=True):
        player = encoding.player(game, [packed.tobytes()], "network")
        state = game.start()
        while not state.is_over:
            inputs = np.zeros(encoding.layers[0])
            game.rules.network.encode(game.board, state.array, inputs)
            found = outputs(encoding.layers, weights, inputs)
            action = player.choose(state, Stream(0))
            best = max(found[legal] for legal in state.legal_actions())
            assert found[action] == pytest.approx(best, abs=1e-9)
            state.play(action)


@given(own=st.floats(0.0, 1000.0), seed=st.integers(0, 99))
def test_a_weight_is_the_number_of_its_group_and_its_own(own, seed):
    encoding = encoding_of(board(1, 1), own, limit=5.0)
    genes = RealGenes(encoding, 2.0).random(3, generator(seed, "genes of a test"))
    weights = encoding.weights(genes)
    groups = max(encoding.shared) + 1
    for row, made in zip(genes.astype(np.float64).tolist(), weights.tolist(), strict=True):
        for place, group in enumerate(encoding.shared):
            assert made[place] == row[group] + own * row[groups + place]
    layout = encoding.layout
    assert np.array_equal(decode_genomes(encoding.encode(genes), layout), weights)
    with pytest.raises(ResultsError, match=f"they need {encoding.num_bytes}"):
        decode_genomes(encoding.encode(genes)[:, :-1], layout)


def test_genomes_without_shared_weights_are_described_as_ever():
    plain = configuration.from_dict({"genome": "real-network"}).genome_spec()
    assert plain == {
        "encoding": "real-network",
        "layers": [24, 9, 24],
        "limit": 64.0,
        "bytes": 1860,
    }
    shared = {"encoding": "real-network", "symmetry": True, "own": 0.25}
    spec = configuration.from_dict({"genome": shared}).genome_spec()
    assert (spec["bytes"], spec["own"], max(spec["shared"])) == (2128, 0.25, 66)


# --- runs ----------------------------------------------------------------------------------------

LEARNERS = ["genetic", "evolution-strategy"]


@pytest.mark.parametrize(
    "learner", ["openai-es", *(pytest.param(name, marks=pytest.mark.slow) for name in LEARNERS)]
)
def test_a_run_is_read_exported_and_played_as_the_networks_that_it_evolved(
    learner: str, tmp_path: Path
):
    options = {
        "game": "dots-and-boxes:rows=1,cols=2",
        "scheme": {"name": "direct", "opponent": "level-1"},
        "genome": {"encoding": "real-network", "symmetry": True, "own": 0.5},
        "learner": learner,
        "population": 7,
    }
    path = evo.run(tmp_path / "run", options, generations=2, threads=1).path
    run, game = open_run(path), board(1, 2)
    encoding = encoding_of(game, own=0.5)
    rows = np.array([list(genome) for genome in run.population(2)["genome"]], dtype=np.uint8)
    assert rows.shape[1] == encoding.num_bytes > 4 * encoding.num_weights
    expected = encoding.decode(rows)
    assert np.array_equal(run.weights(2), expected)
    for kind in ("npy", "json"):
        file = str(tmp_path / f"champion.{kind}")
        assert main(["export", str(path), file]) == 0
        played = players.make(file, game)
        assert opponents.identity(played) == opponents.identity(opponents.champion(path))
    best = expected[run.champion(2)["individual"]]
    assert np.array_equal(np.load(tmp_path / "champion.npy"), best)


def test_what_cannot_share_is_refused_in_one_line():
    genome = {"encoding": "real-network", "symmetry": True}
    with pytest.raises((ConfigError, TournamentError)) as refusal:
        configuration.from_dict({"genome": genome | {"hidden": [12]}})
    assert "24-12-24 network" in str(refusal.value)
    assert "leave genome.hidden out, or set genome.symmetry=false" in str(refusal.value)
    with pytest.raises(ConfigError, match=r"genome\.own=0\.5 given without genome\.symmetry"):
        configuration.from_dict({"genome": {"encoding": "real-network", "own": 0.5}})
    game = board(1, 2)
    network = replace(game.rules.network, symmetries=None)
    unknown = replace(game, rules=replace(game.rules, network=network))
    with pytest.raises(TournamentError, match="a game that declares its symmetries"):
        groups_of(unknown, layers_for(game))
    with pytest.raises((ConfigError, TournamentError)) as refusal:
        configuration.from_dict({"genome": genome | {"limit": 5000.0, "own": 1.0}})
    assert "limit=5000.0 given" in str(refusal.value)
    with pytest.raises((ConfigError, TournamentError), match="symmetry"):
        configuration.from_dict({"genome": {"encoding": "bit-network", "symmetry": True}})
