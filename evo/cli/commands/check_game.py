"""``evo check-game``: whether a game keeps the laws that everything else relies on."""

from __future__ import annotations

import argparse
import sys

from evo.cli.console import print_rows
from evo.cli.options import EXIT_FAILED, Command, Parser, seconds


def _add_arguments(command: Parser) -> None:
    command.add_value("game", "GAME", "such as dots-and-boxes:rows=2,cols=2")
    command.add_number("--games", "N", "at random (default: %(default)s)", 50)
    command.add_number("--seed", "N", "(default: %(default)s)", 0)
    command.add_value(
        "--seconds",
        "SECONDS",
        "that the hooks may take over a position; the file and compiled code twelve times that "
        "(default: %(default)s)",
        type=seconds,
        default=10.0,
    )
    command.add_json()


def _check(options: argparse.Namespace) -> int:
    from evo.progress import Display
    from results.errors import printable
    from tournaments.contract import ContractError, check_game
    from tournaments.contract.broken import made_in_time

    with Display() as display:
        try:
            game = made_in_time(options.game, options.seconds)
            seen = check_game(
                game,
                options.games,
                options.seed,
                report=display.say,
                seconds=options.seconds,
            )
        except ContractError as error:
            display.close()
            print("evo:", "\n".join(map(printable, str(error).split("\n"))), file=sys.stderr)
            return EXIT_FAILED
    if options.json:
        print_rows([seen.row], {}, as_json=True)
    else:
        print(f"{game.spec} keeps the contract: {seen}")
    return 0


COMMAND = Command(
    "check that a game keeps the laws of games",
    _add_arguments,
    _check,
    "Play a game at random and compare all that it does with what is expected of games: in plain "
    "Python, compiled, and by every kind of player. The status is 0 where all laws hold, and what "
    "was seen is printed: lengths, wins by seat, legal actions; it is 1 where one is broken, with "
    "a line that names the law, the hook, the game and the ply, and the position below it.",
    rank=15,
)
