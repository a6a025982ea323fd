"""Games of players that have a limit of time: they are played in a thread that may be given up.

Python ends no thread. It raises an exception in one, which arrives with the next line of Python
that the thread runs. A thread that waits inside a library gets none before it returns: it is left
behind, and its player is not asked again while it lasts. What holds the interpreter's lock
for ever, such as one call of a regular expression, holds everything: only a process can be killed.
"""

from __future__ import annotations

import contextvars
import ctypes
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import isinf
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, NoReturn, TypeVar

from tournaments.arena.announced import Announced
from tournaments.arena.forfeits import LATE, Patience
from tournaments.errors import Interruption, PlayerFault
from tournaments.player import Player, seconds_of

T = TypeVar("T")
GRACE_SECONDS = 1.0
"""Seconds in which a thread may end that is told to."""
STEP_SECONDS = 0.1
"""Seconds after which it is told again: a bare ``except`` may have taken the exception."""
OVERSLEPT_SECONDS = 1.0
"""Seconds by which this thread wakes too late where the whole process was stopped."""
LONGEST_SECONDS = 3600.0
"""Seconds of one wait; the system takes no endless numbers."""


class Overtime(Interruption):
    """Raised in a thread whose game is over, as somebody was late in it."""


class Turn(NamedTuple):
    """Whose turn it is, after how many moves, and until when by the monotonic clock."""

    seat: int
    ply: int
    player: Player
    ends: float


class Clock:
    """Of one game. The thread that plays writes it, and the thread that waits reads it.

    Attributes:
        ply: moves made.
        turn: of a player with a limit; None: nobody's.
        is_over: the game is given up. Who took the exception for its own ends it with its answer.
    """

    def __init__(self) -> None:
        self.ply = 0
        self.turn: Turn | None = None
        self.is_over = False

    def of(self, player: Player) -> Player:
        """The player, whose turns are seen here where they are limited."""
        seconds = seconds_of(player)
        return player if isinf(seconds) else Announced(player, partial(self._say, player, seconds))

    def _say(self, player: Player, seconds: float, seat: int) -> None:
        if self.is_over:
            raise Overtime
        ends = time.monotonic() + seconds
        self.turn = Turn(seat, self.ply, player, ends) if seat >= 0 else None


Play = Callable[[Player, Player, Clock], T]
"""Plays a game between a and b, and counts its moves by the clock."""


class Timekeeper:
    """Plays games one after another, and ends those in which a player is late.

    Players without a limit play in the thread that asks, all others in one of its own.
    """

    def __init__(self, patience: Patience | None = None) -> None:
        """
        Args:
            patience: who was late before; by default nobody.
        """
        self._patience = patience or Patience()
        self._thread: _Thread | None = None

    def played(self, a: Player, b: Player, number: int, play: Play[T]) -> T:
        """What ``play`` gives for a game of a match, in which a holds seat ``number % 2``.

        Raises:
            PlayerFault: a player was late, or is not waited for any more.
        """
        limit = min(seconds_of(a), seconds_of(b))
        clock = Clock()
        if isinf(limit):
            return play(a, b, clock)
        for seat, player in enumerate((a, b) if number % 2 == 0 else (b, a)):
            if what := self._patience.lost_with(player):
                raise _fault(player, seat, 0, what)
        result = self._result(partial(play, clock.of(a), clock.of(b), clock), clock, limit)
        self._patience.were_in_time(a, b)
        return result

    def close(self) -> None:
        """End the thread once it has nothing to do."""
        if self._thread is not None:
            self._thread.jobs.put(None)
            self._thread = None

    def _result(self, job: Callable[[], T], clock: Clock, limit: float) -> T:
        """What a job gives that is done by the thread."""
        thread = self._thread = self._thread or _Thread()
        thread.jobs.put(partial(contextvars.copy_context().run, job))
        wait = limit
        longer: tuple[Turn | None, float] = None, 0.0  # whose time was made longer, and until when
        while True:
            began = time.monotonic()
            try:
                result, error = thread.results.get(timeout=min(wait, LONGEST_SECONDS))
            except Empty:
                turn, now = clock.turn, time.monotonic()
            except BaseException:  # Ctrl-C
                clock.is_over = True
                self.close()
                thread.interrupt()
                raise
            else:
                if error is not None:
                    raise error
                return result
            if turn is None:
                wait = limit
                continue
            was_stopped = now - began > wait + OVERSLEPT_SECONDS and longer[0] is not turn
            if was_stopped or thread.is_at_breakpoint():
                longer = turn, now + limit
            wait = (longer[1] if longer[0] is turn else turn.ends) - now
            if wait <= 0:
                clock.is_over = True
                self._end(thread, turn)

    def _end(self, thread: _Thread, turn: Turn) -> NoReturn:
        """Stop a game whose player is late.

        Raises:
            PlayerFault: in any case.
        """
        self.close()
        thread.end()
        self._patience.was_late(turn.player, thread)
        what = f"did not answer within {seconds_of(turn.player):g} seconds"
        if thread.is_alive():
            what += " and cannot be stopped; it is not asked again while that lasts"
        raise _fault(turn.player, turn.seat, turn.ply, what)


def _fault(player: Player, seat: int, ply: int, what: str) -> PlayerFault:
    fault = PlayerFault(player.name, LATE, what)
    fault.seat, fault.ply = seat, ply
    return fault


def _raise_in(number: int, what: type[BaseException]) -> None:
    """Raise an exception in a thread, with the next line of Python that it runs.

    Until some thread takes an exception of this sort, the interpreter looks for it between any two
    steps of every thread; and where a debugger or a coverage tool traces calls, CPython 3.11 looks
    for ever. A thread that waits inside a library takes none. So this thread takes one of its own,
    at once; the other thread finds its own with the next look, such as when threads take turns.
    """
    ours, raised = threading.get_ident(), ctypes.pythonapi.PyThreadState_SetAsyncExc
    try:
        raised(ctypes.c_ulong(number), ctypes.py_object(what))
        raised(ctypes.c_ulong(ours), ctypes.py_object(_Taken))
        while True:  # until it has come
            pass
    except _Taken:
        pass
    except BaseException:  # Ctrl-C came first
        raised(ctypes.c_ulong(ours), None)
        raise


class _Taken(Interruption):
    """What a thread raises in itself, see :func:`_raise_in`."""


class _Thread(threading.Thread):
    """Does jobs, one after another; ends with the process, whatever it does then."""

    def __init__(self) -> None:
        super().__init__(name="players", daemon=True)
        self.jobs: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self.results: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        self.start()

    def run(self) -> None:
        """Do jobs until there is None; what one raises is its result."""
        with suppress(Overtime):
            while (job := self.jobs.get()) is not None:
                try:
                    result, error = job(), None
                except BaseException as raised:
                    result, error = None, raised
                self.results.put((result, error))
                del job, result, error  # what players hold is not kept while this waits

    def interrupt(self) -> None:
        """Raise an exception in it. Nobody takes a result of its job any more."""
        _raise_in(self.ident or 0, Overtime)

    def end(self) -> None:
        """Interrupt it until it ends, or its time of grace is over."""
        until = time.monotonic() + GRACE_SECONDS
        while self.is_alive() and time.monotonic() < until:
            self.interrupt()
            self.join(STEP_SECONDS)

    def is_at_breakpoint(self) -> bool:
        """Whether a person is debugging in it: then no clock counts."""
        frame = sys._current_frames().get(self.ident or 0)
        while frame is not None and frame.f_globals.get("__name__") != "bdb":
            frame = frame.f_back
        return frame is not None
