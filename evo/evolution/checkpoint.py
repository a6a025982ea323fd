"""A generation as the columns of a snapshot, and a snapshot as the generation that it was."""

from __future__ import annotations

import numpy as np

from evo.config.config import Config
from evo.population import Evaluated, EvaluatedGeneration, Population
from results.writer.writer import LastSnapshot
from tournaments.arena.outcomes import Tally


def columns(config: Config, evaluated: EvaluatedGeneration) -> dict[str, np.ndarray | str]:
    """A generation as the columns of a snapshot."""
    width = config.genome_bytes
    tables = [_columns(config, one, width) for one in evaluated.populations]
    if len(tables) == 1:
        return tables[0]
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
