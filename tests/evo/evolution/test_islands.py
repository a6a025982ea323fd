"""Islands: each evolves as a run by itself, and what moves between them moves as it is told."""

from __future__ import annotations

import pickle
import tomllib
from typing import Any

import numpy as np
import pytest
from island_runs import ROLES, TINY, of_island, run, slow
from naive import islands as naive

import evo
from cluster import LocalEvaluator
from cluster.evaluator import ClusterError
from cluster.faults import MatchLost
from evo.cli.main import main
from evo.config.config import from_dict
from evo.config.toml import as_toml
from evo.evaluation.players import best_of, champion
from evo.evolution import migration
from evo.evolution.loop import Stretch
from evo.learners.genetic.learner import with_migrants
from evo.population import Evaluated, EvaluatedGeneration, Population, lineage
from results import ResultsError, open_run
from tournaments.arena.outcomes import Tally
from tournaments.errors import ConfigError

# --- each by itself -----------------------------------------------------------------------------


@pytest.mark.parametrize("table", [TINY, slow(ROLES)], ids=["seats-alike", "roles"])
def test_islands_that_never_meet_are_runs_by_themselves(table, tmp_path):
    own = [{"islands": [1], "scheme": "round-robin", "learner": {"elites": 2}, "population": 4}]
    if table is ROLES:
        own += [{"islands": [2], "learner": "hill-climbing"}]
    together = run(tmp_path / "run", table, topology="none", each=own)
    config = from_dict(together.config)
    for island in range(3):
        alone = evo.run(tmp_path / f"{island}", config.of_islands[island], threads=1)
        for generation in range(7):
            here, there = of_island(together, generation, island), alone.population(generation)
            assert here["id"].tolist() == [number * 3 + island for number in there["id"]]
            columns = ["individual", "genome", "fitness", "raw_fitness", "games", "wins"]
            assert here[columns].equals(there[columns])
        rows = together.generations
        rows = rows[rows["island"] == island]
        assert rows["best"].tolist() == alone.generations["best"].tolist()


def test_each_island_has_random_numbers_of_its_own(tmp_path):
    there = run(tmp_path / "run", TINY | {"generations": 0})
    genomes = [set(of_island(there, 0, island)["genome"]) for island in range(3)]
    assert not genomes[0] & genomes[1]
    assert not genomes[1] & genomes[2]


def test_populations_are_named_by_island_and_games_are_those_of_all(tmp_path):
    there = run(tmp_path / "run", ROLES)
    names = [f"{role}-island-{island}" for island in range(3) for role in ("cat", "mouse")]
    assert there.populations == names
    assert list(dict.fromkeys(there.population()["population"])) == names
    assert there.champion(6, "mouse-island-2")["island"] == 2
    rows = there.generations
    assert rows["population"].tolist() == names * 7
    assert (rows["island"] == rows["population"].str[-1].astype(int)).all()
    per_generation = from_dict(there.config).games_a_generation
    assert there.games_played == 7 * per_generation
    assert rows["games_played"].tolist() == [
        per_generation * (number + 1) for number in range(7) for _ in names
    ]
    assert not there.population().duplicated("id").any()


class Mortal(LocalEvaluator):
    """No worker survives island 1 once it has begun."""

    def work(self, pieces):
        if pieces[1].present is not None:
            raise MatchLost("piece of work 1", 1, None, None, "its process ended")
        return super().work(pieces)


def test_an_island_that_no_worker_survives_is_played_by_matches_and_the_run_is_the_same(tmp_path):
    lost = evo.run(
        tmp_path / "a", TINY | {"islands": {"count": 3, "every": 2}}, evaluator=Mortal(1)
    )
    whole = run(tmp_path / "b", TINY)
    assert lost.population().equals(whole.population())


def test_an_island_that_no_worker_survives_ends_a_run_that_forfeits_nothing(tmp_path):
    line = r"^island 1 loses every worker in its generations 1 to \d+ \(its process ended\); .* "
    with pytest.raises(ClusterError, match=line + "the run can be resumed: evo resume RUN$"):
        evo.run(
            tmp_path / "a",
            TINY | {"islands": {"count": 3, "every": 2}},
            evaluator=Mortal(1),
            faults="abort",
        )
    resumed = evo.resume(tmp_path / "a", threads=1)
    assert resumed.population().equals(run(tmp_path / "b", TINY).population())


# --- migration ----------------------------------------------------------------------------------


def played(fitness: list[float], island: int) -> EvaluatedGeneration:
    """A population whose genes say where each individual was born."""
    size = len(fitness)
    genes = np.stack([np.full(size, island), np.arange(size)], axis=1).astype(np.uint8)
    population = Population(4, genes, lineage(size), ids=np.arange(size) * 10 + island)
    points = np.array(fitness)
    nothing = Tally(*np.zeros((4, size), dtype=np.int32))
    return EvaluatedGeneration(4, (Evaluated(population, points, points, nothing),))


def given_islands(count: int, **options: Any):
    table = TINY | {"islands": {"count": count, **options}}
    return from_dict(table).islands


FITNESS = [[3.0, 1.0, 2.0, 5.0, 4.0, 0.0], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0], [0.0, 9.0, 8.0, 7.0]]


@pytest.mark.parametrize("topology", ["ring", "complete", "star", "none"])
@pytest.mark.parametrize("migrants", [1, 2])
def test_the_best_take_the_places_of_the_worst(topology, migrants):
    islands = given_islands(3, topology=topology, migrants=migrants)
    there = [played(fitness, island) for island, fitness in enumerate(FITNESS)]
    ids = [island.living[0].population.ids.tolist() for island in there]
    expected = naive.arrivals(set(islands.ways), FITNESS, ids, migrants)
    for island, arrived in enumerate(migration.migrations(islands, 3, there)):
        migrants_here = arrived.get("all")
        rows = (
            []
            if migrants_here is None
            else zip(
                migrants_here.rows.tolist(),
                migrants_here.ids.tolist(),
                migrants_here.standing.tolist(),
                strict=True,
            )
        )
        assert list(rows) == expected[island]
        if migrants_here is not None:
            assert (migrants_here.genes[:, 0] == migrants_here.ids % 10).all()
            joined = with_migrants(there[island].living[0], migrants_here)
            fit = FITNESS[island]
            for row, guest, standing in expected[island]:
                assert joined.population.ids[row] == guest
                assert joined.fitness[row] == naive.as_fit_as(fit, standing)
            stayed = [row for row in range(len(fit)) if row not in migrants_here.rows]
            assert joined.population.ids[stayed].tolist() == [ids[island][row] for row in stayed]
            assert there[island].living[0].population.ids.tolist() == ids[island]


@pytest.mark.parametrize("choose", ["random", "tournament"])
def test_migrants_that_are_drawn_depend_on_seed_generation_and_island_alone(choose):
    islands = given_islands(3, choose=choose, replace="random", migrants=2, topology="complete")
    there = [played([float(n) for n in range(40)], island) for island in range(3)]
    first = migration.migrations(islands, 3, there)
    drawn = [first[(island + 1) % 3]["all"].ids.tolist() for island in range(3)]
    assert all(len(set(each["all"].rows.tolist())) == 4 for each in first)
    again, other = (migration.migrations(islands, seed, there) for seed in (3, 4))
    for each, same, different in zip(first, again, other, strict=True):
        assert each["all"].ids.tolist() == same["all"].ids.tolist()
        assert each["all"].rows.tolist() == same["all"].rows.tolist()
        assert each["all"].ids.tolist() != different["all"].ids.tolist()
    assert len({tuple(number // 10 for number in ids) for ids in drawn}) > 1


@pytest.mark.parametrize("table", [TINY, ROLES], ids=["seats-alike", "roles"])
def test_children_of_migrants_are_found_in_the_generations_after_migrations_alone(table, tmp_path):
    copies = {"mutation_probability": 0.0, "crossover_probability": 0.0}
    there = run(tmp_path / "run", table | {"learner": copies}, migrants=2)
    foreign = dict.fromkeys(range(7), 0)
    for generation in range(1, 7):
        before = there.population(generation - 1).set_index("id")
        for child in there.population(generation).to_dict("records"):
            parent = before.loc[child["parent_a"]]
            assert parent["genome"] == child["genome"]
            assert parent["population"].partition("-")[0] == child["population"].partition("-")[0]
            if parent["island"] != child["island"]:
                assert child["island"] == (parent["island"] + 1) % 3
                home = before[before["population"] == parent["population"]]
                assert (home["fitness"] > parent["fitness"]).sum() < 2
                foreign[generation] += 1
    assert [number for number, count in foreign.items() if count] == [3, 5]


@pytest.mark.slow
def test_a_climber_takes_migrants_for_variants(tmp_path):
    climbing = TINY | {"learner": {"name": "hill-climbing", "candidates": 4}}
    del climbing["population"]
    there = run(tmp_path / "run", climbing)
    for generation, foreign in ((2, 0), (3, 1), (4, 0), (5, 1)):
        for island in range(3):
            rows = of_island(there, generation, island)
            homes = [int(parent) % 3 for parent in rows["parent_a"]]
            assert homes == [island, *[(island - 1) % 3] * foreign, *[island] * (4 - foreign)]
            if foreign:
                before = there.population(generation - 1).set_index("id")
                assert before.loc[rows["parent_a"][1], "genome"] == rows["genome"][1]


def test_archives_keep_whom_the_scheme_chose_whatever_migrates(tmp_path):
    archives = TINY | {"scheme": {"name": "hall-of-fame", "kept": 3}}
    there = run(tmp_path / "run", archives, topology="complete", migrants=2, replace="random")
    known: dict[int, bytes] = {}
    for generation in range(7):
        rows = there.population(generation)
        living = rows[~rows["population"].str.endswith("-archive")]
        for row in rows[rows["population"].str.endswith("-archive")].to_dict("records"):
            assert known[row["id"]] == row["genome"]
            assert row["id"] % 3 == row["island"]
        known |= dict(zip(living["id"], living["genome"], strict=True))


# --- wherever and however it is played ----------------------------------------------------------


@pytest.mark.parametrize("games", [slow(1), 500, slow(1000)])
def test_a_run_by_games_ends_with_the_first_generation_that_reaches_them(games, tmp_path):
    table = TINY | {"snapshot_interval": 50, "games": games}
    del table["generations"]
    there = run(tmp_path / "run", table, every=50)
    per_generation = from_dict(there.config).games_a_generation
    assert there.games_played == -(-games // per_generation) * per_generation


def test_a_stretch_travels_and_depends_on_nothing_but_itself():
    config = from_dict(TINY | {"islands": {"count": 2}})
    stretch = Stretch(config.of_islands[1], 1, 2, 3)
    (first, told), (again, _) = (pickle.loads(pickle.dumps(stretch)).run() for _ in range(2))
    assert first.number == 3
    assert len(told) == 4
    assert np.array_equal(first.living[0].population.genes, again.living[0].population.genes)
    assert (first.living[0].population.ids % 2 == 1).all()


def test_islands_end_by_themselves_only_when_all_have_enough(tmp_path):
    """The learner of island 1 cannot have enough before generation 9, the others sooner."""
    climber = {"name": "hill-climbing", "stop_after": 3}
    table = TINY | {"generations": 200, "snapshot_interval": 2, "learner": climber}
    del table["population"]
    patient = [{"islands": [1], "learner": {"stop_after": 9}}]
    there = run(tmp_path / "run", table, topology="none", each=patient)
    ended = there.info["ended"]
    assert ended["reason"].endswith(f"on all islands at generation {ended['generation']}")
    assert ended["generation"] % 2 == 0
    assert 9 <= ended["generation"] < 200


def test_generations_are_told_one_by_one_with_what_all_islands_played(tmp_path):
    told = []
    table = TINY | {"snapshot_interval": 3, "islands": {"count": 3, "every": 2}}
    evo.run(tmp_path / "run", table, report=told.append, evaluator=LocalEvaluator(2))
    rows = open_run(tmp_path / "run").generations
    assert [progress.generation for progress in told] == list(range(7))
    for progress in told:
        here = rows[rows["generation"] == progress.generation]
        (summary,) = progress.populations
        assert summary.best == here["best"].max()
        assert summary.mean == pytest.approx(here["mean"].mean())
        assert progress.games_played == here["games_played"].iloc[0]
        assert sum(progress.parts.values()) == pytest.approx(progress.seconds)


# --- who can ------------------------------------------------------------------------------------


def test_what_reads_a_run_reads_its_islands(tmp_path):
    there = run(tmp_path / "run", TINY)
    rows = evo.evaluate(there.path, ["random"], games=4, best=1, generations=[6], threads=1)
    assert rows["population"].tolist() == [f"island-{island}" for island in range(3)]
    assert rows["island"].tolist() == [0, 1, 2]
    assert "island" in open_run(there.path).evaluations
    assert there.weights(6).shape == (18, there.weights(6, "island-1").shape[1])
    with pytest.raises(ResultsError, match="no population 'all'"):
        there.population(6, "all")
    points = [there.champion(6, name)["raw_fitness"] for name in there.populations]
    best = best_of(there, from_dict(there.config))
    assert [row["island"] for row in best] == [int(np.argmax(points))]
    assert champion(there.path).name == f"{there.path}@6"


def test_islands_start_from_a_run_without_but_no_run_starts_from_islands(tmp_path):
    before = evo.run(tmp_path / "before", TINY, threads=1)
    there = run(tmp_path / "run", TINY | {"start": str(before.path), "generations": 0})
    for island in range(3):
        assert set(of_island(there, 0, island)["genome"]) == set(before.population()["genome"])
    with pytest.raises(ConfigError, match="has islands, from which no run can start"):
        evo.run(tmp_path / "after", TINY | {"start": str(there.path)}, threads=1)


@pytest.mark.parametrize("count", [2, slow(17)])
def test_the_command_line_says_how_each_island_does_and_of_many_the_best(count, tmp_path, capsys):
    flags = ["--game", "dots-and-boxes:rows=1,cols=1", "--population", "6", "--generations", "2"]
    flags += ["--islands", str(count), "--migration", "torus", "--every", "1", "--threads", "1"]
    assert main(["run", *flags, "--out", str(tmp_path / "run")]) == 0
    printed = capsys.readouterr().out
    (standing,) = [line for line in printed.splitlines() if line.startswith("used as a player")]
    best = standing.removeprefix("used as a player, the run is ").partition(":")[0]
    measured = {f"island-{n}" for n in range(count) if f"\nisland-{n} " in printed}
    assert measured == ({"island-0", "island-1"} if count == 2 else {best})
    config = open_run(tmp_path / "run").config["islands"]
    assert (config["count"], config["topology"]["name"], config["every"]) == (count, "torus", 1)


@pytest.mark.parametrize(
    ("islands", "message"),
    [
        ({"count": 0}, r"islands.count=0 given; a value from 1"),
        ({"cuont": 2}, r"unknown field 'islands.cuont'; did you mean 'count'|unknown field"),
        ({"topology": "rnig"}, "unknown topology 'rnig'"),
        ({"topology": "ring:both=true"}, "unknown field 'islands.topology.both'"),
        ({"topology": 3}, "topology=3 given; a table is expected"),
        ({"choose": "worst"}, "one of best, random, tournament is expected"),
        ({"migrants": 6}, "island 0 gets 6 migrants along 1 ways, but has room for 5"),
        ({"count": 7, "topology": "complete"}, "island 0 gets 6 migrants along 6 ways"),
        ({"each": {"islands": [0]}}, r"tables are expected: \[\[islands.each\]\]"),
        ({"each": [{"islands": [3]}]}, "is expected, with numbers from 0 to 2"),
        ({"each": [{"learner": "genetic"}]}, "is expected, with numbers from 0 to 2"),
        ({"each": [{"islands": [0], "game": "nim"}]}, "unknown field 'islands.each.game'"),
        ({"each": [{"islands": [0]}, {"islands": [0]}]}, "island 0 given in two tables"),
        (
            {"each": [{"islands": [1, 2], "scheme": "no"}]},
            "islands.each of islands 1, 2: unknown scheme 'no'",
        ),
        (
            {"each": [{"islands": [1], "learner": "openai-es"}]},
            "island 1 has genome.encoding='real-network' of another form",
        ),
    ],
)
def test_islands_that_cannot_be_are_refused_in_a_line(islands, message):
    with pytest.raises((ConfigError, ResultsError), match=message) as error:
        from_dict(TINY | {"islands": {"count": 3, **islands}})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("learner", ["openai-es", "evolution-strategy"])
def test_a_learner_that_draws_each_generation_anew_sends_migrants_but_takes_none(learner):
    table = TINY | {"learner": learner, "genome": {"encoding": "real-network"}}
    with pytest.raises(ConfigError, match=f"{learner} on island 0 cannot take migrants in"):
        from_dict(table | {"islands": {"count": 2}})
    from_dict(table | {"islands": {"count": 2, "topology": "none"}})
    graph = {"name": "graph", "edges": ["0>1"]}
    genetic = [{"islands": [1], "learner": "genetic"}]
    from_dict(table | {"islands": {"count": 2, "topology": graph, "each": genetic}})


def test_a_configuration_with_islands_is_written_whole_and_read_again():
    each = [{"islands": [1], "learner": {"elites": 2}}]
    config = from_dict(TINY | {"islands": {"count": 4, "topology": "torus:rows=2", "each": each}})
    table = config.to_dict()
    assert table["islands"]["topology"] == {"name": "torus", "rows": 2}
    assert from_dict(table) == config
    assert from_dict(tomllib.loads(as_toml(config))).to_dict() == table
    assert "islands" not in from_dict(TINY).to_dict()
    changed = config.changed({"islands": {"topology": "ring"}})
    assert changed.islands.topology.name == "ring"
    assert changed.islands.count == 4
    assert config.of_islands[1].learner.elites == 2
    assert config.of_islands[2].learner.elites == 1
