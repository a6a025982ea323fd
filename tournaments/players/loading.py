"""Players of Python files, loaded in a separate process first.

An import that never ends cannot be stopped in this process, and code may end the process that
imports it. So the files are loaded one after another in a process that is killed at the time limit.
Only files that pass are imported in this process. Each content of a file is tried once.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tournaments.code_files import names_thing, read, split_spec
from tournaments.errors import PlayerFault, TournamentError
from tournaments.game import Game, State, parse
from tournaments.player import MOVE_SECONDS
from tournaments.players import LIMIT, PLAYERS, as_player
from tournaments.players.bot.command import ProgramCommand
from tournaments.players.bot.process import Process
from tournaments.players.bot.sandbox import MOST, ProgramLimits
from tournaments.players.objects import is_text
from tournaments.registry import parse_spec

START_SECONDS = 60.0
"""Seconds that the process may take to start."""
CODE = (
    "import sys; sys.path[:] = sys.argv[1:]; from tournaments.players.loading import main; main()"
)
_tried: dict[tuple[str, str, str], PlayerFault | None] = {}


@dataclass(frozen=True)
class Unloadable:
    """A player in place of a file that cannot be loaded. It loses every game before the first move.

    Attributes:
        name: the text that names the player.
        cause, what: the fault, see :class:`tournaments.errors.PlayerFault`.
    """

    name: str
    cause: str
    what: str

    @classmethod
    def of(cls, text: str, error: TournamentError) -> Unloadable:
        """Return the player of a file, given the error that was raised when it was loaded."""
        cause = "exited" if isinstance(error.__cause__, SystemExit) else "raised"
        return cls(text, getattr(error, "cause", cause), getattr(error, "what", str(error)))

    def choose(self, state: State, given: Any) -> Any:
        """Raise the fault, see :meth:`tournaments.player.Player.choose`."""
        raise PlayerFault(self.name, self.cause, self.what)

    sit = choose


def loading_faults(
    things: Iterable[Any], game: Game, limit: float = MOVE_SECONDS
) -> dict[str, PlayerFault]:
    """Return the faults of players in Python files that end their process or load for ever.

    The keys are the texts that name the players. A player that raises an exception is left out,
    because it raises again when it is made.

    Args:
        things: players of any kind. All are ignored except texts that name ``FILE.py:NAME``.
        game: the game to play.
        limit: seconds that loading may take, if the text of a player has no ``limit_seconds``.

    Raises:
        TournamentError: a file does not exist.
    """
    texts = dict.fromkeys(str(thing) for thing in things if is_text(thing))
    names = {text: name for text in texts if names_thing(name := split_spec(text)[0])}
    keys = {text: (text, game.spec, read(name).whole) for text, name in names.items()}
    process = None
    for text in [text for text, key in keys.items() if key not in _tried]:
        process = process or _started(game)
        _tried[keys[text]] = _fault(process, text, limit)
        process = process if process.is_open else None
    if process is not None:
        process.close()
    return {text: fault for text, key in keys.items() if (fault := _tried[key])}


def _started(game: Game) -> Process:
    """Return a process that loads players of a game."""
    command = ProgramCommand((sys.executable, "-c", CODE, *sys.path), (), "")
    process = Process("loading", command, ProgramLimits(), 1, is_isolated=False)
    process.ask(f"{json.dumps(game.spec)}\n".encode(), START_SECONDS, f"{START_SECONDS:g} seconds")
    return process


def _fault(process: Process, text: str, limit: float) -> PlayerFault | None:
    """Load a player in the process and return its fault. The process is closed after a fault."""
    given = parse_spec(text)[1].get(LIMIT, limit)
    seconds = min(given, MOST) if isinstance(given, int | float) and given > 0 else limit
    try:
        process.ask(f"{json.dumps(text)}\n".encode(), seconds, "")
    except PlayerFault as fault:
        is_late = fault.cause == "late"
        what = f"did not end within {seconds:g} seconds" if is_late else fault.what
        return PlayerFault(text, fault.cause, f"cannot be loaded: it {what}; mend the file")
    return None


# --- in the process ------------------------------------------------------------------------------


def main() -> None:
    """Load the players whose names are read from standard input, after the game."""
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # files may print, between the answers
    texts, game = map(json.loads, sys.stdin), None
    with suppress(TournamentError):  # a game that a script has made has no name here
        game = parse(next(texts))
    os.write(out, b"{}\n")
    for text in texts:
        with suppress(BaseException):  # raised again where the player is made
            as_player(text, game) if game else PLAYERS.load(split_spec(text)[0])
        os.write(out, b"{}\n")
