"""``evo check-game``: whether a game keeps the laws that everything else relies on."""

from __future__ import annotations

import argparse

from evo.cli.console import print_rows
from evo.cli.options import Command, Parser, seconds


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
    from tournaments.contract import check_game

    with Display() as display:
        limits = {"report": display.say, "seconds": options.seconds}
        seen = check_game(options.game, options.games, options.seed, **limits)
    if options.json:
        print_rows([seen.row], {}, as_json=True)
    else:
        print(f"{seen.game} keeps the contract: {seen}")
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
