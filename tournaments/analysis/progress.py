"""Measures of progress, from the scores of the champions of all generations against each other.

Scores are shares of the points, and a draw is half a point. ``scores[g, h]`` is the score of
champion g against champion h, float64 ``[G, G]``, in the order of the generations. The diagonal is
ignored and may be NaN. In games with roles, a champion is a team of one individual per role that
plays both sides of a match, see :func:`teams`. The functions of this module play no games and
access no files.

A score is an estimate from a number of games, and many scores are tested together. The function
:func:`decided` finds the pairs that are won or lost beyond chance. Dominance and cycles are counted
among these pairs alone.

Sources: D. Cliff and G. Miller, Tracking the Red Queen (ECAL 1995); S. Nolfi and D. Floreano,
Coevolving predator and prey robots (Artificial Life 4, 1998); K. Stanley and R. Miikkulainen, The
dominance tournament method of monitoring progress in coevolution (GECCO 2002 workshops); Y.
Benjamini and Y. Hochberg, Controlling the false discovery rate (J. R. Stat. Soc. B 57, 1995); M.
Kendall and B. Babington Smith, On the method of paired comparisons (Biometrika 31, 1940).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

FALSE_SHARE = 0.05
"""Expected share of chance results among the pairs that are called decided."""
CONFIDENCE = 0.95
SMALLEST_BLOCK = 3
"""Number of champions in the smallest block. Fewer do not show the variance within a block."""
MOST_BLOCKS = 10
COIN_TOSSES = 0.25
"""Share of cyclic triples if each pair is decided by a coin toss (Kendall 1940)."""


class Estimate(NamedTuple):
    """A value with its interval."""

    value: float
    low: float
    high: float


class Cycles(NamedTuple):
    """Counts of triples of champions in which each pair is decided.

    Attributes:
        decided: number of these triples.
        cyclic: number of cycles among them: a beats b, b beats c, and c beats a.
        returning: number of cycles in which each champion beats the one before it, and the first
            beats the last.
    """

    decided: int
    cyclic: int
    returning: int

    @property
    def share(self) -> float:
        """Share of cyclic triples of champions among the decided triples; 0 if there are none."""
        return self.cyclic / self.decided if self.decided else 0.0


def teams(scores: np.ndarray) -> np.ndarray:
    """Return the scores of champions of both roles, as teams, against each other.

    They are float64 ``[G, G]``. A match of two teams is two games: the first role of each against
    the second role of the other.

    Args:
        scores: scores of the first role's champions (rows) against the second role's (columns).
    """
    return (scores + (1.0 - scores.T)) / 2


def decided(scores: np.ndarray, games: int) -> np.ndarray:
    """Return which champions beat each other beyond chance, int8 ``[G, G]``.

    The row's champion has won (1) or lost (-1) against the column's, or the pair is open (0). A
    pair is decided if its score differs from one half by the normal test, at the threshold of
    Benjamini and Hochberg over all pairs. One in twenty of the decided pairs is expected to be
    chance, for any number of pairs.

    Args:
        scores: the row's scores against the column's, ``scores[h, g] == 1 - scores[g, h]``.
        games: the number of games of each score. A draw makes the test err on the side of open.
    """
    size = len(scores)
    rows, columns = np.tril_indices(size, -1)
    lead = scores[rows, columns] - 0.5
    distance = np.abs(lead) * 2 * math.sqrt(games)
    chances = np.array([math.erfc(z / math.sqrt(2)) for z in distance])
    taken = chances <= _threshold(chances)
    beats = np.zeros((size, size), dtype=np.int8)
    beats[rows, columns] = np.where(taken, np.sign(lead), 0)
    return beats - beats.T


def _threshold(chances: np.ndarray) -> float:
    """Return the p-value up to which Benjamini and Hochberg's procedure accepts tests.

    It is -1 if no test passes. ``chances`` are the p-values.
    """
    ordered = np.sort(chances)
    allowed = FALSE_SHARE * np.arange(1, len(ordered) + 1) / max(1, len(ordered))
    below = np.flatnonzero(ordered <= allowed)
    return float(ordered[below[-1]]) if len(below) else -1.0


def master(scores: np.ndarray) -> np.ndarray:
    """Return each champion's mean score in the master tournament, float64 ``[G]``.

    The diagonal is left out. The score of an only champion is NaN.
    """
    return _means(scores, ~np.eye(len(scores), dtype=bool))


def against_past(scores: np.ndarray) -> np.ndarray:
    """Return each champion's mean score against all champions before it (CIAO), float64 ``[G]``.

    The score of the first champion is NaN.
    """
    return _means(scores, np.tri(len(scores), k=-1, dtype=bool))


def _means(scores: np.ndarray, opponents: np.ndarray) -> np.ndarray:
    """Return the mean of each row of scores over selected opponents; NaN without opponents.

    ``opponents`` is bool ``[G, G]``.
    """
    counts = opponents.sum(axis=1)
    total = np.where(opponents, scores, 0.0).sum(axis=1)
    return np.divide(total, counts, out=np.full(len(scores), np.nan), where=counts > 0)


def past_beaten(beats: np.ndarray) -> np.ndarray:
    """Return the share of earlier champions that each champion beats beyond chance.

    It is float64 ``[G]``. The share of the first champion is NaN.

    Args:
        beats: the pairs that :func:`decided` returns.
    """
    return against_past((beats > 0).astype(np.float64))


def later_against_earlier(scores: np.ndarray, games: int) -> Estimate:
    """Return the mean score of later champions against earlier ones; one half: no trend.

    A linear relative of Kendall's rank correlation with time, which is 2 v - 1 where every pair is
    decided. The interval, of 95%, is the jackknife's over champions (each left out in turn), and
    never narrower than the games alone make it.

    Args:
        scores: the row's scores against the column's, of two champions or more, ``[G, G]``.
        games: the number of games of each score.
    """
    return _mean_of_pairs(scores, np.tri(len(scores), k=-1, dtype=bool), games)


def first_seat(points: np.ndarray, games: int) -> Estimate:
    """Return the mean score of the first seat in the games among champions, with an interval.

    The interval is that of :func:`later_against_earlier`.

    Args:
        points: the share of the row's champion in the first seat against the column's, float64
            ``[G, G]``; NaN on the diagonal, where champions do not meet themselves.
        games: the number of games of each share.
    """
    return _mean_of_pairs(points, ~np.isnan(points), games)


def _mean_of_pairs(scores: np.ndarray, taken: np.ndarray, games: int) -> Estimate:
    """Estimate the mean of selected scores of champions, by the jackknife over champions.

    Args:
        scores: the scores, ``[G, G]``.
        taken: which scores are selected, bool ``[G, G]``.
        games: the number of games of each score.
    """
    size, each = len(scores), np.where(taken, scores, 0.0)
    total, pairs = float(each.sum()), int(taken.sum())
    spread = 0.5 / math.sqrt(games * pairs)
    if size > 2:
        own, met = (
            cells.sum(axis=0) + cells.sum(axis=1) - np.diag(cells) for cells in (each, 1 * taken)
        )
        without = (total - own) / (pairs - met)
        deviations = without - without.mean()
        spread = max(spread, math.sqrt((size - 1) / size * float((deviations**2).sum())))
    return _interval(total / pairs, spread * _distance(1))


def dominant(beats: np.ndarray) -> list[int]:
    """Return the indices of the champions that beat every dominant champion before them.

    The first champion is the first of them. Each is a level higher than the one before.

    Args:
        beats: the pairs that :func:`decided` returns.
    """
    levels: list[int] = []
    for place, row in enumerate(beats):
        if all(row[other] > 0 for other in levels):
            levels.append(place)
    return levels


def cycles(beats: np.ndarray) -> Cycles:
    """Count the cycles (rock, paper, scissors) among triples of champions.

    Only triples count in which each pair is decided.

    Args:
        beats: the pairs that :func:`decided` returns.
    """
    won = (beats > 0).astype(np.int64)
    known = won + won.T
    later = np.tril(won)  # who beats one that came before
    triples = int(((known @ known) * known).sum()) // 6
    cyclic = int(((won @ won) * won.T).sum()) // 3
    returning = int(((later @ later) * won.T).sum())
    return Cycles(triples, cyclic, returning)


def lost_again(beats: np.ndarray, first: int) -> tuple[float, int]:
    """Return how many once beaten champions beat the champions from index ``first`` on.

    A champion counts as once beaten if it came before ``first`` and some champion between beat it.

    Args:
        beats: the pairs that :func:`decided` returns.
        first: the index of the first of the later champions.

    Returns:
        The share of the once beaten champions that beats a later champion, mean over the later
        champions, 0 to 1; and the number of once beaten champions.
    """
    lower = np.tril(beats > 0, -1)[:first, :first]
    once_beaten = lower.any(axis=0)
    if not once_beaten.any():
        return 0.0, 0
    lost = beats[first:, :first][:, once_beaten] < 0
    return float(lost.mean()), int(once_beaten.sum())


# --- courses of scores over the generations ----------------------------------------------------


def blocks(champions: int) -> list[slice]:
    """Divide consecutive champions into up to ten blocks of at least three, of nearly equal size.

    With fewer than six champions there are no two blocks to compare, and the list is empty.
    """
    number = min(MOST_BLOCKS, champions // SMALLEST_BLOCK)
    if number < 2:
        return []
    ends = [round(champions * part / number) for part in range(number + 1)]
    return [slice(*pair) for pair in pairwise(ends)]


@dataclass(frozen=True, eq=False)
class Course:
    """Scores of champions over the generations, in blocks.

    Attributes:
        values: float64 ``[G]``, six or more.
        games: that each is made of.
    """

    values: np.ndarray
    games: float

    @property
    def blocks(self) -> list[slice]:
        return blocks(len(self.values))

    @property
    def means(self) -> np.ndarray:
        """Mean score of each block of champions, float64 ``[B]``."""
        return np.array([self.values[block].mean() for block in self.blocks])

    @property
    def peak(self) -> int:
        """Index of the block of champions with the highest mean score, the first of equals."""
        return int(self.means.argmax())

    def change(self, start: int = 0, end: int = -1, tests: int = 1) -> Estimate:
        """Return the mean score of a block of champions less that of another block.

        The interval takes champions of a block as equals, whose scores differ by the games played
        and by what each of them happens to be: the variance is that within blocks, or that by the
        games alone, whichever is larger.

        Args:
            start: number of the block to compare with.
            end: number of the block that is compared.
            tests: number of comparisons for which the intervals hold jointly at 95% (Bonferroni).
        """
        parts, means = self.blocks, self.means
        sizes = [part.stop - part.start for part in (parts[start], parts[end])]
        value = float(means[end] - means[start])
        spread = math.sqrt(self._variance * (1 / sizes[0] + 1 / sizes[1]))
        distance = 0.0 if parts[start] is parts[end] else _distance(tests)
        return Estimate(value, value - distance * spread, value + distance * spread)

    @property
    def _variance(self) -> float:
        """Variance of a champion's score about the mean of its block."""
        parts = [self.values[block] for block in self.blocks]
        within = sum(float(((part - part.mean()) ** 2).sum()) for part in parts)
        # One more win and one more loss: of games that are all won, too, the rest is not known.
        likely = (self.values * self.games + 1) / (self.games + 2)
        by_games = float((likely * (1 - likely)).mean()) / self.games
        return max(within / (len(self.values) - len(parts)), by_games)


def _distance(tests: int) -> float:
    """Return the number of standard errors from a value to an end of its interval.

    ``tests`` is the number of intervals that hold jointly at 95%.
    """
    return NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / (2 * tests))


def _interval(value: float, distance: float) -> Estimate:
    return Estimate(value, max(0.0, value - distance), min(1.0, value + distance))
