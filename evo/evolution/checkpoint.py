"""A generation as the columns of a snapshot, and a snapshot as the generation that it was.

On islands a snapshot holds the same generation of all of them. There ids count the islands: those
of island k of n are k, k + n, k + 2 n and so on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evo.config.config import Config
from evo.population import Evaluated, EvaluatedGeneration, Population
from results.format.islands import on_island, role_and_island
from results.writer.writer import LastSnapshot
from tournaments.arena.outcomes import Tally

ISLANDS = "islands"
"""Under which the state of a snapshot holds those of its islands, in their order."""


def columns(config: Config, evaluated: EvaluatedGeneration) -> dict[str, np.ndarray | str]:
    """A generation as the columns of a snapshot."""
    width = config.genome_bytes
    tables = [_columns(config, one, width) for one in evaluated.populations]
    return tables[0] if len(tables) == 1 else _stacked(tables)


def columns_of_islands(
    config: Config, islands: Sequence[EvaluatedGeneration]
) -> dict[str, np.ndarray | str]:
    """The same generation of all islands as the columns of a snapshot."""
    width, tables = config.genome_bytes, []
    for number, evaluated in enumerate(islands):
        for one in evaluated.populations:
            table = _columns(config, one, width)
            table["population"] = on_island(one.population.name, number)
            table["island"] = np.full(len(one.population), number, dtype=np.int32)
            tables.append(table)
    return _stacked(tables)


def lineage_columns(evaluated: EvaluatedGeneration, island: int | None = None) -> dict[str, Any]:
    """A generation as the columns of ``lineage``: who descends from whom; archives left out."""
    tables: list[dict[str, Any]] = []
    for one in evaluated.living:
        ids, parents = one.population.ids, one.population.parents
        name = one.population.name
        table = {
            "population": name if island is None else on_island(name, island),
            "id": ids,
            "parent_a": parents[:, 0],
            "parent_b": parents[:, 1],
            "raw_fitness": one.raw_fitness,
        }
        if island is not None:
            table["island"] = np.full(len(ids), island, dtype=np.int32)
        tables.append(table)
    return _stacked(tables)


def state_of_islands(islands: Sequence[EvaluatedGeneration]) -> Mapping[str, Any]:
    """What the learners of all islands carry; nothing where none carries anything."""
    states = [evaluated.state for evaluated in islands]
    return {ISLANDS: states} if any(states) else {}


def _stacked(tables: list[dict[str, np.ndarray | str]]) -> dict[str, np.ndarray | str]:
    for table in tables:
        table["population"] = np.full(len(table["id"]), table["population"], dtype=object)
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}


def _columns(config: Config, evaluated: Evaluated, width: int) -> dict[str, np.ndarray | str]:
    population, games = evaluated.population, evaluated.tally
    packed = config.plan(population.name).genome.pack(population.genes)
    if packed.shape[1] < width:
        packed = np.pad(packed, ((0, 0), (0, width - packed.shape[1])))
    return {
        "population": population.name,
        "individual": np.arange(len(population), dtype=np.int32),
        "id": population.ids,
        "parent_a": population.parents[:, 0],
        "parent_b": population.parents[:, 1],
        "genome": packed,
        "fitness": evaluated.fitness,
        "raw_fitness": evaluated.raw_fitness,
        "games": games.games,
        "wins": games.wins,
        "draws": games.draws,
        "losses": games.losses,
    }


def restored(config: Config, last: LastSnapshot) -> EvaluatedGeneration:
    """A snapshot as the evaluated generation that it was: all that is needed to go on."""
    kept, names = last.columns, np.asarray(last.columns["population"])
    populations = []
    for name in dict.fromkeys(names.tolist()):
        rows = names == name
        here = {key: column[rows] for key, column in kept.items()}
        population = Population(
            last.generation,
            config.plan(name).genome.unpack(here["genome"]),
            np.stack([here["parent_a"], here["parent_b"]], axis=1).astype(np.int64),
            name,
            here["id"].astype(np.int64),
        )
        games = Tally(here["games"], here["wins"], here["draws"], here["losses"])
        populations.append(Evaluated(population, here["raw_fitness"], here["fitness"], games))
    return EvaluatedGeneration(last.generation, tuple(populations), last.state)


def restored_islands(config: Config, last: LastSnapshot) -> list[EvaluatedGeneration]:
    """A snapshot as the evaluated generation of each island."""
    assert config.islands is not None
    count = config.islands.count
    populations: list[list[Evaluated]] = [[] for _ in range(count)]
    for evaluated in restored(config, last).populations:
        role, number = role_and_island(evaluated.population.name)
        assert number is not None
        population = replace(evaluated.population, name=role)
        populations[number].append(replace(evaluated, population=population))
    states = last.state.get(ISLANDS, [{}] * count)
    return [
        EvaluatedGeneration(last.generation, tuple(own), state)
        for own, state in zip(populations, states, strict=True)
    ]
