"""``evo check-bot``: a test of a player, usually a program, with a report of its faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from evo.cli.console import print_report
from evo.cli.options import EXIT_FAILED, command_of
from evo.execution import MOST_SECONDS, Execution
from evo.requests.base import Request, argument, flag
from results.errors import printable
from tournaments.options import REQUIRED

if TYPE_CHECKING:
    from evo.evaluation.bot_check import BotFault, BotReport

COLUMNS = {"opponent": "", "seat": "", **dict.fromkeys(("games", "wins", "draws", "losses"), ",d")}


@dataclass(frozen=True)
class CheckBotRequest(Request):
    """Test a bot in games, and report its faults.

    Play the bot, usually a program, against random play in both seats and against itself. Report
    the exceptions and last error output of the bot, illegal actions, late answers, answers that are
    not JSON or were not requested, and different moves for the same seed. The exit status is 1 if
    there is any fault.

    Attributes:
        player: program such as ./bot.py (docs/bots.md), player (evo players GAME), .npy or .json
            file of weights, or folder of a run for its champion
        game: game that the bot plays, with its options
        games: number of games against random play
        seconds: time limit per move, in seconds (default: the limit of the player)
        seed: random seed of the games
    """

    player: str = argument("BOT")
    game: str = flag(REQUIRED)
    games: int = flag(20, low=1)
    seconds: float | None = flag(None, above=0, high=MOST_SECONDS, metavar="S")
    seed: int = flag(1, low=0)


def _check(request: CheckBotRequest, execution: Execution) -> int:
    from evo.evaluation import players
    from evo.evaluation.bot_check import check_bot
    from tournaments import games

    game = games.parse(request.game)
    player = players.player(request.player, game)
    report = check_bot(player, game, request.games, request.seconds, request.seed)
    rows = [{"table": "games", **row} for row in report.rows]
    rows += [{"table": "moves", **report.moves}]
    rows += [{"table": "faults", **asdict(fault)} for fault in report.faults]
    print_report(rows, _lines(report), execution.json)
    return EXIT_FAILED if report.faults else 0


def _lines(report: BotReport) -> Iterator[str]:
    """Yield the lines of text of the report on a checked player."""
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
    """Return a line on a checked player's games: times of moves, legal actions, game lengths."""
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
    """Yield the lines of text on a fault of a checked player: what, in which game and position."""
    yield f"\n{fault.cause}: it {printable(fault.what)}"
    yield (
        f"as {fault.seat} against {fault.opponent}, after {fault.ply} plies of game {fault.game} "
        f"of the match with seed {fault.seed}:"
    )
    yield fault.board


COMMAND = command_of(CheckBotRequest, _check, rank=3, group="your own")
