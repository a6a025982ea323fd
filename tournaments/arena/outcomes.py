"""From games to numbers: what each match and each individual made of them.

Matches come in parts and in any order; what is kept is counted in whole numbers, so the order
leaves no trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tournaments.kernels.linker import build, kernel
from tournaments.schedules.base import Schedule

BLOCK = 1 << 20
"""Matches of a schedule that are looked at together where all must be looked at again."""


SCORES, MEASURED = 2, 4
"""Columns of outcomes: the score of each seat; where games are measured, plies and a measure too.

Plies are counted up to 32,767. The measure is the game's own (``Rules.measure``).
"""
PLIES, MEASURE = 2, 3
"""Where these two stand."""


class Played(NamedTuple):
    """Matches that have been played: those from place ``first`` of the schedule on.

    Attributes:
        first: their place.
        pairs: int32 ``[m, 2]``.
        outcomes: int16 ``[m, games, 2]``, the score of each seat; a holds seat ``g % 2`` in game
            ``g``. Of matches that are measured, ``[m, games, 4]``.
    """

    first: int
    pairs: np.ndarray
    outcomes: np.ndarray


class Results(NamedTuple):
    """How many games of each match entrant a won and lost, int32 ``[m]`` each."""

    won: np.ndarray
    lost: np.ndarray


def results_of_a(outcomes: np.ndarray) -> np.ndarray:
    """Each game as entrant a sees it: +1 won, 0 drawn, -1 lost, int8 ``[M, games]``.

    Args:
        outcomes: ``[M, games, 2]``, the score of each seat; a holds seat ``g % 2`` in game ``g``.
    """
    lead = outcomes[:, :, 0].astype(np.int32) - outcomes[:, :, 1]
    lead[:, 1::2] *= -1
    return np.sign(lead).astype(np.int8)


@kernel
def count_games(pairs, outcomes, counts, won, lost):
    """Count each match's games for a into ``won`` and ``lost``, and add them to ``counts``.

    ``counts`` is int64 ``[N, 3]``: wins, draws and losses of each individual.
    """
    games = outcomes.shape[1]
    for match in range(pairs.shape[0]):
        wins = 0
        losses = 0
        for game in range(games):
            lead = outcomes[match, game, 0] - outcomes[match, game, 1]
            lead = lead if game % 2 == 0 else -lead
            wins += lead > 0
            losses += lead < 0
        won[match] = wins
        lost[match] = losses
        a = pairs[match, 0]
        b = pairs[match, 1]
        if a >= 0:
            counts[a, 0] += wins
            counts[a, 1] += games - wins - losses
            counts[a, 2] += losses
        if b >= 0:
            counts[b, 0] += losses
            counts[b, 1] += games - wins - losses
            counts[b, 2] += wins


@dataclass(frozen=True)
class Tally:
    """Games of each individual of a population, int32 ``[N]`` each."""

    games: np.ndarray
    wins: np.ndarray
    draws: np.ndarray
    losses: np.ndarray


class GameCounter:
    """Counts what each individual won, drew and lost, as entrant a and as entrant b."""

    def __init__(self, individuals: int) -> None:
        self._counts = np.zeros((individuals, 3), dtype=np.int64)
        self.games = 0

    def take(self, played: Played) -> Results:
        """Count a part; what a made of each match of it."""
        won, lost = np.empty((2, len(played.pairs)), dtype=np.int32)
        pairs = np.array(played.pairs, dtype=np.int32)  # a copy: never read-only, nor a view
        outcomes = np.array(played.outcomes, dtype=np.int16)
        build(count_games)(pairs, outcomes, self._counts, won, lost)
        self.games += won.size * outcomes.shape[1]
        return Results(won, lost)

    @property
    def tally(self) -> Tally:
        """What has been counted so far."""
        wins, draws, losses = self._counts.T.astype(np.int32)
        return Tally(wins + draws + losses, wins, draws, losses)


class Points:
    """Adds up points that hang on the match alone: how often each verdict, times its worth."""

    def __init__(self, individuals: int, worth: tuple[float, ...]) -> None:
        """
        Args:
            individuals: N.
            worth: points of each verdict, 0 and up.
        """
        self._worth = worth
        self._counts = np.zeros(individuals * len(worth), dtype=np.int64)

    def add(self, who: np.ndarray, verdicts: np.ndarray) -> None:
        """Count verdicts, int ``[m]``, for the individuals ``who [m]``."""
        keys = who * len(self._worth) + verdicts
        self._counts += np.bincount(keys, minlength=len(self._counts))

    @property
    def points(self) -> np.ndarray:
        """Float64 ``[N]``."""
        counts = self._counts.reshape(-1, len(self._worth))
        total = np.zeros(len(counts))
        for count, points in zip(counts.T, self._worth, strict=True):
            total += count * points
        return total


class SharedPoints:
    """Shares a fixed number of points among those who beat each opponent.

    The schedule has the same number of matches for each opponent, one after another. One byte a
    match is kept until all have been played.
    """

    def __init__(
        self, schedule: Schedule, each: int, points: float, shares: tuple[float, ...], side: int = 0
    ) -> None:
        """
        Args:
            schedule: the entrant of a side may earn what the other gives.
            each: matches of an opponent.
            points: what an opponent gives in all, if anybody wins a game against it.
            shares: of who wins 0, 1, 2... games of its match.
            side: 0: entrant a earns; 1: entrant b.
        """
        self._schedule = schedule
        self._each = each
        self._points = points
        self._shares = np.array(shares)
        self._side = side
        self._won = np.zeros(len(schedule), dtype=np.int8)

    def add(self, first: int, won: np.ndarray) -> None:
        """Take note of the games won in the matches from ``first`` on, int ``[m]``."""
        self._won[first : first + len(won)] = won

    def points(self, individuals: int) -> np.ndarray:
        """Float64 ``[N]``, added up in the order of the schedule."""
        worth = self._worth()
        total = np.zeros(individuals)
        for first in range(0, len(self._won), BLOCK):
            won = self._won[first : first + BLOCK]
            opponent = np.arange(first, first + len(won)) // self._each
            pairs = self._schedule.pairs(first, first + len(won))
            earned = worth[opponent, won]
            total += np.bincount(pairs[:, self._side], weights=earned, minlength=individuals)
        return total

    def _worth(self) -> np.ndarray:
        """What a win of 0, 1, 2... games against each opponent earns, ``[opponents, shares]``."""
        won = self._won.reshape(-1, self._each)
        pool = np.zeros(len(won))
        for games, share in enumerate(self._shares):  # counted first, so in no order
            pool += share * np.count_nonzero(won == games, axis=1)
        pool[pool == 0.0] = np.inf  # nobody earns
        return self._points * (self._shares / pool[:, None])
