"""``evo check-bot``: plays a player, most often a program, and says in words what is wrong."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from evo.cli.console import print_rows
from evo.cli.options import EXIT_FAILED, PLAYERS, Command, Parser, seconds
from results.errors import printable

if TYPE_CHECKING:
    from evo.evaluation.bot_check import BotFault, BotReport

COLUMNS = {"opponent": "", "seat": "", **dict.fromkeys(("games", "wins", "draws", "losses"), ",d")}


def _add_arguments(command: Parser) -> None:
    command.add_value("player", "BOT", f"a program such as ./bot.py (docs/bots.md), or {PLAYERS}")
    command.add_value("--game", "GAME", "what it plays", required=True)
    command.add_number("--games", "N", "against random play (default: %(default)s)", 20)
    command.add_value("--seconds", "S", "that a move may take", type=seconds)
    command.add_number("--seed", "N", "(default: %(default)s)", 1)
    command.add_json()


def _check(options: argparse.Namespace) -> int:
    from evo.evaluation import players
    from evo.evaluation.bot_check import check_bot
    from tournaments import games

    game = games.parse(options.game)
    player = players.player(options.player, game)
    report = check_bot(player, game, options.games, options.seconds, options.seed)
    if options.json:
        rows = [{"table": "games", **row} for row in report.rows]
        rows += [{"table": "moves", **report.moves}]
        rows += [{"table": "faults", **asdict(fault)} for fault in report.faults]
        print_rows(rows, {}, as_json=True)
    else:
        print("\n".join(_lines(report)))
    return EXIT_FAILED if report.faults else 0


def _lines(report: BotReport) -> Iterator[str]:
    """The report in words."""
    from results.report import table

    about = f": {report.about}" if report.about else ""
    yield f"{printable(report.name)} plays {report.game.short_spec}{about}"
    yield f"\n{table(report.rows, COLUMNS | {'faults': ',d'})}\n"
    yield _pace(report)
    for fault in report.faults:
        yield from _fault(fault)
    if not report.faults:
        yield "no fault: legal actions, in time, and the same moves for the same seed"


def _pace(report: BotReport) -> str:
    """How long moves take, and what the player saw."""
    moves = report.moves
    if not moves["moves"]:
        return "no move was made"
    times = ("seconds_median", "seconds_95", "seconds_most")
    middle, most_of_them, longest = (f"{1000 * moves[name]:.3g} ms" for name in times)
    words = f"{moves['moves']:,} moves: half within {middle}, 95% within {most_of_them}, all within"
    words += f" {longest}; of {moves['legal_least']} to {moves['legal_most']} legal actions"
    if report.plies:
        words += f"; games of {min(report.plies)} to {max(report.plies)} plies"
    return words


def _fault(fault: BotFault) -> Iterator[str]:
    """What is wrong, and where it was seen."""
    yield f"\n{fault.cause}: it {printable(fault.what)}"
    yield (
        f"as {fault.seat} against {fault.opponent}, after {fault.ply} plies of game {fault.game} "
        f"of the match with seed {fault.seed}:"
    )
    yield fault.board


COMMAND = Command(
    "play a bot, and say in words what is wrong with it",
    _add_arguments,
    _check,
    "Play a player, most often a program, against random play in both seats and against itself, "
    "and say what is wrong: what it raised or wrote last, illegal actions, answers that are late, "
    "no JSON or not asked for, other moves for the same seed. The status is 1 where there is any.",
    rank=12,
)
