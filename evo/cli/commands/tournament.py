"""``evo tournament``: ratings with intervals, and a cross table."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from evo.cli.console import playing, print_rows
from evo.cli.options import PLAYERS, Command, Parser

if TYPE_CHECKING:
    from evo.tournaments.cross_table import CrossTable

MOST_IN_CROSS_TABLE = 12
"""Players, of whom a cross table is still printed."""
RATING_COLUMNS = {
    "rank": "d",
    "player": "",
    **dict.fromkeys(("rating", "rating_low", "rating_high"), "+.0f"),
    **dict.fromkeys(("games", "wins", "draws", "losses"), ",d"),
    "score": ".1%",
}
SHARE_COLUMNS = {"nash": ".3f", "alpha_rank": ".3f"}
"""Of tables where everybody met everybody."""


def _add_arguments(command: Parser) -> None:
    command.add_value("game", "GAME", "such as dots-and-boxes:rows=2,cols=2")
    command.add_value(
        "players",
        "PLAYER",
        f"{PLAYERS} (RUN@100: of generation 100; RUN@all, RUN@every-K: of all snapshots, or "
        "each K-th)",
        nargs="+",
    )
    command.add_number("--games", "N", "a pair (default: %(default)s)", 1000)
    command.add_number("--seed", "N", "(default: %(default)s)", 1)
    command.add_switch("--secret", "draw a seed that no player can guess; published at the end")
    command.add_value(
        "--schedule",
        "NAME",
        "round-robin, gauntlet (the first player against all others), swiss, "
        "single-elimination or double-elimination (default: %(default)s)",
        default="round-robin",
    )
    command.add_number("--rounds", "N", "of swiss (default: those of a knock-out, and two)")
    command.add_number("--challengers", "N", "the first N players run the gauntlet")
    command.add_value(
        "--stop-within",
        "ELO",
        "play on until each 95%% interval is within so many points to each side",
        type=float,
    )
    command.add_number("--most-games", "N", "begin no round that would go beyond N in all")
    command.add_value("--anchor", "PLAYER", "whose rating is 0 (default: the mean of all is)")
    command.add_value(
        "--out",
        "DIR",
        "folder, or address, for the results as Parquet; the same command goes on where it stopped",
    )
    command.add_trust()
    command.add_where()
    command.add_faults()
    command.add_json()


def _play(options: argparse.Namespace) -> int:
    table = _played(options)
    if options.json:
        rows = [{"table": "pairs", **row} for row in table.records()]
        rows += [{"table": "ratings", **row} for row in table.standings(shares=True)]
        rows += [{"table": "seed", "seed": table.seed}] if options.secret else []
        print_rows(rows, {}, as_json=True)
        return 0
    _print_table(table, options.anchor)
    if options.secret:
        print(f"\nthe seed was {table.seed}; --seed {table.seed} plays the same games")
    if options.out is not None:
        what = ".ratings, .pairs, .cross_table"
        print(f"\nin pandas: results.open_tournament({options.out!r}){what}")
    return 0


def _played(options: argparse.Namespace) -> CrossTable:
    """Play the tournament; an interruption says how to go on."""
    from evo.tournaments.play import tournament

    with playing(options) as (display, where):
        try:
            return tournament(
                options.game,
                options.players,
                options.games,
                seed=options.seed,
                secret=options.secret,
                schedule=options.schedule,
                rounds=options.rounds,
                challengers=options.challengers,
                stop_within=options.stop_within,
                most_games=options.most_games,
                anchor=options.anchor,
                out=options.out,
                trust=options.trust,
                report=display.part,
                **where,
            )
        except KeyboardInterrupt:
            if options.out is not None:
                display.say(
                    f"what was played is in {options.out}; the same command goes on with it"
                )
            raise


def _print_table(table: CrossTable, anchor: str | None) -> None:
    """The ratings, and who made what of whom where that can be taken in at a look."""
    from results import report

    whose = "their mean" if anchor is None else f"{anchor}'s"
    games = int(table.games.sum()) // 2
    print(f"ratings in Elo points, {whose} 0, with 95% intervals, from {games:,} games\n")
    columns = RATING_COLUMNS | {f"win_rate_as_{seat}": ".1%" for seat in table.seats}
    columns |= {} if table.payoffs is None else SHARE_COLUMNS
    print_rows(table.standings(shares=True), columns, as_json=False)
    print(f"\n{table.stopped}")
    if table.repeated:
        print(f"\n{_repeated(table)}")
    if len(table.names) > MOST_IN_CROSS_TABLE:
        return
    print(f"\nshare of the points of the row against the column{_games_a_pair(table)}\n")
    print(report.cross_table(table.names, table.scores))
    for seat in table.seats:
        print(f"\nshare of the games won as the {seat}\n")
        print(report.cross_table(table.names, table.scores_as(seat)))


def _repeated(table: CrossTable) -> str:
    """The pairs that play the same games in every match."""
    pairs = [f"{a} and {b}" for a, b in sorted(table.repeated)]
    shown = "; ".join(pairs[:MOST_IN_CROSS_TABLE]) + "; ..." * (len(pairs) > MOST_IN_CROSS_TABLE)
    return (
        f"{len(pairs):,} of {len(table.met):,} pairs play without randomness, the same games in "
        f"every match, of which one is played and counts: {shown}"
    )


def _games_a_pair(table: CrossTable) -> str:
    """How many games each pair that met played, where it was the same number."""
    numbers = {int(counts.sum()) for counts in table.met.values()}
    return f", {numbers.pop():,} games a pair" if len(numbers) == 1 else ""


COMMAND = Command(
    "who is how strong: ratings with intervals, and a cross table",
    _add_arguments,
    _play,
    "Play a tournament, by default everybody against everybody, and print ratings with 95% "
    "intervals and the cross table.",
    rank=7,
)
