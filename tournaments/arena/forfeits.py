"""Games that are lost by a fault of a player, and the policy of faults.

A player that does what it may not (:data:`tournaments.errors.CAUSES`) loses the game at that move.
A forfeit depends on the players and the seed alone, as every outcome does. Two faults do not: what
takes too long, and what ends the process that plays. Those are written down before anything is made
of the outcomes, and :class:`FaultPolicy` holds them when the same matches are played again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, NamedTuple

import numpy as np

from tournaments.arena.outcomes import SCORES
from tournaments.errors import TournamentError, shown
from tournaments.player import Player

LATE = "late"
"""The cause that hangs on a clock."""
EXITED = "exited"
"""The cause of a fault that ends a process."""
LATE_GAMES = 3
"""After so many games in a row that a player loses by being late, it is not waited for again."""
WON, LOST = 1, 0
"""Scores of a game that was forfeited: a loss by any count, and never less than nothing."""


class Forfeit(NamedTuple):
    """A game that was lost by a fault.

    Attributes:
        match: the place of its match in the schedule.
        game: of that match.
        seat: of the player that lost. -1: the simulator of a contest failed, and the game is void.
        ply: moves made before.
        cause: one of :data:`tournaments.errors.CAUSES`.
        what: what the player did, in a line.
        pair: the entrants of the match, in their order.
        seed: of the match.
    """

    match: int
    game: int
    seat: int
    ply: int
    cause: str
    what: str
    pair: tuple[int, ...]
    seed: int

    @property
    def entrant(self) -> int:
        """The entrant that lost the forfeited game; entrant a holds seat ``game % 2``."""
        return self.pair[(self.seat - self.game) % len(self.pair)]

    @property
    def sides(self) -> tuple[list[int], list[int]]:
        """The entrant that lost the game, and the others of its table.

        No entrant lost a game that is void, so all are among the others.
        """
        others = list(self.pair)
        if self.seat < 0:
            return [], others
        others.remove(self.entrant)  # once: at a table, an opponent may hold several seats
        return [self.entrant], others


class Verdict(NamedTuple):
    """The seat, ply and cause of a lost game; see :class:`Forfeit`."""

    seat: int
    ply: int
    cause: str
    what: str

    def outcome(self, columns: int) -> np.ndarray:
        """Return the row of outcomes of a forfeited game, int16: the score of each seat.

        With more than two columns, the number of plies follows.
        """
        row = np.zeros(columns, dtype=np.int16)
        row[:SCORES] = WON
        row[self.seat] = LOST
        row[SCORES : SCORES + 1] = min(self.ply, np.iinfo(np.int16).max)
        return row


class Patience:
    """The players that were late in their last games in this process. It pickles without them."""

    def __init__(self) -> None:
        self._late: dict[int, tuple[Player, int, Thread]] = {}  # the player, so that its id stays

    def lost_with(self, player: Player) -> str:
        """Return why a player that was late before loses its next game without a move.

        Empty: the player is asked.
        """
        _, games, thread = self._late.get(id(player), (player, 0, None))
        if thread is not None and thread.is_alive():
            return "was late in a game before, and still has not answered"
        if games < LATE_GAMES:
            return ""
        return f"was late in {games} games in a row and is not asked any more"

    def was_late(self, player: Player, thread: Thread) -> None:
        """Record that a player was late in a game that this thread played, and may still play."""
        _, games, _ = self._late.get(id(player), (player, 0, thread))
        self._late[id(player)] = player, games + 1, thread

    def were_in_time(self, *players: Player) -> None:
        """Record that players have ended a game in time, so that earlier lateness is forgotten."""
        for player in players:
            self._late.pop(id(player), None)

    def __reduce__(self) -> tuple[Any, ...]:
        return Patience, ()


@dataclass(frozen=True)
class FaultPolicy:
    """The policy of faults: a player that commits a fault forfeits the game.

    Attributes:
        quarantined: entrants that forfeit all their games, none of which is played, each with the
            cause and what it did in words.
        written: by seed of a match, number of its game and entrants a and b, the games that were
            forfeited by the clock when they were played before.
        patience: how long players are waited for that were late.
    """

    quarantined: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    written: Mapping[tuple[int, ...], Verdict] = field(default_factory=dict)
    patience: Patience = field(default_factory=Patience)

    def verdict(self, pair: tuple[int, ...], seed: int, game: int) -> Verdict | None:
        """Return the verdict of a game that is lost before its first move; None: it is played.

        Args:
            pair: the entrants of the match, in their order.
            seed: the seed of the match.
            game: the number of the game in the match.
        """
        for seat in range(len(pair)):
            if reason := self.quarantined.get(pair[(seat - game) % len(pair)]):
                return Verdict(seat, 0, *reason)
        return self.written.get((seed, game, *pair))


FORFEIT, ABORT = "forfeit", "abort"
"""What may become of faults, as users say it."""


def fault_policy(faults: str) -> FaultPolicy | None:
    """Return the policy for faults of players that a user chooses by name.

    None means that the work ends with the first fault.

    Raises:
        TournamentError: it is neither of the two names.
    """
    if faults not in (FORFEIT, ABORT):
        raise TournamentError(
            f"faults={shown(faults)} given; {FORFEIT} (a player with a fault loses the game) "
            f"or {ABORT} (the work ends with the first fault) is expected"
        )
    return FaultPolicy() if faults == FORFEIT else None


def at_places(forfeits: Iterable[Forfeit], places: np.ndarray) -> list[Forfeit]:
    """Return forfeited games with the places of their matches in a whole schedule.

    ``places`` has the place of each match of a part, int ``[m]``.
    """
    return [each._replace(match=int(places[each.match])) for each in forfeits]
