"""``evo evaluate``: win rates of snapshots of a run against fixed opponents."""

from __future__ import annotations

import argparse

from evo.cli.console import columns_of, playing, print_rows, where_rows_are
from evo.cli.options import PLAYERS, Command, Parser
from tournaments.errors import ConfigError

GAMES = 300
"""Games of a pair, unless ``--games`` says otherwise."""


def _add_arguments(command: Parser) -> None:
    command.add_run()
    command.add_switch(
        "--exact",
        "compute what comes of all games in place of playing some, with the regret and the "
        "share of optimal moves (dots and boxes of up to 24 edges; by default of the fittest "
        "individual alone, as it takes seconds)",
    )
    command.add_value(
        "--opponents",
        "PLAYER",
        f"{PLAYERS}; best-response stands for what evo prove finds (default: random play, "
        "heuristics, perfect play)",
        nargs="+",
    )
    command.add_number("--games", "N", f"a pair (default: {GAMES})")
    command.add_number("--best", "N", "the N fittest of a snapshot (default: all)")
    command.add_number(
        "--best-by",
        "GAMES",
        "those that won most of so many games, measured before, in place of the fittest: chosen by "
        "one set of games and measured by another",
    )
    command.add_number(
        "--every", "K", "each K-th snapshot (default: each; with --best the last alone)"
    )
    command.add_snapshots()
    command.add_trust()
    command.add_where()
    command.add_faults()
    command.add_json()


def _evaluate(options: argparse.Namespace) -> int:
    from evo.evaluation.evaluate import evaluate, without_strange_ground
    from results import open_run

    if options.exact and options.ray is not None:
        raise ConfigError(
            "--exact and --ray given; what is computed takes --threads of this machine"
        )
    if options.exact and options.games is not None:
        raise ConfigError(
            f"--exact and --games {options.games} given; what is computed plays no games: leave "
            "one of them out"
        )
    generations = options.generation
    if options.every is None and generations is None and options.best is not None:
        generations = open_run(options.run, options.trust).snapshots[-1:]
    if options.exact and options.best is None:
        options.best = 1
    with playing(options) as (display, where):
        measured = evaluate(
            options.run,
            options.opponents,
            GAMES if options.games is None else options.games,
            best=options.best,
            best_by=options.best_by,
            every=1 if options.every is None else options.every,
            generations=generations,
            exact=options.exact,
            trust=options.trust,
            report=display.part,
            **where,
        )
    if options.json:
        print_rows(measured.to_dict("records"), {}, as_json=True)
        return 0
    from evo.config.config import of_run
    from results.read.curves import best_of_each_snapshot

    best = best_of_each_snapshot(measured).to_dict("records")
    leading = {"generation": "d", "population": "", "individual": "d"}
    print("the individual with the highest win rate of each snapshot, of those measured:\n")
    columns = columns_of(best, leading)
    game = of_run(open_run(options.run, options.trust), options.trust).game
    print_rows(best, columns, as_json=False)
    if {"regret", "exploitability"} & columns.keys():
        print(f"\nmargins are net points; regret and exploitability are {game.unit}")
    if remark := without_strange_ground(game):
        print(f"\n{remark}")
    print(f"\n{where_rows_are(options.run, len(measured))}")
    return 0


COMMAND = Command(
    "measure snapshots of a run against fixed opponents",
    _add_arguments,
    _evaluate,
    "Play snapshots of a run against fixed opponents and append what comes of it to "
    "RUN/evaluations. What was measured before is not played again.",
    rank=3,
)
