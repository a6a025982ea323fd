"""``evo export``: a champion as a file that plays wherever a player is named, or elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from evo.config import config as configuration
from evo.evaluation.players import best_of, packed
from results import Run, open_run
from results.folder.files import atomic_write, npy
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.player import Export, Representation
from tournaments.players import FILES


def export(
    path: str | Path,
    file: str | Path,
    generation: int | None = None,
    population: str | None = None,
    trust: bool = False,
) -> str:
    """Write the champion of a population of a run or, where no name is given, of each of them.

    Networks become weights, float64 ``[W]``; tables whole numbers, a policy ``[cells, cells]`` or
    the genes of another form ``[G]``, those of two seats one after the other. ``trust``: see
    :func:`evo.config.config.of_run`.

    Returns:
        What the file holds, in words.

    Raises:
        ResultsError, ConfigError: no such generation or population, or another kind of file.
    """
    file = Path(file)
    check_file(file)
    champions = _champions(open_run(path, trust), generation, population, trust)
    held = champions.representation.export(champions.game, champions.genomes, str(file))
    write_file(file, held)
    return f"{held.what} of {champions}{held.note}"


def export_program(
    path: str | Path,
    file: str | Path,
    name: str,
    generation: int | None = None,
    population: str | None = None,
    trust: bool = False,
) -> str:
    """Write a champion as a program by itself, as its genome offers it under a name; see
    :func:`export`.

    Returns:
        What the file holds, in words.

    Raises:
        ResultsError, ConfigError, TournamentError: no such generation or population, another kind
            of file, or a genome that becomes no such program.
    """
    check_file(file, (".py",))
    champions = _champions(open_run(path, trust), generation, population, trust)
    offer = getattr(champions.representation, "program", None)
    if offer is None:
        raise ConfigError(
            f"{name} given, but genomes of this run become no programs; a run of a game whose "
            "vectors become it is expected"
        )
    text = offer(champions.game, champions.genomes, name)
    atomic_write(Path(file), text.encode())
    return f"a program for {name}, by the numbers of {champions}"


def check_file(file: str | Path, endings: Sequence[str] = FILES) -> None:
    """Refuse a file that cannot stand for a player, or be a program.

    Raises:
        ConfigError: another ending, or no such folder.
    """
    if Path(file).suffix not in endings:
        raise ConfigError(f"{file} given; a name that ends in {' or '.join(endings)} is expected")
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


class _Champions(NamedTuple):
    """The champion of each of some populations of a run."""

    game: Game
    representation: Representation
    genomes: list[bytes]
    names: list[str]

    def __str__(self) -> str:
        return " and ".join(self.names)


def _champions(run: Run, generation: int | None, population: str | None, trust: bool) -> _Champions:
    """The champions of a population, or of all."""
    config = configuration.of_run(run, trust)
    names = [plan.name for plan in config.evolving]
    if population is None:
        best = best_of(run, config, generation)
    elif population in names:
        best = [run.champion(generation, population)]
    else:
        raise ConfigError(f"--population {population} given; {run.path} has {', '.join(names)}")
    plans = [config.plan(row["population"]) for row in best]
    several = len(names) > 1
    return _Champions(
        config.game,
        plans[0].genome.representation,
        [packed(plan, row["genome"]) for plan, row in zip(plans, best, strict=True)],
        [f"{row['population'] if several else 'individual'} {row['individual']}" for row in best],
    )


def _encoded(held: Export, ending: str) -> bytes:
    if ending == ".json":
        layers, numbers = held.layers, held.numbers.tolist()
        return json.dumps({"layers": layers, "weights": numbers} if layers else numbers).encode()
    return npy(held.numbers)
