"""A program as a player: who starts it, who sits at a game, and whose process that is."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tournaments.errors import PlayerFault
from tournaments.game import Game, State
from tournaments.kernels.rng import Stream
from tournaments.options import checked
from tournaments.players.bot.command import ProgramCommand, command_of
from tournaments.players.bot.messages import (
    action_of,
    hello,
    moved,
    new_game,
    question,
)
from tournaments.players.bot.process import Process
from tournaments.players.bot.sandbox import ProgramLimits, own_namespaces

GAMES_OF = {"game": 1, "tournament": 100}
"""How many games a process plays, one after the other, before it is replaced."""
MOST_IDLE = 4
"""Processes that wait for their next game."""


class Bot:
    """A player that is a program.

    It may be asked from several threads, and travels to other processes: each game has a process
    for itself while it lasts.

    Attributes:
        name: as the user named it.
        game: what it plays.
        command: the program.
        limits: what it may take.
    """

    limit_seconds = math.inf  # its processes keep time
    takes_seed = True  # at the start of a game, and may use it or not

    def __init__(
        self, name: str, game: Game, command: ProgramCommand, limits: ProgramLimits
    ) -> None:
        self.name, self.game, self.command, self.limits = name, game, command, limits
        self._idle: list[Process] = []

    @property
    def identity(self) -> str:
        """What it is whatever it is called: see :func:`tournaments.player.identity`."""
        return f"bot@{self.command.digest}"

    def limited(self, seconds: float) -> Bot:
        """The same program, with so many seconds for a move."""
        return Bot(self.name, self.game, self.command, replace(self.limits, seconds=seconds))

    @property
    def about(self) -> str:
        """What it may take, and what is kept from it on this machine."""
        namespaces = own_namespaces()
        apart = (
            f"has {namespaces} of its own"
            if namespaces
            else "shares network and processes: this system gives it none of its own"
        )
        limits = self.limits
        return (
            f"{limits.seconds:g} seconds a move, {limits.game_seconds:g} a game, "
            f"{limits.start:g} to start, {limits.memory:,} MiB, {limits.output:,} bytes an answer; "
            f"it {apart}"
        )

    def sit(self, state: State, seat: int) -> BotSeat:
        """See :func:`tournaments.player.sit_down`; the program starts when it is first asked."""
        return BotSeat(self, state, seat)

    def choose(self, state: State, rng: Stream | np.random.Generator) -> int:
        """The action of the program in a game that begins here.

        Raises:
            PlayerFault: it gives none.
        """
        return self.sit(state, state.seat_to_move).choose(state, rng)

    def taken(self) -> Process:
        """A process for a game: one that waits for it, or a new one.

        Raises:
            TournamentError: the program is not what it was, or not there.
        """
        try:
            process = self._idle.pop()
        except IndexError:
            self.command.check_same()
            process = Process(self.name, self.command, self.limits, GAMES_OF[self.limits.per])
            process.tell(hello(self.game, self.limits))
        process.games += 1
        return process

    def give_back(self, process: Process) -> None:
        """The game of a process is over."""
        may_go_on = process.games < GAMES_OF[self.limits.per] and len(self._idle) < MOST_IDLE
        if process.is_open and may_go_on:
            self._idle.append(process)
        else:
            process.close()

    def close(self) -> None:
        """End the processes that wait for a game."""
        while self._idle:
            self._idle.pop().close()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.game, self.command, self.limits)

    def __repr__(self) -> str:
        return f"<{self.name}, a program that plays {self.game.spec}>"


class BotSeat:
    """A program at a seat of one game; a :class:`tournaments.player.SeatedPlayer`."""

    def __init__(self, bot: Bot, state: State, seat: int) -> None:
        self.name = bot.name
        self._bot, self._seat = bot, seat
        self._mover = state.seat_to_move
        self._moves: list[dict[str, Any]] = []
        self._process: Process | None = None
        self._left = bot.limits.game_seconds

    def choose(self, state: State, rng: Stream | np.random.Generator) -> int:
        """The action of the program; ``state`` is what the seat sees.

        Raises:
            PlayerFault: the program gives none, or one that is not legal. Its process is killed.
        """
        is_first = self._process is None
        process = self._process or self._begin(rng)
        legal = state.legal_actions()
        asked = question(state, legal, self._moves)
        self._moves = []
        answer = self._ask(process, asked, is_first and process.games == 1)
        action = action_of(answer, partial(self._fault, process))
        if action not in legal:
            what = f"chose {action}, which is illegal in {state.game.spec}; legal here: {legal}"
            raise self._fault(process, "illegal", what)
        return action

    def watch(self, state: State, action: int) -> None:
        """See :meth:`tournaments.player.SeatedPlayer.watch`."""
        self._moves.append(moved(state, self._mover, action))
        self._mover = state.seat_to_move

    def _begin(self, rng: Stream | np.random.Generator) -> Process:
        """Take a process and begin the game, with a seed of its own for the program."""
        self._process = process = self._bot.taken()
        process.tell(new_game(self._seat, Stream.of(rng).program_seed()))
        return process

    def _ask(self, process: Process, asked: bytes, starts: bool) -> bytes:
        """The answer, within what is left of the game's time and within the time of a move."""
        if not process.is_open:
            raise PlayerFault(self.name, "exited", "had ended when it was asked")
        limits = self._bot.limits
        seconds, limit = limits.seconds, f"{limits.seconds:g} seconds (seconds)"
        if self._left < seconds:
            seconds = max(0.0, self._left)
            limit = f"the {limits.game_seconds:g} seconds of its game (game_seconds)"
        extra = limits.start if starts else 0.0
        limit += f" and {extra:g} more to start" if extra else ""
        began = time.monotonic()
        answer = process.ask(asked, seconds + extra, limit)
        self._left -= max(0.0, time.monotonic() - began - extra)
        return answer

    def _fault(self, process: Process, cause: str, what: str) -> PlayerFault:
        fault = process.fault(cause, what)
        process.close()
        return fault

    def __del__(self) -> None:
        process = getattr(self, "_process", None)
        if process is not None:
            self._bot.give_back(process)


def bot(game: Game, cmd: str, **limits: Any) -> Bot:
    """Return a program as a player.

    Args:
        game: the game that is played.
        cmd: the program: a file, or words as a shell takes them.
        limits: see :class:`ProgramLimits`.

    Raises:
        TournamentError: no such program, or limits that are none.
    """
    return Bot(str(cmd), game, command_of(str(cmd)), checked(ProgramLimits, "bot: ", limits))
