"""``evo run``: evolve a population from scratch and measure its champion."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evo.cli.commands.config import configuration_of
from evo.cli.console import WIN_RATE_COLUMNS, columns_of, print_rows, program, quoted
from evo.cli.options import command_of
from evo.evolution.signals import with_last_words
from evo.execution import Execution
from evo.progress import faults_in_words
from evo.requests.evaluation import EvaluateRequest
from evo.requests.evolution import RunFlags, RunRequest
from tournaments.code_files import is_code, path_of

if TYPE_CHECKING:
    from evo.config.config import Config
    from evo.evolution.loop import Progress
    from results import Run
    from tournaments.game import Game

FINAL_GAMES, FINAL_GAMES_OF_PROGRAMS = 1000, 100
"""Numbers of games that measure a champion. Programs start a process for each game."""
LEAST_COMPILING = 0.05
"""Least compilation time that is reported, in seconds."""
LEAST_MORE = 10
"""Minimum number of further generations in the suggested command.

The command suggests twice the present number of generations if that is more.
"""
PUBLISHED = (
    "the study of 1998 with the same settings found that such networks beat random play and hardly "
    "ever a heuristic (docs/studies/dots-and-boxes-1998.md)"
)
MOST_MEASURED = 16
"""Maximum number of islands that are all measured. Of more islands, only the best are measured."""


def _run(request: RunFlags, execution: Execution) -> int:
    from evo.config.config import from_dict
    from evo.config.toml import fields_of
    from evo.evolution import runs
    from results.folder.files import place_of
    from results.writer.beginning import refuse_taken

    remarks: list[str] = []
    with fields_of(request.config):
        given = configuration_of(request, remarks.append)
        config = None if request.replay and not given else from_dict(given)
    out = place_of(request.out) if config is None or request.out else _free_folder(config)
    if not request.or_resume:
        refuse_taken(out)  # before anything is printed
    for remark in remarks:
        execution.announce(remark)
    command = ("evo", *sys.argv[1:])
    wanted = RunRequest(
        out, config, command=command, or_resume=request.or_resume, replay=request.replay
    )
    return evolve(execution, out, lambda shared: runs.run(wanted, shared))


def _free_folder(config: Config) -> Path:
    """Return the path of a new folder in ``runs`` for a run, named by its game, method and seed."""
    how = config.learner.name if config.scheme is None else config.scheme.name
    game, how = (Path(path_of(name)).stem.split()[0] for name in (config.game.name, how))
    base = f"{game}-{how}-seed{config.seed}"
    number = 1
    while (folder := Path("runs") / (base if number == 1 else f"{base}-{number}")).exists():
        number += 1
    return folder


def _spent_beside(first: Progress | None, compiling: float, by_ray: bool) -> str:
    """Return words on the time spent on compiling and on the start of Ray's actors.

    Args:
        first: the first generation.
        compiling: seconds of compiling.
        by_ray: whether Ray's actors played, which compile within the first generation.
    """
    if by_ray and first is not None:
        return (
            f", of which {first.seconds:.1f} s in generation {first.generation}, where Ray's "
            "actors load or compile kernels"
        )
    if compiling >= LEAST_COMPILING:
        return f", plus {compiling:.1f} s to compile kernels, once"
    return ""


def evolve(execution: Execution, path: Path, start: Callable[[Execution], Run]) -> int:
    """Evolve or continue a run in a folder, and measure its champion.

    Returns:
        The exit status: 0, or 128 + the signal's number after a signal.

    Args:
        execution: how the run is played and reported.
        path: the folder of the run.
        start: the function that evolves the run.
    """
    from cluster.evaluator import ClusterError
    from cluster.faults import RESUME
    from evo.cli.profile import COLUMNS, Profile
    from tournaments.kernels.compilation import compilation

    profile, compiled_before = Profile(), compilation.seconds
    stream = sys.stderr if execution.json else sys.stdout

    def work() -> int:
        with execution.shared() as shared:
            try:
                run = start(replace(shared, report=profile.take))
            except KeyboardInterrupt:
                with suppress(Exception):  # no error may delay the end that the user asked for
                    print(_champions_so_far(path), file=stream, flush=True)
                raise
            compiling = compilation.seconds - compiled_before
            spent = _spent_beside(profile.first, compiling, execution.ray is not None)
            if run.info.get("replay"):
                print(f"the replay is in {run.path}")  # to measure it would play other games
            else:
                _finish(run, shared, spent)
        if execution.profile:
            if not execution.json:
                print(f"\nwhere the time went, {profile.summary()}:\n")
            print_rows(profile.rows(), COLUMNS, execution.json)
        return 0

    try:
        return with_last_words(work, lambda: _how_to_go_on(path), stream)
    except ClusterError as error:
        stopped, _, go_on = _how_to_go_on(path).partition("\n")
        what = str(error).removesuffix(f"; {RESUME}")
        raise ClusterError(f"{what}; {go_on or stopped}") from error


def _champions_so_far(path: Path) -> str:
    """Return a line on the champions of an interrupted run, from its newest snapshot."""
    from results import open_run

    run = open_run(path)
    newest = run.snapshots[-1]
    return f"champion of generation {newest}: {_individuals(run, [])}"


def _how_to_go_on(path: Path) -> str:
    from results.folder.files import place_of
    from results.folder.runfile import holds_run, read_info

    if not holds_run(path):
        return "stopped before the run began"
    trust = _trust(read_info(place_of(path)))
    return f"stopped; the run is in {path}\ngo on with: {program()} resume {quoted(path)}{trust}"


def _trust(info: Mapping[str, Any]) -> str:
    """Return the flag ``--trust`` if a run names Python files of the user, or starts programs.

    Otherwise return an empty text. ``info`` is the content of ``run.json``.
    """
    game = info.get("config", {}).get("game", {}).get("name", "")
    is_of_programs = _starts_programs(info.get("layouts", {}), game)
    return " --trust" if is_of_programs or any(map(is_code, info["versions"])) else ""


def _starts_programs(layouts: Mapping[str, Any], game: str) -> bool:
    """Return whether individuals of these layouts, or the game of this name, are programs."""
    from results.format.genomes import are_programs
    from tournaments.game import is_program

    return are_programs(layouts) or is_program(game)


def _finish(run: Run, execution: Execution, spent: str) -> None:
    """Measure the champions of a finished run, and print the results and its folder.

    ``spent`` are words on the time spent on compiling.
    """
    from cluster.evaluator import faults_of
    from evo.evaluation import best_known
    from evo.evaluation import evaluate as evaluation
    from evo.evaluation.players import game_of

    newest, best = run.snapshots[-1], _best_islands(run)
    game = game_of(run, trust=True)  # this command has played it
    champions = "champion" if len(run.populations) == 1 else "champions"
    execution.announce(f"measuring the {champions} of generation {newest}")
    is_slow = _starts_programs(run.layouts, game.name)
    games = FINAL_GAMES_OF_PROGRAMS if is_slow else FINAL_GAMES
    some = tuple(best) if len(run.populations) > MOST_MEASURED else None
    wanted = EvaluateRequest(run, games=games, best=1, generations=(newest,), populations=some)
    trusting = replace(execution, progress=False, trust=True)  # this command has played it
    measured = evaluation.evaluate(wanted, trusting)
    with execution.playing() as evaluator:
        if faults := faults_in_words(faults_of(evaluator)):
            execution.announce(f"faults of Ray's actors: {faults}; the results are not affected")
    rows = measured.to_dict("records")
    if execution.json:
        print_rows(rows, WIN_RATE_COLUMNS, as_json=True)
        return
    seconds = run.generations["total_seconds"].sum()
    print(
        f"\n{champions} of generation {newest} ({_individuals(run, best)}), "
        f"{run.games_played:,} games in {seconds:.1f} s of evolution{spent}\n"
    )
    print_rows(rows, columns_of(rows, {"population": ""}), as_json=False)
    if best:
        print(f"\nused as a player, the run is {' and '.join(best)}: most points on the own island")
    for remark in (evaluation.without_perfect_play(game), evaluation.without_strange_ground(game)):
        if remark:
            print(remark)
    print()
    standings = list(best_known.standings(game, rows))
    for standing in standings:
        print(f"how good:     {standing.sentence}")
    if _is_published(run):
        print(f"published:    {PUBLISHED}")
    for command in dict.fromkeys(each.command for each in standings if each.command):
        print(f"stronger:     {command}")
    print(_where_it_is(run, newest, game))


def _is_published(run: Run) -> bool:
    """Return whether a run has the settings of the study of 1998, which are the default ones."""
    from evo.config.config import from_dict

    return from_dict({"seed": run.config["seed"]}).to_dict() == dict(run.config)


def _best_islands(run: Run) -> list[str]:
    """Return the island populations whose champions represent a run; empty without islands."""
    from evo.config.config import of_run
    from evo.evaluation.players import best_of

    if not run.has_islands:
        return []
    config = of_run(run)
    return [str(row["population"]) for row in best_of(run, config)]


def _individuals(run: Run, best: list[str]) -> str:
    """Return the numbers of a run's champions in words. With many islands, only the best ones.

    ``best`` are the populations of the best ones.
    """
    names = best if len(run.populations) > MOST_MEASURED else run.populations
    numbers = {name: run.champion(population=name)["individual"] for name in names}
    if len(numbers) == 1:
        return f"individual {next(iter(numbers.values()))}"
    return ", ".join(f"{name} {number}" for name, number in numbers.items())


def _where_it_is(run: Run, newest: int, game: Game) -> str:
    path, config, trust = run.path, run.config, _trust(run.info)
    folder, evo = quoted(path), program()
    snapshot = path / "snapshots" / f"generation-{newest:06d}.parquet"
    more = f"--generations {max(2 * newest, newest + LEAST_MORE)}"
    if games := config.get("games"):
        more = f"--games {2 * games}"
    go_on = f"go on:        {evo} resume {folder} {more}{trust}\n"
    if newest < config["generations"] and not games:  # the learner has ended the run
        go_on = ""
    measure = f"{evo} evaluate {folder} --best 1 --every 1{trust} && "
    play = "" if game.rules.contest else f"play it:      {evo} play {folder}{trust}\n"
    return (
        f"{go_on}"
        f"draw it:      {measure}{evo} plot {folder}\n"
        f"{play}"
        f"the run is in {path}\n"
        "in pandas:\n"
        "    import pandas as pd\n"
        f"    generations = pd.read_parquet({str(path / 'generations')!r})\n"
        f"    population = pd.read_parquet({str(snapshot)!r}, dtype_backend='numpy_nullable')"
    )


COMMAND = command_of(RunFlags, _run, rank=1, group="make")
