"""A check of a player: its faults in words, its results, and the time that its moves take."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tournaments import players
from tournaments.arena.clock import Timekeeper, Turns
from tournaments.arena.match import play_game
from tournaments.errors import PlayerFault
from tournaments.game import Game, State
from tournaments.kernels.rng import Stream, match_seeds, opening_seed
from tournaments.options import OptionError
from tournaments.player import Player, compiled, seats_of, seconds_of, sit_down
from tournaments.players.objects import limited

MOST_FAULTS = 5
"""Number of faults that ends a check. Each fault may have taken the full time limit."""
AGAINST_ITSELF = 2
"""Number of games in which the player holds both seats."""


@dataclass(frozen=True)
class BotTrial:
    """A game of a check.

    Attributes:
        opponent: name of the opponent, or ``itself``.
        seats: seats of the checked player.
        seed: seed of the match.
        number: number of the game in the match, which determines the seats.
    """

    opponent: str
    seats: tuple[int, ...]
    seed: int
    number: int


@dataclass(frozen=True)
class BotFault:
    """A fault of the checked player.

    Attributes:
        cause: one of :data:`tournaments.errors.CAUSES`, or ``differs``.
        what: description in words.
        opponent, seat, seed, game: the game of the fault. ``seed`` is the seed of the match.
        ply: number of moves before the fault.
        board: the position, as text.
    """

    cause: str
    what: str
    opponent: str
    seat: str
    seed: int
    game: int
    ply: int
    board: str


@dataclass
class BotReport:
    """The results of a check.

    Attributes:
        game: the game.
        name: name of the player.
        about: the player's description of itself, such as the limits of a program.
        results: (opponent, seat) -> number of ``wins``, ``draws``, ``losses`` and ``faults``.
        seconds: duration of each move, in seconds.
        legal: number of legal actions at each move.
        plies: length of each completed game, in plies.
        faults: the faults, in the order of their occurrence.
    """

    game: Game
    name: str
    about: str = ""
    results: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    legal: list[int] = field(default_factory=list)
    plies: list[int] = field(default_factory=list)
    faults: list[BotFault] = field(default_factory=list)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The results of the checked player, one row per opponent and seat."""
        columns = ("wins", "draws", "losses", "faults")
        return [
            {"opponent": opponent, "seat": seat, "games": counts.total()}
            | {column: counts[column] for column in columns}
            for (opponent, seat), counts in self.results.items()
        ]

    @property
    def moves(self) -> dict[str, float]:
        """Statistics of the checked player's moves: number, durations, numbers of legal actions."""
        if not self.seconds:
            return {"moves": 0}
        middle, most_of_them, longest = np.quantile(self.seconds, [0.5, 0.95, 1.0]).tolist()
        return {
            "moves": len(self.seconds),
            "seconds_median": middle,
            "seconds_95": most_of_them,
            "seconds_most": longest,
            "legal_least": min(self.legal),
            "legal_most": max(self.legal),
        }


def check_bot(
    player: Player,
    game: Game,
    games: int = 20,
    seconds: float | None = None,
    seed: int = 1,
    is_short: bool = False,
) -> BotReport:
    """Check a player: play it against random play in each of its seats, and against itself.

    The first game of each seat is played twice, and its moves must be the same both times. The
    check ends after :data:`MOST_FAULTS` faults.

    Args:
        player: a player of any kind.
        game: the game.
        games: number of games against random play, divided among the player's seats.
        seconds: time limit per move, more than 0. None keeps the player's own limit. A player that
            exceeds the limit is stopped, but a compiled kernel is allowed to finish.
        seed: the seed. The games depend only on the seed and the player.
        is_short: whether to play each game once, against random play only, up to the first fault.

    Raises:
        OptionError: fewer games than seats.
    """
    seats = seats_of(player)
    if games < len(seats):
        raise OptionError("games", games, f"; at least {len(seats)} are expected, one a seat")
    if seconds is not None:
        player = limited(player, seconds)
    trials, most = _trials(seats, games, seed), 1 if is_short else MOST_FAULTS
    with closing(Timekeeper()) as keeper:
        check = _Check(player, game, seconds, keeper, most)
        first = check.run(trials[:games] if is_short else trials)
        if not is_short:
            check.run_again(first)
        return check.report


def _trials(seats: Sequence[int], games: int, seed: int) -> list[BotTrial]:
    """Return the games of a player's check. The games of the player against itself come last."""
    seeds = [int(number) for number in match_seeds(seed, "check-bot", 0, games + AGAINST_ITSELF)]
    trials = [
        BotTrial("random", (seats[number % len(seats)],), seeds[number], seats[number % len(seats)])
        for number in range(games)
    ]
    if len(seats) > 1:
        trials += [
            BotTrial("itself", tuple(seats), seeds[games + k], k) for k in range(AGAINST_ITSELF)
        ]
    return trials


class _Check:
    """A check in progress."""

    def __init__(
        self, player: Player, game: Game, seconds: float | None, keeper: Timekeeper, most: int
    ) -> None:
        self.player, self.game, self.seconds, self.keeper = player, game, seconds, keeper
        self.most_faults = most
        self.random = players.make("random", game)
        self.report = BotReport(game, player.name, getattr(player, "about", ""))
        self.state: State = game.start()
        self.seat, self.ply = 0, 0
        self.is_limited = compiled(player) is None
        self.watched = WatchedBot(player, self)

    def run(self, trials: Sequence[BotTrial]) -> list[tuple[BotTrial, list[int]]]:
        """Play all games of a player's check; return the first game of each seat with its moves."""
        first: dict[tuple[int, ...], tuple[BotTrial, list[int]]] = {}
        for trial in trials:
            moves = self._played(trial)
            if moves is not None:
                first.setdefault(trial.seats, (trial, moves))
        return list(first.values())

    def run_again(self, first: Sequence[tuple[BotTrial, list[int]]]) -> None:
        """Play games of a player's check again, and record the first whose moves differ."""
        for trial, moves in first:
            again = self._played(trial, is_counted=False)
            if again is not None and again != moves:
                self._note_difference(trial, moves, again)
                break

    def _played(self, trial: BotTrial, is_counted: bool = True) -> list[int] | None:
        """Play a game of a player's check and return its actions.

        Return None if the game ended in a fault, or if there are too many faults already.
        ``is_counted``: add the game to the results.
        """
        if len(self.report.faults) >= self.most_faults:
            return None
        other = self.watched if trial.opponent == "itself" else self.random
        actions = []
        self.state, self.ply = self._start(trial), 0
        outcome = "faults"

        def play(turns: Turns) -> None:
            match = self.game, self.watched, other, trial.seed, trial.number
            for state, _, action in play_game(*match, turns):
                self.state, self.ply = state, turns.ply
                actions.append(action)

        try:
            self.keeper.played(self.watched, other, trial.number, play)
        except PlayerFault as fault:
            self.seat = fault.seat
            self._note(trial, fault.cause, fault.line)
        else:
            result = self.state.returns()[trial.seats[0]]
            outcome = {1: "wins", 0: "draws", -1: "losses"}[result]
            self.report.plies += [self.ply] if is_counted else []
        if is_counted:
            seat = "both" if len(trial.seats) > 1 else self.game.seats[trial.seats[0]]
            counts = self.report.results.setdefault((trial.opponent, seat), Counter())
            counts[outcome] += 1
        return None if outcome == "faults" else actions

    def _start(self, trial: BotTrial) -> State:
        return self.game.start(opening_seed(trial.seed, trial.number))

    def timed(self, seconds: float, legal: int) -> None:
        """Record how long the checked player took for a move, and the number of legal actions.

        Raises:
            PlayerFault: the choice took too long. Only a kernel can get this far: any other player
                has been stopped before.
        """
        self.report.seconds.append(seconds)
        self.report.legal.append(legal)
        if self.seconds is not None and seconds > self.seconds and not self.is_limited:
            what = f"took {seconds:.3g} s for a move; at most {self.seconds:g} s are given"
            raise PlayerFault(self.player.name, "late", what)

    def _note_difference(self, trial: BotTrial, moves: list[int], again: list[int]) -> None:
        """Record a fault at the first ply where two games differ that must be the same.

        ``moves`` and ``again`` are the actions of the two games.
        """
        pairs = zip(moves, again, strict=False)
        self.ply = next((ply for ply, (a, b) in enumerate(pairs) if a != b), len(again) - 1)
        self.state = self._start(trial)
        for action in again[: self.ply]:
            self.state.play(action)
        self.seat = self.state.seat_to_move
        names = [
            self.game.rules.describe(self.game.board, actions[self.ply])
            for actions in (moves, again)
        ]
        what = (
            f"played another game for the same seed: {names[0]} at first, {names[1]} the second "
            "time; draw from the random numbers that it is given alone, and keep nothing from one "
            "game to the next"
        )
        self._note(trial, "differs", what)

    def _note(self, trial: BotTrial, cause: str, what: str) -> None:
        where = trial.opponent, self.game.seats[self.seat], trial.seed, trial.number
        fault = BotFault(cause, what, *where, self.ply, str(self.state))
        self.report.faults.append(fault)


class WatchedBot:
    """A wrapper that measures the time of the choices of a player, or of a seated player."""

    def __init__(self, player: Any, check: _Check) -> None:
        self.name, self._player, self._check = player.name, player, check
        self.limit_seconds = seconds_of(player)

    def sit(self, state: State, seat: int) -> WatchedBot:
        """Return the checked player at its seat, timed. See :func:`tournaments.player.sit_down`."""
        return WatchedBot(sit_down(self._player, state, seat), self._check)

    def watch(self, state: State, action: int) -> None:
        """Pass a move to the checked player. See :class:`tournaments.player.SeatedPlayer`."""
        self._player.watch(state, action)

    def choose(self, state: State, rng: Stream) -> int:
        """Return the checked player's action, and record how long it took.

        Raises:
            PlayerFault: the choice took too long.
        """
        legal, began = len(state.legal_actions()), time.perf_counter()
        action = self._player.choose(state, rng)
        self._check.timed(time.perf_counter() - began, legal)
        return action
