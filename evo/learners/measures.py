"""Measures of challengers' games. The first measure that differs decides who is better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tournaments.arena.outcomes import MEASURE, PLIES, Played, Results
from tournaments.kernels.linker import build, kernel
from tournaments.schedules.pairs import Challenges
from tournaments.schemes.base import Scoring

KNOWN = ("wins", "score", "plies", "distance")
WINS, SCORE, PLIES_TO_WIN = 0, 1, 2
"""Their numbers; what is left is the distance."""


@kernel
def add_up(rows, outcomes, side, measures, sums):
    """Add what each match is worth to its challenger to the challenger's sums.

    ``sums`` is int64 ``[R, 1 + K]``, a row per challenger.

    Args:
        rows: int64 ``[m]``, the challenger of each match.
        outcomes: int16 ``[m, games, 4]``.
        side: of the match that challengers take.
        measures: int64 ``[K]``, the numbers of the recorded measures. Column 0 of ``sums`` holds
            the games won.
        sums: changed.
    """
    for match in range(rows.size):
        row = rows[match]
        for game in range(outcomes.shape[1]):
            sign = 1 - 2 * ((game + side) % 2)  # -1 in seat 1
            lead = np.int64(outcomes[match, game, 0]) - outcomes[match, game, 1]
            won = sign * lead > 0
            sums[row, 0] += won
            for column in range(measures.size):
                which = measures[column]
                if which == WINS:
                    worth = np.int64(won)
                elif which == SCORE:
                    worth = sign * lead
                elif which == PLIES_TO_WIN:
                    worth = -sign * (np.int64(outcomes[match, game, PLIES]) if lead > 0 else 0)
                else:
                    worth = -sign * np.int64(outcomes[match, game, MEASURE])
                sums[row, 1 + column] += worth


class Measures(Scoring):
    """The sums of the measures of each challenger's games. Greater sums are better.

    * ``wins``: games won;
    * ``score``: points, less those of the opponent;
    * ``plies``: of games that seat 0 won; the fewer, the better for seat 0;
    * ``distance``: the game's measure at the end; the less, the better for seat 0.

    The sums are whole numbers, so they do not depend on the order or the parts in which matches
    arrive.

    Attributes:
        schedule: the challenges.
        games: games a match.
    """

    def __init__(
        self, schedule: Challenges, names: Sequence[str], games: int, individuals: int
    ) -> None:
        self.schedule = schedule
        self.games = games
        self._names = tuple(names)
        self._numbers = np.array([KNOWN.index(name) for name in names])
        self._individuals = individuals
        self._sums = np.zeros((len(schedule.individuals), 1 + len(names)), dtype=np.int64)

    def take(self, played: Played, results: Results) -> None:
        """Add the outcomes of a part of the challengers' matches. Each match comes once."""
        side = self.schedule.side
        rows = played.pairs[:, side] - self.schedule.individuals[0]
        outcomes = np.array(played.outcomes, dtype=np.int16)  # a copy: never read-only, nor a view
        build(add_up)(rows, outcomes, side, self._numbers, self._sums)

    def points(self) -> np.ndarray:
        """Return the games won by each individual, float64 ``[N]``; 0 for those not challengers."""
        points = np.zeros(self._individuals)
        points[self.schedule.individuals] = self._sums[:, 0]
        return points

    @property
    def merits(self) -> np.ndarray:
        """The values that rank challengers: int64 ``[R, K]``, a row per challenger."""
        return self._sums[:, 1:]

    def compare(self, one: int, other: int) -> int:
        """Compare the challengers of two rows: 1 if the first is better, -1 if worse, else 0."""
        a, b = self.merits[one].tolist(), self.merits[other].tolist()
        return (a > b) - (a < b)

    def ranks(self) -> np.ndarray:
        """Return for each challenger how many challengers are worse, float64 ``[R]``."""
        order = sorted(map(tuple, self.merits.tolist()))
        first = {merit: place for place, merit in reversed(list(enumerate(order)))}
        return np.array([first[tuple(merit)] for merit in self.merits.tolist()], dtype=np.float64)

    def wins_all(self, row: int) -> bool:
        """Whether the challenger of a row has won all of its games."""
        return int(self._sums[row, 0]) == self.schedule.each * self.games

    def best_variant(self) -> int:
        """Return the row of the best variant, the first among equals. The incumbent is left out."""
        merits = self.merits[1:].tolist()
        return 1 + max(range(len(merits)), key=lambda row: (merits[row], -row))

    def loss(self, row: int) -> float:
        """Return by how much a challenger is worse than the incumbent, 0 or more.

        The first measure that differs decides.

        The loss is relative: to all games for ``wins``, to the incumbent's own measure for the
        others. It is 0 if the challenger is not worse.
        """
        for name, mine, its in zip(
            self._names, self.merits[row].tolist(), self.merits[0].tolist(), strict=True
        ):
            if mine != its:
                scale = self.schedule.each * self.games if name == "wins" else abs(its)
                return max(0.0, (its - mine) / max(scale, 1))
        return 0.0
