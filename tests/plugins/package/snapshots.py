"""A command: ``evo snapshots RUN``."""

from __future__ import annotations

import argparse

from evo.cli.options import Command, Parser


def _add_arguments(command: Parser) -> None:
    command.add_run()
    command.add_number("--last", "N", "so many", 3)


def _list(options: argparse.Namespace) -> int:
    from results import open_run

    print(*open_run(options.run).snapshots[-options.last :])
    return 0


COMMAND = Command("list the newest snapshots of a run", _add_arguments, _list)
