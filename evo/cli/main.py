"""The command line ``evo``: the place where everything is put together.

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

from evo.cli.arguments import (
    Commands,
    add_analyse,
    add_evaluate,
    add_plot,
    add_prove,
    add_tournament,
    add_watch,
)
from evo.cli.options import add_configuration, add_json, add_profile, add_where
from evo.cli.sweep_arguments import add_sweep

EXIT_USAGE = 2
EXIT_FAILED = 1
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141


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
    from evo.cli import run as commands

    try:
        status = commands.run(options)
        sys.stdout.flush()  # a broken pipe is met here, not at the end of the process
        return status
    except commands.MISTAKES as error:
        print(f"evo: {error}", file=sys.stderr)
        return EXIT_USAGE
    except SystemExit as ended:  # nothing of ours does that: a plugged game or player
        frame = extract_tb(ended.__traceback__)[-1]
        print(
            f"evo: {frame.name} in {frame.filename}, line {frame.lineno}, called sys.exit() before "
            "the command was done; let it raise an error, or return",
            file=sys.stderr,
        )
        return EXIT_FAILED


class _Parser(argparse.ArgumentParser):
    """A parser that tells of a mistake in one line, as everything else here does."""

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_USAGE, f"evo: {message}; see {self.prog} --help\n")


class _StudyParser(_Parser):
    """Takes the settings of one study, which are looked up when they are first needed."""

    def parse_known_args(self, args=None, namespace=None):
        from evo.cli import reproduce

        study = self.get_default("study")
        reproduce.add_settings(self, study)
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            known = ", ".join(reproduce.options_of(study))
            self.error(f"{study} does not take {' '.join(unknown)!r}; it takes {known}")
        return parsed, unknown


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    top: argparse.ArgumentParser = _Parser(
        prog="evo",
        description="Competitive coevolution of game players: exact, fast, measured against "
        "perfect play.",
        epilog="A run stands in a folder of its own, which every other command takes.",
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = top.add_subparsers(title="commands", metavar="COMMAND")
    _add_run(commands)
    _add_resume(commands)
    add_evaluate(commands)
    add_analyse(commands)
    add_prove(commands)
    add_plot(commands)
    add_tournament(commands)
    add_sweep(commands)
    _add_reproduce(commands)
    add_watch(commands)
    _add_lists(commands)
    return top


class _Version(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        from importlib.metadata import version

        print(f"evo-tournaments {version('evo-tournaments')}")
        parser.exit()


def _add_run(commands: Commands) -> None:
    command = commands.add_parser(
        "run",
        help="evolve a population from nothing, into a new folder",
        description="Evolve a population from nothing, into a new folder. Without arguments: "
        "24-9-24 networks on 3x3 dots and boxes by antibodies and antigens.",
    )
    add_configuration(command)
    command.add_argument(
        "--out", metavar="DIR", help="folder of the run (default: a new one in runs/)"
    )
    add_where(command)
    add_profile(command)
    add_json(command)
    command.set_defaults(command="run")


def _add_resume(commands: Commands) -> None:
    command = commands.add_parser(
        "resume",
        help="go on with a run from its last whole snapshot",
        description="Go on with a run from its last whole snapshot. What comes of it is the same "
        "to the byte as if the run had never stopped.",
    )
    command.add_argument("run", metavar="RUN", help="folder of the run")
    command.add_argument(
        "--generations", type=int, metavar="N", help="the last generation, to extend the run"
    )
    command.add_argument(
        "--games",
        dest="to_games",
        type=int,
        metavar="N",
        help="end with the generation that reaches so many games, to extend the run",
    )
    command.add_argument(
        "--trust",
        action="store_true",
        help="call whatever functions the folder names as operators (default: those of this "
        "project, of deap.tools and of installed entry points evo.operators alone)",
    )
    add_where(command)
    add_profile(command)
    add_json(command)
    command.set_defaults(command="resume")


def _add_reproduce(commands: Commands) -> None:
    from evo.studies import STUDIES

    command = commands.add_parser(
        "reproduce",
        help="run a published study again; without a name, list them",
        description="Run a published study again, with its settings as options.",
        epilog="A study's own help lists its options: evo reproduce STUDY -h",
    )
    add_json(command)
    studies = command.add_subparsers(
        title="studies",
        metavar="STUDY",
        dest="study",
        parser_class=_StudyParser,
        help="one of these, then its options:",
    )
    for study in STUDIES.values():
        one = studies.add_parser(study.name, help=study.summary, description=study.summary)
        one.add_argument(
            "--out",
            metavar="DIR",
            help="folder of the results (default: where there are pictures, reproduced/STUDY)",
        )
        # What stands before the study's name must not be lost.
        one.add_argument(
            "--json",
            action="store_true",
            default=argparse.SUPPRESS,
            help="print the results as one JSON object",
        )
        one.set_defaults(study=study.name)
    command.set_defaults(command="reproduce")


def _add_lists(commands: Commands) -> None:
    command = commands.add_parser("games", help="list the games")
    add_json(command)
    command.set_defaults(command="games")
    command = commands.add_parser("players", help="list the players of a game")
    command.add_argument("game", metavar="GAME")
    add_json(command)
    command.set_defaults(command="players")
    command = commands.add_parser(
        "config",
        help="print a whole configuration, each field with what it means",
        description="Print the configuration that evo run would take, as TOML, each field with "
        "what it means: evo config > my.toml",
    )
    add_configuration(command)
    command.set_defaults(command="config")
    command = commands.add_parser(
        "export",
        help="write a champion to a file, which plays wherever a player is named",
        description="Write the weights of a champion, or its policy tables, to a file, which plays "
        "wherever a player is named. Where there is a population a role, the file holds the "
        "champion of each, unless one is named.",
    )
    command.add_argument("run", metavar="RUN", help="folder of the run")
    command.add_argument("file", metavar="FILE.npy", help="to be written: .npy or .json")
    command.add_argument("--generation", type=int, metavar="G", help="(default: the newest)")
    command.add_argument(
        "--population", metavar="NAME", help="such as cat or mouse (default: all there are)"
    )
    command.set_defaults(command="export")


if __name__ == "__main__":
    sys.exit(main())
