"""Single elimination: who loses a match is out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tournaments.arena.outcomes import Played, Results
from tournaments.kernels.rng import generator
from tournaments.schedules.base import Listed, Schedule
from tournaments.schemes.base import (
    Archives,
    Scoring,
    Sizes,
    at_least,
    best_share_option,
    bonus_option,
    points_option,
    without_roles,
)


@dataclass(frozen=True)
class SingleElimination:
    """A tournament in which who loses a match is out; fitness grows with the rounds survived.

    Angeline and Pollack, "Competitive environments evolve better solutions for complex tasks"
    (ICGA 1993). Those that are left are paired at random in each round. Where their number is no
    power of two, some have no opponent in the first round and go on to the second. A drawn match is
    decided by lot.
    """

    name: ClassVar[str] = "single-elimination"
    round_points: float = points_option(1.0, "points for each round that an individual survives")
    bonus: float = bonus_option()
    best_share: float = best_share_option(0.0)

    @property
    def panel(self) -> tuple[str, ...]:
        return ()

    def check(self, sizes: Sizes) -> None:
        """A pair takes two individuals, of one population."""
        without_roles(sizes, self.name)
        at_least(sizes, 2, self.name)

    def num_matches(self, sizes: Sizes) -> int:
        """All but one lose one."""
        return sizes[0] - 1

    def schedule(
        self, sizes: Sizes, seed: int, generation: int, archives: Archives = ()
    ) -> Schedule:
        """The matches of the first round."""
        return Elimination(sizes[0], seed, generation).schedule

    def scoring(
        self,
        schedule: Schedule,
        sizes: Sizes,
        seed: int = 0,
        generation: int = 0,
        archives: Archives = (),
    ) -> Scoring:
        """So many points for each round survived."""
        return Elimination(sizes[0], seed, generation, self.round_points)


class Elimination(Scoring):
    """A tournament in progress.

    Attributes:
        schedule: the matches of the round.
    """

    def __init__(self, individuals: int, seed: int, generation: int, worth: float = 1.0) -> None:
        self._stream = seed, generation
        self._worth = worth
        self._survived = np.zeros(individuals, dtype=np.int64)
        self._round = 0
        self.schedule = self._drawn(np.arange(individuals, dtype=np.int32))

    def _drawn(self, left: np.ndarray) -> Listed:
        """The matches between those that are left: as many as leave a power of two."""
        seed, generation = self._stream
        order = generator(seed, "bracket", generation, self._round).permutation(left)
        matches = len(order) - (1 << (len(order) - 1).bit_length()) // 2
        self._idle = order[2 * matches :]
        self._verdicts = np.zeros(matches, dtype=np.int8)
        return Listed(order[: 2 * matches].reshape(-1, 2))

    def take(self, played: Played, results: Results) -> None:
        here = slice(played.first, played.first + len(played.pairs))
        self._verdicts[here] = np.sign(results.won - results.lost)

    def next_round(self) -> Schedule | None:
        """The matches of those that are left, until one is."""
        seed, generation = self._stream
        lots = generator(seed, "drawn matches", generation, self._round)
        by_lot = lots.integers(0, 2, len(self._verdicts))
        loses = np.where(self._verdicts == 0, by_lot, self._verdicts < 0)
        winners = np.where(loses, *self.schedule.listed.T[::-1])
        left = np.concatenate([winners, self._idle])
        self._survived[left] += 1
        self._round += 1
        if len(left) == 1:
            return None
        self.schedule = self._drawn(np.sort(left))
        return self.schedule

    def points(self) -> np.ndarray:
        return self._survived * self._worth
