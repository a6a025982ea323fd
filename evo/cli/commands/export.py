"""``evo export``: a champion as a file that plays wherever a player is named, or elsewhere."""

from __future__ import annotations

import argparse

from evo.cli.options import Command, Parser
from tournaments.errors import ConfigError


def _add_arguments(command: Parser) -> None:
    command.add_run()
    command.add_value("file", "FILE.npy", "to be written: .npy or .json", nargs="?")
    command.add_value("--program", "NAME", "write a program that the game's vectors become: .py")
    command.add_value("--pelita", "TEAM.py", "short for TEAM.py --program pelita")
    command.add_number("--generation", "G", "(default: the newest)")
    command.add_value("--population", "NAME", "such as cat or mouse (default: all there are)")
    command.add_trust()


def _export(options: argparse.Namespace) -> int:
    from evo.evaluation.export import export, export_program

    if (options.file is None) == (options.pelita is None):
        given = "both" if options.file else "none"
        raise ConfigError(f"{given} given; a file or --pelita TEAM.py is expected")
    file, program = options.file, options.program
    if options.pelita is not None:
        if program is not None:
            raise ConfigError(
                f"--program {program} and --pelita given; one program is expected: leave one out"
            )
        file, program = options.pelita, "pelita"
    which = options.generation, options.population, options.trust
    if program is None:
        about = export(options.run, file, *which)
    else:
        about = export_program(options.run, file, program, *which)
    print(f"{file}: {about}")
    return 0


COMMAND = Command(
    "write a champion to a file, which plays wherever a player is named",
    _add_arguments,
    _export,
    "Write the weights of a champion, or its policy tables, to a file, which plays wherever a "
    "player is named. Where there is a population a role, the file holds the champion of each, "
    "unless one is named. --pelita writes a team of capture the flag as one Python file, which the "
    "package pelita plays; games of other packages may offer other programs.",
    rank=14,
)
