"""Completion in the shell: commands, flags, games, players, run folders, fields of ``--set``.

    eval "$(register-python-argcomplete evo)"                  # bash and zsh
    register-python-argcomplete --shell fish evo | source      # fish

The package ``argcomplete`` is needed (the extra ``completion``). The shell runs ``evo`` at each tab
with the variable ``_ARGCOMPLETE`` set.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from typing import Any

from evo.cli.options import Parser

VARIABLE = "_ARGCOMPLETE"


def complete(parser: argparse.ArgumentParser) -> None:
    """Print the completions of a command line and end the process, if a shell asks for them."""
    if VARIABLE not in os.environ:
        return
    import argcomplete

    (commands,) = (each.choices for each in parser._actions if isinstance(each.choices, dict))
    for word in os.environ.get("COMP_LINE", "").split():
        command = commands.get(word)
        if isinstance(command, Parser):
            command.fill()  # argcomplete sees only what is there before the command is parsed
            command.is_mixing = True
    argcomplete.autocomplete(parser, default_completer=_complete_value)  # type: ignore[arg-type]


def _complete_value(
    prefix: str, action: argparse.Action, parsed_args: argparse.Namespace, **_: Any
) -> Iterable[str]:
    """Return the completions of a flag's or an argument's value that begin with a prefix."""
    from argcomplete.completers import FilesCompleter

    from evo.config.config import from_dict
    from evo.sweeps.experiment import flat
    from tournaments import games

    metadata = getattr(action, "metadata", {})
    words = str(action.metavar).split("|")
    values = [*metadata.get("known", ()), *metadata.get("names", list)()]
    if "GAME" in words:
        values += games.names()
    if "PLAYER" in words or words in (["A"], ["B"]):
        values += _players(getattr(parsed_args, "game", None) or "dots-and-boxes")
    if words == ["FIELD=VALUE"]:
        values += [f"{name}=" for name in flat(from_dict({}).to_dict())]
    if not values or len(words) > 1 or "PLAYER" in words:
        values += FilesCompleter()(prefix)
    return [value for value in values if value.startswith(prefix)]


def _players(game: str) -> list[str]:
    from tournaments import games, players
    from tournaments.errors import TournamentError

    try:
        return players.names(games.parse(game))
    except TournamentError:
        return []
