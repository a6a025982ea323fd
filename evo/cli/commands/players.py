"""``evo players``: the list of players of a game."""

from __future__ import annotations

from dataclasses import dataclass

from evo.cli.console import print_rows
from evo.cli.options import Command
from evo.execution import Execution
from evo.requests.base import Request
from tournaments.options import REQUIRED, option


@dataclass(frozen=True)
class PlayersRequest(Request):
    """The game whose players are listed."""

    game: str = option(
        REQUIRED, "such as dots-and-boxes:rows=2,cols=2", argument=True, metavar="GAME"
    )


def _list_players(request: PlayersRequest, execution: Execution) -> int:
    from tournaments import games, players

    rows = players.listing(games.parse(request.game))
    print_rows(rows, {"player": "", "about": ""}, execution.json)
    return 0


COMMAND = Command("list the players of a game", PlayersRequest, _list_players, rank=12)
