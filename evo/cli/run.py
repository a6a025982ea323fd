"""What each command of the command line does; :mod:`evo.cli.main` says what it takes."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from cluster.evaluator import ClusterError, Evaluator
from evo.cli.console import WIN_RATE_COLUMNS, columns_of, evaluator_of, print_rows, program, quoted
from evo.cli.progress import Display
from evo.config import config as configuration
from evo.config import toml
from evo.errors import ConfigError
from results.errors import ResultsError
from tournaments.errors import TournamentError

MISTAKES = (ConfigError, TournamentError, ResultsError, ClusterError)
FINAL_GAMES = 1000


def run(options: argparse.Namespace) -> int:
    """Run the command that was parsed; the exit status."""
    return COMMANDS[options.command](options)


# --- evolving ----------------------------------------------------------------------------------


def _run(options: argparse.Namespace) -> int:
    from evo.evolution import runs
    from evo.evolution.start import learner_of
    from results.writer.writer import refuse_taken

    config = configuration.from_dict(_configuration(options))
    learner_of(config)  # before Ray is started: what the configuration names may not work
    if options.out is not None and not options.out.strip():
        raise ConfigError("--out '' given; the name of a folder is expected")
    out = Path(options.out) if options.out else _free_folder(config)
    refuse_taken(out)  # before Ray is started
    return _evolve(options, out, lambda **where: runs.run(out, config, command=_command(), **where))


def _resume(options: argparse.Namespace) -> int:
    from evo.evolution import runs
    from results import open_run

    path = Path(options.run)
    open_run(path)  # before Ray is started
    resumed = partial(runs.resume, path, options.generations, options.to_games, trust=options.trust)
    return _evolve(options, path, resumed)


def _evolve(options: argparse.Namespace, path: Path, start: Callable[..., Any]) -> int:
    """Start or resume; the exit status: 128 + its number for a signal."""
    from evo.cli.profile import Profile

    profile = Profile()
    try:
        with Display() as display, evaluator_of(options, display) as evaluator:

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
    from evo.cli.profile import COLUMNS

    if not as_json:
        print(f"\nwhere the time went, {profile.summary()}:\n")
    print_rows(profile.rows(), COLUMNS, as_json)


def _say_how_to_go_on(path: Path, stream: TextIO) -> None:
    if (path / "run.json").is_file():
        print(
            f"stopped; the run is in {path}\ngo on with: {program()} resume {quoted(path)}",
            file=stream,
        )
    else:
        print("stopped before the run began", file=stream)


def _finish(
    options: argparse.Namespace, evolved: Any, evaluator: Evaluator | None, display: Display
) -> None:
    """Measure the champion and say where everything is."""
    from evo.evaluation import evaluate as evaluation
    from evo.evaluation.players import game_of

    newest = evolved.snapshots[-1]
    game = game_of(evolved)
    champions = _champions(evolved)
    display.say(f"measuring the {champions} of generation {newest}")
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
        print_rows(rows, WIN_RATE_COLUMNS, as_json=True)
        return
    print(
        f"\n{champions} of generation {newest} ({_who(evolved)}), "
        f"{evolved.games_played:,} games in {_evolution_seconds(evolved):.1f} s of evolution\n"
    )
    print_rows(rows, columns_of(rows, {"population": ""}), as_json=False)
    if remark := evaluation.without_perfect_play(game):
        print(remark)
    print(_where_it_is(evolved.path, newest, evolved.config))


def _champions(evolved: Any) -> str:
    return "champion" if len(evolved.populations) == 1 else "champions"


def _who(evolved: Any) -> str:
    """The number of the champion, or of each population's."""
    names = evolved.populations
    numbers = [evolved.champion(population=name)["individual"] for name in names]
    if len(names) == 1:
        return f"individual {numbers[0]}"
    return ", ".join(f"{name} {number}" for name, number in zip(names, numbers, strict=True))


def _evolution_seconds(evolved: Any) -> float:
    return float(evolved.generations["total_seconds"].sum())


def _where_it_is(path: Path, newest: int, config: Mapping[str, Any]) -> str:
    folder, evo = quoted(path), program()
    snapshot = path / "snapshots" / f"generation-{newest:06d}.parquet"
    more = f"--generations {newest + 500}"
    if games := config.get("games"):
        more = f"--games {2 * games}"
    go_on = f"go on with:   {evo} resume {folder} {more}\n"
    if newest < config["generations"] and not games:  # the learner had enough
        go_on = ""
    return (
        f"\nthe run is in {path}\n"
        f"{go_on}"
        f"see it:       {evo} evaluate {folder} --best 1 && {evo} plot {folder}\n"
        "in pandas:\n"
        "    import pandas as pd\n"
        f"    generations = pd.read_parquet({str(path / 'generations')!r})\n"
        f"    population = pd.read_parquet({str(snapshot)!r})"
    )


def _configuration(options: argparse.Namespace) -> dict[str, Any]:
    """The table that a file and flags make together."""
    table = toml.load(options.config) if options.config else {}
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
        flags = configuration.merge(flags, toml.assignment(text))
    return configuration.merge(table, flags)


def _free_folder(config: configuration.Config) -> Path:
    """A new folder below ``runs`` that says what is in it."""
    how = config.learner.name if config.scheme is None else config.scheme.name
    base = f"{config.game.name}-{how}-seed{config.seed}"
    number = 1
    while (folder := Path("runs") / (base if number == 1 else f"{base}-{number}")).exists():
        number += 1
    return folder


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
    print_rows(rows, {"game": "", "about": ""}, options.json)
    return 0


def _players(options: argparse.Namespace) -> int:
    from tournaments import games, players

    rows = players.listing(games.parse(options.game))
    print_rows(rows, {"player": "", "about": ""}, options.json)
    return 0


def _config(options: argparse.Namespace) -> int:
    from evo.config.toml import as_toml

    print(as_toml(configuration.from_dict(_configuration(options))), end="")
    return 0


def _command() -> list[str]:
    """The command line, for ``run.json``."""
    return ["evo", *sys.argv[1:]]


def _elsewhere(module: str, function: str = "command") -> Callable[[argparse.Namespace], int]:
    """A command of another module, which is imported when it is called."""
    return lambda options: getattr(import_module(module), function)(options)


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "run": _run,
    "resume": _resume,
    "evaluate": _elsewhere("evo.cli.evaluate", "evaluate"),
    "analyse": _elsewhere("evo.evaluation.analyse"),
    "prove": _elsewhere("evo.cli.prove"),
    "plot": _elsewhere("evo.cli.evaluate", "plot"),
    "tournament": _elsewhere("evo.cli.evaluate", "tournament"),
    "games": _games,
    "players": _players,
    "config": _config,
    "export": _elsewhere("evo.evaluation.export"),
    "reproduce": _elsewhere("evo.cli.reproduce"),
    "sweep": _elsewhere("evo.cli.sweep"),
    "watch": _elsewhere("evo.cli.watch"),
}
