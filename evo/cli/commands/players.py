"""``evo players``: the list of players of a game."""

from __future__ import annotations

import argparse

from evo.cli.console import print_rows
from evo.cli.options import Command, Parser


def _add_arguments(command: Parser) -> None:
    command.add_value("game", "GAME", "such as dots-and-boxes:rows=2,cols=2")
    command.add_json()


def _list_players(options: argparse.Namespace) -> int:
    from tournaments import games, players

    rows = players.listing(games.parse(options.game))
    print_rows(rows, {"player": "", "about": ""}, options.json)
    return 0


COMMAND = Command("list the players of a game", _add_arguments, _list_players, rank=12)
