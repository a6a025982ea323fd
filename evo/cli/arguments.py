"""What commands that look at runs and players take: evaluate, prove, plot, tournament, watch."""

from __future__ import annotations

import argparse
from typing import TypeAlias

from evo.cli.options import add_json, add_where

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_evaluate(commands: Commands) -> None:
    command = commands.add_parser(
        "evaluate",
        help="measure snapshots of a run against fixed opponents",
        description="Play snapshots of a run against fixed opponents and append what comes of it "
        "to RUN/evaluations. What was measured before is not played again.",
    )
    command.add_argument("run", metavar="RUN", help="folder of the run")
    command.add_argument(
        "--exact",
        action="store_true",
        help="compute what comes of all games in place of playing some, with the regret and the "
        "share of optimal moves (dots and boxes of up to 24 edges; by default of the fittest "
        "individual alone, as it takes seconds)",
    )
    command.add_argument(
        "--opponents",
        nargs="+",
        metavar="PLAYER",
        help="players (evo players GAME), .npy or .json files of weights, or run folders, which "
        "stand for their champions; best-response stands for what evo prove finds (default: random "
        "play, heuristics, perfect play)",
    )
    command.add_argument("--games", type=int, metavar="N", help="a pair (default: 300)")
    command.add_argument(
        "--best", type=int, metavar="N", help="the N fittest of a snapshot (default: all)"
    )
    command.add_argument(
        "--best-by",
        type=int,
        metavar="GAMES",
        help="those that won most of so many games, measured before, in place of the fittest: "
        "chosen by one set of games and measured by another",
    )
    command.add_argument(
        "--every", type=int, default=1, metavar="K", help="each K-th snapshot (default: each)"
    )
    command.add_argument(
        "--generation", type=int, nargs="+", metavar="G", help="these snapshots alone"
    )
    add_where(command)
    add_json(command)
    command.set_defaults(command="evaluate")


def add_analyse(commands: Commands) -> None:
    command = commands.add_parser(
        "analyse",
        help="say whether a run is progressing, cycling or forgetting, and how good it is",
        description="Play the champions of a run's snapshots against each other and against "
        "opponents that stay the same; say in words, with the numbers, whether the run progresses, "
        "cycles, forgets, specialises or is disengaged; and draw it. The run may be going on.",
    )
    command.add_argument("run", metavar="RUN", help="folder of the run")
    command.add_argument(
        "--every",
        type=int,
        metavar="K",
        help="each K-th snapshot (default: so that there are at most 60)",
    )
    command.add_argument(
        "--games", type=int, default=200, metavar="N", help="a pair (default: %(default)s)"
    )
    command.add_argument(
        "--against",
        nargs="+",
        default=[],
        metavar="PLAYER",
        help="opponents that the run never met, beside the usual ones: players, files, or folders "
        "of other runs, which stand for their champions",
    )
    command.add_argument(
        "--seed", type=int, metavar="N", help="of the games (default: that of the run)"
    )
    command.add_argument(
        "--exact",
        action="store_true",
        help="compute first what evo prove says of the newest champion, where that was not done",
    )
    command.add_argument(
        "--out",
        metavar="DIR",
        help="folder of pictures and numbers (default: RUN/plots and RUN/analysis)",
    )
    add_where(command)
    add_json(command)
    command.set_defaults(command="analyse")


def add_prove(commands: Commands) -> None:
    command = commands.add_parser(
        "prove",
        help="compute what the best possible opponent does to the champions of a run",
        description="Compute, exactly, what the best possible opponent does to the champion of "
        "each population, and append it to RUN/evaluations; for dots and boxes also what comes of "
        "its games against perfect play, its regret a move and its share of optimal moves. What "
        "was proved before is not computed again. For cat and mouse with one of each, and dots "
        "and boxes of up to 24 edges; a game that draws where it starts is proved from the "
        "corners.",
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
    add_json(command)
    command.set_defaults(command="prove")


def add_plot(commands: Commands) -> None:
    command = commands.add_parser(
        "plot",
        help="draw fitness, diversity, win rates, exploitability and regret over games played",
        description="Draw fitness, diversity, the win rate against each opponent, exploitability, "
        "regret and the share of optimal moves over games played, as PNG and SVG. They are what "
        "evo evaluate and evo prove measured. Of a sweep, the best of each snapshot: median and "
        "quartiles over seeds.",
    )
    command.add_argument("run", metavar="RUN", help="folder of the run, or of a sweep")
    command.add_argument("--out", metavar="DIR", help="folder of the pictures (default: RUN/plots)")
    add_json(command)
    command.set_defaults(command="plot")


def add_tournament(commands: Commands) -> None:
    command = commands.add_parser(
        "tournament",
        help="who is how strong: ratings with intervals, and a cross table",
        description="Play a tournament, by default everybody against everybody, and print ratings "
        "with 95% intervals and the cross table.",
    )
    command.add_argument("game", metavar="GAME", help="such as dots-and-boxes:rows=2,cols=2")
    command.add_argument(
        "players",
        nargs="+",
        metavar="PLAYER",
        help="players (evo players GAME), .npy or .json files of weights, or run folders, which "
        "stand for their champions (RUN@100: of generation 100; RUN@all, RUN@every-K: of all "
        "snapshots, or each K-th)",
    )
    command.add_argument(
        "--games", type=int, default=1000, metavar="N", help="a pair (default: %(default)s)"
    )
    command.add_argument("--seed", type=int, default=1, metavar="N", help="(default: %(default)s)")
    _add_schedule(command)
    command.add_argument(
        "--anchor", metavar="PLAYER", help="whose rating is 0 (default: the mean of all is)"
    )
    command.add_argument(
        "--out",
        metavar="DIR",
        help="folder for the results as Parquet; the same command goes on where it stopped",
    )
    add_where(command)
    add_json(command)
    command.set_defaults(command="tournament")


def _add_schedule(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--schedule",
        default="round-robin",
        metavar="NAME",
        help="round-robin, gauntlet (the first player against all others), swiss, "
        "single-elimination or double-elimination (default: %(default)s)",
    )
    command.add_argument(
        "--rounds", type=int, metavar="N", help="of swiss (default: those of a knock-out, and two)"
    )
    command.add_argument(
        "--challengers", type=int, metavar="N", help="the first N players run the gauntlet"
    )
    command.add_argument(
        "--stop-within",
        type=float,
        metavar="ELO",
        help="play on until each 95%% interval is within so many points to each side",
    )
    command.add_argument(
        "--most-games", type=int, metavar="N", help="begin no round that would go beyond N in all"
    )


def add_watch(commands: Commands) -> None:
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
    add_json(command)
    command.set_defaults(command="watch")
