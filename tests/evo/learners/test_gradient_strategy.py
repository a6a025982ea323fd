"""The learner openai-es: mirrored pairs, ranks and Adam, kept with each generation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import strategy_by_itself
from hypothesis import given
from hypothesis import strategies as st
from naive import gradient as naive_gradient
from run_checks import snapshot_bytes, without_vectors
from strategies import SMALL_BOARD, climbed, ellipsoid, judged

import evo
from evo.config import config as configuration
from evo.evolution.start import learner_of
from evo.learners.openai_es import centred_ranks
from results import open_run
from tournaments.errors import ConfigError, TournamentError
from tournaments.kernels.rng import generator

DIRECT = {"game": SMALL_BOARD, "scheme": {"name": "direct", "opponent": "level-1"}}


def strategy_of(population: int = 21, genome: dict[str, Any] | None = None, **options: Any) -> Any:
    given = {"learner": {"name": "openai-es", **options}, "population": population}
    return learner_of(configuration.from_dict(DIRECT | given | {"genome": genome or {}}))


def model_in(learner: Any, state: Any) -> dict[str, Any]:
    return learner.model_in(state, learner.problem.plans[0])


# --- a generation ------------------------------------------------------------------------------


@given(st.lists(st.sampled_from([-1e9, -1.5, -0.0, 0.0, 1e-9, 2.0, 7.0]), min_size=2, max_size=30))
def test_ranks_are_those_of_plain_counting_and_equals_share_theirs(raw: list[float]):
    ranks = centred_ranks(np.array(raw))
    assert ranks == pytest.approx(naive_gradient.ranks(raw), abs=1e-12)
    assert ranks.sum() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("population", "means"), [(3, 1), (4, 2), (21, 1), (22, 2)])
def test_a_generation_is_the_mean_and_pairs_at_opposite_sides_of_it(population: int, means: int):
    learner = strategy_of(population, sigma=0.3)
    generation = climbed(learner, ellipsoid, 3)[-1]
    genes = generation.populations[0].genes
    assert (genes.dtype, len(genes)) == (np.float32, population)
    assert (genes[:means] == model_in(learner, generation.state)["mean"].astype(np.float32)).all()
    pairs = genes[means:].astype(np.float64) - genes[0]
    above, below = np.split(pairs, 2)
    assert np.abs(above + below).max() <= 2 * np.spacing(np.abs(genes).max())
    assert np.abs(above).min(axis=1).max() > 0
    if population > 20:
        assert pairs.std() == pytest.approx(0.3, rel=0.15)
        assert len(np.unique(genes, axis=0)) == population - means + 1


@pytest.mark.parametrize("population", [21, 22])
@pytest.mark.parametrize("half_life", [0.0, 3.0])
def test_the_means_are_those_of_the_plain_strategy(population: int, half_life: float):
    learner = strategy_of(
        population, sigma=0.4, step=0.05, momentum=0.8, spread=0.99, step_half_life=half_life
    )
    made = climbed(learner, ellipsoid, 12)
    means = 2 - population % 2
    first = made[0].populations[0].genes[0].astype(np.float64)
    climber = naive_gradient.Climber(first.copy(), 0.4, half_life)
    for generation in made:
        genes = generation.populations[0].genes.astype(np.float64)
        assert np.allclose(genes[0], climber.mean, rtol=1e-4, atol=1e-5)
        ascent = model_in(learner, generation.state)
        assert np.allclose(ascent["slope"], climber.slope, rtol=1e-3, atol=1e-5)
        assert np.allclose(ascent["square"], climber.square, rtol=1e-3, atol=1e-7)
        worth = naive_gradient.ranks(ellipsoid(genes).tolist())[means:]
        climber.tell(*np.split(genes[means:], 2), worth, [0.8, 0.99, 0.05])
    assert np.abs(made[-1].populations[0].genes[0] - first).max() > 0.1


def test_it_finds_the_top_of_an_ellipsoid():
    made = climbed(strategy_of(41, sigma=0.1, step=0.1, step_half_life=60.0), ellipsoid, 400)
    first, last = (ellipsoid(made[place].populations[0].genes)[0] for place in (0, -1))
    assert first < 0.01
    assert last > 0.95


def test_a_step_that_halves_ends_nearer_to_the_top():
    found = []
    for half in (0.0, 40.0):
        learner = strategy_of(41, sigma=0.1, step=0.3, step_half_life=half)
        found.append(ellipsoid(climbed(learner, ellipsoid, 300)[-1].populations[0].genes)[0])
    assert found[1] > 2 * found[0]


def test_steps_halve_as_they_are_said_to():
    learner = strategy_of(step=0.2, step_half_life=5.0)
    assert learner._step(0) == 0.2
    assert [learner._step(number) for number in (5, 10)] == pytest.approx([0.1, 0.05], rel=1e-15)
    assert learner._step(10**9) < 1e-290
    assert strategy_of(step=0.2)._step(10**9) == 0.2


def test_the_first_step_of_each_weight_is_as_long_as_the_step():
    """Adam's first estimate is the gradient over its own size."""
    first, second = climbed(strategy_of(step=0.05, mean="zero"), ellipsoid, 1)
    assert not first.populations[0].genes[0].any()
    assert np.abs(second.populations[0].genes[0]) == pytest.approx(0.05, rel=1e-3)


def test_a_random_mean_is_a_random_network_and_another_one_by_another_seed():
    means = []
    for seed in (1, 2):
        given = {"seed": seed, "learner": "openai-es", "population": 5, "genome": {"initial": 3.0}}
        learner = learner_of(configuration.from_dict(given))
        means.append(learner.first().populations[0].genes[0])
    assert np.std(means, axis=1) == pytest.approx([3.0, 3.0], rel=0.15)
    assert not (means[0] == means[1]).any()


def test_fitness_is_the_rank_with_the_mean_above_all_and_only_order_moves_the_mean():
    learner = strategy_of(20)
    generation = learner.first()
    points = generator(5, "fitness of a test").random(20).round(1)  # some are equal
    present = judged(learner, generation, points)
    (one,) = present.populations
    assert one.fitness[:2].tolist() == [2.0, 2.0]
    expected = 0.5 + np.array(naive_gradient.ranks(points.tolist()))[2:]
    assert one.fitness[2:] == pytest.approx(expected)
    assert np.array_equal(one.raw_fitness, points)
    following = learner.next(present)
    assert (following.populations[0].parents == [one.population.ids[0], -1]).all()
    again = learner.next(judged(learner, generation, 1000.0 * points**3 + 7.0))
    assert np.array_equal(again.populations[0].genes, following.populations[0].genes)
    other = learner.next(judged(learner, generation, points.max() - points))
    assert not np.isclose(other.populations[0].genes[0], following.populations[0].genes[0]).any()


def test_where_all_are_equal_nothing_moves():
    learner = strategy_of()
    made = climbed(learner, lambda genes: np.full(len(genes), 3.0), 4)
    means = {generation.populations[0].genes[0].tobytes() for generation in made}
    assert len(means) == 1


def test_weights_stay_within_the_limit():
    learner = strategy_of(genome={"limit": 0.6, "initial": 0.1}, sigma=0.5, step=0.2)
    made = climbed(learner, lambda genes: genes.sum(axis=1), 30)
    genes = made[-1].populations[0].genes
    assert np.abs(genes.astype(np.float64)).max() <= 0.6
    assert genes[0].min() > 0.5


def test_an_ascent_comes_back_from_its_state_to_the_bit():
    learner = strategy_of()
    state = climbed(learner, ellipsoid, 3)[-1].state
    ascent = model_in(learner, json.loads(json.dumps(state)))
    assert learner.state_of(ascent) == state["ascent"]
    for name, array in ascent.items():
        assert array.all(), name
        assert np.array_equal(array, array.astype(np.float32))
    again = learner.drawn(3, learner.problem.plans[0], ascent, 0)
    assert np.array_equal(again.genes, climbed(learner, ellipsoid, 3)[-1].populations[0].genes)


# --- runs --------------------------------------------------------------------------------------

RUNS: dict[str, dict[str, Any]] = {
    "direct": DIRECT | {"population": 8},
    "archives": {
        "game": "dots-and-boxes:rows=2,cols=2",
        "scheme": {"name": "hall-of-fame", "current": 2, "veterans": 2, "kept": 3},
        "population": 7,
        "genome": {"symmetry": True},
    },
}


@pytest.mark.parametrize("name", ["direct", pytest.param("archives", marks=pytest.mark.slow)])
def test_a_run_goes_on_to_the_same_bytes(name: str, tmp_path: Path):
    options = RUNS[name] | {"learner": "openai-es", "seed": 3, "snapshot_interval": 2}
    evo.run(tmp_path / "whole", options, generations=8, threads=1)
    evo.run(tmp_path / "parts", options, generations=3, threads=2)
    for generations in (5, 8):
        evo.resume(tmp_path / "parts", generations, threads=2)
    expected = snapshot_bytes(tmp_path / "whole")
    assert len(set(expected.values())) == 5 + 1  # and the list of digests
    assert snapshot_bytes(tmp_path / "parts") == expected
    run = open_run(tmp_path / "whole")
    assert run.champion()["individual"] == 0
    held = set(run.population(8)["population"])
    assert held == ({"all", "all-archive"} if name == "archives" else {"all"})


def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path: Path):
    options = RUNS["direct"] | {"learner": "openai-es", "seed": 3, "snapshot_interval": 1}
    whole = evo.run(tmp_path / "whole", options, generations=6, threads=1).path
    text = (
        "import os, signal, sys, evo\n"
        "from evo.learners.openai_es import GradientStrategy as Strategy\n"
        "judge = Strategy.judge\n"
        "def killed(self, generation, *others):\n"
        "    if generation.number == 4:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return judge(self, generation, *others)\n"
        "Strategy.judge = killed\n"
        f"evo.run(sys.argv[1], {options!r}, generations=6, threads=2)\n"
    )
    killed = [sys.executable, "-c", text, str(tmp_path / "killed")]
    assert subprocess.run(killed, capture_output=True, check=False).returncode == -9
    assert len(snapshot_bytes(tmp_path / "killed")) < 8
    evo.resume(tmp_path / "killed", 6, threads=2)
    assert snapshot_bytes(tmp_path / "killed") == snapshot_bytes(Path(whole))


# --- what is refused ---------------------------------------------------------------------------

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"population": 2, "scheme": "direct"}, "population=2 given; openai-es takes 3 or more"),
    ({"genome": "bit-network"}, "genome.encoding='bit-network' and learner='openai-es' given"),
    ({"game": "cat-and-mouse"}, "learner='openai-es' given; it takes networks of real weights"),
    ({"genome": {"limit": 0.4}}, "learner.sigma=0.5 given, but weights end at genome.limit=0.4"),
    (
        {"learner": {"name": "openai-es", "step": 3.0}, "genome": {"limit": 2.0}},
        "learner.step=3 given, but weights end at genome.limit=2;",
    ),
    ({"learner": {"name": "openai-es", "sigma": 0.0}}, "learner.sigma=0.0 given"),
    ({"learner": {"name": "openai-es", "momentum": 1.0}}, "learner.momentum=1.0 given"),
    ({"learner": {"name": "openai-es", "mean": "one"}}, "learner.mean='one' given"),
    ({"learner": "openai"}, "did you mean 'openai-es'"),
]


@pytest.mark.parametrize(("table", "message"), REFUSED, ids=[text[:40] for _, text in REFUSED])
def test_a_mistake_is_refused_in_one_line(table: dict[str, Any], message: str):
    with pytest.raises((ConfigError, TournamentError)) as refusal:
        configuration.from_dict({"learner": "openai-es"} | table)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


# --- processors --------------------------------------------------------------------------------


def test_other_instructions_change_no_bit():
    done = subprocess.run(
        [sys.executable, "-P", strategy_by_itself.__file__, "openai-es"],
        env={**os.environ, **without_vectors()},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == strategy_by_itself.digest("openai-es")
