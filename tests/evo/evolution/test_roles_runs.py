"""Whole runs of one population and of two, one a role: what they leave behind."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from results_data import described
from run_checks import snapshot_bytes

import evo
from cluster import LocalEvaluator
from evo.cli.main import main
from evo.config.config import Config, from_dict
from evo.evaluation import players as opponents
from evo.evolution.checkpoint import columns, restored
from evo.evolution.loop import Archipelago
from evo.evolution.start import learner_of
from evo.genomes.base import Plan
from evo.genomes.policy_table import PolicyTable
from evo.learners.by_scheme import linear_scaling
from results import Run, RunWriter, open_run
from tournaments.arena import match
from tournaments.errors import ConfigError, TournamentError
from tournaments.kernels.rng import generator
from tournaments.players.table import TableEncoding
from tournaments.schemes.antibody_antigen import AntibodyAntigen

SIZE, GENERATIONS = 12, 6
ROLES = ["cat", "mouse"]
SMALL: dict[str, Any] = {
    "game": "cat-and-mouse:rows=3,cols=4,cat_start=any,mouse_start=any",
    "population": SIZE,
    "generations": GENERATIONS,
    "snapshot_interval": 1,
    "seed": 5,
    "learner": {"mutation_probability": 0.02},
}
PAIRS = {"genome": {"encoding": "position-table", "pairs": True}}
CASES: dict[str, dict[str, Any]] = {
    "direct": {"scheme": {"name": "direct", "opponent": "random", "matches": 4}},
    "round-robin": {"scheme": "round-robin"},
    "antibody-antigen": {"scheme": "antibody-antigen"},
    "pairs": {"scheme": "antibody-antigen", **PAIRS},
    "pairs-direct": {"scheme": {"name": "direct", "opponent": "random"}, **PAIRS},
    **{
        f"window {far}": {
            "game": "cat-and-mouse:rows=4,cols=5,mouse_start=any,end=move-limit",
            "genome": {"encoding": "window-table", "far": far},
            "scheme": "round-robin",
        }
        for far in ("larger-axis", "euclidean", "table")
    },
}
BOXES = {"game": "dots-and-boxes:rows=2,cols=2", "snapshot_interval": 1}
TABLES = list(CASES)
CASES["networks"] = {**BOXES, "scheme": "round-robin"}
CASES["networks-direct"] = {**BOXES, "scheme": {"name": "direct", "opponent": "random"}}
TWO = [name for name in TABLES if not name.startswith("pairs")]
GAMES = {
    "direct": 2 * SIZE * 4,
    "round-robin": SIZE * SIZE,
    "antibody-antigen": 2 * 3 * 4,
    "pairs": 2 * 3 * 4,
    "pairs-direct": 2 * SIZE * 10,
    "networks": SIZE * (SIZE - 1),
    "networks-direct": 2 * SIZE * 10,
}
"""Games of a generation."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> dict[str, Run]:
    """A run of each case, every generation kept."""
    folder = tmp_path_factory.mktemp("runs")
    return {name: evo.run(folder / name, SMALL | CASES[name], threads=1) for name in CASES}


def names_of(name: str) -> list[str]:
    return ROLES if name in TWO else ["all"]


def kept(run: Run, population: str) -> list[pd.DataFrame]:
    """A population in every generation."""
    return [run.population(generation, population) for generation in range(GENERATIONS + 1)]


# --- what is kept ------------------------------------------------------------------------------

every = pytest.mark.parametrize("name", CASES)


@every
def test_a_snapshot_has_one_population_a_role_and_ids_are_unique_in_the_run(name, runs):
    run = runs[name]
    assert run.populations == names_of(name)
    assert run.snapshots == list(range(GENERATIONS + 1))
    ids = []
    for generation in run.snapshots:
        table = run.population(generation)
        assert table["population"].tolist() == [one for one in names_of(name) for _ in range(SIZE)]
        assert table["individual"].tolist() == list(range(SIZE)) * len(names_of(name))
        ids += table["id"].tolist()
    assert ids == list(range(len(ids)))


@every
def test_parents_are_of_the_generation_before_and_of_the_same_population(name, runs):
    joined = 0
    for population in names_of(name):
        generations = kept(runs[name], population)
        assert generations[0][["parent_a", "parent_b"]].isna().all().all()
        for before, after in pairwise(generations):
            assert after["parent_a"].isin(before["id"]).all()
            second = after["parent_b"].dropna()
            assert second.isin(before["id"]).all()
            joined += len(second)
    assert joined > 0


@every
def test_the_best_of_each_population_leads_the_next_unchanged(name, runs):
    for population in names_of(name):
        generations = kept(runs[name], population)
        for before, after in pairwise(generations):
            best = before.iloc[int(np.argmax(before["fitness"]))]
            first = after.iloc[0]
            assert first["genome"] == best["genome"]
            assert first["parent_a"] == best["id"]
            assert pd.isna(first["parent_b"])


@every
def test_generations_have_a_row_a_population_of_what_its_snapshot_says(name, runs):
    table, names = runs[name].generations, names_of(name)
    assert table["population"].tolist() == names * (GENERATIONS + 1)
    for generation, rows in table.groupby("generation"):
        assert rows["games_played"].nunique() == 1
        assert rows["games_played"].iloc[0] == GAMES.get(name, SIZE * SIZE) * (generation + 1)
        for population, row in zip(names, rows.itertuples(), strict=True):
            genome = from_dict(runs[name].config).plan(population).genome
            kept_rows = runs[name].population(generation, population)
            raw = kept_rows["raw_fitness"].to_numpy()
            assert (row.best, row.mean, row.std) == (raw.max(), raw.mean(), raw.std())
            genomes = np.stack([np.frombuffer(one, np.uint8) for one in kept_rows["genome"]])
            assert row.diversity == genome.diversity(genome.unpack(genomes))
            assert 0 <= row.diversity < 1
    assert (table["total_seconds"] > 0).all()


@pytest.mark.parametrize("name", TWO)
def test_what_cats_win_mice_lose_unless_a_fixed_opponent_does(name, runs):
    won = np.zeros(2, dtype=int)
    for generation in runs[name].snapshots:
        cats, mice = (runs[name].population(generation, role) for role in ROLES)
        for table in (cats, mice):
            assert (table["games"] == table[["wins", "draws", "losses"]].sum(axis=1)).all()
        assert cats["games"].sum() == mice["games"].sum()
        if name != "direct":
            assert cats["wins"].sum() == mice["losses"].sum()
            assert cats["losses"].sum() == mice["wins"].sum()
        won += [cats["wins"].sum(), mice["wins"].sum()]
    assert (won > 0).all()  # both can win here, or nothing would be tested


def test_raw_fitness_across_populations_is_the_number_of_games_won(runs):
    for table in (runs["round-robin"].population(3), runs["direct"].population(3)):
        assert table["raw_fitness"].tolist() == table["wins"].tolist()


@pytest.mark.parametrize("name", TABLES)
def test_only_legal_alleles_ever_arise(name, runs):
    config = from_dict(SMALL | CASES[name])
    for plan in config.populations:
        encoding = plan.genome.representation
        for generation in runs[name].snapshots:
            policies = runs[name].policies(generation, plan.name)
            assert policies.shape == (SIZE, encoding.num_genes)
            encoding.checked(policies)
        free = encoding.counts > 1
        first, last = (runs[name].policies(one, plan.name) for one in (0, GENERATIONS))
        assert (first[:, free] != last[:, free]).any()
        assert np.array_equal(first[:, ~free], last[:, ~free])


def test_the_populations_of_roles_draw_from_streams_of_their_own(runs):
    plans = from_dict(SMALL | CASES["round-robin"]).populations
    for role, plan in zip(ROLES, plans, strict=True):
        drawn = plan.genome.random(SIZE, generator(SMALL["seed"], f"initial/{role}"))
        assert np.array_equal(runs["round-robin"].policies(0, role), drawn)
    draws = [
        [table["parent_a"].tolist() for table in kept(runs["round-robin"], role)[1:]]
        for role in ROLES
    ]
    assert np.not_equal(draws[0], np.array(draws[1]) - SIZE).any()


@pytest.mark.parametrize("name", ["pairs", "window euclidean"])
@pytest.mark.parametrize(("threads", "chunk"), [(2, None), (1, 1), (2, 5)])
def test_threads_and_the_size_of_chunks_change_no_byte(name, threads, chunk, runs, tmp_path):
    evaluator = LocalEvaluator(threads, chunk)
    evo.run(tmp_path / "run", SMALL | CASES[name], evaluator=evaluator)
    evaluator.close()
    assert snapshot_bytes(tmp_path / "run") == snapshot_bytes(runs[name].path)


# --- what reads it -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["antibody-antigen", "pairs"])
def test_individuals_of_all_populations_are_evaluated(name, tmp_path):
    path = tmp_path / "run"
    evo.run(path, SMALL | CASES[name], generations=2, snapshot_interval=2, threads=1)
    found = evo.evaluate(path, ["random"], games=10, threads=1)
    assert len(found) == 2 * SIZE * len(names_of(name))
    assert sorted(set(found["population"])) == sorted(names_of(name))
    assert (found["games"] == 10).all()
    assert (found[["wins", "draws", "losses"]].sum(axis=1) == 10).all()
    assert found["wins"].between(1, 9).any()
    again = evo.evaluate(path, ["random"], games=10, threads=2)
    pd.testing.assert_frame_equal(again, found)
    assert len(open_run(path).evaluations) == len(found)
    best = evo.evaluate(path, ["random"], games=20, best=1, generations=[2], threads=2)
    rows = [open_run(path).champion(2, one)["individual"] for one in names_of(name)]
    assert best["individual"].tolist() == rows


@pytest.mark.parametrize("name", TABLES)
def test_the_champion_is_the_best_of_each_role_in_its_own_seat(name, runs):
    run = runs[name]
    champion = opponents.champion(run.path, generation=3)
    assert (champion.name, champion.seats) == (f"{run.path}@3", (0, 1))
    best = [run.policies(3, one)[run.champion(3, one)["individual"]] for one in names_of(name)]
    assert np.array_equal(champion.parameters.tables, np.concatenate(best)[None])
    strongest = run.population(3, names_of(name)[0])["fitness"].max()
    assert run.champion(3)["fitness"] == strongest
    outcome = match.play_match(champion.game, champion, champion, seed=1)
    assert outcome.shape == (2, 2)


@pytest.mark.parametrize("name", ["antibody-antigen", "pairs"])
@pytest.mark.slow
def test_a_run_is_plotted(name, runs, capsys):
    assert main(["plot", str(runs[name].path)]) == 0
    made = [Path(line) for line in capsys.readouterr().out.split() if line.endswith(".svg")]
    assert {path.name for path in made} >= {"fitness.svg", "diversity.svg"}
    assert all(path.stat().st_size > 1000 for path in made)
    if name != "pairs":
        text = next(path for path in made if path.name == "diversity.svg").read_text()
        assert all(role in text for role in ROLES)


# --- genomes of several lengths ----------------------------------------------------------------


def of_two_lengths() -> Config:
    """Cats that carry a mouse's table along, and mice: no configuration says so yet."""
    config = from_dict(SMALL | {"scheme": "round-robin", "generations": 3})
    encodings = [TableEncoding(config.game, "position-table", seats) for seats in ((0, 1), (1,))]
    plans = [Plan(one, PolicyTable(made)) for one, made in zip(ROLES, encodings, strict=True)]
    return replace(config, populations=tuple(plans))


def test_populations_whose_genomes_differ_in_length_share_a_snapshot(tmp_path):
    config = of_two_lengths()
    spec = config.genome_spec()
    assert (config.genome_bytes, [one["bytes"] for one in spec["populations"].values()]) == (
        288,
        [288, 144],
    )
    written = []
    for folder, threads in (("one", 1), ("two", 2)):
        layouts = config.layouts()
        info = described(config.to_dict(), seed=5, genome=spec, layouts=layouts)
        with RunWriter.create(tmp_path / folder, info) as writer:
            run = Archipelago(config, [learner_of(config)], LocalEvaluator(threads), writer)
            assert run.evolve()
        written.append(snapshot_bytes(tmp_path / folder))
    assert written[0] == written[1]
    run = open_run(tmp_path / "one")
    assert run.policies(3, "cat").shape == (SIZE, 288)
    assert run.policies(3, "mouse").shape == (SIZE, 144)
    assert all(genome[144:] == bytes(144) for genome in run.population(3, "mouse")["genome"])
    with RunWriter.open(tmp_path / "one") as writer:
        present = restored(config, writer.last)
        again = columns(config, present)
        for name, column in again.items():
            assert np.array_equal(writer.last.columns[name], column), name
    lengths = [one.population.genes.shape for one in present[0].populations]
    assert lengths == [(SIZE, 288), (SIZE, 144)]


# --- operators of DEAP on tables ---------------------------------------------------------------

OWN = "operators_of_a_user"


def test_a_crossover_of_deap_joins_tables_and_keeps_them_legal(tmp_path):
    deap = {"selection": "deap.tools.selTournament", "selection_options": {"tournsize": 3}}
    learner = deap | {"crossover": "deap.tools.cxTwoPoint"}
    run = evo.run(tmp_path / "run", SMALL | {"learner": learner}, threads=1)
    config = from_dict(run.config)
    for plan in config.populations:
        policies = run.policies(None, plan.name)
        plan.genome.representation.checked(policies)
        assert len(np.unique(policies, axis=0)) > 1
    assert run.population()["parent_b"].notna().any()


@pytest.mark.parametrize(
    ("mutation", "options"),
    [
        ("deap.tools.mutFlipBit", {}),
        ("deap.tools.mutFlipBit", {"indpb": 1e-6}),
        ("deap.tools.mutShuffleIndexes", {}),
        ("deap.tools.mutShuffleIndexes", {"indpb": 1e-6}),
        ("deap.tools.mutUniformInt", {"low": 0, "up": 3, "indpb": 1e-6}),
    ],
)
def test_a_mutation_that_breaks_closure_is_refused_before_any_work(mutation, options, tmp_path):
    learner = {"mutation": mutation, "mutation_options": options}
    with pytest.raises(TournamentError) as refused:
        evo.run(tmp_path / "run", SMALL | {"learner": learner})
    told, given = str(refused.value), "the operator gave an individual of shape (144,)"
    assert told.startswith(f"learner.mutation '{mutation}': {given}")
    assert "every gene must stay one of its alleles" in told
    assert not (tmp_path / "run").exists()


def test_a_mutation_of_bits_is_not_one_of_tables():
    with pytest.raises(ConfigError, match="genomes of legal actions take 'reset'"):
        from_dict(SMALL | {"learner": {"mutation": "bit-flip"}})
    with pytest.raises(ConfigError, match="genomes of bits take 'bit-flip'"):
        from_dict({"learner": {"mutation": "reset"}})


def test_a_mutation_that_is_switched_off_breaks_nothing(tmp_path):
    learner = {"mutation": "deap.tools.mutFlipBit", "mutation_probability": 0.0}
    run = evo.run(tmp_path / "run", SMALL | {"learner": learner}, generations=2, threads=1)
    assert run.snapshots[-1] == 2


# --- what a configuration makes of it ----------------------------------------------------------


@pytest.mark.parametrize("more", [{}, PAIRS], ids=["two populations", "pairs"])
@pytest.mark.parametrize("by", ["scheme", "learner"])
def test_an_opponent_of_one_role_is_refused_before_any_work(more, by, runs, tmp_path):
    np.save(tmp_path / "cat.npy", runs["direct"].policies(1, "cat")[0])
    opponent = f"table:file={tmp_path / 'cat.npy'},seat=cat"
    options = SMALL | more | {"scheme": {"name": "direct", "opponent": opponent}}
    if by == "learner":
        options = {"game": SMALL["game"], **more}
        options |= {"learner": {"name": "hill-climbing", "panel": [opponent]}}
    with pytest.raises(ConfigError, match="plays the cat only, but must play both seats"):
        evo.run(tmp_path / "run", options)
    assert not (tmp_path / "run").exists()


def test_the_bonus_and_the_scaling_are_of_each_population_by_itself(tmp_path):
    options = SMALL | {"scheme": {"name": "round-robin", "bonus": 0.5, "best_share": 0.3}}
    run = evo.run(tmp_path / "run", options, generations=1, threads=1)
    for role in ROLES:
        table = run.population(0, role)
        raw, seen = table["raw_fitness"].to_numpy(), table["fitness"].to_numpy()
        assert np.array_equal(seen, linear_scaling(raw + 0.5, 0.3))
        assert not np.array_equal(seen, raw + 0.5)


def test_a_scheme_is_asked_for_both_populations():
    config = from_dict(SMALL)
    assert isinstance(config.scheme, AntibodyAntigen)
    assert config.sizes == (SIZE, SIZE)
    learner = learner_of(config)
    generation = learner.first()
    contest = learner.contest(generation)
    assert (contest.games, len(contest.schedule)) == (1, 24)
    assert list(generation.parts()) == [slice(0, SIZE), slice(SIZE, 2 * SIZE)]
    expected = config.populations[1].genome.random(SIZE, generator(5, "initial/mouse"))
    assert np.array_equal(generation.populations[1].genes, expected)
