"""``evo resume``: go on with a run."""

from __future__ import annotations

import argparse
from functools import partial

from evo.cli.commands.run import evolve
from evo.cli.options import Command, Parser


def _add_arguments(command: Parser) -> None:
    command.add_run()
    command.add_number("--generations", "N", "the last generation, to extend the run")
    command.add_number(
        "--games", "N", "end with the generation that reaches so many games, to extend the run"
    )
    command.add_trust()
    command.add_where()
    command.add_faults()
    command.add_profile()
    command.add_json()


def _resume(options: argparse.Namespace) -> int:
    from evo.evolution import runs
    from results import open_run

    path = open_run(options.run).path  # before Ray is started
    end = options.generations, options.games
    return evolve(options, path, partial(runs.resume, path, *end, trust=options.trust))


COMMAND = Command(
    "go on with a run from its last whole snapshot",
    _add_arguments,
    _resume,
    "Go on with a run from its last whole snapshot. What comes of it is the same to the byte as if "
    "the run had never stopped.",
    rank=2,
)
