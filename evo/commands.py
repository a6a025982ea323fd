"""What each command of the command line does; :mod:`evo.cli` says what it takes."""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from cluster.evaluator import ClusterError, Evaluator
from evo import config as configuration
from evo.errors import ConfigError
from evo.progress import Display
from results.errors import ResultsError
from tournaments.errors import TournamentError

MISTAKES = (ConfigError, TournamentError, ResultsError, ClusterError)
FINAL_GAMES = 1000
WIN_RATE_COLUMNS = {
    "opponent": "",
    "games": ",d",
    "wins": ",d",
    "draws": ",d",
    "losses": ",d",
    "win_rate": ".1%",
    "win_rate_low": ".1%",
    "win_rate_high": ".1%",
}


def run(options: argparse.Namespace) -> int:
    """Run the command that was parsed; the exit status."""
    return COMMANDS[options.command](options)


# --- evolving ----------------------------------------------------------------------------------


def _run(options: argparse.Namespace) -> int:
    from evo import runs
    from results.writer import refuse_taken

    config = configuration.from_dict(_configuration(options))
    if options.out is not None and not options.out.strip():
        raise ConfigError("--out '' given; the name of a folder is expected")
    out = Path(options.out) if options.out else _free_folder(config)
    refuse_taken(out)  # before Ray is started
    return _evolve(options, out, lambda **where: runs.run(out, config, command=_command(), **where))


def _resume(options: argparse.Namespace) -> int:
    from evo import runs
    from results import open_run

    path = Path(options.run)
    open_run(path)  # before Ray is started
    return _evolve(options, path, lambda **where: runs.resume(path, options.generations, **where))


def _evolve(options: argparse.Namespace, path: Path, start: Callable[..., Any]) -> int:
    """Start or resume; the exit status: 128 + its number for a signal."""
    from evo.profile import Profile

    profile = Profile()
    try:
        with Display() as display, _evaluator(options, display) as evaluator:

            def report(progress: Any) -> None:
                profile.take(progress)
                display.generation(progress)

            evolved = start(
                evaluator=evaluator,
                threads=options.threads,
                report=report,
                announce=display.say,
            )
            _finish(options, evolved, evaluator, display)
        if options.profile:
            _print_profile(profile, options.json)
    except KeyboardInterrupt as interruption:
        _say_how_to_go_on(path, sys.stderr if options.json else sys.stdout)
        return 128 + getattr(interruption, "signal", signal.SIGINT)
    return 0


def _print_profile(profile: Any, as_json: bool) -> None:
    from evo.profile import COLUMNS

    if not as_json:
        print(f"\nwhere the time went, {profile.summary()}:\n")
    _print_rows(profile.rows(), COLUMNS, as_json)


def _say_how_to_go_on(path: Path, stream: TextIO) -> None:
    if (path / "run.json").is_file():
        print(
            f"stopped; the run is in {path}\ngo on with: {_program()} resume {_quoted(path)}",
            file=stream,
        )
    else:
        print("stopped before the run began", file=stream)


def _finish(
    options: argparse.Namespace, evolved: Any, evaluator: Evaluator | None, display: Display
) -> None:
    """Measure the champion and say where everything is."""
    from evo import evaluation
    from evo.opponents import game_of

    newest = evolved.snapshots[-1]
    game = game_of(evolved)
    display.say(f"measuring the champion of generation {newest}")
    measured = evaluation.evaluate(
        evolved.path,
        games=FINAL_GAMES,
        best=1,
        generations=[newest],
        evaluator=evaluator,
        threads=options.threads,
        announce=display.say,
    )
    display.close()
    rows = measured.to_dict("records")
    if options.json:
        _print_rows(rows, WIN_RATE_COLUMNS, as_json=True)
        return
    champion = evolved.champion()
    print(
        f"\nchampion of generation {newest} (individual {champion['individual']}), "
        f"{evolved.games_played:,} games in {_evolution_seconds(evolved):.1f} s of evolution\n"
    )
    _print_rows(rows, WIN_RATE_COLUMNS, as_json=False)
    if remark := evaluation.without_perfect_play(game):
        print(remark)
    print(_where_it_is(evolved.path, newest, evolved.config["generations"]))


def _evolution_seconds(evolved: Any) -> float:
    return float(evolved.generations["total_seconds"].sum())


def _where_it_is(path: Path, newest: int, generations: int) -> str:
    folder, evo = _quoted(path), _program()
    snapshot = path / "snapshots" / f"generation-{newest:06d}.parquet"
    return (
        f"\nthe run is in {path}\n"
        f"go on with:   {evo} resume {folder} --generations {generations + 500}\n"
        f"see it:       {evo} evaluate {folder} --best 1 && {evo} plot {folder}\n"
        "in pandas:\n"
        "    import pandas as pd\n"
        f"    generations = pd.read_parquet({str(path / 'generations')!r})\n"
        f"    population = pd.read_parquet({str(snapshot)!r})"
    )


def _configuration(options: argparse.Namespace) -> dict[str, Any]:
    """The table that a file and flags make together."""
    table = configuration.load(options.config) if options.config else {}
    flags: dict[str, Any] = {
        name: value
        for name in ("population", "generations", "seed")
        if (value := getattr(options, name)) is not None
    }
    if options.game:
        flags["game"] = options.game
    if options.scheme:
        flags["scheme"] = options.scheme
    if options.learner:
        flags["learner"] = options.learner
    for text in options.set:
        flags = configuration.merge(flags, configuration.assignment(text))
    return configuration.merge(table, flags)


def _free_folder(config: configuration.Config) -> Path:
    """A new folder below ``runs`` that says what is in it."""
    how = config.learner.name if config.scheme is None else config.scheme.name
    base = f"{config.game.name}-{how}-seed{config.seed}"
    number = 1
    while (folder := Path("runs") / (base if number == 1 else f"{base}-{number}")).exists():
        number += 1
    return folder


@contextmanager
def _evaluator(options: argparse.Namespace, display: Display):
    """The Ray pool that the flags ask for, or None: threads of this process."""
    if options.ray is None:
        if options.actors is not None:
            raise ConfigError("--actors given without --ray; add --ray, or take --threads")
        if options.threads is not None and options.threads < 1:
            raise ConfigError(f"--threads {options.threads} given; at least 1 is expected")
        yield None
        return
    if options.threads is not None:
        raise ConfigError("--threads and --ray given; with --ray, --actors says how many")
    if options.actors is not None and options.actors < 1:
        raise ConfigError(f"--actors {options.actors} given; at least 1 is expected")
    from cluster.ray_pool import RayEvaluator

    display.say(f"joining Ray at {options.ray}" if options.ray else "starting Ray on this machine")
    evaluator = RayEvaluator(options.actors, options.ray or None)
    try:
        yield evaluator
    finally:
        evaluator.close()


# --- measuring ---------------------------------------------------------------------------------


def _evaluate(options: argparse.Namespace) -> int:
    from evo import evaluation

    with Display() as display, _evaluator(options, display) as evaluator:
        measured = evaluation.evaluate(
            options.run,
            options.opponents,
            options.games,
            best=options.best,
            every=options.every,
            generations=options.generation,
            evaluator=evaluator,
            threads=options.threads,
            report=display.pieces,
            announce=display.say,
        )
    if options.json:
        _print_rows(measured.to_dict("records"), {}, as_json=True)
        return 0
    from results import open_run
    from results.analysis import best_of_each_snapshot

    columns = {"generation": "d", "individual": "d", **WIN_RATE_COLUMNS}
    best = best_of_each_snapshot(measured)
    print("the individual with the highest win rate of each snapshot, of those measured:\n")
    _print_rows(best.to_dict("records"), columns, as_json=False)
    path = open_run(options.run).path
    print(
        f"\n{len(measured):,} rows in {path / 'evaluations'}; "
        f"draw them: {_program()} plot {_quoted(path)}"
    )
    return 0


def _plot(options: argparse.Namespace) -> int:
    from results import open_run
    from results.plots import plot_run

    evolved = open_run(options.run)
    files = plot_run(evolved, options.out)
    _print_rows([{"file": str(file)} for file in files], {"file": ""}, options.json)
    if evolved.evaluations.empty and not options.json:
        print(f"no win rates yet: measure them by {_program()} evaluate {_quoted(evolved.path)}")
    return 0


def _tournament(options: argparse.Namespace) -> int:
    from evo.cross_table import tournament
    from results import report

    with Display() as display, _evaluator(options, display) as evaluator:
        table = tournament(
            options.game,
            options.players,
            options.games,
            seed=options.seed,
            evaluator=evaluator,
            threads=options.threads,
            report=display.pieces,
            announce=display.say,
        )
    if options.json:
        _print_rows(table.records(), {}, as_json=True)
        return 0
    print(f"share of the points of the row against the column, {table.games:,} games a pair\n")
    print(report.cross_table(table.names, table.scores))
    return 0


def _export(options: argparse.Namespace) -> int:
    import numpy as np

    from results import open_run
    from results.files import atomic_write

    evolved = open_run(options.run)
    file = Path(options.file)
    if file.suffix not in (".npy", ".json"):
        raise ConfigError(f"{file} given; a name that ends in .npy or .json is expected")
    best = evolved.champion(options.generation)
    weights = evolved.weights(options.generation)[int(best["individual"])]
    if file.suffix == ".json":
        content = json.dumps(weights.tolist()).encode()
    else:
        import io

        stream = io.BytesIO()
        np.save(stream, weights, allow_pickle=False)
        content = stream.getvalue()
    atomic_write(file, content)
    print(f"{file}: {weights.size} weights of individual {best['individual']}")
    return 0


# --- lists -------------------------------------------------------------------------------------


def _games(options: argparse.Namespace) -> int:
    from tournaments import games

    rows = []
    for name in games.names():
        try:
            rules = games.rules(name)
            rows.append({"game": name, "about": rules.summary, "options": dict(rules.options)})
        except TournamentError as error:
            rows.append({"game": name, "about": str(error), "options": {}})
    _print_rows(rows, {"game": "", "about": ""}, options.json)
    return 0


def _players(options: argparse.Namespace) -> int:
    from tournaments import games, players

    rows = players.listing(games.parse(options.game))
    _print_rows(rows, {"player": "", "about": ""}, options.json)
    return 0


def _config(options: argparse.Namespace) -> int:
    from evo.config_text import as_toml

    print(as_toml(configuration.from_dict(_configuration(options))), end="")
    return 0


def _print_rows(
    rows: Iterable[Mapping[Any, Any]], columns: Mapping[str, str], as_json: bool
) -> None:
    from results import report

    rows = list(rows)
    if as_json:
        for line in report.json_lines(rows):
            print(line)
    else:
        print(report.table(rows, columns))
    sys.stdout.flush()


def _command() -> list[str]:
    """The command line, for ``run.json``."""
    return ["evo", *sys.argv[1:]]


def _program() -> str:
    """This program as the user can call it again: by name, or by the path of this call."""
    called = Path(sys.argv[0])
    return "evo" if called.name != "evo" or shutil.which("evo") else _quoted(called)


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))


def _elsewhere(module: str) -> Callable[[argparse.Namespace], int]:
    """A command that has a module of its own, which is imported when it is called."""
    return lambda options: import_module(module).command(options)


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "run": _run,
    "resume": _resume,
    "evaluate": _evaluate,
    "plot": _plot,
    "tournament": _tournament,
    "games": _games,
    "players": _players,
    "config": _config,
    "export": _export,
    "reproduce": _elsewhere("evo.reproduce"),
    "watch": _elsewhere("evo.watch"),
}
