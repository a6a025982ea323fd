"""Genomes of games with roles: a population a role, and champions that hold a genome for each."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_checks import snapshot_bytes

import evo
from evo.config import config as configuration
from evo.config.config import from_dict
from evo.evaluation.export import export
from evo.evaluation.players import champion, individual, packed, player
from results import Run, open_run
from tournaments import games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.match import play_match
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import Game
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import Stream
from tournaments.player import Kind, identity
from tournaments.rules import VectorForm

FOX, TRAP = "fox-and-hounds:rows=5,cols=4", "cat-trap:size=3,blocks=0:0+1:0+0:2"
SMALL: dict[str, Any] = {"population": 8, "generations": 3, "snapshot_interval": 1, "seed": 4}
DIRECT = {"name": "direct", "opponent": "random", "matches": 3}
NETWORKS = SMALL | {"game": FOX, "scheme": DIRECT}
VECTORS = SMALL | {"game": TRAP, "scheme": "round-robin", "genome": {"encoding": "real-vector"}}
BASES: dict[str, dict[str, Any]] = {
    "genetic": NETWORKS | {"learner": {"mutation_probability": 0.01}},
    "openai-es": NETWORKS | {"learner": "openai-es"},
    "evolution-strategy": NETWORKS | {"learner": "evolution-strategy", "scheme": "round-robin"},
    "deep": NETWORKS | {"learner": "openai-es", "genome": {"hidden": [4, 3]}},
    "vectors": VECTORS,
    "vectors-openai-es": VECTORS | {"learner": "openai-es"},
    "vectors-evolution-strategy": VECTORS | {"learner": "evolution-strategy"},
    "tables": SMALL | {"game": FOX, "scheme": DIRECT, "genome": {"encoding": "position-table"}},
}
SLOW = ("evolution-strategy", "deep")


class Runs(dict[str, Run]):
    """The run of each base, made when it is asked for: some compile for seconds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __missing__(self, name: str) -> Run:
        self[name] = evo.run(self.folder / name, BASES[name], threads=1)
        return self[name]


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Runs:
    return Runs(tmp_path_factory.mktemp("runs"))


each = pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in BASES],
)


def numbers_of(run: Run, generation: int, role: str) -> np.ndarray:
    """The decoded genomes of a population."""
    read = run.policies if run.layouts[role]["numbers"] == "policies" else run.weights
    return read(generation, role)


@each
def test_each_role_has_a_population_of_its_own(name, runs):
    run = runs[name]
    assert tuple(run.populations) == games.parse(BASES[name]["game"]).seats
    for generation in (0, 1, 3):
        first, second = (numbers_of(run, generation, role) for role in run.populations)
        assert len(np.unique(first, axis=0)) > 1
        if first.shape == second.shape:
            assert (first[1:] != second[1:]).any(axis=1).all()  # row 0 may be a mean at zero


def test_numbers_of_vectors_have_names_and_stand_in_their_order(runs):
    run = open_run(runs["vectors"].path)
    assert run.genome["populations"]["cat"]["names"] == ["free-1", "place-1"]
    stored = np.frombuffer(b"".join(run.population(3, "cat")["genome"]), dtype="<f4")
    np.testing.assert_array_equal(stored.reshape(8, -1)[:, :2], run.weights(3, "cat"))


@each
def test_a_run_that_is_resumed_ends_in_the_same_bytes(name, runs, tmp_path):
    evo.run(tmp_path / "run", BASES[name] | {"generations": 1}, threads=2)
    evo.resume(tmp_path / "run", generations=3, threads=2)
    assert snapshot_bytes(tmp_path / "run") == snapshot_bytes(runs[name].path)


@each
def test_the_champion_of_both_roles_plays_as_the_champion_of_each(name, runs):
    """Against an opponent that depends on all that was drawn before, game for game."""
    run = runs[name]
    config = configuration.of_run(run)
    both, game = champion(run.path), config.game
    opponent = players.make("random", game)
    for seat, plan in enumerate(config.populations):
        best = individual(config, plan, run.champion(population=plan.name)["genome"], "best")
        assert best.seats == (seat,)
        seated = lambda one: (one, opponent) if seat == 0 else (opponent, one)  # noqa: E731, B023
        for seed in range(8):
            outcomes = [play_match(game, *seated(each), seed, games=1) for each in (both, best)]
            np.testing.assert_array_equal(*outcomes)


@each
@pytest.mark.parametrize("seat", [None, 0, 1])
@pytest.mark.parametrize("ending", [".npy", ".json"])
def test_an_exported_champion_is_the_champion(name, ending, seat, runs, tmp_path):
    run, file = runs[name], tmp_path / f"champion{ending}"
    config = configuration.of_run(run)
    expected, role = champion(run.path), None
    if seat is not None:
        plan, role = config.populations[seat], run.populations[seat]
        genome = run.champion(population=role)["genome"]
        expected = individual(config, plan, genome, role)
    spec = export(run.path, file, population=role).rpartition("; plays as ")[2]
    made = player(spec, config.game)
    assert made.seats == expected.seats == ((0, 1) if seat is None else (seat,))  # type: ignore[attr-defined]
    assert identity(made) == identity(expected)
    assert identity(pickle.loads(pickle.dumps(made))) == identity(expected)
    if seat is not None:
        with pytest.raises(TournamentError, match=f"plays the {role} only"):
            Entrants(config.game, (made, made)).check_seats(-1, -2, 1)


def test_both_networks_are_what_a_champion_is(runs):
    run = runs["genetic"]
    config = configuration.of_run(run)
    fox, hounds = (
        [packed(plan, genome) for genome in run.population(3, plan.name)["genome"]]
        for plan in config.populations
    )
    made = config.populations[0].genome.representation.player
    identities = {identity(made(config.game, [fox[0], other], "x")) for other in hounds}
    assert len(identities) == len(set(hounds)) > 1


@pytest.mark.slow
def test_the_kernels_of_both_networks_agree_with_each_network(runs):
    """Compiled, a champion against itself is its fox against its hounds."""
    run = runs["genetic"]
    config = configuration.of_run(run)
    both = champion(run.path)
    alone = [
        individual(config, plan, run.champion(population=plan.name)["genome"], plan.name)
        for plan in config.populations
    ]
    seeds = np.arange(20, dtype=np.uint64)
    outcomes = [
        play_pairs(Entrants(config.game, panel), np.tile([[-1, -2]], (20, 1)), seeds, games=1)
        for panel in ((both, replace(both, name="again")), alone)
    ]
    np.testing.assert_array_equal(*outcomes)


@pytest.mark.parametrize(
    ("game", "shape", "options", "message"),
    [
        (FOX, 2, ",seat=wolf", "seat of fox-and-hounds.*wolf"),
        (FOX, 2, ",seat=fox", "holds a network for each seat"),
        ("dots-and-boxes:rows=1,cols=1", 2, "", "26 weights given; a 4-1-4 network"),
    ],
)
def test_networks_of_seats_that_do_not_fit_are_refused(game, shape, options, message, tmp_path):
    made = games.parse(game)
    (plan, *_) = from_dict({"game": game, "learner": {"name": "openai-es"}}).populations
    np.save(tmp_path / "w.npy", np.ones((shape, plan.genome.num_genes)))
    with pytest.raises(TournamentError, match=message):
        players.make(f"network:weights={tmp_path / 'w.npy'}{options}", made)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"form": "plan-9"}, "vector of cat-trap.*plan-9"),
        ({"initial": 3.0, "limit": 2.0}, "genome.initial=3 given, but numbers end at genome.limit"),
        ({"limit": -1.0}, "genome.limit=-1.0 given"),
    ],
)
def test_vectors_that_cannot_be_are_refused(options, message):
    with pytest.raises((ConfigError, TournamentError), match=message):
        from_dict(VECTORS | {"genome": VECTORS["genome"] | options})


def test_a_game_without_vectors_has_none():
    with pytest.raises(ConfigError, match=r"genome\.encoding='real-vector' given"):
        from_dict({"game": "dots-and-boxes", "genome": {"encoding": "real-vector"}})


@pytest.mark.parametrize(
    ("numbers", "options", "message"),
    [
        ([1.0] * 9, "", r"holds 9 numbers; 2 \(a plan-0 vector for the cat .* or 8 \(.* or 10 \("),
        (
            [1.0] * 9,
            ",seat=cat",
            r"holds 9 numbers; 2 \(a plan-0 vector for the cat of .*\) are expected",
        ),
        ([1.0, np.nan], ",seat=cat", "something other than finite numbers"),
        ([1.0] * 2, ",seat=dog", "seat of cat-trap.*dog"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(numbers, options, message, tmp_path):
    np.save(tmp_path / "v.npy", numbers)
    with pytest.raises(TournamentError, match=message):
        players.make(f"vector:file={tmp_path / 'v.npy'}{options}", games.parse(TRAP))


@kernel
def choose_by_first(board, state, parameters, row, memory, stream):
    return np.int64(parameters.first[row, 0] > 0.0) + np.int64(parameters.second[row, 0] > 0.0)


def test_without_roles_both_seats_go_by_the_same_numbers():
    form = VectorForm("x", "", lambda game, seat: ("a", "b"), Kind("x", choose_by_first))
    plain = games.make("tic-tac-toe")
    game = Game(replace(plain.rules, vectors={"x": form}), plain.options)
    made = players.make("vector", game, weights=[0.5, -1.0])
    assert made.seats == (0, 1)
    assert made.choose(game.start(), Stream(1)) == 2


@pytest.mark.slow
def test_preferences_of_set_evolve_to_the_same_bytes_on_any_threads(tmp_path):
    base = VECTORS | {"game": "set:cards=4,dimensions=2", "generations": 2}
    for threads in (1, 2):
        evo.run(tmp_path / f"{threads}", base, threads=threads)
    assert snapshot_bytes(tmp_path / "1") == snapshot_bytes(tmp_path / "2")
    run = open_run(tmp_path / "1")
    assert run.genome["names"] == ["differ-in-1", "differ-in-2", "left-to-other"]
    game = games.parse(base["game"])
    play_match(game, champion(tmp_path / "1"), players.make("spoiler", game), 1)
