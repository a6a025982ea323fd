"""The trial of a match in a separate process.

The trial finds the player that ends a process or never answers. The process reports whose turn it
is before each call of a player. So the last report names the player whose turn it was when the
process ended or stopped answering.
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
from tournaments.errors import PlayerFault, counted, signal_name
from tournaments.game import Game
from tournaments.player import Player

SILENCE_SECONDS = 30.0
"""Seconds that a player may take for an answer in a trial."""
START_SECONDS = 120.0
"""Seconds until the first report of the process, which imports the players' modules."""
RULES = -1
"""Number in place of a seat while the rules of the game run."""


class Trial(NamedTuple):
    """A match that its workers did not survive, entrant a first."""

    game: Game
    a: Player
    b: Player
    seed: int
    games: int


class Blame(NamedTuple):
    """A game of a match in which a player was to blame, and the reason."""

    game: int
    verdict: Verdict


def tried(trial: Trial, seconds: float = SILENCE_SECONDS) -> Blame | None:
    """Play a match that ended its workers again in a separate process, move by move.

    Args:
        trial: the match.
        seconds: how long a player may keep silent.

    Returns:
        The player to blame and the reason; None if no player is to blame.
    """
    try:
        payload = _dumps(trial)
    except Exception:  # a match that cannot be pickled was played by threads
        return None
    command = [sys.executable, "-c", "from cluster.trial import main; main()"]
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,  # buffered output would be lost
        env={**os.environ, "PYTHONPATH": paths},
        start_new_session=True,
    ) as process:
        try:
            return _blamed(process, payload, seconds)
        finally:
            with suppress(ProcessLookupError, PermissionError):  # with the helpers of its players
                os.killpg(process.pid, signal.SIGKILL)


def _dumps(trial: Trial) -> bytes:
    """Pickle a match for a separate process. Ray's cloudpickle pickles classes of notebooks."""
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
            what = f"did not answer within {counted(seconds, 'second')}"
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
    """Return the blame of the player whose turn it was when the process of a trial ended.

    Return None if it was no player's turn.

    Args:
        status: exit status of the process; a negative number is that of a signal.
        game: number of the game within the match.
        seat: seat whose turn it was; negative if the rules of the game ran.
        ply: number of the move within the game.
    """
    if seat < 0:
        return None
    if status < 0:
        what = f"ended its process by {signal_name(-status)}"
        return Blame(game, Verdict(seat, ply, "crashed", what))
    what = f"ended its process with status {status}"
    return Blame(game, Verdict(seat, ply, "exited", what))


def _line(pipe: IO[bytes], seconds: float) -> str | None:
    """Return the next line that a process has written to a pipe.

    The line is empty if there are no more; None means that no line came within ``seconds``. The
    process writes each line in a single call, and waits for nothing.
    """
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        if not selector.select(seconds):
            return None
    return pipe.readline().decode()


# --- in the process ------------------------------------------------------------------------------


def main() -> None:
    """Play the match that is read from standard input, and write a line for each turn."""
    out = os.dup(1)
    os.dup2(2, 1)  # output of players must not mix with the reports
    files, content = pickle.load(sys.stdin.buffer)
    receive(files)  # first: unpickling players may need these files
    trial: Trial = pickle.loads(content)
    _play(trial, lambda *words: os.write(out, f"{json.dumps(words)}\n".encode()))


class _Written(Turns):
    """Turns of a game that write the begin and the end of each turn."""

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
