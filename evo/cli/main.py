"""The command line ``evo``: finds the commands, and runs one.

This module imports nothing heavy, so that ``evo --help`` is quick; each command imports what it
needs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from traceback import extract_tb
from typing import NoReturn

from evo.cli.options import EXIT_FAILED, EXIT_USAGE, Command, Parser
from tournaments.errors import TournamentError
from tournaments.registry import Registry

EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141
COMMANDS = Registry(
    "command",
    "evo.cli.commands",
    "COMMAND",
    "evo.commands",
    expected="an evo.cli.options.Command",
    kind=Command,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status.

    0 where all that was promised is done and printed, 2 for a user's mistake, 128 and the number of
    the signal for an interruption, as 130, or for a reader of the output that went away (141, as
    other programs end by SIGPIPE); 1 for any other failure.
    """
    options = parser().parse_args(arguments)
    if "command" not in options:
        parser().print_help()
        return 0
    try:
        return _run(options)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output went away; nothing is left to be told to anybody.
        for stream in (sys.stdout, sys.stderr):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return EXIT_BROKEN_PIPE


def _run(options: argparse.Namespace) -> int:
    from cluster.evaluator import ClusterError
    from results.errors import ResultsError, printable
    from tournaments.errors import ConfigError

    try:
        status = COMMANDS.load(options.command).act(options)
        sys.stdout.flush()  # a broken pipe is met here, not at the end of the process
        return status
    except (ConfigError, TournamentError, ResultsError, ClusterError) as error:
        lines = map(
            printable, str(error).split("\n")
        )  # what a file says does nothing to a terminal
        print("evo:", "\n".join(lines), file=sys.stderr)
        return EXIT_USAGE
    except SystemExit as ended:  # nothing of ours does that: a plugged game or player
        frame = extract_tb(ended.__traceback__)[-1]
        print(
            f"evo: {frame.name} in {frame.filename}, line {frame.lineno}, called sys.exit() before "
            "the command was done; let it raise an error, or return",
            file=sys.stderr,
        )
        return EXIT_FAILED


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    top = Parser(
        prog="evo",
        description="Competitive coevolution of game players: exact, fast, measured against "
        "perfect play.",
        epilog="A run stands in a folder of its own, which every other command takes.",
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = top.add_subparsers(title="commands", metavar="COMMAND")
    known = {name: _command(name) for name in COMMANDS.names()}
    for name, command in sorted(known.items(), key=lambda item: item[1].rank):
        subparser = commands.add_parser(name, help=command.summary, description=command.description)
        subparser.set_defaults(command=name)
        subparser.late = command.add_arguments
    return top


def _command(name: str) -> Command:
    """A command; one that cannot be loaded says so in its place, and hides no other."""
    try:
        return COMMANDS.load(name)
    except TournamentError as error:
        problem = error  # the name above ends with this block

    def refuse(_: object) -> NoReturn:
        raise problem

    return Command(str(problem).replace("%", "%%"), refuse, refuse)


class _Version(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        from importlib.metadata import version

        print(f"evo-tournaments {version('evo-tournaments')}")
        parser.exit()
