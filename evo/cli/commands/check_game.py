"""``evo check-game``: whether a game keeps the laws that everything else relies on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evo.cli.console import print_rows
from evo.cli.options import command_of
from evo.execution import MOST_SECONDS, Execution
from evo.requests.base import REPORTS, Request, argument, flag


@dataclass(frozen=True)
class CheckGameRequest(Request):
    """Check that a game keeps the laws of games.

    Play a game at random and compare all that it does with what is expected of games: in plain
    Python, compiled, and by every kind of player. The status is 0 where all laws hold, and what
    was seen is printed: lengths, wins by seat, legal actions; it is 1 where one is broken, with a
    line that names the law, the hook, the game and the ply, and the position below it.

    Attributes:
        game: such as dots-and-boxes:rows=2,cols=2
        games: number of games at random
        seed: of the games (default: 0)
        seconds: that the hooks may take over a position; the file and compiled code may take
            twelve times that
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
    if execution.json:
        print_rows([seen.row], {}, as_json=True)
    else:
        print(f"{seen.game} keeps the contract: {seen}")
    return 0


COMMAND = command_of(CheckGameRequest, _check, rank=2, group="your own")
