"""Numbers by which kinds of player go: a population a role, files that play, what is refused."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from run_checks import snapshot_bytes

import evo
from evo.config import config as configuration
from evo.config.config import from_dict
from evo.evaluation.export import export
from evo.evaluation.players import champion, individual, player
from results import Run, open_run
from tournaments import games, players
from tournaments.arena.match import play_match
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import Game
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import Stream
from tournaments.player import Kind, identity
from tournaments.rules import VectorForm

GAME = "cat-trap:size=3,blocks=0:0+1:0+0:2"
ROLES = ["cat", "blocker"]
BASE: dict[str, Any] = {
    "game": GAME,
    "population": 8,
    "generations": 3,
    "snapshot_interval": 1,
    "seed": 4,
    "scheme": "round-robin",
    "genome": {"encoding": "real-vector"},
}
LEARNERS = ["genetic", "openai-es", "evolution-strategy"]
each = pytest.mark.parametrize("name", LEARNERS)


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> dict[str, Run]:
    folder = tmp_path_factory.mktemp("runs")
    return {name: evo.run(folder / name, BASE | {"learner": name}, threads=1) for name in LEARNERS}


@each
def test_each_role_has_numbers_of_its_own(name, runs):
    assert runs[name].populations == ROLES
    for role, names in zip(ROLES, (["free-1", "place-1"], None), strict=True):
        described = runs[name].genome["populations"][role]
        assert names in (None, described["names"])
        weights = open_run(runs[name].path).weights(3, role)
        assert weights.shape == (8, len(described["names"]))
        assert len(np.unique(weights, axis=0)) > 1
        stored = b"".join(runs[name].population(3, role)["genome"])
        wide = np.frombuffer(stored, dtype="<f4").reshape(8, -1)
        np.testing.assert_array_equal(wide[:, : weights.shape[1]], weights)


@each
def test_a_run_that_is_resumed_ends_in_the_same_bytes(name, runs, tmp_path):
    evo.run(tmp_path / "run", BASE | {"learner": name, "generations": 1}, threads=2)
    evo.resume(tmp_path / "run", generations=3, threads=2)
    assert snapshot_bytes(tmp_path / "run") == snapshot_bytes(runs[name].path)


def test_the_champion_of_both_roles_plays_as_the_champion_of_each(runs):
    run = runs["genetic"]
    config = configuration.of_run(run)
    both, opponent = champion(run.path), players.make("random", config.game)
    for seat, plan in enumerate(config.populations):
        best = individual(config, plan, run.champion(population=plan.name)["genome"], "best")
        assert best.seats == (seat,)
        for seed in range(4):
            pairs = [(one, opponent) if seat == 0 else (opponent, one) for one in (both, best)]
            outcomes = [play_match(config.game, *pair, seed, games=1) for pair in pairs]
            np.testing.assert_array_equal(*outcomes)


@pytest.mark.parametrize("ending", [".npy", ".json"])
@pytest.mark.parametrize("role", [None, *ROLES])
def test_an_exported_champion_is_the_champion(role, ending, runs, tmp_path):
    run = runs["openai-es"]
    spec = export(run.path, tmp_path / f"it{ending}", population=role).rpartition("plays as ")[2]
    made, game = player(spec, games.parse(GAME)), games.parse(GAME)
    expected = champion(run.path)
    if role is not None:
        config = configuration.of_run(run)
        plan = config.plan(role)
        genome = run.champion(population=role)["genome"]
        expected = individual(config, plan, genome, role)
        assert made.seats == expected.seats == (ROLES.index(role),)
    assert identity(made) == identity(expected)
    assert identity(pickle.loads(pickle.dumps(made))) == identity(expected)
    assert made.game.spec == game.spec


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
        from_dict(BASE | {"genome": BASE["genome"] | options})


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
        players.make(f"vector:file={tmp_path / 'v.npy'}{options}", games.parse(GAME))


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


# --- games that draw -----------------------------------------------------------------------------


@pytest.mark.slow
def test_preferences_of_set_evolve_to_the_same_bytes_on_any_threads(tmp_path):
    base = BASE | {"game": "set:cards=4,dimensions=2", "generations": 2}
    for threads in (1, 2):
        evo.run(tmp_path / f"{threads}", base, threads=threads)
    assert snapshot_bytes(tmp_path / "1") == snapshot_bytes(tmp_path / "2")
    run = open_run(tmp_path / "1")
    assert run.genome["names"] == ["differ-in-1", "differ-in-2", "left-to-other"]
    game = games.parse(base["game"])
    play_match(game, champion(tmp_path / "1"), players.make("spoiler", game), 1)
