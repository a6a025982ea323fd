"""The command line ``evo``: the place where everything is put together.

This module imports nothing heavy, so that ``evo --help`` is quick; each command imports what it
needs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status: 0, 2 for a user's mistake, 130 for an interruption."""
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(options: argparse.Namespace) -> int:
    from evo import commands

    try:
        status = commands.run(options)
        sys.stdout.flush()  # a broken pipe is met here, not at the end of the process
        return status
    except commands.MISTAKES as error:
        print(f"evo: {error}", file=sys.stderr)
        return EXIT_USAGE


class _Parser(argparse.ArgumentParser):
    """A parser that tells of a mistake in one line, as everything else here does."""

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_USAGE, f"evo: {message}; see {self.prog} --help\n")


class _StudyParser(_Parser):
    """Takes the settings of one study, which are looked up when they are first needed."""

    def parse_known_args(self, args=None, namespace=None):
        from evo import reproduce

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
    _add_evaluate(commands)
    _add_prove(commands)
    _add_plot(commands)
    _add_tournament(commands)
    _add_reproduce(commands)
    _add_watch(commands)
    _add_lists(commands)
    return top


class _Version(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        from importlib.metadata import version

        print(f"evo-tournaments {version('evo-tournaments')}")
        parser.exit()


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "run",
        help="evolve a population from nothing, into a new folder",
        description="Evolve a population from nothing, into a new folder. Without arguments: "
        "24-9-24 networks on 3x3 dots and boxes by antibodies and antigens.",
    )
    _add_configuration(command)
    command.add_argument(
        "--out", metavar="DIR", help="folder of the run (default: a new one in runs/)"
    )
    _add_where(command)
    _add_profile(command)
    _add_json(command)
    command.set_defaults(command="run")


def _add_configuration(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "config", nargs="?", metavar="CONFIG.toml", help="a configuration; flags change it"
    )
    command.add_argument("--game", metavar="GAME", help="such as dots-and-boxes:rows=5,cols=5")
    command.add_argument(
        "--scheme", metavar="SCHEME", help="antibody-antigen, direct or round-robin"
    )
    command.add_argument("--learner", metavar="LEARNER", help="genetic, hill-climbing or annealing")
    command.add_argument("--population", type=int, metavar="N", help="individuals")
    command.add_argument("--generations", type=int, metavar="N", help="the last generation")
    command.add_argument("--seed", type=int, metavar="N", help="the result depends on it alone")
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="any other field, such as learner.mutation_probability=0.005 (evo config lists them)",
    )


def _add_where(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--threads", type=int, metavar="N", help="threads of this process (default: all cores)"
    )
    command.add_argument(
        "--ray",
        nargs="?",
        const="",
        metavar="ADDRESS",
        help="play by Ray actors, on this machine or on the cluster at ADDRESS",
    )
    command.add_argument("--actors", type=int, metavar="N", help="how many Ray actors")


def _add_profile(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--profile", action="store_true", help="print where the time of a generation went"
    )


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--json", action="store_true", help="print results as one JSON object a line"
    )


def _add_resume(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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
    _add_where(command)
    _add_profile(command)
    _add_json(command)
    command.set_defaults(command="resume")


def _add_evaluate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "evaluate",
        help="measure snapshots of a run against fixed opponents",
        description="Play snapshots of a run against fixed opponents and append what comes of it "
        "to RUN/evaluations. What was measured before is not played again.",
    )
    command.add_argument("run", metavar="RUN", help="folder of the run")
    command.add_argument(
        "--opponents",
        nargs="+",
        metavar="PLAYER",
        help="players (evo players GAME), .npy or .json files of weights, or run folders, which "
        "stand for their champions; best-response stands for what evo prove finds (default: random "
        "play, heuristics, perfect play)",
    )
    command.add_argument(
        "--games", type=int, default=300, metavar="N", help="a pair (default: %(default)s)"
    )
    command.add_argument(
        "--best", type=int, metavar="N", help="the N fittest of a snapshot (default: all)"
    )
    command.add_argument(
        "--every", type=int, default=1, metavar="K", help="each K-th snapshot (default: each)"
    )
    command.add_argument(
        "--generation", type=int, nargs="+", metavar="G", help="these snapshots alone"
    )
    _add_where(command)
    _add_json(command)
    command.set_defaults(command="evaluate")


def _add_prove(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "prove",
        help="compute what the best possible opponent does to the champions of a run",
        description="Compute, exactly, what the best possible opponent does to the champion of "
        "each population, and append it to RUN/evaluations. What was proved before is not computed "
        "again. For cat and mouse with one of each, and dots and boxes of up to 24 edges; a game "
        "that draws where it starts is proved from the corners.",
    )
    command.add_argument("run", metavar="RUN", help="folder of the run")
    command.add_argument(
        "--best",
        type=int,
        default=1,
        metavar="N",
        help="the N fittest of each population (default: %(default)s)",
    )
    command.add_argument(
        "--every", type=int, metavar="K", help="each K-th snapshot (default: the newest alone)"
    )
    command.add_argument(
        "--generation", type=int, nargs="+", metavar="G", help="these snapshots alone"
    )
    command.add_argument(
        "--threads", type=int, metavar="N", help="threads of this process (default: all cores)"
    )
    _add_json(command)
    command.set_defaults(command="prove")


def _add_plot(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "plot",
        help="draw fitness, diversity, win rates and exploitability over games played",
        description="Draw fitness, diversity, the win rate against each opponent and "
        "exploitability over games played, as PNG and SVG. They are what evo evaluate and evo "
        "prove measured.",
    )
    command.add_argument("run", metavar="RUN", help="folder of the run")
    command.add_argument("--out", metavar="DIR", help="folder of the pictures (default: RUN/plots)")
    _add_json(command)
    command.set_defaults(command="plot")


def _add_tournament(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "tournament",
        help="everybody against everybody, as a cross table",
        description="Play everybody against everybody and print the cross table.",
    )
    command.add_argument("game", metavar="GAME", help="such as dots-and-boxes:rows=2,cols=2")
    command.add_argument(
        "players",
        nargs="+",
        metavar="PLAYER",
        help="players (evo players GAME), .npy or .json files of weights, or run folders, which "
        "stand for their champions (RUN@100: of generation 100)",
    )
    command.add_argument(
        "--games", type=int, default=1000, metavar="N", help="a pair (default: %(default)s)"
    )
    command.add_argument("--seed", type=int, default=1, metavar="N", help="(default: %(default)s)")
    _add_where(command)
    _add_json(command)
    command.set_defaults(command="tournament")


def _add_reproduce(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from evo.experiments import STUDIES

    command = commands.add_parser(
        "reproduce",
        help="run a published study again; without a name, list them",
        description="Run a published study again, with its settings as options.",
        epilog="A study's own help lists its options: evo reproduce STUDY -h",
    )
    _add_json(command)
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


def _add_watch(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "watch",
        help="a game move by move, or as an animated picture",
        description="Show a game between two players, or of a run, move by move. Of a run, the "
        "champion plays against itself or against an opponent; where there is a population a role, "
        "the champion of each role plays its own seat.",
    )
    command.add_argument("game", metavar="GAME|RUN", help="a game, or the folder of a run")
    command.add_argument(
        "players",
        nargs="*",
        metavar="PLAYER",
        help="for a game two players, in the order of its seats",
    )
    command.add_argument(
        "--generation", type=int, metavar="G", help="of a run (default: the newest)"
    )
    command.add_argument("--opponent", metavar="PLAYER", help="whom the champion of a run meets")
    command.add_argument(
        "--as",
        dest="opponent_seat",
        metavar="SEAT",
        help="the seat of the opponent, such as cat or mouse (default: the second, or the only one "
        "that it holds)",
    )
    command.add_argument("--seed", type=int, default=1, metavar="N", help="(default: %(default)s)")
    command.add_argument(
        "--delay", type=float, metavar="S", help="seconds a move (default: 0.5 on a terminal)"
    )
    command.add_argument(
        "--save", metavar="FILE", help="the game as an animated picture, .svg or .gif"
    )
    command.add_argument("--plain", action="store_true", help="letters in place of emoji")
    _add_json(command)
    command.set_defaults(command="watch")


def _add_lists(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser("games", help="list the games")
    _add_json(command)
    command.set_defaults(command="games")
    command = commands.add_parser("players", help="list the players of a game")
    command.add_argument("game", metavar="GAME")
    _add_json(command)
    command.set_defaults(command="players")
    command = commands.add_parser(
        "config",
        help="print a whole configuration, each field with what it means",
        description="Print the configuration that evo run would take, as TOML, each field with "
        "what it means: evo config > my.toml",
    )
    _add_configuration(command)
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
