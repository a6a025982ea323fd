"""``evo watch``: a game, move by move in the terminal or as an animated picture."""

from __future__ import annotations

import shutil
import sys
import time
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from evo.cli.boards import is_terminal, picture, shows_emoji
from evo.cli.console import print_rows
from evo.cli.options import command_of
from evo.evolution.signals import exit_status
from evo.execution import Execution
from evo.requests.base import REPORTS, Request, argument, flag
from results.errors import printable
from tournaments.code_files import is_code
from tournaments.errors import PlayerFault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evo.play.record import GameRecord
    from evo.play.watched import Watched
    from tournaments.drawing.shapes import Scene

TERMINAL_DELAY = 0.5
PICTURE_DELAY = 0.6
OF_RUNS = ("generation", "opponent", "opponent_seat")
"""Fields that only apply to runs."""


@dataclass(frozen=True)
class WatchRequest(Request):
    """Show a game move by move, or as an animated picture.

    The game is played between two named players, read from a record, or played by the champion of a
    run. A champion plays against itself or against --opponent. In a run with a population per role,
    the champion of each role plays its own seat.

    Attributes:
        game: game, folder of a run, or file of a recorded game
        players: two players in the order of the game's seats, if GAME is a game
        generation: generation of the run's champion (default: the newest)
        opponent: opponent of the run's champion (default: the champion itself)
        opponent_seat: seat of the opponent, such as cat or mouse (default: the second seat, or the
            only seat that the opponent can play)
        fault: replay a game that was lost by a fault: row K, from 0, of the table faults/ of a run
            or a tournament
        seed: random seed of the match
        delay: seconds per move (default: 0.5 on a terminal, 0.6 in a picture)
        save: write the game to this file as an animated .svg picture
        plain: show letters instead of emoji
    """

    execution: ClassVar = ("trust", *REPORTS, "json")

    game: str = argument("GAME|RUN|FILE")
    players: tuple[str, ...] = argument("PLAYER", (), nargs="*")
    generation: int | None = flag(None, metavar="G")
    opponent: str | None = flag(None, metavar="PLAYER")
    opponent_seat: str | None = flag(None, metavar="SEAT", flag="--as")
    fault: int | None = flag(None, metavar="K")
    seed: int = flag(1, low=0)
    delay: float | None = flag(None, low=0, high=60, metavar="S")
    save: str | None = flag(None, metavar="FILE")
    plain: bool = flag(False)

    def __post_init__(self) -> None:
        if self.fault is not None:
            words = " with --fault, which determines the players: leave it out"
            self.refuse_any((*OF_RUNS, "players"), words)

    def refuse_any(self, names: Iterable[str], expected: str) -> None:
        """Raise if one of these flags was given. ``expected`` says what is expected instead."""
        for name in names:
            if getattr(self, name) not in (None, ()):
                self.refuse(name, expected)


def _watch(request: WatchRequest, execution: Execution) -> int:
    """Show a game move by move.

    Returns:
        The exit status: 0, or 130 after an interruption.
    """
    if request.save is not None:
        from tournaments.drawing.film import check_target

        check_target(request.save)
    watched = _watched(request, execution.trust)
    try:
        scenes = _shown(watched, request, execution.json)
    except KeyboardInterrupt as interruption:
        print()
        return exit_status(interruption)
    if request.save is not None:
        from tournaments.drawing.film import write_film
        from tournaments.drawing.scenes import film

        seconds = PICTURE_DELAY if request.delay is None else max(request.delay, 0.02)
        write_film(request.save, film(scenes, watched.names, seconds))
        _say(execution.json, f"{request.save}: {len(scenes)} positions")
    return 0


def _watched(request: WatchRequest, trust: bool) -> Watched | GameRecord:
    from evo.play import record, watched
    from results.folder.files import is_folder, place_of

    if request.fault is not None:
        return watched.of_fault(request.game, request.fault, trust)
    if not is_folder(place_of(request.game)):
        words = f", which needs the folder of a run, but {request.game} is none: leave it out"
        request.refuse_any(OF_RUNS, words)
        if Path(request.game).is_file() and not is_code(request.game):
            words = f" with the record {request.game}, which determines the players: leave it out"
            request.refuse_any(["players"], words)
            return record.read_record(request.game, trust)
        return watched.of_players(request.game, request.players, request.seed)
    words = f" with the run {request.game}; use --opponent to name the champion's opponent"
    request.refuse_any(["players"], words)
    seat, seed = request.opponent_seat, request.seed
    return watched.of_run(request.game, request.generation, request.opponent, seat, seed, trust)


def _shown(watched: Watched | GameRecord, request: WatchRequest, as_json: bool) -> list[Scene]:
    """Play a game, show it in the terminal or as JSON, and return its positions (scenes)."""
    screen = Screen(request.plain, request.delay)
    if not as_json:
        print(heading(watched))
    scenes: list[Scene] = []
    try:
        for scene in watched.scenes():
            scenes.append(scene)
            if as_json:
                _print_json(watched, scene, len(scenes) - 1)
            else:
                screen.show(scene)
    except PlayerFault as fault:
        if request.fault is None:
            raise
        _say(as_json, f"{fault.player} {fault.line}, and so loses the game")
    else:
        if request.fault is not None:
            before = getattr(watched, "fault", "")
            _say(as_json, f"this time the game was played to its end; before: {before}")
    return scenes


def _say(as_json: bool, line: str) -> None:
    """Print a message to the user. With JSON output, it goes to standard error."""
    print(printable(line), file=sys.stderr if as_json else None)


def heading(watched: Watched | GameRecord) -> str:
    """Return the heading of a shown game: its name and the player of each seat."""
    seats = zip(watched.game.seats, watched.names, strict=True)
    names = (f"{seat}: {printable(name)}" for seat, name in seats)
    return "\n".join([watched.game.short_spec, *names])


def _print_json(watched: Watched | GameRecord, scene: Scene, ply: int) -> None:
    from evo.play.watched import row_of

    if scene.seat >= 0:
        row = row_of(scene.state, ply, scene.seat, watched.names[scene.seat], scene.action)
        print_rows([row], {}, as_json=True)


class Screen:
    """A display of positions: in place on a terminal, one below the other elsewhere."""

    def __init__(self, plain: bool, delay: float | None) -> None:
        self._is_terminal = is_terminal()
        self._has_emoji = not plain and shows_emoji()
        self._delay = (TERMINAL_DELAY if self._is_terminal else 0.0) if delay is None else delay
        self._lines = 0

    def show(self, scene: Scene) -> None:
        """Show a position of the game in place of the one before, and wait."""
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
    """Whether a text fits into the terminal's size, so that it can be overwritten."""
    columns, lines = shutil.get_terminal_size()
    rows = text.split("\n")
    return len(rows) < lines and all(_width(row) < columns for row in rows)


def _width(row: str) -> int:
    """Return the width of a row of text in columns of the terminal."""
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in row)


COMMAND = command_of(WatchRequest, _watch, rank=3, group="look")
