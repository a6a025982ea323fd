"""One match in a process of its own, to find out which player ends a process or never answers.

The process says whose turn it is before each call of a player, so that its last word names who had
the turn when it ended, or fell silent.
"""

from __future__ import annotations

import json
import os
import pickle
import selectors
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from io import BufferedWriter
from typing import IO, Any, NamedTuple

from tournaments.arena.clock import Turns
from tournaments.arena.forfeits import Verdict
from tournaments.arena.match import play_game
from tournaments.code_files import known_files, receive
from tournaments.errors import PlayerFault, signal_name
from tournaments.game import Game
from tournaments.player import Player

SILENCE_SECONDS = 30.0
"""Seconds that a player may take for an answer, where a match is tried."""
START_SECONDS = 120.0
"""Seconds until the first word of the process: it imports what the players need."""
RULES = -1
"""In place of a seat: it is the rules' turn."""


class Trial(NamedTuple):
    """A match that its workers did not survive, entrant a first."""

    game: Game
    a: Player
    b: Player
    seed: int
    games: int


class Blame(NamedTuple):
    """The game of a match in which a player was to blame, and for what."""

    game: int
    verdict: Verdict


def tried(trial: Trial, seconds: float = SILENCE_SECONDS) -> Blame | None:
    """Play a match in a process of its own, move by move; None: no player is to blame."""
    try:
        payload = _dumps(trial)
    except Exception:  # what cannot travel was played by threads, and is not tried
        return None
    command = [sys.executable, "-c", "from cluster.trial import main; main()"]
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,  # what waits in a buffer, nobody sees
        env={**os.environ, "PYTHONPATH": paths},
        start_new_session=True,
    ) as process:
        try:
            return _blamed(process, payload, seconds)
        finally:
            with suppress(ProcessLookupError, PermissionError):  # with the helpers of its players
                os.killpg(process.pid, signal.SIGKILL)


def _dumps(trial: Trial) -> bytes:
    """The match as a process reads it; classes of a notebook or a script travel as Ray sends
    them, where Ray is there."""
    try:
        content = pickle.dumps(trial)
    except Exception:
        content = sys.modules["ray"].cloudpickle.dumps(trial)
    return pickle.dumps((known_files(), content))


def _blamed(process: subprocess.Popen[bytes], payload: bytes, seconds: float) -> Blame | None:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError), BufferedWriter(process.stdin) as pipe:
        pipe.write(payload)
    game, seat, ply, patience = 0, RULES, 0, START_SECONDS
    while True:
        line = _line(process.stdout, patience)
        if line is None and process.poll() is not None:  # a helper that it forked holds the pipe
            line = ""
        if line is None:
            what = f"did not answer within {seconds:g} seconds"
            return Blame(game, Verdict(seat, ply, "late", what)) if seat >= 0 else None
        if not line:
            return _ended(process.wait(), game, seat, ply)
        word, *rest = json.loads(line)
        if word == "fault":
            return Blame(game, Verdict(*rest))
        if word == "end":
            return None
        (game, seat, ply), patience = rest, seconds


def _ended(status: int, game: int, seat: int, ply: int) -> Blame | None:
    """Whose turn it was when the process ended."""
    if seat < 0:
        return None
    if status < 0:
        what = f"ended its process by {signal_name(-status)}"
        return Blame(game, Verdict(seat, ply, "crashed", what))
    what = f"ended its process with status {status}"
    return Blame(game, Verdict(seat, ply, "exited", what))


def _line(pipe: IO[bytes], seconds: float) -> str | None:
    """The next line; empty: there are no more; None: it did not come in time.

    The process writes a line at a time, each in one call, and waits for nothing.
    """
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        if not selector.select(seconds):
            return None
    return pipe.readline().decode()


# --- in the process ------------------------------------------------------------------------------


def main() -> None:
    """Play the match that stands on standard input."""
    out = os.dup(1)
    os.dup2(2, 1)  # what players print is no word of this process
    files, content = pickle.load(sys.stdin.buffer)
    receive(files)  # first: what players are made of may be theirs
    trial: Trial = pickle.loads(content)
    _play(trial, lambda *words: os.write(out, f"{json.dumps(words)}\n".encode()))


class _Written(Turns):
    """Turns of a game: the begin and the end of each are written."""

    def __init__(self, game: int, write: Callable[..., Any]) -> None:
        self._game, self._write = game, write

    def begin(self, seat: int) -> None:
        self._write("turn", self._game, seat, self.ply)

    def end(self) -> None:
        self.begin(RULES)


def _play(trial: Trial, write: Callable[..., Any]) -> None:
    for game in range(trial.games):
        try:
            for _ in play_game(*trial[:4], game, _Written(game, write)):
                pass
        except PlayerFault as fault:
            write("fault", fault.seat, fault.ply, fault.cause, fault.line)
            return
    write("end")
