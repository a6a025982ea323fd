"""``evo tournament``: ratings with intervals and a cross table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evo.cli.console import print_rows
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.tournaments import TournamentRequest

if TYPE_CHECKING:
    from evo.tournaments.cross_table import CrossTable

MOST_IN_CROSS_TABLE = 12
"""Maximum number of players for which a cross table is printed."""
RATING_COLUMNS = {
    "rank": "d",
    "player": "",
    **dict.fromkeys(("rating", "rating_low", "rating_high"), "+.0f"),
    **dict.fromkeys(("games", "wins", "draws", "losses"), ",d"),
    "score": ".1%",
}
SHARE_COLUMNS = {"nash": ".3f", "alpha_rank": ".3f"}
"""Columns of tables in which all players met each other."""


def _play(request: TournamentRequest, execution: Execution) -> int:
    table = _played(request, execution)
    if execution.json:
        rows = [{"table": "pairs", **row} for row in table.records()]
        rows += [{"table": "ratings", **row} for row in table.standings(shares=True)]
        rows += [{"table": "seed", "seed": table.seed}] if request.secret else []
        print_rows(rows, {}, as_json=True)
        return 0
    _print_table(table, request.anchor)
    if request.secret:
        print(f"\nthe seed was {table.seed}; --seed {table.seed} plays the same games")
    if request.out is not None:
        what = ".ratings, .pairs, .cross_table"
        print(f"\nin pandas: results.open_tournament({request.out!r}){what}")
    return 0


def _played(request: TournamentRequest, execution: Execution) -> CrossTable:
    """Play the tournament that a request describes.

    After an interruption, announce how to continue.
    """
    from evo.tournaments.play import tournament

    try:
        return tournament(request, execution)
    except KeyboardInterrupt:
        if request.out is not None:
            execution.announce(
                f"the games played so far are in {request.out}; run the same command again to go on"
            )
        raise


def _print_table(table: CrossTable, anchor: str | None) -> None:
    """Print a tournament's ratings and, for up to 12 players, the cross table.

    ``anchor`` is the player whose rating is fixed.
    """
    from results import report

    whose = "their mean" if anchor is None else f"{anchor}'s"
    print(f"ratings in Elo points, {whose} 0, with 95% intervals, from {table.num_games:,} games\n")
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
    """Return a line on the pairs of a tournament that play the same games in every match."""
    pairs = [f"{a} and {b}" for a, b in sorted(table.repeated)]
    shown = "; ".join(pairs[:MOST_IN_CROSS_TABLE]) + "; ..." * (len(pairs) > MOST_IN_CROSS_TABLE)
    return (
        f"{len(pairs):,} of {len(table.met):,} pairs play without randomness, the same games in "
        f"every match, of which one is played and counts: {shown}"
    )


def _games_a_pair(table: CrossTable) -> str:
    """Return words on the number of games per pair in a tournament. Empty if the number differs."""
    numbers = {int(counts.sum()) for counts in table.met.values()}
    return f", {numbers.pop():,} games a pair" if len(numbers) == 1 else ""


COMMAND = command_of(TournamentRequest, _play, rank=5, group="measure")
