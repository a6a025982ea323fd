"""Networks of games with roles: a population a role, and champions that hold a network for each."""

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
from results import Run
from tournaments import games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.match import play_match
from tournaments.errors import TournamentError
from tournaments.player import identity

GAME = "fox-and-hounds:rows=5,cols=4"
ROLES = ["fox", "hounds"]
BASE: dict[str, Any] = {
    "game": GAME,
    "population": 8,
    "generations": 3,
    "snapshot_interval": 1,
    "seed": 4,
    "scheme": {"name": "direct", "opponent": "random", "matches": 3},
}
LEARNERS: dict[str, dict[str, Any]] = {
    "genetic": {"learner": {"mutation_probability": 0.01}},
    "openai-es": {"learner": {"name": "openai-es"}},
    "evolution-strategy": {"learner": {"name": "evolution-strategy"}, "scheme": "round-robin"},
    "deep": {"learner": {"name": "openai-es"}, "genome": {"hidden": [4, 3]}},
}


class Runs(dict[str, Run]):
    """The run of each learner, made when it is asked for: some compile for seconds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __missing__(self, name: str) -> Run:
        self[name] = evo.run(self.folder / name, BASE | LEARNERS[name], threads=1)
        return self[name]


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Runs:
    return Runs(tmp_path_factory.mktemp("runs"))


each = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow)
        if name in ("evolution-strategy", "deep")
        else name
        for name in LEARNERS
    ],
)


@each
def test_each_role_has_a_population_of_its_own(name, runs):
    assert runs[name].populations == ROLES
    for generation in (0, 1, 3):
        fox, hounds = (runs[name].weights(generation, role) for role in ROLES)
        assert fox.shape == hounds.shape
        assert (fox[1:] != hounds[1:]).any(axis=1).all()  # row 0 may be a mean at zero


@each
def test_a_run_that_is_resumed_ends_in_the_same_bytes(name, runs, tmp_path):
    evo.run(tmp_path / "run", BASE | LEARNERS[name] | {"generations": 1}, threads=2)
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
@pytest.mark.parametrize("ending", [".npy", ".json"])
def test_an_exported_champion_is_the_champion(name, ending, runs, tmp_path):
    file = tmp_path / f"champion{ending}"
    said = export(runs[name].path, file)
    assert "of fox " in said
    assert " and hounds " in said
    spec = said.rpartition("plays as ")[2] if "plays as" in said else str(file)
    game = games.parse(GAME)
    assert identity(player(spec, game)) == identity(champion(runs[name].path))
    again = pickle.loads(pickle.dumps(player(spec, game)))
    assert identity(again) == identity(champion(runs[name].path))


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


def test_the_champion_of_one_role_is_exported_with_its_seat(runs, tmp_path):
    file = tmp_path / "hounds.npy"
    spec = export(runs["genetic"].path, file, population="hounds").rpartition("plays as ")[2]
    hounds, game = player(spec, games.parse(GAME)), games.parse(GAME)
    assert hounds.seats == (1,)  # type: ignore[attr-defined]
    with pytest.raises(TournamentError, match="plays the hounds only"):
        Entrants(game, (hounds, hounds)).check_seats(-1, -2, 1)


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


def save(path: Path, array: np.ndarray) -> str:
    np.save(path, array)
    return str(path)


@pytest.mark.parametrize(
    ("game", "shape", "options", "message"),
    [
        (GAME, 2, ",seat=wolf", "seat of fox-and-hounds.*wolf"),
        (GAME, 2, ",seat=fox", "holds a network for each seat"),
        ("dots-and-boxes:rows=1,cols=1", 2, "", "26 weights given; a 4-1-4 network"),
    ],
)
def test_networks_of_seats_that_do_not_fit_are_refused(game, shape, options, message, tmp_path):
    made = games.parse(game)
    (plan, *_) = from_dict({"game": game, "learner": {"name": "openai-es"}}).populations
    file = save(tmp_path / "w.npy", np.ones((shape, plan.genome.num_genes)))
    with pytest.raises(TournamentError, match=message):
        players.make(f"network:weights={file}{options}", made)
