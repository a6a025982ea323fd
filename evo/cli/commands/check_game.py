"""``evo check-game``: a check that a game keeps the laws that all other code relies on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evo.cli.console import coloured, print_report
from evo.cli.options import command_of
from evo.execution import MOST_SECONDS, Execution
from evo.requests.base import REPORTS, Request, argument, flag


@dataclass(frozen=True)
class CheckGameRequest(Request):
    """Check a game against the contract of games.

    Play random games in plain Python, compiled, and with every kind of player, and compare the
    behaviour of the game with the contract. If the game keeps every law of the contract, print the
    lengths of games, the wins by seat and the numbers of legal actions, and exit with status 0.
    Otherwise print the broken law, the hook, the game, the ply and the position, and exit with
    status 1.

    Attributes:
        game: game with its options, such as dots-and-boxes:rows=2,cols=2
        games: number of random games
        seed: random seed of the games (default: 0)
        seconds: time limit of the hooks for one position, in seconds; the limit for importing the
            file and for compiled code is twelve times as long
    """

    execution: ClassVar = (*REPORTS, "json")

    game: str = argument("GAME")
    games: int = flag(50, low=1)
    seed: int = flag(0, low=0)
    seconds: float = flag(10.0, above=0, high=MOST_SECONDS)


def _check(request: CheckGameRequest, execution: Execution) -> int:
    from tournaments.contract import check_game

    limits = {"report": execution.announce, "seconds": request.seconds}
    seen = check_game(request.game, request.games, request.seed, **limits)
    kept = f"{seen.game} {coloured('keeps the contract')}: {seen}"
    print_report([seen.row], [kept], execution.json)
    return 0


COMMAND = command_of(CheckGameRequest, _check, rank=2, group="your own")
