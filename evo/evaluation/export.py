"""``evo export``: a champion as a file that plays wherever a player is named, or elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from evo.config import config as configuration
from evo.config.config import Config
from evo.evaluation.players import best_of, packed
from evo.population import ALL, ARCHIVE
from results import Run, open_run
from results.folder.files import atomic_write, npy
from tournaments.errors import ConfigError
from tournaments.options import OptionError
from tournaments.player import Export
from tournaments.players import FILES


def export(
    path: str | Path,
    file: str | Path | None,
    generation: int | None = None,
    population: str | None = None,
    trust: bool = False,
    program: str | None = None,
) -> str:
    """Write the champion of a population of a run, or of all populations, to a file.

    A network is written as weights, float64 ``[W]``. A table is written as integers: a policy
    ``[cells, cells]``, or the genes of another form ``[G]``. The tables of two seats are written
    one after the other. A program is written as its text. Without a file, or with a folder, all
    programs of the snapshot are written into a folder.

    Args:
        path: folder of the run.
        file: the file to be written; for programs also a folder, or None for a new one.
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
    run = open_run(path, trust)
    config = configuration.of_run(run, trust)
    if config.genome.programs:
        return _export_programs(run, config, file, generation, population)
    if file is None:
        raise ConfigError("no file given; the name of a file that ends in .npy is expected")
    file = Path(file)
    check_file(file, FILES if program is None else (".py",))
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


def _export_programs(
    run: Run,
    config: Config,
    file: str | Path | None,
    generation: int | None,
    population: str | None,
) -> str:
    """Write the champion's text to a file, or all texts of a snapshot into a folder.

    Returns:
        A description of what was written.

    Raises:
        ResultsError: the system refused.
        OptionError, ConfigError: the file's name is not valid, or the champions of several roles
            would be written to one file.
    """
    suffix = config.populations[0].genome.spec()["suffix"]
    if file is None or Path(file).is_dir():
        rows = run.population(generation, population)
        known = [plan.name for plan in config.evolving]
        rows = rows[rows["population"].isin([*known, *(f"{name}{ARCHIVE}" for name in known)])]
        folder = Path(f"{run.path.name}-programs" if file is None else file)
        folder.mkdir(exist_ok=True)
        names = rows["population"].where(rows["population"] != ALL, "individual")
        for name, number, text in zip(names, rows["individual"], rows["source"], strict=True):
            atomic_write(folder / f"{name}-{number:04d}{suffix}", text.encode())
        best = rows["fitness"].to_numpy().argmax()
        champion = f"{names.iloc[best]}-{rows['individual'].iloc[best]:04d}{suffix}"
        return f"{len(rows)} programs in {folder}; the fittest is {champion}"
    check_file(file, (suffix,))
    champions = best_of(run, config, generation)
    if population is not None:
        champions = [run.champion(generation, population)]
    if len(champions) > 1:
        raise ConfigError(
            f"file={str(file)!r} given for programs of several roles; name one by --population "
            f"{champions[0]['population']}, or give a folder for all"
        )
    atomic_write(Path(file), champions[0]["source"].encode())
    return f"the program of individual {champions[0]['individual']}"


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
