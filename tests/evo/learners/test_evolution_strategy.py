"""The learner evolution-strategy: the optimiser's own steps, kept with each generation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import cmaes
import numpy as np
import pytest
import strategy_by_itself
from run_checks import snapshot_bytes, without_vectors
from strategies import SMALL_BOARD, climbed, ellipsoid, judged

import evo
from evo.config import config as configuration
from evo.evolution.start import learner_of
from evo.learners.evolution_strategy import ARRAYS, METHODS, model_of
from results import open_run
from tournaments.errors import ConfigError
from tournaments.kernels.rng import generator

STRATEGY = {"game": SMALL_BOARD, "scheme": {"name": "direct", "opponent": "level-1"}}
SMALL = STRATEGY | {"population": 8, "seed": 3, "snapshot_interval": 2}


def strategy_of(population: int = 20, **options: Any) -> Any:
    given = {"learner": {"name": "evolution-strategy", **options}, "population": population}
    return learner_of(configuration.from_dict(STRATEGY | given))


@pytest.mark.parametrize(("method", "generations"), [("sep-cma", 30), ("cma", 10)])
def test_the_means_are_those_of_the_optimiser_alone_with_the_same_draws(
    method: str, generations: int
):
    learner = strategy_of(method=method, sigma=0.5)
    made = climbed(learner, ellipsoid, generations)
    size = made[0].populations[0].genes.shape[1]
    alone = getattr(cmaes, METHODS[method][0])(np.zeros(size), 0.5, population_size=19)
    for number, generation in enumerate(made):
        genes = generation.populations[0].genes
        assert genes.dtype == np.float32
        assert np.allclose(genes[0], alone.mean, rtol=1e-4, atol=1e-5)
        stream = generator(1, "evolution-strategy", number)
        alone._rng = SimpleNamespace(randn=stream.standard_normal)
        draws = np.array([alone.ask() for _ in range(19)])
        assert np.allclose(genes[1:], draws, rtol=1e-4, atol=1e-5)
        played = draws.astype(np.float32).astype(np.float64)
        alone.tell(list(zip(played, -ellipsoid(played), strict=True)))
    assert np.abs(made[-1].populations[0].genes[0] - made[0].populations[0].genes[0]).max() > 0.1


def model_in(learner: Any, state: Any) -> dict[str, Any]:
    return learner.model_in(state, learner.problem.plans[0])


def test_the_distribution_of_a_single_number_is_kept_whole():
    learner = strategy_of(method="cma")
    model = model_of(cmaes.CMA(np.zeros(1), 0.5, population_size=4), learner.kept)
    again = model_in(learner, {"distribution": learner.state_of(model)})
    assert learner._optimiser_of(again)._C.shape == model["covariance"].shape == (1, 1)


def test_it_finds_the_top_of_an_ellipsoid():
    made = climbed(strategy_of(sigma=0.5), ellipsoid, 300)
    first, last = (ellipsoid(made[place].populations[0].genes)[0] for place in (0, -1))
    assert first < 0.01
    assert last > 0.999


@pytest.mark.parametrize("method", METHODS)
def test_a_distribution_comes_back_from_its_state_to_the_bit(method: str):
    learner = strategy_of(method=method)
    state = climbed(learner, ellipsoid, 3)[-1].state
    model = model_in(learner, json.loads(json.dumps(state)))
    assert learner.state_of(model) == state["distribution"]
    again = model_of(learner._optimiser_of(model), learner.kept)
    assert (again["sigma"], again["told"]) == (model["sigma"], model["told"]) == (again["sigma"], 3)
    for name in ARRAYS:
        assert model[name].any(), name
        assert np.array_equal(again[name].reshape(-1), model[name])
    assert again["covariance"].ndim == (1 if method == "sep-cma" else 2)


def test_a_generation_is_drawn_from_the_distribution_in_its_state_and_from_nothing_else():
    learner = strategy_of(sigma=0.3)
    last = climbed(learner, ellipsoid, 20)[-1]
    model = model_in(learner, json.loads(json.dumps(last.state)))
    again = learner.drawn(20, learner.problem.plans[0], model, 0)
    assert np.array_equal(again.genes, last.populations[0].genes)


def test_the_mean_is_row_0_and_the_champion_and_is_not_told():
    learner = strategy_of()
    generation = learner.first()
    fitness = generator(5, "fitness of a test").random(20).round(1)  # some are equal
    present = judged(learner, generation, fitness)
    (one,) = present.populations
    assert not one.population.genes[0].any()
    assert one.fitness.argmax() == 0
    assert sorted(one.fitness) == list(range(1, 21))
    order = np.argsort(-fitness[1:], kind="stable")
    assert (np.diff(one.fitness[1:][order]) == -1).all()
    raised = fitness.copy()
    raised[0] += 7.0
    following = [learner.next(judged(learner, generation, given)) for given in (fitness, raised)]
    genes = [one.populations[0].genes for one in following]
    assert np.array_equal(*genes)
    assert (following[0].populations[0].parents == [one.population.ids[0], -1]).all()


def test_weights_stay_within_the_limit_and_are_told_as_they_were_played():
    given = {"learner": {"name": "evolution-strategy", "sigma": 0.5}, "genome": {"limit": 0.6}}
    learner = learner_of(configuration.from_dict(STRATEGY | given | {"population": 20}))
    made = climbed(learner, lambda genes: genes.clip(0.0).sum(axis=1), 100)
    genes = made[-1].populations[0].genes
    most = np.nextafter(np.float32(0.6), np.float32(0.0))  # float32's 0.6 is a little more
    assert genes.max() == most
    assert made[0].populations[0].genes.min() == -most
    assert genes.astype(np.float64).max() <= 0.6
    assert genes[0].mean() > 0.5


def test_a_distribution_that_has_shrunk_to_a_point_ends_the_run():
    learner = strategy_of()
    generation = learner.first()
    present = judged(learner, generation, np.zeros(20))
    assert learner.is_done(present) == ""
    state = {"distribution": {**present.state["distribution"], "sigma": 1e-9}}
    assert "point" in learner.is_done(replace(present, state=state))


# --- runs --------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=METHODS)
def uninterrupted(request, tmp_path_factory):
    """The options of a run, and its snapshots."""
    path = tmp_path_factory.mktemp(request.param) / "run"
    options = SMALL | {"learner": {"name": "evolution-strategy", "method": request.param}}
    evo.run(path, options, generations=8, threads=1)
    return options, path


def test_a_run_goes_on_to_the_same_bytes(uninterrupted, tmp_path):
    options, path = uninterrupted
    expected = snapshot_bytes(path)
    assert len(set(expected.values())) == 5 + 1  # and the list of digests
    evo.run(tmp_path / "run", options, generations=3, threads=2)
    for generations in (5, 8):
        evo.resume(tmp_path / "run", generations, threads=2)
    assert snapshot_bytes(tmp_path / "run") == expected


def test_a_strategy_implies_real_weights_which_are_read_exported_and_played(
    uninterrupted, tmp_path
):
    from evo.cli.main import main
    from evo.evaluation import players as opponents
    from tournaments import players

    _, path = uninterrupted
    run = open_run(path)
    assert run.config["genome"] == {
        "encoding": "real-network",
        "hidden": [],
        "initial": 1.0,
        "limit": 64.0,
        "symmetry": False,
        "own": 0.1,
    }
    assert run.champion()["individual"] == 0
    weights = run.weights(8)
    assert weights.shape == (8, 37)
    assert np.array_equal(weights, weights.astype(np.float32))
    assert main(["export", str(path), str(tmp_path / "champion.npy")]) == 0
    assert np.array_equal(np.load(tmp_path / "champion.npy"), weights[0])
    champion = opponents.champion(path)
    file = players.make(str(tmp_path / "champion.npy"), champion.game)
    assert opponents.identity(champion) == opponents.identity(file)


# --- what is refused ---------------------------------------------------------------------------

ES = {"learner": "evolution-strategy"}
REFUSED: list[tuple[dict[str, Any], str]] = [
    (ES | {"population": 4}, "population=4 given; evolution-strategy takes 5 or more"),
    (ES | {"genome": "bit-network"}, "genome.encoding='bit-network' and learner='evolution-strat"),
    (ES | {"game": "cat-and-mouse"}, "and cat-and-mouse shows networks nothing"),
    (ES | {"genome": {"limit": 0.4}}, "learner.sigma=0.5 given, but weights end at genome.limit"),
    (ES | {"genome": {"limit": 9e5}}, "limit=900000.0 given; networks of 24 inputs take weights"),
    (
        {"learner": {"name": "evolution-strategy", "method": "cma"}}
        | {"game": "dots-and-boxes:rows=5,cols=5"},
        "learner.method='cma' given; it keeps the covariances of up to 2,000 weights",
    ),
    ({"learner": {"name": "evolution-strategy", "method": "sepcma"}}, "one of sep-cma, cma is"),
    ({"learner": {"name": "evolution-strategy", "sigma": 0.0}}, "learner.sigma=0.0 given"),
]


@pytest.mark.parametrize(("table", "message"), REFUSED, ids=[text[:40] for _, text in REFUSED])
def test_a_mistake_is_refused_in_one_line(table: dict[str, Any], message: str):
    from tournaments.errors import TournamentError

    with pytest.raises((ConfigError, TournamentError)) as refusal:
        configuration.from_dict(table)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


# --- processors --------------------------------------------------------------------------------


def test_other_instructions_change_no_bit_of_sep_cma():
    """Numpy's exponential does come out otherwise; rounding to float32 takes that away."""
    done = subprocess.run(
        [sys.executable, "-P", strategy_by_itself.__file__, "evolution-strategy"],
        env={**os.environ, **without_vectors()},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == strategy_by_itself.digest("evolution-strategy")
