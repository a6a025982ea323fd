"""``evo export``: a champion as a file that plays wherever a player is named, or elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from evo.config import config as configuration
from evo.evaluation.players import best_of, packed
from results import open_run
from results.folder.files import atomic_write, npy
from tournaments.errors import ConfigError
from tournaments.options import OptionError
from tournaments.player import Export
from tournaments.players import FILES


def export(
    path: str | Path,
    file: str | Path,
    generation: int | None = None,
    population: str | None = None,
    trust: bool = False,
    program: str | None = None,
) -> str:
    """Write the champion of a population of a run, or of all populations, to a file.

    A network is written as weights, float64 ``[W]``. A table is written as integers: a policy
    ``[cells, cells]``, or the genes of another form ``[G]``. The tables of two seats are written
    one after the other.

    Args:
        path: folder of the run.
        file: the file to be written.
        generation: generation of the snapshot. None: the newest.
        population: name of the population. None: all populations.
        trust: see :func:`evo.config.config.of_run`.
        program: name of a program format that the genome offers. If given, the file is a program
            that plays by itself.

    Returns:
        A description of the content of the file.

    Raises:
        ResultsError, ConfigError, TournamentError: no such generation or population, another kind
            of file, or a genome that cannot be written as this program.
    """
    file = Path(file)
    check_file(file, FILES if program is None else (".py",))
    run = open_run(path, trust)
    config = configuration.of_run(run, trust)
    if population is None:
        best = best_of(run, config, generation)
    else:
        best = [run.champion(generation, population)]
    plans = [config.plan(row["population"]) for row in best]
    made, game = plans[0].genome.representation, config.game
    genomes = [packed(plan, row["genome"]) for plan, row in zip(plans, best, strict=True)]
    several = len(config.evolving) > 1
    champions = " and ".join(
        f"{row['population'] if several else 'individual'} {row['individual']}" for row in best
    )
    if program is None:
        held = made.export(game, genomes, str(file))
        atomic_write(file, _encoded(held, file.suffix))
        return f"{held.what} of {champions}{held.note}"
    offer = getattr(made, "program", None)
    if offer is None:
        raise ConfigError(
            f"{program} given, but genomes of this run cannot become programs; a run of a game "
            f"whose vectors can be written for {program} is expected"
        )
    atomic_write(file, offer(game, genomes, program).encode())
    return f"a program for {program}, by the numbers of {champions}"


def check_file(file: str | Path, endings: Sequence[str] = (), name: str = "file") -> None:
    """Raise if a file could not be written, before any work is done.

    Args:
        file: the file.
        endings: valid file name endings. Empty: any ending is valid.
        name: name of the option that names the file.

    Raises:
        OptionError: the ending is not valid, the path is a folder, or its folder does not exist.
    """
    path = Path(file)
    if path.is_dir() or (endings and path.suffix not in endings):
        wanted = f"a name that ends in {' or '.join(endings)}" if endings else "the name of a file"
        raise OptionError(name, str(file), f"; {wanted} is expected")
    if not path.parent.is_dir():
        raise OptionError(name, str(file), f", but there is no folder {path.parent}; make it first")


def _encoded(held: Export, ending: str) -> bytes:
    if ending == ".json":
        layers, numbers = held.layers, held.numbers.tolist()
        return json.dumps({"layers": layers, "weights": numbers} if layers else numbers).encode()
    return npy(held.numbers)
