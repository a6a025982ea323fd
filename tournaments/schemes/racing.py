"""Further matches for individuals whose order is in doubt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tournaments.arena.outcomes import Played, Results
from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import Chain
from tournaments.schemes.base import Roster
from tournaments.schemes.scoring import ByWins, InTurn


@dataclass(frozen=True)
class InRaces(InTurn):
    """The scoring of a chain of schedules and of further rounds with the same scorings.

    Attributes:
        further: returns the next round; its parts are scored as those of the first.
        rounds: the number of further rounds.
        begun: the further rounds that have begun.
    """

    further: Callable[[], Chain]
    rounds: int
    begun: list[InTurn] = field(default_factory=list)

    def take(self, played: Played, results: Results) -> None:
        if self.begun:
            self.begun[-1].take(played, results)
        else:
            super().take(played, results)

    def next_round(self) -> Schedule | None:
        if len(self.begun) == self.rounds:
            return None
        schedule = self.further()
        self.begun.append(InTurn(schedule, self.parts, self.keep))
        return schedule if len(schedule) else None


class RacedWins(ByWins):
    """Scoring by games won per match, for individuals with different numbers of matches."""

    def __init__(self, roster: Roster, worth: tuple[float, ...], side: int, matches: int) -> None:
        """Create a scoring of the matches of a population.

        Args:
            roster: the entrants.
            worth: the points of 0, 1... games won of a match.
            side: the population.
            matches: matches of each individual in the first round.
        """
        super().__init__(roster.total, worth, (side,))
        self.side, self._living, self._first = side, roster.living(side), matches

    def _moments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return number of matches, mean and variance of the points of each individual, ``[N]``."""
        worth = np.array(self._worth)
        counts = self._counts.reshape(-1, len(worth))[self._living]
        matches = counts.sum(axis=1)
        means = counts @ worth / np.maximum(matches, 1)
        squares = counts @ worth**2 / np.maximum(matches, 1)
        return matches, means, np.maximum(squares - means**2, 0.0)

    def in_doubt(self, count: int, share: float) -> np.ndarray:
        """Return the rows of the individuals that are nearest to the border of the best.

        Their means are the fewest standard errors away from the middle between the worst of the
        best ``share`` and the best of the others. The variance is that of the matches and of one
        more match with the greatest variance.

        Returns:
            int64 ``[K]``, in rising order, at most ``count``.
        """
        matches, means, variances = self._moments()
        ranked = np.sort(means)[::-1]
        best = min(max(1, round(share * len(ranked))), len(ranked) - 1)
        cut = (ranked[best - 1] + ranked[best]) / 2 if best else ranked[0]
        widest = (max(self._worth) - min(self._worth)) ** 2 / 4
        errors = np.sqrt((matches * variances + widest) / (matches + 1) / np.maximum(matches, 1))
        away = np.abs(means - cut) / np.maximum(errors, 1e-12)
        return np.sort(np.argsort(away, kind="stable")[:count])

    def points(self) -> np.ndarray:
        _, means, _ = self._moments()
        points = np.zeros(len(self._counts) // len(self._worth))
        points[self._living] = means * self._first
        return points
