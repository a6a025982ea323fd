"""Deadlines of players: a late player loses the game, and the thread of the game is left behind.

Games of players with a limit are played in a thread beside the waiting thread. Python cannot end a
thread: the thread of a late player ends by itself once the player comes back, and nothing that the
player does reaches another game. What holds the interpreter's lock holds every clock too. A player
that needs more than a deadline plays as a program.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable
from functools import partial
from math import inf, isinf
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from tournaments.arena.forfeits import LATE, Patience
from tournaments.errors import Interruption, PlayerFault, counted
from tournaments.player import Player, seconds_of

T = TypeVar("T")
Answer = tuple[Any, BaseException | None]
"""What a job returned, and what it raised."""
OVERSLEPT_SECONDS = 1.0
"""Seconds by which the waiting thread wakes too late if the whole process was stopped."""


class Overtime(Interruption):
    """Raised in a thread that was left behind, once its player comes back."""


class Turns:
    """The turns of a game as they begin and end. This class ignores them.

    Attributes:
        ply: number of moves made.
    """

    ply = 0

    def begin(self, seat: int) -> None:
        """Record that the player at a seat is asked for an action. This class does nothing."""

    def end(self) -> None:
        """Record that the player has answered. This class does nothing."""


class Deadline(Turns):
    """Turns of a game with time limits, written by the playing thread, read by a waiting one."""

    def __init__(self, limits: tuple[float, float]) -> None:
        """Create a clock of the turns of one game.

        Args:
            limits: seconds for an answer, by seat.
        """
        self._limits, self._lock = limits, threading.Lock()
        self.seat, self.ends, self.is_over = 0, inf, False

    def begin(self, seat: int) -> None:
        """Start the clock of the player at a seat, unless the game was given up."""
        self._set(seat, time.monotonic() + self._limits[seat])

    def end(self) -> None:
        """Stop the clock of the player to move, unless the game was given up."""
        self._set(self.seat, inf)

    def _set(self, seat: int, ends: float) -> None:
        with self._lock:
            if self.is_over:
                raise Overtime
            self.seat, self.ends = seat, ends

    def is_late(self, overslept: float) -> bool:
        """Return whether a player has exceeded its time limit; the game is given up then.

        The clock starts anew if the waiting thread overslept by :data:`OVERSLEPT_SECONDS`.
        """
        with self._lock:
            if time.monotonic() >= self.ends:
                self.is_over = overslept < OVERSLEPT_SECONDS
                self.ends = time.monotonic() + self._limits[self.seat]
            return self.is_over


class Timekeeper:
    """Plays games one after another, and gives up those in which a player is late.

    Players without a limit play in the thread that asks, all others in a thread beside it.
    """

    def __init__(self, patience: Patience | None = None) -> None:
        """Create a timekeeper, which plays games within the time limits of players.

        Args:
            patience: the players that were late before; by default none.
        """
        self._patience = patience or Patience()
        self._thread: _Thread | None = None

    def played(self, a: Player, b: Player, number: int, play: Callable[[Turns], T]) -> T:
        """Play a game of a match within its players' time limits; return the result of ``play``.

        Player a holds seat ``number % 2``.

        Raises:
            PlayerFault: a player was late, or is not waited for any more.
        """
        players = (a, b) if number % 2 == 0 else (b, a)
        limits = seconds_of(players[0]), seconds_of(players[1])
        if isinf(min(limits)):
            return play(Turns())
        for seat, player in enumerate(players):
            if what := self._patience.lost_with(player):
                raise PlayerFault(player.name, LATE, what, seat, 0)
        turns = Deadline(limits)
        thread = self._thread = self._thread or _Thread()
        thread.jobs.put(partial(contextvars.copy_context().run, play, turns))
        try:
            result, error = _answer(thread, turns, min(limits))
        except BaseException as ended:  # it took too long, or Ctrl-C
            turns.is_over = True
            self.close()
            if not isinstance(ended, TimeoutError):
                raise
        else:
            if error is not None:
                raise error
            self._patience.were_in_time(a, b)
            return result
        player, seconds = players[turns.seat], limits[turns.seat]
        self._patience.was_late(player, thread)
        what = f"did not answer within {counted(seconds, 'second')}"
        raise PlayerFault(player.name, LATE, what, turns.seat, turns.ply)

    def close(self) -> None:
        """End the thread in which games are played once it has nothing to do."""
        if self._thread is not None:
            self._thread.jobs.put(None)
            self._thread = None


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return the result of a call that must end within some seconds.

    If it does not, its thread is left behind.

    Raises:
        TimeoutError: it did not return in time.
    """
    thread, turns = _Thread(), Deadline((seconds, seconds))
    turns.begin(0)
    for job in (call, None):
        thread.jobs.put(job)
    result, error = _answer(thread, turns, seconds)
    if error is not None:
        raise error
    return result


def _answer(thread: _Thread, turns: Deadline, limit: float) -> Answer:
    """Wait for a thread's job within the time limits of a game.

    Returns:
        What the job returned, and the exception that it raised or None.

    Raises:
        TimeoutError: a player is late.
    """
    while True:
        now = time.monotonic()
        until = min(turns.ends, now + limit)
        try:
            return thread.results.get(timeout=min(max(until - now, 0.0), threading.TIMEOUT_MAX))
        except Empty:
            if turns.is_late(time.monotonic() - until):
                raise TimeoutError(f"did not answer within {counted(limit, 'second')}") from None


class _Thread(threading.Thread):
    """A thread that does jobs one after another. It never keeps the process from ending."""

    def __init__(self) -> None:
        super().__init__(name="players", daemon=True)
        self.jobs: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self.results: SimpleQueue[Answer] = SimpleQueue()
        self.start()

    def run(self) -> None:
        """Run jobs from the queue, one after another, until None is taken.

        An exception of a job is its result.
        """
        while (job := self.jobs.get()) is not None:
            try:
                result, error = job(), None
            except BaseException as raised:
                result, error = None, raised
            self.results.put((result, error))
            del job, result, error  # what players hold is not kept while this waits
