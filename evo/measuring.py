"""The commands that measure what was evolved: win rates, their pictures, and cross tables."""

from __future__ import annotations

import argparse

from evo.console import (
    columns_of,
    evaluator_of,
    print_rows,
    program,
    quoted,
    where_rows_are,
)
from evo.progress import Display


def evaluate(options: argparse.Namespace) -> int:
    """``evo evaluate``."""
    from evo import evaluation

    with Display() as display, evaluator_of(options, display) as evaluator:
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
        print_rows(measured.to_dict("records"), {}, as_json=True)
        return 0
    from results.analysis import best_of_each_snapshot

    best = best_of_each_snapshot(measured).to_dict("records")
    leading = {"generation": "d", "population": "", "individual": "d"}
    print("the individual with the highest win rate of each snapshot, of those measured:\n")
    print_rows(best, columns_of(best, leading), as_json=False)
    print(f"\n{where_rows_are(options.run, len(measured))}")
    return 0


def plot(options: argparse.Namespace) -> int:
    """``evo plot``."""
    from results import open_run
    from results.plots import plot_run

    evolved = open_run(options.run)
    files = plot_run(evolved, options.out)
    print_rows([{"file": str(file)} for file in files], {"file": ""}, options.json)
    if evolved.evaluations.empty and not options.json:
        print(f"no win rates yet: measure them by {program()} evaluate {quoted(evolved.path)}")
    return 0


def tournament(options: argparse.Namespace) -> int:
    """``evo tournament``."""
    from evo import cross_table
    from results import report

    with Display() as display, evaluator_of(options, display) as evaluator:
        table = cross_table.tournament(
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
        print_rows(table.records(), {}, as_json=True)
        return 0
    print(f"share of the points of the row against the column, {table.games:,} games a pair\n")
    print(report.cross_table(table.names, table.scores))
    for role in table.roles:
        print(f"\nshare of the games won as the {role}\n")
        print(report.cross_table(table.names, table.scores_as(role)))
    return 0
