"""A sequential test of which of two players is the stronger, by pairs of games.

A match is two games with the seats swapped: 0 to 4 halves of a point for the first player. The two
games of a match are correlated through the start and the seats, so matches are counted and not
games. There are five sorts of matches, as engine testers count them. The test is A. Wald's
("Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16 (1945) 117-186)
of two means of the points. Under each mean, the frequencies of the five sorts are chosen to make
the results likeliest. This is a generalized likelihood ratio, as M. Van den Bergh derives it for
Fishtest ("A practical introduction to the GSPRT", 2020).

The test stops at the first match, by number, at which the ratio leaves its bounds. So the decision
does not depend on threads or batches. Float64 in a fixed order makes it the same on all machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tournaments.analysis.ratings import ELO, NORMAL_95
from tournaments.errors import ConfigError
from tournaments.kernels.arithmetic import log, sigmoid

SORTS = 5
"""Number of results of a match: 0, 1, 2, 3 or 4 halves of a point for the first player."""
SHARES = np.arange(SORTS) / (SORTS - 1)
"""Share of the points of each sort."""
UNSEEN = 1e-3
"""Number of matches assumed for a sort that was not seen, so that every mean is possible."""
PRIOR = 1.0
"""Number of drawn matches that are added as a prior, only for the estimate."""
HALVINGS = 60
"""Number of halvings of an interval that holds a root. More would not change a float64."""
CUTS, PARTS = 10, 32
"""Numbers of cuts and of parts per cut in the search for an interval's end: 50 halvings."""
MOST_ELO = 2000.0
"""Largest Elo difference that can be tested. The expected share of the weaker is 0.00001."""


@dataclass(frozen=True)
class Sprt:
    """A test whether a difference is ``low`` Elo points, or ``high``.

    Attributes:
        low, high: Elo points by which the first player is ahead, of the two hypotheses.
        alpha: how often ``high`` is to be accepted at most where ``low`` is true.
        beta: how often ``low`` is to be accepted at most where ``high`` is true.
    """

    low: float = 0.0
    high: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -MOST_ELO <= self.low < self.high <= MOST_ELO:
            raise ConfigError(
                f"elo {self.low:g} {self.high:g} given; two numbers of points from "
                f"{-MOST_ELO:g} to {MOST_ELO:g}, the lower first, are expected"
            )
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise ConfigError(
                    f"{name} {value:g} given; a share of errors above 0 and below 0.5 is expected"
                )

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of the logarithm of the likelihood ratio, at which the sequential test ends.

        The test accepts ``low`` at the lower bound and ``high`` at the upper bound.
        """
        low, high = self.beta / (1.0 - self.alpha), (1.0 - self.beta) / self.alpha
        return float(log(low)), float(log(high))

    def ratios(self, counts: np.ndarray) -> np.ndarray:
        """Return the logarithm of the likelihood ratio of ``high`` to ``low``, float64 ``[K]``.

        Args:
            counts: numbers of two-game matches by points of the first player, ``[K, 5]``; without
                matches the ratio is 0.
        """
        seen = np.asarray(counts, dtype=np.float64)
        seen = np.where(seen > 0, seen, UNSEEN)
        means = [float(sigmoid(elo / ELO)) for elo in (self.low, self.high)]
        tilts = [tilt(seen, mean) for mean in means]
        ratios = np.zeros(len(seen))
        for sort in range(SORTS):
            first, second = (1.0 + tilts[k] * (SHARES[sort] - means[k]) for k in range(2))
            ratios += seen[:, sort] * logs(first / second)
        return np.where(np.asarray(counts).sum(axis=1) > 0, ratios, 0.0)

    def decided(self, ratios: np.ndarray) -> int | None:
        """Return the index of the first likelihood ratio that ends the sequential test, or None."""
        lower, upper = self.bounds
        places = np.flatnonzero((ratios <= lower) | (ratios >= upper))
        return int(places[0]) if len(places) else None


def tilt(seen: np.ndarray, mean: np.ndarray | float) -> np.ndarray:
    """Return the tilt t that gives the distribution of match results a mean, float64 ``[K]``.

    Of all distributions of this mean, the one under which the matches are likeliest gives a result
    of share x its frequency over 1 + t (x - mean); t is a root, found by halving.

    Args:
        seen: numbers of matches with each result, above 0, float64 ``[K, 5]``.
        mean: above 0, below 1; one for all, or ``[K]``.
    """
    low = np.full(len(seen), -1.0 / (1.0 - mean))
    high = np.full(len(seen), 1.0 / mean)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        slope = np.zeros(len(seen))
        for sort in range(SORTS):
            apart = SHARES[sort] - mean
            slope += seen[:, sort] * apart / np.maximum(1.0 + middle * apart, 1e-300)
        low, high = np.where(slope > 0, middle, low), np.where(slope > 0, high, middle)
    return 0.5 * (low + high)


def logs(values: np.ndarray) -> np.ndarray:
    """Return natural logarithms of positive float64, with the same bits on every processor."""
    return np.array([log(value) for value in values.tolist()], dtype=np.float64)


@dataclass(frozen=True)
class EloEstimate:
    """The lead of the first player in Elo points, and the ends of its 95% interval."""

    elo: float
    low: float
    high: float


def estimate(counts: Sequence[int] | np.ndarray) -> EloEstimate:
    """Estimate the Elo difference of two players from the numbers of matches by result, ``[5]``.

    A drawn match is added, so that all three numbers are always finite. The interval contains the
    means that the likelihood does not reject (A. B. Owen, "Empirical likelihood ratio confidence
    intervals for a single functional", Biometrika 75 (1988) 237-249). After a test that stopped by
    itself the estimate is a little too far from the middle.
    """
    seen = np.array(counts, dtype=np.float64)
    seen[SORTS // 2] += PRIOR
    seen = np.where(seen > 0, seen, UNSEEN)
    total, points = 0.0, 0.0
    for number, share in zip(seen.tolist(), SHARES.tolist(), strict=True):
        total, points = total + number, points + number * share
    mean = points / total
    low, high = (_end(seen, mean, edge) for edge in (0.0, 1.0))
    return EloEstimate(*(_elo(share) for share in (mean, low, high)))


def _end(seen: np.ndarray, mean: float, edge: float) -> float:
    """Return the end of the interval of a mean score, between the likeliest mean and an edge.

    The edge is 0 or 1. The search divides a range into ``PARTS`` parts and continues in the part
    that holds the end. ``seen`` has the numbers of matches with each result.
    """
    near, far = mean, edge
    for _ in range(CUTS):
        means = near + (far - near) * (np.arange(PARTS) + 0.5) / PARTS
        weights = tilt(np.repeat(seen[None], PARTS, axis=0), means)
        falls = np.zeros(PARTS)
        for sort in range(SORTS):
            falls += 2.0 * seen[sort] * logs(1.0 + weights * (SHARES[sort] - means))
        held = int(np.sum(falls <= NORMAL_95 * NORMAL_95))
        ends = [near, *means.tolist(), far]
        near, far = ends[held], ends[held + 1]
    return near


def _elo(share: float) -> float:
    return float(ELO * (log(share) - log(1.0 - share)))
