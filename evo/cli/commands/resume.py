"""``evo resume``: go on with a run."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from evo.cli.commands.run import evolve
from evo.cli.console import program, quoted
from evo.cli.options import Command, Parser
from tournaments.errors import ConfigError

if TYPE_CHECKING:
    from results.folder.files import Place

FORKS = ("--set", "--game", "--scheme", "--learner", "--population", "--seed")
"""Flags of ``evo run`` that a run cannot take any more."""


def _add_arguments(command: Parser) -> None:
    command.add_run()
    command.add_number("--generations", "N", "the last generation, to extend the run")
    command.add_number(
        "--games", "N", "end with the generation that reaches so many games, to extend the run"
    )
    for flag in FORKS:  # heard, to say what they would take
        command.add_argument(flag, action="append", metavar="X", help=argparse.SUPPRESS)
    command.add_trust()
    command.add_where()
    command.add_faults()
    command.add_profile()
    command.add_json()


def _refuse_changes(options: argparse.Namespace, path: Place) -> None:
    """Refuse what would make another run of it: that takes a fork."""
    words = [
        f"{flag} {quoted(value)}"
        for flag in FORKS
        for value in getattr(options, flag.removeprefix("--")) or ()
    ]
    if words:
        given = " ".join(words)
        raise ConfigError(
            f"{given} given; a run goes on as it was set up, but for its end (--generations, "
            "--games): fork it by a new run that starts from its individuals, of the same game: "
            f"{program()} run --set start={quoted(path)} {given}"
        )


def _resume(options: argparse.Namespace) -> int:
    from evo.evolution import runs
    from results.folder.files import place_of
    from results.folder.runfile import read_info

    path = place_of(options.run)
    read_info(path)  # before Ray is started
    _refuse_changes(options, path)
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
