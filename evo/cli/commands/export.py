"""``evo export``: a champion as a file that plays wherever a player is named."""

from __future__ import annotations

import argparse

from evo.cli.options import Command, Parser


def _add_arguments(command: Parser) -> None:
    command.add_run()
    command.add_value("file", "FILE.npy", "to be written: .npy or .json")
    command.add_number("--generation", "G", "(default: the newest)")
    command.add_value("--population", "NAME", "such as cat or mouse (default: all there are)")


def _export(options: argparse.Namespace) -> int:
    from evo.evaluation.export import export

    about = export(options.run, options.file, options.generation, options.population)
    print(f"{options.file}: {about}")
    return 0


COMMAND = Command(
    "write a champion to a file, which plays wherever a player is named",
    _add_arguments,
    _export,
    "Write the weights of a champion, or its policy tables, to a file, which plays wherever a "
    "player is named. Where there is a population a role, the file holds the champion of each, "
    "unless one is named.",
    rank=14,
)
