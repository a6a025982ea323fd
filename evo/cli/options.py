"""What a command is made of, its parser, and the options that several commands take."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, NoReturn

from evo.evolution.signals import GRACE_SECONDS
from tournaments.errors import ConfigError, TournamentError

if TYPE_CHECKING:
    from results.folder.files import Place

EXIT_FAILED, EXIT_USAGE = 1, 2
MOST_SECONDS = 1_000_000
"""Twelve days: what the system can wait for at once is about twice that."""
PLAYERS = (
    "players (evo players GAME), .npy or .json files of weights, or run folders, which stand for "
    "their champions"
)


class Parser(argparse.ArgumentParser):
    """The parser of a command: says a mistake in one line, and knows what several commands take.

    Attributes:
        late: adds the arguments, once they are needed.
    """

    late: Callable[[Parser], None] | None = None
    _is_mixing = False

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_USAGE, f"evo: {message}; see {self.prog} --help\n")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse does; what a command does not know is told with that command's help."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.prog = " ".join(filter(None, (self.prog, getattr(options, "command", ""))))
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options

    def fill(self) -> None:
        """Add the arguments, unless that is done."""
        late, self.late = self.late, None
        try:
            if late is not None:
                late(self)
        except TournamentError as error:  # the package of a command, or of a study, is broken
            self.exit(EXIT_USAGE, f"evo: {error}\n")

    def parse_known_args(self, args=None, namespace=None):
        """Parse as argparse does, with flags and other arguments in any order."""
        self.fill()
        takes_rest = {each.nargs for each in self._actions} & {argparse.PARSER, argparse.REMAINDER}
        if takes_rest or self._is_mixing or "--" in (args or ()):
            return super().parse_known_args(args, namespace)
        self._is_mixing = True  # which comes back here, twice
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._is_mixing = False

    def add_value(self, flag: str, metavar: str, help: str, **more: Any) -> None:
        """An argument, or a flag with a value: text, unless ``type`` says otherwise."""
        self.add_argument(flag, metavar=metavar, help=help, **more)

    def add_number(self, flag: str, metavar: str, help: str, default: int | None = None) -> None:
        """A flag with a whole number."""
        self.add_argument(flag, type=int, metavar=metavar, help=help, default=default)

    def add_switch(self, flag: str, help: str, **more: Any) -> None:
        """A flag without a value."""
        self.add_argument(flag, action="store_true", help=help, **more)

    def add_run(self) -> None:
        self.add_value("run", "RUN", "folder of the run, or its address")

    def add_snapshots(self) -> None:
        self.add_value("--generation", "G", "these snapshots alone", type=int, nargs="+")

    def add_set(self, help: str) -> None:
        """Any field of a configuration: see :func:`with_fields`."""
        self.add_value("--set", "FIELD=VALUE", help, action="append", default=[])

    def add_configuration(self) -> None:
        """What makes a configuration: see :func:`configuration_of`."""
        from evo.learners import LEARNERS
        from evo.topologies import TOPOLOGIES
        from tournaments import schemes

        self.add_value("config", "CONFIG.toml", "a configuration; flags change it", nargs="?")
        self.add_value("--game", "GAME", "such as dots-and-boxes:rows=5,cols=5")
        self.add_value("--scheme", "SCHEME", _any_of(schemes.names()))
        self.add_value("--genome", "ENCODING", "such as real-network (default: the game's first)")
        self.add_value("--learner", "LEARNER", _any_of(LEARNERS.names()))
        self.add_number("--population", "N", "individuals")
        self.add_number("--generations", "N", "the last generation")
        self.add_number("--seed", "N", "the result depends on it alone")
        self.add_number("--islands", "K", "populations that evolve by themselves, and migrate")
        self.add_value(
            "--migration", "TOPOLOGY", f"{_any_of(sorted(TOPOLOGIES))}: ways of migrants"
        )
        self.add_number("--every", "N", "generations from one migration to the next")
        example = "learner.mutation_probability=0.005 (evo config lists them)"
        self.add_set(f"any other field, such as {example}")

    def add_threads(self) -> None:
        self.add_number("--threads", "N", "threads of this process (default: all cores)")

    def add_ray(self, help: str) -> None:
        self.add_value("--ray", "ADDRESS", help, nargs="?", const="")
        self.add_number("--actors", "N", "how many Ray actors")

    def add_where(self) -> None:
        """Where matches are played: see :func:`evo.cli.console.playing`."""
        self.add_threads()
        self.add_ray("play by Ray actors, on this machine or on the cluster at ADDRESS")
        self.add_number(
            "--check",
            "N",
            "have one chunk of matches in N played twice, and compare (default 1000; 0: none)",
        )
        self.add_value(
            "--patience",
            "SECONDS",
            "until a chunk whose pace is not known, or a piece of work, is overdue (default 600)",
            type=seconds,
        )
        self.add_grace()

    def add_faults(self) -> None:
        """What becomes of faults of players: see :func:`evo.cli.console.playing`."""
        self.add_argument(
            "--faults",
            choices=("forfeit", "abort"),
            default="forfeit",
            help="a player that raises, is late, or chooses what is not legal loses the game, and "
            "a row of faults/ says why; or the work ends (default: %(default)s)",
        )

    def add_grace(self) -> None:
        self.add_value(
            "--grace",
            "SECONDS",
            "from Ctrl-C, SIGTERM or SIGHUP to the end of this process, whatever it is at "
            f"(default: {GRACE_SECONDS:.0f})",
            type=seconds,
            default=GRACE_SECONDS,
        )

    def add_profile(self) -> None:
        self.add_switch("--profile", "print where the time of a generation went")

    def add_trust(self) -> None:
        self.add_switch(
            "--trust",
            "read whatever files the folder names, call what functions it names as operators, and "
            "go by a run.json that was changed (default: no file outside it, functions of this "
            "project, of deap.tools and of installed entry points evo.operators alone, and no "
            "changed configuration)",
        )

    def add_json(self) -> None:
        self.add_switch("--json", "print results as one JSON object a line")


def seconds(text: str) -> float:
    """A number of seconds, of an argument."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(
            f"{text!r} given; a number of seconds from 0 to {MOST_SECONDS:,} is expected"
        )
    return number


def _any_of(names: Iterable[str]) -> str:
    *others, last = sorted(names)
    return f"{', '.join(others)} or {last}"


@dataclass(frozen=True)
class Command:
    """What a file of :mod:`evo.cli.commands`, or an entry point ``evo.commands``, offers.

    Attributes:
        summary: its line of ``evo --help``.
        add_arguments: adds what it takes to its parser.
        act: does it, and prints what comes of it; the exit status. What is heavy is imported here.
        description: at the head of its own help.
        rank: its place in ``evo --help``; commands of one rank stand by their names.
    """

    summary: str
    add_arguments: Callable[[Parser], None]
    act: Callable[[argparse.Namespace], int]
    description: str | None = None
    rank: int = 100


def with_fields(table: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """A table, the fields of ``--set`` laid over it."""
    from evo.config.config import merge
    from evo.config.toml import assignment

    return reduce(merge, map(assignment, options.set), table)


def configuration_of(
    options: argparse.Namespace, announce: Callable[[str], None] = lambda line: None
) -> dict[str, Any]:
    """The table that a file and flags make together.

    Args:
        announce: is given a line where a game alone was named: what it evolves by, and why.
    """
    from evo.config.config import merge
    from evo.config.toml import load
    from evo.config.usual import usual

    names = ("game", "scheme", "genome", "learner", "population", "generations", "seed")
    given = {name: getattr(options, name) for name in names}
    flags = {name: value for name, value in given.items() if value is not None}
    for name, value in flags.items():
        if isinstance(value, str) and not value.strip():
            raise ConfigError(
                f"--{name} {value!r} given; the name of a {name} is expected: leave the flag out "
                "for what evo run does by default"
            )
    islands = {"count": options.islands, "topology": options.migration, "every": options.every}
    if given_islands := {name: value for name, value in islands.items() if value is not None}:
        flags["islands"] = given_islands
    table = load(options.config) if options.config else {}
    table = merge(table, with_fields(flags, options))
    if options.game is None or options.config:
        return table
    table, line = usual(table)
    if line:
        announce(line)
    return table


def folder_of(options: argparse.Namespace) -> Place | None:
    """What ``--out`` names; None: it was not given."""
    if options.out is not None and not options.out.strip():
        raise ConfigError("--out '' given; the name of a folder is expected")
    if options.out is None:
        return None
    from results.folder.files import place_of

    return place_of(options.out)


def check_threads(options: argparse.Namespace) -> None:
    """Refuse a number of threads that is none."""
    if options.threads is not None and options.threads < 1:
        raise ConfigError(f"--threads {options.threads} given; at least 1 is expected")


def check_where(options: argparse.Namespace) -> None:
    """Refuse threads beside Ray, and actors without it."""
    check_threads(options)
    if options.ray is None and options.actors is not None:
        raise ConfigError("--actors given without --ray; add --ray, or take --threads")
    if options.ray is not None and options.threads is not None:
        raise ConfigError("--threads and --ray given; with --ray, --actors says how many")
    if options.actors is not None and options.actors < 1:
        raise ConfigError(f"--actors {options.actors} given; at least 1 is expected")


def check_watch(options: argparse.Namespace) -> None:
    """Refuse cross-checks and patience with chunks that make no sense, or that nobody heeds."""
    check, patience = getattr(options, "check", None), getattr(options, "patience", None)
    for flag, value in (("--check", check), ("--patience", patience)):
        if value is not None and options.ray is None:
            raise ConfigError(f"{flag} given without --ray; add --ray, or leave it out")
    if check is not None and check < 0:
        raise ConfigError(f"--check {check} given; 0 or more is expected")
    if patience is not None and not 0 < patience < float("inf"):
        raise ConfigError(f"--patience {patience:g} given; more than 0 seconds are expected")
