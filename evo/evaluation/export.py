"""``evo export``: a champion as a file that plays wherever a player is named."""

from __future__ import annotations

import json
from pathlib import Path

from evo.config import config as configuration
from evo.evaluation.players import packed
from results import Run, open_run
from results.folder.files import atomic_write, npy
from tournaments.errors import ConfigError
from tournaments.player import Export
from tournaments.players import FILES


def export(
    path: str | Path, file: str | Path, generation: int | None = None, population: str | None = None
) -> str:
    """Write the champion of a population of a run or, where no name is given, of each of them.

    Networks become weights, float64 ``[W]``; tables whole numbers, a policy ``[cells, cells]`` or
    the genes of another form ``[G]``, those of two seats one after the other.

    Returns:
        What the file holds, in words.

    Raises:
        ResultsError, ConfigError: no such generation or population, or another kind of file.
    """
    run, file = open_run(path), Path(file)
    check_file(file)
    held, whose = _champion(run, generation, population, file)
    write_file(file, held)
    return f"{held.what} of {whose}{held.note}"


def check_file(file: str | Path) -> None:
    """Refuse a file that cannot stand for a player.

    Raises:
        ConfigError: another ending, or no such folder.
    """
    if Path(file).suffix not in FILES:
        raise ConfigError(f"{file} given; a name that ends in {' or '.join(FILES)} is expected")
    if not Path(file).parent.is_dir():
        raise ConfigError(
            f"{file} given, but there is no folder {Path(file).parent}; make it first"
        )


def write_file(file: str | Path, held: Export) -> None:
    """Write a player to a file, whole or not at all.

    Raises:
        ResultsError: the system refused.
    """
    atomic_write(file, _encoded(held, Path(file).suffix))


def _champion(
    run: Run, generation: int | None, population: str | None, file: Path
) -> tuple[Export, str]:
    """What the file of a champion holds, and who it is."""
    config = configuration.of_run(run.config, run.genome, run.path)
    plans = [plan for plan in config.populations if population in (None, plan.name)]
    if not plans:
        names = ", ".join(plan.name for plan in config.populations)
        raise ConfigError(f"--population {population} given; {run.path} has {names}")
    best = [run.champion(generation, plan.name) for plan in plans]
    several = len(config.populations) > 1
    who = " and ".join(
        f"{plan.name if several else 'individual'} {row['individual']}"
        for plan, row in zip(plans, best, strict=True)
    )
    genomes = [packed(plan, row["genome"]) for plan, row in zip(plans, best, strict=True)]
    return plans[0].genome.representation.export(config.game, genomes, str(file)), who


def _encoded(held: Export, ending: str) -> bytes:
    if ending == ".json":
        layers, numbers = held.layers, held.numbers.tolist()
        return json.dumps({"layers": layers, "weights": numbers} if layers else numbers).encode()
    return npy(held.numbers)
