"""The conversion of a generation into the columns of a snapshot, and back.

A snapshot of a run with islands holds the same generation of all islands. The ids of island k of n
are k, k + n, k + 2 n and so on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evo.config.config import Config
from evo.population import Evaluated, EvaluatedGeneration, Population
from results.format.islands import on_island, role_and_island
from results.writer.writer import LastSnapshot
from tournaments.arena.outcomes import Tally
from tournaments.players.programs import remember

ISLANDS = "islands"
"""Key in the state of a snapshot for the list of the islands' states."""


def columns(config: Config, islands: Sequence[EvaluatedGeneration]) -> dict[str, np.ndarray | str]:
    """Return a generation of all islands of a run as the columns of a snapshot, by name."""
    width, tables = config.genome_bytes, []
    for number, evaluated in zip(config.island_numbers, islands, strict=True):
        for one in evaluated.populations:
            table = _columns(config, one, width)
            table |= _place(one.population.name, number, len(one.population))
            tables.append(table)
    return tables[0] if len(tables) == 1 else stacked(tables)


def lineage_columns(evaluated: EvaluatedGeneration, island: int | None = None) -> dict[str, Any]:
    """Return a generation as columns of the table ``lineage``: ids and parents.

    Individuals of archives are left out.
    """
    tables: list[dict[str, Any]] = []
    for one in evaluated.living:
        ids, parents = one.population.ids, one.population.parents
        table = {
            "id": ids,
            "parent_a": parents[:, 0],
            "parent_b": parents[:, 1],
            "raw_fitness": one.raw_fitness,
        }
        tables.append(table | _place(one.population.name, island, len(ids)))
    return stacked(tables)


def _place(population: str, island: int | None, individuals: int) -> dict[str, Any]:
    """Return the columns of a snapshot that name the population, and the island if there is one.

    ``individuals`` is the number of rows.
    """
    name = on_island(population, island)
    if island is None:
        return {"population": name}
    return {"population": name, "island": np.full(individuals, island, dtype=np.int32)}


def state_of(config: Config, islands: Sequence[EvaluatedGeneration]) -> Mapping[str, Any]:
    """Return the state of the learners of all islands for a snapshot; empty if none has any."""
    states = [evaluated.state for evaluated in islands]
    if config.islands is None:
        return states[0]
    return {ISLANDS: states} if any(states) else {}


def stacked(tables: Sequence[dict[str, Any]]) -> dict[str, np.ndarray | str]:
    """Join tables with equal columns, given as columns by name, into a single table.

    A text may name the population of a table.
    """
    for table in tables:
        table["population"] = np.full(len(table["id"]), table["population"], dtype=object)
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}


def _columns(config: Config, evaluated: Evaluated, width: int) -> dict[str, np.ndarray | str]:
    population = evaluated.population
    genome = config.plan(population.name).genome
    packed, sources = genome.pack(population.genes), genome.sources(population.genes)
    if packed.shape[1] < width:
        packed = np.pad(packed, ((0, 0), (0, width - packed.shape[1])))
    return {
        "individual": np.arange(len(population), dtype=np.int32),
        "id": population.ids,
        "parent_a": population.parents[:, 0],
        "parent_b": population.parents[:, 1],
        "genome": packed,
        "fitness": evaluated.fitness,
        "raw_fitness": evaluated.raw_fitness,
        **vars(evaluated.tally),
        **({} if sources is None else {"source": np.array(sources, dtype=object)}),
    }


def restored(config: Config, last: LastSnapshot) -> list[EvaluatedGeneration]:
    """Return a snapshot as the evaluated generation of each island, from which a run continues."""
    count = len(config.island_numbers)
    populations: list[list[Evaluated]] = [[] for _ in range(count)]
    kept, names = last.columns, np.asarray(last.columns["population"])
    for text in kept.get("source", ()):
        remember(text)
    for name in dict.fromkeys(names.tolist()):
        rows = names == name
        here = {key: column[rows] for key, column in kept.items()}
        role, number = (name, None) if config.islands is None else role_and_island(name)
        population = Population(
            last.generation,
            config.plan(name).genome.unpack(here["genome"]),
            np.stack([here["parent_a"], here["parent_b"]], axis=1).astype(np.int64),
            role,
            here["id"].astype(np.int64),
        )
        games = Tally(here["games"], here["wins"], here["draws"], here["losses"])
        evaluated = Evaluated(population, here["raw_fitness"], here["fitness"], games)
        populations[number or 0].append(evaluated)
    states = [last.state] if config.islands is None else last.state.get(ISLANDS, [{}] * count)
    return [
        EvaluatedGeneration(last.generation, tuple(own), state)
        for own, state in zip(populations, states, strict=True)
    ]
