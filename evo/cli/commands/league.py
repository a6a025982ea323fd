"""``evo league``: a folder of submissions, rated night after night."""

from __future__ import annotations

import argparse

from evo.cli.console import playing, print_rows
from evo.cli.options import Command, Parser, seconds

COLUMNS = {
    "rank": "d",
    "submission": "",
    **dict.fromkeys(("rating", "rating_low", "rating_high"), "+z.0f"),
    **dict.fromkeys(("games", "wins", "draws", "losses", "forfeits", "repeated"), ",d"),
    "score": ".1%",
    "state": "",
    "causes": "",
    "why": "",
}


def _add_arguments(command: Parser) -> None:
    command.add_value("folder", "FOLDER", "submissions: one file, or run, each")
    command.add_value("--game", "GAME", "such as dots-and-boxes:rows=2,cols=2", required=True)
    command.add_number("--games", "N", "of each pair that meets (default: %(default)s)", 100)
    command.add_number(
        "--seed",
        "N",
        "of tonight's games, to play a night again (default: a secret one, published with the "
        "results)",
    )
    command.add_value(
        "--schedule",
        "NAME",
        "round-robin: everybody meets everybody; swiss: each some who are near it in rating "
        "(default: %(default)s)",
        default="round-robin",
    )
    command.add_number(
        "--rounds", "N", "of swiss: how many others each meets (default: a knock-out's, and two)"
    )
    command.add_number("--most-games", "N", "tonight; newcomers play first")
    command.add_value(
        "--seconds",
        "S",
        "that a move of a program or of a Python player may take (default: 5)",
        type=seconds,
    )
    command.add_value(
        "--out", "DIR", "folder of the league: its games, page and CSV (default: FOLDER-league)"
    )
    command.add_where()
    command.add_json()


def _play(options: argparse.Namespace) -> int:
    from evo.tournaments.league import league

    with playing(options) as (display, where):
        table = league(
            options.folder,
            options.game,
            options.games,
            seed=options.seed,
            schedule=options.schedule,
            rounds=options.rounds,
            most_games=options.most_games,
            seconds=options.seconds,
            out=options.out,
            report=display.part,
            **where,
        )
    rows = table.rows()
    print_rows(rows, COLUMNS, options.json)
    if not options.json:
        seed = "" if table.seed is None else f", by the seed {table.seed}"
        print(f"\n{table.games:,} games tonight{seed}; the page is {table.folder / 'index.html'}")
    return 0


COMMAND = Command(
    "a folder of submissions, rated night after night",
    _add_arguments,
    _play,
    "Look at the submissions of a folder, let those meet that have not met, newcomers first, and "
    "write one page and one CSV. Nothing is played twice: a line of a crontab is a league.",
    rank=7,
)
