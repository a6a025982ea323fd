"""The commands that measure what was evolved: win rates, their pictures, and cross tables."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from evo.cli.console import (
    columns_of,
    evaluator_of,
    print_rows,
    program,
    quoted,
    rows_of_tournament,
    where_rows_are,
)
from evo.cli.progress import Display
from evo.errors import ConfigError

if TYPE_CHECKING:
    from cluster.evaluator import Evaluator
    from evo.tournaments.cross_table import CrossTable

MOST_IN_CROSS_TABLE = 12
"""Players, of whom a cross table is still printed."""
RATING_COLUMNS = {
    "rank": "d",
    "player": "",
    "rating": "+.0f",
    "rating_low": "+.0f",
    "rating_high": "+.0f",
    "games": ",d",
    "wins": ",d",
    "draws": ",d",
    "losses": ",d",
    "score": ".1%",
}


GAMES = 300
"""Games of a pair in ``evo evaluate``, unless others are asked for."""


def evaluate(options: argparse.Namespace) -> int:
    """``evo evaluate``."""
    from evo.evaluation import evaluate as evaluation

    if options.exact and options.ray is not None:
        raise ConfigError(
            "--exact and --ray given; what is computed takes --threads of this machine"
        )
    if options.exact and options.games is not None:
        raise ConfigError(
            f"--exact and --games {options.games} given; what is computed plays no games: leave "
            "one of them out"
        )
    if options.exact and options.best is None:
        options.best = 1
    with Display() as display, evaluator_of(options, display) as evaluator:
        measured = evaluation.evaluate(
            options.run,
            options.opponents,
            GAMES if options.games is None else options.games,
            best=options.best,
            best_by=options.best_by,
            every=options.every,
            generations=options.generation,
            evaluator=evaluator,
            threads=options.threads,
            exact=options.exact,
            report=display.pieces,
            announce=display.say,
        )
    if options.json:
        print_rows(measured.to_dict("records"), {}, as_json=True)
        return 0
    from results.read.curves import best_of_each_snapshot

    best = best_of_each_snapshot(measured).to_dict("records")
    leading = {"generation": "d", "population": "", "individual": "d"}
    print("the individual with the highest win rate of each snapshot, of those measured:\n")
    print_rows(best, columns_of(best, leading), as_json=False)
    print(f"\n{where_rows_are(options.run, len(measured))}")
    return 0


def plot(options: argparse.Namespace) -> int:
    """``evo plot``."""
    from results import open_run
    from results.plots.run import plot_run
    from results.read.sweep import is_sweep

    if is_sweep(options.run):
        return _plot_sweep(options)
    evolved = open_run(options.run)
    files = plot_run(evolved, options.out)
    print_rows([{"file": str(file)} for file in files], {"file": ""}, options.json)
    if evolved.evaluations.empty and not options.json:
        print(f"no win rates yet: measure them by {program()} evaluate {quoted(evolved.path)}")
    return 0


def _plot_sweep(options: argparse.Namespace) -> int:
    """The pictures of a sweep: the best of each snapshot, over all seeds."""
    from results.plots.sweep import plot_best
    from results.read.sweep import open_runs

    files = plot_best(open_runs(options.run), options.out)
    print_rows([{"file": str(file)} for file in files], {"file": ""}, options.json)
    return 0


def tournament(options: argparse.Namespace) -> int:
    """``evo tournament``."""
    with Display() as display, evaluator_of(options, display) as evaluator:
        table = _played(options, evaluator, display)
    if options.json:
        rows = [{"table": "pairs", **row} for row in table.records()]
        rows += [{"table": "ratings", **row} for row in table.standings()]
        print_rows(rows, {}, as_json=True)
        return 0
    _print_tournament(table, options.anchor)
    if options.out is not None:
        print(f"\n{rows_of_tournament(options.out)}")
    return 0


def _played(
    options: argparse.Namespace, evaluator: Evaluator | None, display: Display
) -> CrossTable:
    """Play the tournament; an interruption says how to go on."""
    from evo.tournaments import play as competition

    try:
        return competition.tournament(
            options.game,
            options.players,
            options.games,
            seed=options.seed,
            schedule=options.schedule,
            rounds=options.rounds,
            challengers=options.challengers,
            stop_within=options.stop_within,
            most_games=options.most_games,
            anchor=options.anchor,
            out=options.out,
            evaluator=evaluator,
            threads=options.threads,
            report=display.pieces,
            announce=display.say,
        )
    except KeyboardInterrupt:
        if options.out is not None:
            display.say(f"what was played is in {options.out}; the same command goes on with it")
        raise


def _print_tournament(table: CrossTable, anchor: str | None) -> None:
    """The ratings, and who made what of whom where that can be taken in at a look."""
    from results import report

    whose = "their mean" if anchor is None else f"{anchor}'s"
    games = int(table.games.sum()) // 2
    print(f"ratings in Elo points, {whose} 0, with 95% intervals, from {games:,} games\n")
    print_rows(table.standings(), RATING_COLUMNS, as_json=False)
    print(f"\n{table.stopped}")
    if len(table.names) > MOST_IN_CROSS_TABLE:
        return
    print(f"\nshare of the points of the row against the column{_games_a_pair(table)}\n")
    print(report.cross_table(table.names, table.scores))
    for role in table.roles:
        print(f"\nshare of the games won as the {role}\n")
        print(report.cross_table(table.names, table.scores_as(role)))


def _games_a_pair(table: CrossTable) -> str:
    """How many games each pair that met played, where it was the same number."""
    numbers = {int(counts.sum()) for counts in table.met.values()}
    return f", {numbers.pop():,} games a pair" if len(numbers) == 1 else ""
