"""The command line ``evo``, which finds and runs the commands.

This module imports no heavy modules, so that ``evo --help`` is fast. Each command imports the
modules that it needs.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from traceback import extract_tb
from typing import NoReturn

from evo.cli.completion import complete
from evo.cli.console import complain
from evo.cli.options import EXIT_FAILED, EXIT_USAGE, GROUPS, Command, Parser
from evo.cli.shortage import is_shortage, shortage, too_little
from evo.cli.streams import OutputLost, discard_output, guarded
from evo.evolution.signals import EndedBySignal, Watch, exit_status
from results.redact import redacted
from tournaments.errors import TournamentError
from tournaments.registry import Registry

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
    """Run a command of ``evo`` and return the exit status.

    The exit status is:

    - 0 if the command has succeeded and its output is printed;
    - 2 for a mistake of the user;
    - 128 + the signal's number for an interruption, such as 130;
    - 141 if the reader of the output is gone, as for programs that end by SIGPIPE;
    - 1 for any other failure, such as a run with missing data.

    Args:
        arguments: arguments of a command to run within this process. None: the arguments of this
            process, which ends with the command.
    """
    with guarded():
        try:
            return _status(arguments)
        except OutputLost as error:
            complain(str(error))
            return EXIT_FAILED
        except BrokenPipeError:
            # The reader of the output is gone, so that no message can be printed.
            for stream in (sys.stdout, sys.stderr):
                discard_output(stream)
            return EXIT_BROKEN_PIPE


def _status(arguments: Sequence[str] | None) -> int:
    commands = parser()
    if arguments is None:
        complete(commands)
    try:
        options = commands.parse_args(arguments)
    finally:
        sys.stdout.flush()  # the help is a result, too
    if "command" not in options:
        commands.print_help()
        sys.stdout.flush()
        return 0
    try:
        with Watch(to_the_end=arguments is None) as watch:
            return _run(options, watch)
    except KeyboardInterrupt as interruption:
        print(f"interrupted{_in_file(interruption)}", file=sys.stderr)
        return exit_status(interruption)


def _in_file(interruption: BaseException) -> str:
    """Return words on the line of a user's Python file that ran when the command was interrupted.

    The user's code may be the reason why the command did not end. The words are empty if no such
    file ran.
    """
    files = sys.modules.get("tournaments.code_files")
    places = {file.place for file in files.known_files()} if files else ()
    frames = [each for each in extract_tb(interruption.__traceback__) if each.filename in places]
    return f" in {frames[-1].filename}, line {frames[-1].lineno}" if frames else ""


def _run(options: argparse.Namespace, watch: Watch) -> int:
    if line := too_little():
        complain(line)
        return EXIT_FAILED
    from cluster.evaluator import ClusterError
    from results.errors import ResultsError, printable
    from tournaments.errors import ConfigError
    from tournaments.guard import ContractError

    try:
        with _run_warnings_printed() as missing:
            status = COMMANDS.load(options.command).run(options, watch)
        sys.stdout.flush()  # a broken pipe raises here, not at the end of the process
        return status or (EXIT_FAILED if missing else 0)
    except (ContractError, ConfigError, TournamentError, ResultsError, ClusterError) as error:
        # Control characters from a file must not reach the terminal.
        lines = map(printable, redacted(str(error)).split("\n"))
        complain("\n".join(lines))
        return EXIT_FAILED if isinstance(error, ContractError) else EXIT_USAGE
    except (MemoryError, RuntimeError) as error:
        if not is_shortage(error):
            raise
        complain(shortage(error))
        return EXIT_FAILED
    except SystemExit as ended:  # a third-party game or player called sys.exit()
        if watch.asked:  # Ray's own signal handler did, which is active while Ray starts
            raise EndedBySignal(watch.asked) from None
        frame = extract_tb(ended.__traceback__)[-1]
        complain(
            f"{frame.name} in {frame.filename}, line {frame.lineno}, called sys.exit() before the "
            "command was done; let it raise an error, or return"
        )
        return EXIT_FAILED


@contextmanager
def _run_warnings_printed() -> Iterator[list[str]]:
    """Print each warning on missing or duplicate data of a run once.

    The value of the block is a list of the warnings on missing data.
    """
    from results.errors import MissingWarning, RunWarning

    told: set[str] = set()
    missing: list[str] = []
    others = warnings.showwarning

    def tell(message, category, *where, **more):
        if not issubclass(category, RunWarning):
            others(message, category, *where, **more)
        elif str(message) not in told:
            told.add(str(message))
            missing.extend([str(message)] if issubclass(category, MissingWarning) else [])
            complain(str(message), "evo: warning:")

    with warnings.catch_warnings():
        warnings.simplefilter("always", RunWarning)
        warnings.showwarning = tell
        yield missing


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line ``evo`` with all its commands."""
    known = {name: _command(name) for name in COMMANDS.names()}
    top = Parser(
        prog="evo",
        usage="evo COMMAND ...",
        description=_overview(known),
        epilog="evo COMMAND --help describes a command and its options.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = top.add_subparsers(prog="evo", metavar="COMMAND", help=argparse.SUPPRESS)
    for name, command in known.items():
        subparser = commands.add_parser(name, description=command.description)
        subparser.set_defaults(command=name, parser=subparser)
        subparser.late = command.add_arguments
    return top


def _overview(known: Mapping[str, Command]) -> str:
    """Return the head of ``evo --help``: the commands by group, each with its summary."""
    lines = ["Competitive coevolution of game players: exact, fast, measured against perfect play."]
    group = ""
    for name, command in in_order(known).items():
        if command.group != group:
            group = command.group
            lines += ["", f"{group}:"]
        lines.append(f"  {name:<14} {command.summary}")
    return "\n".join(lines)


def in_order(known: Mapping[str, Command]) -> dict[str, Command]:
    """Return commands by name, in the order of ``evo --help``."""
    groups = (*GROUPS, *sorted({command.group for command in known.values()} - {*GROUPS}))
    return dict(
        sorted(known.items(), key=lambda item: (groups.index(item[1].group), item[1].rank, item[0]))
    )


def _command(name: str) -> Command:
    """Return a command of ``evo`` by its name.

    If it fails to load, return a placeholder that raises the error.
    """
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
