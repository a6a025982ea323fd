"""A program as a player: its seats in games and its pool of processes."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tournaments.errors import PlayerFault, counted
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
from tournaments.players.bot.process import GameTime, Process
from tournaments.players.bot.sandbox import ProgramLimits, own_namespaces

GAMES_OF = {"game": 1, "tournament": 100}
"""Number of games that a process plays, one after the other, before it is replaced."""
MOST_IDLE = 4
"""Number of idle processes that are kept for the next game."""


class Bot:
    """A player that is a program.

    A bot can be used from several threads and can be pickled. Each running game has its own
    process. Idle processes end with the bot.

    Attributes:
        name: the name that the user gave.
        game: the game that the program plays.
        command: the command line of the program.
        limits: time and resource limits.
    """

    limit_seconds = math.inf  # the processes enforce the time limits
    outlives_games = True  # a process may play several games, one after another
    takes_seed = True  # sent at the start of a game; the program may ignore it

    def __init__(
        self, name: str, game: Game, command: ProgramCommand, limits: ProgramLimits
    ) -> None:
        self.name, self.game, self.command, self.limits = name, game, command, limits
        self._idle: list[Process] = []

    @property
    def identity(self) -> str:
        """Identity that does not depend on the name, see :func:`tournaments.player.identity`."""
        return f"bot@{self.command.digest}"

    def limited(self, seconds: float) -> Bot:
        """Return a player of the same program with a time limit per move, in seconds."""
        return Bot(self.name, self.game, self.command, replace(self.limits, seconds=seconds))

    @property
    def about(self) -> str:
        """Description of the limits and of the isolation of the program on this machine."""
        namespaces = own_namespaces()
        apart = (
            f"has {namespaces} of its own"
            if namespaces
            else "shares network and processes: this system gives it none of its own"
        )
        limits = self.limits
        return (
            f"{counted(limits.seconds, 'second')} a move, {limits.game_seconds:g} a game, "
            f"{limits.start:g} to start, {limits.memory:,} MiB, {limits.output:,} bytes an answer; "
            f"it {apart}"
        )

    def sit(self, state: State, seat: int) -> BotSeat:
        """Return the program at a seat of one game. The program starts at its first move.

        See :func:`tournaments.player.sit_down`.
        """
        return BotSeat(self, state, seat)

    def choose(self, state: State, rng: Stream | np.random.Generator) -> int:
        """Return the action that the player's program chooses in a game that begins at this state.

        Raises:
            PlayerFault: the program returns no legal action.
        """
        return self.sit(state, state.seat_to_move).choose(state, rng)

    def taken(self) -> Process:
        """Return a process of the program for a game, idle or new.

        Raises:
            TournamentError: the program has changed or does not exist.
        """
        try:
            process = self._idle.pop()
        except IndexError:
            self.command.check_same()
            process = Process(self.name, self.command, self.limits, GAMES_OF[self.limits.per])
            process.tell(hello(self.game, self.limits))
        process.begin_game()
        return process

    def give_back(self, process: Process) -> None:
        """Return a process of the program to the pool after its game, or close it."""
        may_go_on = process.games < GAMES_OF[self.limits.per] and len(self._idle) < MOST_IDLE
        if process.is_open and may_go_on:
            self._idle.append(process)
        else:
            process.close()

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
        self._time = GameTime(bot.limits)

    def choose(self, state: State, rng: Stream | np.random.Generator) -> int:
        """Return the action of the program at this seat. ``state`` is the view of the seat.

        Raises:
            PlayerFault: the program returns no action or an illegal action. Its process is killed.
        """
        is_first = self._process is None
        process = self._process or self._begin(rng)
        legal = state.legal_actions()
        asked = question(state, legal, self._moves)
        self._moves = []
        answer = self._time.ask(process, asked, is_first and process.games == 1)
        action = action_of(answer, partial(self._fault, process))
        if action not in legal:
            what = f"chose {action}, which is illegal in {state.game.spec}; legal here: {legal}"
            raise self._fault(process, "illegal", what)
        return action

    def watch(self, state: State, action: int) -> None:
        """Store an action of either seat for the next question to the program.

        See :meth:`tournaments.player.SeatedPlayer.watch`.
        """
        self._moves.append(moved(state, self._mover, action))
        self._mover = state.seat_to_move

    def _begin(self, rng: Stream | np.random.Generator) -> Process:
        """Take a process of the program and begin the game, with a seed for the program."""
        self._process = process = self._bot.taken()
        process.tell(new_game(self._seat, Stream.of(rng).program_seed()))
        return process

    def _fault(self, process: Process, cause: str, what: str) -> PlayerFault:
        fault = process.fault(cause, what)
        process.close()
        return fault

    def __del__(self) -> None:
        process = getattr(self, "_process", None)
        if process is not None:
            self._bot.give_back(process)


def bot(game: Game, cmd: str, **limits: Any) -> Bot:
    """Return a player that is a program in any language, which exchanges JSON lines.

    Args:
        game: the game that is played.
        cmd: the program: a file, or a command line in shell syntax.
        limits: see :class:`ProgramLimits`.

    Raises:
        TournamentError: the program does not exist, or a limit is invalid.
    """
    return Bot(str(cmd), game, command_of(str(cmd)), checked(ProgramLimits, "bot: ", limits))
