"""``evo players``: the list of players of a game."""

from __future__ import annotations

from dataclasses import dataclass

from evo.cli.console import print_rows
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.base import Request, argument


@dataclass(frozen=True)
class PlayersRequest(Request):
    """List the players of a game.

    Attributes:
        game: game with its options, such as dots-and-boxes:rows=2,cols=2
    """

    game: str = argument("GAME")


def _list_players(request: PlayersRequest, execution: Execution) -> int:
    from tournaments import games, players

    rows = players.listing(games.parse(request.game))
    print_rows(rows, {"player": "", "about": ""}, execution.json)
    return 0


COMMAND = command_of(PlayersRequest, _list_players, rank=2, group="what there is")
