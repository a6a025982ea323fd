"""Fitness from outcomes by opponent: their mean, the worst, a quantile or a soft minimum."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

from tournaments.arena.outcomes import Played, Results, counted_scores
from tournaments.schedules.base import Schedule
from tournaments.schemes.base import Kept, Scheme, Scoring
from tournaments.schemes.scoring import InTurn


class Aggregated(Scoring):
    """Scoring by the outcomes of an individual against each opponent.

    The scheme still chooses the matches. The outcome of a match for one of its entrants against
    another one is its share of the points (a draw counts half), or its own mean score in a game.
    The outcomes against an opponent are averaged, and the averages of all opponents aggregated.
    """

    def __init__(self, inner: Scoring, total: int, scheme: Scheme) -> None:
        """Create a scoring of ``total`` entrants for a scheme whose own scoring is ``inner``."""
        self._inner, self._total, self._scheme, self._round = inner, total, scheme, 0
        self._parts: dict[tuple[int, int], np.ndarray] = {}

    def take(self, played: Played, results: Results) -> None:
        self._inner.take(played, results)
        if not len(played.pairs):
            return  # another part begins at the same place
        sides = [
            np.column_stack([played.pairs[:, side], played.pairs[:, other], outcomes])
            for side, other in permutations(range(played.pairs.shape[1]), 2)
            for outcomes in [self._outcomes(played, results, side, other)]
        ]
        self._parts[self._round, played.first] = np.stack(sides, axis=1)

    def _outcomes(self, played: Played, results: Results, side: int, other: int) -> np.ndarray:
        """Return the outcome of each match for an entrant against another one; NaN for none."""
        scores, games = counted_scores(played.outcomes, side, played.pairs.shape[1])
        if self._scheme.fitness != "score":
            ahead = results.ahead[side, other] - results.ahead[other, side]
            scores = (ahead + games) / 2
        return np.divide(scores, games, out=np.full(len(games), np.nan), where=games > 0)

    def next_round(self) -> Schedule | None:
        self._round += 1
        return self._inner.next_round()

    def points(self) -> np.ndarray:
        # Match by match, so that the order of sums does not depend on where the parts were cut.
        rows = np.concatenate([part for _, part in sorted(self._parts.items())]).reshape(-1, 3)
        rows = rows[(rows[:, 0] >= 0) & ~np.isnan(rows[:, 2])]
        points = np.full(self._total, np.nan)
        pairs, which = np.unique(rows[:, :2].astype(np.int64), axis=0, return_inverse=True)
        means = np.bincount(which, rows[:, 2]) / np.bincount(which)
        owners, starts = np.unique(pairs[:, 0], return_index=True)
        for owner, outcomes in zip(owners, np.split(means, starts[1:]), strict=True):
            points[owner] = aggregate(outcomes, self._scheme)
        unknown = np.isnan(points)  # all games were void, or none was played
        points[unknown] = 0.0 if unknown.all() else points[~unknown].min()
        return points

    def kept(self) -> Kept:
        if isinstance(self._inner, InTurn):
            return self._inner.keep(self.points())
        return self._inner.kept()


def aggregate(outcomes: np.ndarray, scheme: Any) -> float:
    """Return the fitness of an individual from its outcomes by opponent, ``[O]``.

    The soft minimum with softness s is ``-log(mean(exp(-s * outcome))) / s``: the mean for a small
    s, the worst outcome for a large one.
    """
    if scheme.aggregate == "worst":
        return float(outcomes.min())
    if scheme.aggregate == "quantile":
        return float(np.quantile(outcomes, scheme.quantile))
    if scheme.aggregate == "softmin":
        least = outcomes.min()  # so that no power overflows
        powers = np.exp(-scheme.softness * (outcomes - least))
        return float(least - np.log(powers.mean()) / scheme.softness)
    return float(outcomes.mean())
