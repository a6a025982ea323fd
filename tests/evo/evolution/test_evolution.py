"""The generation loop: whole runs on small boards, and what they leave behind."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from results_data import described

import evo
from cluster import Entrants, LocalEvaluator
from cluster.evaluator import all_outcomes
from evo.config.config import Config, from_dict
from evo.evolution.checkpoint import columns, restored
from evo.evolution.loop import Archipelago, Clock, entrants, evaluate
from evo.evolution.loop import Progress as Report
from evo.evolution.start import learner_of
from evo.learners.base import Learner, LearnerOptions, Problem
from evo.learners.by_scheme import ByScheme as BySchemeLearner
from evo.learners.by_scheme import linear_scaling
from evo.learners.genetic.learner import Genetic
from evo.population import NO_PARENT, Evaluated, EvaluatedGeneration, Generation, Population
from results import Run, RunWriter, open_run
from tournaments.arena.outcomes import Played
from tournaments.errors import ConfigError
from tournaments.kernels.rng import generator, match_seeds
from tournaments.options import option
from tournaments.schedules.base import Matches

SCHEMES = ("direct", "round-robin", "antibody-antigen")


class Watched(LocalEvaluator):
    """An evaluator that keeps what it was asked for."""

    def __init__(self) -> None:
        super().__init__(threads=1)
        self.asked: list[tuple[Entrants, Matches]] = []

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        self.asked.append((entrants, matches))
        return super().play(entrants, matches)


def small(scheme: Any = "round-robin", **fields: Any) -> dict[str, Any]:
    return {
        "game": {"rows": 2, "cols": 2},
        "scheme": scheme,
        "population": 12,
        "generations": 5,
        "snapshot_interval": 1,
        "seed": 3,
        **fields,
    }


def played(out: Path, options: dict[str, Any]) -> Run:
    return evo.run(out, options, threads=1)


def whole(run: Run) -> pd.DataFrame:
    """Every kept generation."""
    return pd.concat([run.population(generation) for generation in run.snapshots])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """One small run of each scheme, every generation kept."""
    folder = tmp_path_factory.mktemp("runs")
    return {scheme: played(folder / scheme, small(scheme)) for scheme in SCHEMES}


def first_population(config: Config) -> Population:
    return learner_of(config).first().populations[0]


def evaluated(config: Config, evaluator: Any, population: Population) -> tuple[Evaluated, int]:
    generation = Generation(population.generation, (population,))
    present, games = evaluate(config, learner_of(config), evaluator, generation, Clock())
    return present.populations[0], games


def evaluated_once(config: Config) -> tuple[Any, int, Watched]:
    evaluator = Watched()
    present, games = evaluated(config, evaluator, first_population(config))
    return present, games, evaluator


# --- what a generation plays -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scheme", "games"), [("direct", 2000), ("round-robin", 9900), ("antibody-antigen", 1650)]
)
def test_a_generation_of_a_hundred_plays_the_published_number_of_games(scheme: str, games: int):
    config = from_dict({"scheme": scheme})
    present, counted, evaluator = evaluated_once(config)
    assert counted == games
    seats = 1 if scheme == "direct" else 2  # of each game, those that the population holds
    tally = present.tally
    assert tally.games.sum() == seats * games
    assert np.array_equal(tally.games, tally.wins + tally.draws + tally.losses)
    if seats == 2:
        assert tally.wins.sum() == tally.losses.sum()
    ((asked, matches),) = evaluator.asked
    schedule = config.scheme.contest((100,), 1, generation=0).schedule
    pairs, seeds = matches.part(0, games // 2)
    assert np.array_equal(pairs, schedule.pairs(0, len(schedule)))
    assert np.array_equal(seeds, match_seeds(1, "matches", 0, games // 2))
    assert asked.populations[0].packed.shape == (100, 582)


def test_the_first_population_is_random_and_without_parents():
    config = from_dict({"seed": 4})
    first = first_population(config)
    assert first.generation == 0
    assert first.genes.shape == (100, 4650)
    assert abs(first.genes.mean() - 0.5) < 5 * 0.5 / math.sqrt(first.genes.size)
    assert (first.parents == NO_PARENT).all()
    assert first.ids.tolist() == list(range(100))
    assert np.array_equal(first.genes, first_population(config).genes)
    other = first_population(from_dict({"seed": 5}))
    assert not np.array_equal(first.genes, other.genes)


def test_the_first_population_does_not_depend_on_the_scheme():
    first, second = (first_population(from_dict({"scheme": scheme})) for scheme in SCHEMES[:2])
    assert np.array_equal(first.genes, second.genes)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_selection_sees_the_points_with_the_bonus_scaled(scheme: str):
    chosen: dict[str, Any] = {"name": scheme, "bonus": 0.25, "best_share": 0.2}
    config = from_dict(small(chosen, population=20))
    present, _, _ = evaluated_once(config)
    raw = present.raw_fitness
    assert raw.max() > raw.min()
    assert np.array_equal(present.fitness, linear_scaling(raw + 0.25, 0.2))
    assert present.fitness.mean() == pytest.approx(raw.mean() + 0.25)


def test_by_default_only_direct_evolution_scales():
    for scheme in SCHEMES:
        present, _, _ = evaluated_once(from_dict(small(scheme, population=30)))
        scaled = not np.array_equal(present.fitness, present.raw_fitness + 0.01)
        assert scaled == (scheme == "direct")


def test_raw_fitness_is_what_the_outcomes_are_worth():
    """Round robin, counted by hand from the outcomes themselves."""
    config = from_dict(small(population=6))
    present, _, evaluator = evaluated_once(config)
    asked, matches = evaluator.asked[0]
    outcomes = all_outcomes(LocalEvaluator(1), asked, matches)
    pairs = matches.schedule.pairs(0, len(matches))
    points = [0.0] * 6
    for (a, b), ((a_first, b_second), (b_first, a_second)) in zip(pairs, outcomes, strict=True):
        won = (a_first > b_second) + (a_second > b_first)
        lost = (a_first < b_second) + (a_second < b_first)
        points[a] += 1.0 if won > lost else 0.5 if won == lost else 0.0
        points[b] += 1.0 if lost > won else 0.5 if won == lost else 0.0
    assert present.raw_fitness.tolist() == points


def test_on_2x2_ties_are_drawn_games_and_on_5x5_there_are_none():
    even, _, evaluator = evaluated_once(from_dict(small(population=20)))
    outcomes = all_outcomes(LocalEvaluator(1), *evaluator.asked[0])
    ties = int((outcomes[..., 0] == outcomes[..., 1]).sum())
    assert ties > 0
    assert even.tally.draws.sum() == 2 * ties
    odd, _, _ = evaluated_once(from_dict(small(game="dots-and-boxes:rows=5,cols=5", population=8)))
    assert odd.tally.draws.sum() == 0
    assert odd.tally.games.tolist() == [14] * 8


def test_a_snapshot_restores_the_generation_that_it_was():
    config = from_dict(small())
    present, _, _ = evaluated_once(config)
    kept = columns(config, [EvaluatedGeneration(0, (present,))])

    class Last:
        generation = 0
        columns: ClassVar = {**kept, "population": np.full(12, "all", dtype=object)}
        genomes = kept["genome"]
        state: ClassVar = {}

    again = restored(config, Last())[0].populations[0]  # type: ignore[arg-type]
    learner = Genetic(config.learner, config.seed, config.populations[0].genome)
    one, other = learner.next_population(present), learner.next_population(again)
    assert np.array_equal(one.genes, other.genes)
    assert np.array_equal(one.parents, other.parents)
    assert np.array_equal(again.population.genes, present.population.genes)
    assert np.array_equal(again.tally.draws, present.tally.draws)


# --- whole runs --------------------------------------------------------------------------------


def test_children_are_what_the_learner_makes_of_their_parents(runs: dict[str, Run]):
    """The loop keeps what the learner, asked by itself, makes of each population."""
    config = from_dict(runs["round-robin"].config)
    learner = Genetic(config.learner, config.seed, config.populations[0].genome)
    present, _, evaluator = evaluated_once(config)
    for generation in range(1, 6):
        children = learner.next_population(present)
        kept = runs["round-robin"].population(generation)
        assert [bytes(row) for row in config.populations[0].genome.pack(children.genes)] == list(
            kept["genome"]
        )
        present, _ = evaluated(config, evaluator, children)
        assert np.array_equal(present.raw_fitness, kept["raw_fitness"])


def test_without_mutation_each_gene_of_a_child_is_that_of_one_of_its_parents(tmp_path: Path):
    run = played(tmp_path / "run", small(learner={"mutation_probability": 0.0}))
    plan = from_dict(run.config).populations[0]
    mixed = 0
    for generation in range(1, 6):
        genes = {
            row["id"]: plan.genome.unpack(np.frombuffer(row["genome"], np.uint8)[None])[0]
            for kept in (generation - 1, generation)
            for _, row in run.population(kept).iterrows()
        }
        for _, child in run.population(generation).iterrows():
            parents = [genes[one] for one in child[["parent_a", "parent_b"]] if not pd.isna(one)]
            mine = genes[child["id"]]
            assert np.logical_or.reduce([mine == parent for parent in parents]).all()
            mixed += all((mine != parent).any() for parent in parents)
    assert mixed > 5  # children of both


def test_how_often_snapshots_are_written_changes_nothing_else(tmp_path: Path, runs: dict[str, Run]):
    run = played(tmp_path / "run", small(snapshot_interval=4))
    assert run.snapshots == [0, 4, 5]
    for generation in run.snapshots:
        name = f"snapshots/generation-{generation:06d}.parquet"
        kept, again = (pd.read_parquet(one.path / name) for one in (runs["round-robin"], run))
        pd.testing.assert_frame_equal(kept, again)


def test_no_generations_leave_the_first_population(tmp_path: Path):
    run = played(tmp_path / "run", small(generations=0))
    assert run.snapshots == [0]
    assert run.generations["generation"].tolist() == [0]
    assert len(run.population()) == 12


@pytest.mark.parametrize(
    ("scheme", "population", "games"),
    [("round-robin", 2, 2), ("direct", 1, 20), ("direct", 2, 40)],
)
def test_the_smallest_populations_evolve(scheme: str, population: int, games: int, tmp_path: Path):
    run = played(tmp_path / "run", small(scheme, population=population, generations=3))
    assert run.generations["games_played"].tolist() == [games * number for number in range(1, 5)]
    assert len(run.population()) == population
    if scheme == "round-robin":
        for generation in run.snapshots:
            assert run.population(generation)["raw_fitness"].sum() == 1.0


def test_a_population_of_elites_stays_as_it_is(tmp_path: Path):
    run = played(tmp_path / "run", small(population=4, learner={"elites": 4}))
    for generation in run.snapshots:
        assert set(run.population(generation)["genome"]) == set(run.population(0)["genome"])


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 3), (5, 5)])
def test_other_boards_evolve(rows: int, cols: int, tmp_path: Path):
    run = played(
        tmp_path / "run",
        small("antibody-antigen", game={"rows": rows, "cols": cols}, generations=2),
    )
    edges = rows * (cols + 1) + cols * (rows + 1)
    assert run.genome["layers"] == [edges, rows * cols, edges]
    assert run.generations["generation"].tolist() == [0, 1, 2]


def test_evolution_improves_play(tmp_path: Path):
    """Against random play on 2x2 the mean individual wins more, and the population converges."""
    run = played(
        tmp_path / "run",
        small(
            "direct",
            population=40,
            generations=40,
            snapshot_interval=40,
            learner={"mutation_probability": 0.005},
        ),
    )
    table = run.generations
    # 40 individuals' ten matches: the standard error of the mean is .06 points of 10.
    assert table["mean"].iloc[-5:].mean() > table["mean"].iloc[0] + 0.6
    assert table["diversity"].iloc[-1] < 0.4 < 0.49 < table["diversity"].iloc[0]


# --- the learner -------------------------------------------------------------------------------


@dataclass(frozen=True)
class StayOptions(LearnerOptions):
    """A learner of somebody else's: every generation is the one before."""

    name: str = option("stay", "the learner")

    def learner(self, problem: Problem) -> Learner:
        return Stay(problem)


class Stay(BySchemeLearner):
    def first(self) -> Generation:
        (plan,) = self.problem.plans
        genes = plan.genome.random(self.problem.population, generator(self.problem.seed, "stay"))
        nobody = np.full((len(genes), 2), NO_PARENT, dtype=np.int64)
        return Generation(0, (Population(0, genes, nobody, plan.name),))

    def next(self, parents: EvaluatedGeneration) -> Generation:
        (same,) = parents.living
        return self.following(parents, [same.population])


def test_a_learner_of_an_installed_package_evolves(tmp_path: Path, monkeypatch):
    point = EntryPoint("stay", f"{__name__}:StayOptions", "evo.learners")
    monkeypatch.setattr(
        "tournaments.registry.entry_points", lambda group: [point] if "learners" in group else []
    )
    options = small(learner="stay")
    run = evo.run(tmp_path / "run", options, threads=1, generations=2)
    assert run.config["learner"] == {"name": "stay"}
    assert run.population(0)["genome"].tolist() == run.population(2)["genome"].tolist()
    more = evo.resume(tmp_path / "run", generations=3, threads=1)
    assert more.snapshots[-1] == 3
    with pytest.raises(ConfigError, match="unknown learner 'sty'; did you mean 'stay'"):
        from_dict({"learner": "sty"})


# --- the loop ----------------------------------------------------------------------------------


def writer_for(path: Path, config: Config) -> RunWriter:
    spec, seed = config.genome_spec(), config.seed
    return RunWriter.create(path, described(config.to_dict(), seed=seed, genome=spec))


def test_the_loop_reports_each_generation(tmp_path: Path):
    config = from_dict(small())
    told: list[Report] = []
    with writer_for(tmp_path / "run", config) as writer:
        run = Archipelago(config, [learner_of(config)], LocalEvaluator(1), writer)
        assert run.evolve(told.append)
    assert [report.generation for report in told] == list(range(6))
    assert {(report.generations, report.games) for report in told} == {(5, 132)}
    table = open_run(tmp_path / "run").generations
    assert [report.games_played for report in told] == table["games_played"].tolist()
    summaries = [summary for report in told for summary in report.populations]
    for name in ("best", "mean", "diversity"):
        assert [getattr(summary, name) for summary in summaries] == table[name].tolist()


def test_a_loop_that_is_stopped_keeps_the_generation_in_hand_and_goes_on_alike(tmp_path: Path):
    config = from_dict(small("antibody-antigen", generations=7, snapshot_interval=5))
    asked = iter([False, False, True])
    with writer_for(tmp_path / "stopped", config) as writer:
        run = Archipelago(config, [learner_of(config)], LocalEvaluator(1), writer)
        assert not run.evolve(stop=lambda: next(asked))
    assert open_run(tmp_path / "stopped").snapshots == [0, 2]
    told: list[Report] = []
    with RunWriter.open(tmp_path / "stopped") as writer:
        run = Archipelago(config, [learner_of(config)], LocalEvaluator(1), writer)
        assert run.evolve(told.append)
    assert [report.generation for report in told] == [3, 4, 5, 6, 7]
    straight = played(tmp_path / "straight", config.to_dict())
    stopped = open_run(tmp_path / "stopped")
    pd.testing.assert_frame_equal(stopped.population(), straight.population())
    counted = [run.generations["games_played"].tolist() for run in (stopped, straight)]
    assert counted[0] == counted[1]


def test_a_finished_run_plays_no_more(tmp_path: Path):
    config = from_dict(small(generations=1))
    with writer_for(tmp_path / "run", config) as writer:
        assert Archipelago(config, [learner_of(config)], LocalEvaluator(1), writer).evolve()
    evaluator = Watched()
    with RunWriter.open(tmp_path / "run") as writer:
        assert Archipelago(config, [learner_of(config)], evaluator, writer).evolve()
    assert evaluator.asked == []


def test_entrants_are_the_population_and_the_schemes_panel():
    config = from_dict(small({"name": "direct", "opponent": "level-1"}))
    population = first_population(config)
    asked = entrants(config, Generation(0, (population,)))
    assert [player.name for player in asked.panel] == ["level-1"]
    assert np.array_equal(
        config.populations[0].genome.unpack(asked.populations[0].packed), population.genes
    )
