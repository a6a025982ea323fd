"""``evo games``: the list of games."""

from __future__ import annotations

from evo.cli.console import print_rows
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.base import Request


class GamesRequest(Request):
    """List the games."""


def _list_games(request: GamesRequest, execution: Execution) -> int:
    from tournaments import games
    from tournaments.errors import TournamentError

    rows = []
    for name in games.names():
        try:
            rules = games.rules(name)
            rows.append({"game": name, "about": rules.summary, "options": dict(rules.options)})
        except TournamentError as error:
            rows.append({"game": name, "about": str(error), "options": {}})
    print_rows(rows, {"game": "", "about": ""}, execution.json)
    return 0


COMMAND = command_of(GamesRequest, _list_games, rank=1, group="what there is")
