"""``evo watch``: one game, move by move in the terminal, or as an animated picture."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from evo.cli.boards import is_terminal, picture, shows_emoji
from evo.cli.options import Command, Parser
from evo.evolution.signals import exit_status
from results.errors import printable
from tournaments.code_files import is_code
from tournaments.errors import ConfigError, PlayerFault

if TYPE_CHECKING:
    from evo.evaluation.record import GameRecord
    from evo.evaluation.watched import Watched
    from tournaments.drawing.shapes import Scene

TERMINAL_DELAY = 0.5
PICTURE_DELAY = 0.6
RUN_FLAGS = {"--generation": "generation", "--opponent": "opponent", "--as": "opponent_seat"}
"""The flags of runs alone, by their names in the parsed command line."""


def _add_arguments(command: Parser) -> None:
    command.add_value("game", "GAME|RUN|FILE", "a game, the folder of a run, or a recorded game")
    command.add_value(
        "players", "PLAYER", "for a game two players, in the order of its seats", nargs="*"
    )
    command.add_number("--generation", "G", "of a run (default: the newest)")
    command.add_value("--opponent", "PLAYER", "whom the champion of a run meets")
    command.add_value(
        "--as",
        "SEAT",
        "the seat of the opponent, such as cat or mouse (default: the second, or the only one "
        "that it holds)",
        dest="opponent_seat",
    )
    command.add_number(
        "--fault", "K", "a game of a run, or of a tournament's folder, that was lost by a fault"
    )
    command.add_number("--seed", "N", "(default: %(default)s)", 1)
    command.add_value("--delay", "S", "seconds a move (default: 0.5 on a terminal)", type=float)
    command.add_value("--save", "FILE", "the game as an animated .svg picture")
    command.add_trust()
    command.add_switch("--plain", "letters in place of emoji")
    command.add_json()


def _watch(options: argparse.Namespace) -> int:
    """The exit status: 0, or 130 when it was interrupted."""
    from evo.cli.progress import Display

    if options.save is not None:
        from tournaments.drawing.film import check_target

        check_target(options.save)
    if options.delay is not None and not (0 <= options.delay <= 60):
        raise ConfigError(f"--delay {options.delay:g} given; seconds from 0 to 60 are expected")
    watched = _watched(options)
    try:
        with Display():  # which says when kernels are compiled
            scenes = _shown(watched, options)
    except KeyboardInterrupt as interruption:
        print()
        return exit_status(interruption)
    if options.save is not None:
        _save(options, watched, scenes)
    return 0


def _watched(options: argparse.Namespace) -> Watched | GameRecord:
    from evo.evaluation import record, watched
    from results.folder.files import is_folder, place_of

    if options.fault is not None:
        _check_fault(options)
        return watched.of_fault(options.game, options.fault, options.trust)
    if not is_folder(place_of(options.game)):
        for flag, given in RUN_FLAGS.items():
            if getattr(options, given) is not None:
                raise ConfigError(f"{flag} goes with the folder of a run; {options.game} is none")
        if Path(options.game).is_file() and not is_code(options.game):
            if options.players:
                raise ConfigError(
                    f"{' '.join(options.players)} given beside the record {options.game}, which "
                    "names its players"
                )
            return record.read_record(options.game, options.trust)
        return watched.of_players(options.game, options.players, options.seed)
    if options.players:
        raise ConfigError(
            f"{' '.join(options.players)} given beside the run {options.game}; whom its champion "
            "meets is named by --opponent"
        )
    run, seat = options.game, options.opponent_seat
    which = run, options.generation, options.opponent, seat, options.seed
    return watched.of_run(*which, options.trust)


def _shown(watched: Watched | GameRecord, options: argparse.Namespace) -> list[Scene]:
    """Play the game and show it; its scenes."""
    screen = Screen(options.plain, options.delay)
    if not options.json:
        print(heading(watched))
    scenes: list[Scene] = []
    try:
        for scene in watched.scenes():
            scenes.append(scene)
            if options.json:
                _print_json(watched, scene, len(scenes) - 1)
            else:
                screen.show(scene)
    except PlayerFault as fault:
        if options.fault is None:
            raise
        _say(options, f"{fault.player} {fault.line}, and so loses the game")
    else:
        if options.fault is not None:
            before = getattr(watched, "fault", "")
            _say(options, f"this time it was played to its end; before: {before}")
    return scenes


def _say(options: argparse.Namespace, line: str) -> None:
    """Print a line that is no row."""
    print(printable(line), file=sys.stderr if options.json else None)


def _check_fault(options: argparse.Namespace) -> None:
    """Refuse what a game that was played before does not leave open."""
    for flag, given in RUN_FLAGS.items():
        if getattr(options, given) is not None:
            raise ConfigError(f"{flag} and --fault given; a fault names its players: leave it out")
    if options.players:
        raise ConfigError(
            f"{' '.join(options.players)} and --fault given; a fault names its players: leave them "
            "out"
        )


def heading(watched: Watched | GameRecord) -> str:
    """The game and who plays which seat."""
    seats = zip(watched.game.seats, watched.names, strict=True)
    names = (f"{seat}: {printable(name)}" for seat, name in seats)
    return "\n".join([watched.game.short_spec, *names])


def _print_json(watched: Watched | GameRecord, scene: Scene, ply: int) -> None:
    from results import report

    if scene.seat < 0:
        return
    game, state = watched.game, scene.state
    row = {
        "ply": ply,
        "seat": game.seats[scene.seat],
        "player": watched.names[scene.seat],
        "action": scene.action,
        "name": game.rules.describe(game.board, scene.action),
        "scores": state.scores,
        "is_over": state.is_over,
        "board": str(state),
    }
    print(*report.json_lines([row]), flush=True)


class Screen:
    """Shows positions: in place on a terminal, one below the other elsewhere."""

    def __init__(self, plain: bool, delay: float | None) -> None:
        self._is_terminal = is_terminal()
        self._has_emoji = not plain and shows_emoji()
        self._delay = (TERMINAL_DELAY if self._is_terminal else 0.0) if delay is None else delay
        self._lines = 0

    def show(self, scene: Scene) -> None:
        """Show a position in place of the one before, and wait."""
        text = f"\n{picture(scene.state, self._has_emoji)}\n\n" + "\n".join(
            map(printable, scene.caption)
        )
        back = ""
        if self._is_terminal:
            back = f"\x1b[{self._lines}A\x1b[J" if self._lines else ""
            self._lines = text.count("\n") + 1 if _fits(text) else 0
        print(f"{back}{text}", flush=True)
        if not scene.state.is_over:
            time.sleep(self._delay)


def _fits(text: str) -> bool:
    """Whether a text can be gone back over: what has left the terminal cannot."""
    columns, lines = shutil.get_terminal_size()
    rows = text.split("\n")
    return len(rows) < lines and all(_width(row) < columns for row in rows)


def _width(row: str) -> int:
    """Columns of the terminal."""
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in row)


def _save(options: argparse.Namespace, watched: Watched | GameRecord, scenes: list[Scene]) -> None:
    from tournaments.drawing.film import write_film
    from tournaments.drawing.scenes import film

    seconds = PICTURE_DELAY if options.delay is None else max(options.delay, 0.02)
    write_film(options.save, film(scenes, watched.names, seconds))
    print(f"{options.save}: {len(scenes)} positions", file=sys.stderr if options.json else None)


COMMAND = Command(
    "a game move by move, or as an animated picture",
    _add_arguments,
    _watch,
    "Show a game between two players, or of a run, move by move. Of a run, the champion plays "
    "against itself or against an opponent; where there is a population a role, the champion of "
    "each role plays its own seat.",
    rank=10,
)
