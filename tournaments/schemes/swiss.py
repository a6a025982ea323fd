"""A Swiss tournament: everybody plays on, against others that have done as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tournaments.arena.outcomes import Played, Points, Results
from tournaments.errors import TournamentError
from tournaments.kernels.rng import generator
from tournaments.options import option
from tournaments.schedules.base import Listed, Schedule
from tournaments.schedules.pairings import pairing
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
from tournaments.schemes.scoring import ByVerdict


@dataclass(frozen=True)
class Swiss:
    """Rounds in which individuals of equal scores meet, none twice as long as that is possible.

    The pairing of chess tournaments since Zürich 1895, simplified: from the top, each meets the
    next that it has not met, equal scores in random order. One in an odd number has no opponent,
    each time another one, and gets the points of a win. A match is two games with the seats
    swapped, so nobody has a seat more often.
    """

    name: ClassVar[str] = "swiss"
    rounds: int = option(
        0,
        "rounds; 0: as many as single elimination has, log2 of the population",
        low=0,
        high=10_000,
    )
    win: float = points_option(1.0, "points for winning a match: more games won than lost")
    draw: float = points_option(0.5, "points for a drawn match")
    loss: float = points_option(0.0, "points for a lost match")
    bonus: float = bonus_option()
    best_share: float = best_share_option(0.0)

    @property
    def panel(self) -> tuple[str, ...]:
        return ()

    def num_rounds(self, individuals: int) -> int:
        """The rounds of a generation."""
        return self.rounds or (individuals - 1).bit_length()

    def check(self, sizes: Sizes) -> None:
        """There must be another opponent in each round."""
        without_roles(sizes, self.name)
        at_least(sizes, 2, self.name)
        most = sizes[0] - 1 + sizes[0] % 2
        if self.rounds > most:
            raise TournamentError(
                f"rounds={self.rounds} and population={sizes[0]} given; everybody has met "
                f"everybody after {most} rounds: set scheme.rounds={most} or less"
            )

    def num_matches(self, sizes: Sizes) -> int:
        """In each round one for every two."""
        return self.num_rounds(sizes[0]) * (sizes[0] // 2)

    def schedule(
        self, sizes: Sizes, seed: int, generation: int, archives: Archives = ()
    ) -> Schedule:
        """The matches of the first round, at random."""
        return SwissTournament(self, sizes[0], seed, generation).schedule

    def scoring(
        self,
        schedule: Schedule,
        sizes: Sizes,
        seed: int = 0,
        generation: int = 0,
        archives: Archives = (),
    ) -> Scoring:
        """1 point a match won, 0.5 a match drawn."""
        return SwissTournament(self, sizes[0], seed, generation)


class SwissTournament(Scoring):
    """A tournament in progress.

    Attributes:
        schedule: the matches of the round.
    """

    def __init__(self, scheme: Swiss, individuals: int, seed: int, generation: int) -> None:
        self._stream = seed, generation
        self._individuals = individuals
        self._left = scheme.num_rounds(individuals)
        self._points = Points(individuals, (scheme.loss, scheme.draw, scheme.win))
        self._half_points = Points(individuals, (0.0, 1.0, 2.0))
        self._met: set[tuple[int, int]] = set()
        self._round = 0
        self.schedule = self._paired()

    def _paired(self) -> Listed:
        seed, generation = self._stream
        odd = self._individuals % 2
        lots = generator(seed, "equal scores", generation, self._round)
        order = lots.permutation(self._individuals)
        order = order[np.argsort(-self._half_points.points[order], kind="stable")]
        ranked = order.tolist() + [self._individuals] * odd  # who meets the last one is idle
        pairs = pairing(ranked, self._met)
        self._met.update(tuple(sorted(pair)) for pair in pairs)  # type: ignore[misc]
        matches = [pair for pair in pairs if self._individuals not in pair]
        idle = [min(pair) for pair in pairs if self._individuals in pair]
        for points in (self._points, self._half_points):
            points.add(np.array(idle, dtype=np.int64), np.full(len(idle), 2))
        return Listed(np.array(matches, dtype=np.int32).reshape(-1, 2))

    def take(self, played: Played, results: Results) -> None:
        for points in (self._points, self._half_points):
            ByVerdict(points).take(played, results)

    def next_round(self) -> Schedule | None:
        """The next round, paired by the scores so far."""
        self._round += 1
        self._left -= 1
        if not self._left:
            return None
        self.schedule = self._paired()
        return self.schedule

    def points(self) -> np.ndarray:
        return self._points.points
