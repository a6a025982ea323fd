"""``evo export``: a champion as a file that plays wherever a player is named, or elsewhere."""

from __future__ import annotations

import argparse

from evo.cli.options import Command, Parser


def _add_arguments(command: Parser) -> None:
    command.add_run()
    command.add_value("file", "FILE", "to be written: .npy or .json; a program: .py")
    command.add_value("--program", "NAME", "write a program, such as pelita for capture the flag")
    command.add_number("--generation", "G", "(default: the newest)")
    command.add_value("--population", "NAME", "such as cat or mouse (default: all there are)")
    command.add_trust()


def _export(options: argparse.Namespace) -> int:
    from evo.evaluation.export import export, export_program

    which = options.generation, options.population, options.trust
    if options.program is None:
        about = export(options.run, options.file, *which)
    else:
        about = export_program(options.run, options.file, options.program, *which)
    print(f"{options.file}: {about}")
    return 0


COMMAND = Command(
    "write a champion to a file, which plays wherever a player is named",
    _add_arguments,
    _export,
    "Write the weights of a champion, or its policy tables, to a file, which plays wherever a "
    "player is named. Where there is a population a role, the file holds the champion of each, "
    "unless one is named. --program pelita writes a team of capture the flag as one Python file, "
    "which the package pelita plays.",
    rank=14,
)
