"""Players that may take so much time: who takes more is late, and forfeits or ends the work."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from tournaments.errors import PlayerFault
from tournaments.game import State
from tournaments.kernels.rng import Stream
from tournaments.player import Player, SeatedPlayer, identity, seats_of, sit_down


def within(player: Player, seconds: float, game_seconds: float = math.inf) -> Player:
    """A player with so many seconds for a move, and for all its moves of a game.

    A program is ended after the time of a move, and keeps its own for a game. Any other player is
    waited for, and late when it has answered.
    """
    limited = getattr(player, "limited", None)
    return Timed(player, seconds, game_seconds) if limited is None else limited(seconds)


@dataclass(frozen=True, eq=False)
class Timed:
    """A player whose answers are timed; see :func:`within`."""

    player: Player
    seconds: float
    game_seconds: float

    @property
    def name(self) -> str:
        """That of the player."""
        return self.player.name

    @property
    def identity(self) -> str:
        """That of the player, see :func:`tournaments.player.identity`."""
        return identity(self.player)

    @property
    def seats(self) -> tuple[int, ...]:
        """Those of the player."""
        return seats_of(self.player)

    def choose(self, state: State, rng: Stream) -> int:
        """The action in a game that begins here; PlayerFault: it took too long."""
        return self.sit(state, state.seat_to_move).choose(state, rng)

    def sit(self, state: State, seat: int) -> TimedSeat:
        """See :func:`tournaments.player.sit_down`."""
        return TimedSeat(self, sit_down(self.player, state, seat))


class TimedSeat:
    """A seat of one game of :class:`Timed`."""

    def __init__(self, timed: Timed, seated: SeatedPlayer) -> None:
        self.name, self.watch = seated.name, seated.watch
        self._timed, self._seated, self._left = timed, seated, timed.game_seconds

    def choose(self, state: State, rng: Stream) -> int:
        """The action of the player.

        Raises:
            PlayerFault: it took too long.
        """
        began = time.perf_counter()
        action = self._seated.choose(state, rng)
        seconds = time.perf_counter() - began
        self._left -= seconds
        limits = self._timed
        if seconds > limits.seconds:
            what = f"took {seconds:.3g} seconds for a move; at most {limits.seconds:g} are given"
            raise PlayerFault(self.name, "late", what)
        if self._left < 0:
            what = f"took more than the {limits.game_seconds:g} seconds of its game"
            raise PlayerFault(self.name, "late", what)
        return action
