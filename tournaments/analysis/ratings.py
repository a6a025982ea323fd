"""Ratings of players who met in any pairings, fitted jointly, with intervals.

The model is that of R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs",
Biometrika 39 (1952) 324-345: a beats b with probability 1 / (1 + exp(s_b - s_a)). The strengths s
are fitted by maximum likelihood. A draw is half a win of each. As a prior, each player has drawn a
small number of games against a virtual player of strength 0, as in R. Coulom's BayesElo. The prior
keeps ratings finite for unbeaten and winless players, and for players that no games link. D. R.
Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of
Statistics 32 (2004) 384-406, tells when the likelihood alone has no maximum; F. Caron and A.
Doucet, "Efficient Bayesian inference for generalized Bradley-Terry models", Journal of
Computational and Graphical Statistics 21 (2012) 174-196, what priors do.

Strengths are printed as Elo ratings, 400 / ln 10 a unit: 400 points are odds of ten to one.

The last bits of ratings may differ between processors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit
from threadpoolctl import threadpool_limits

from tournaments.errors import TournamentError

ELO = 173.71779276130073
"""Points of a unit of strength, 400 / ln 10."""
PRIOR_GAMES = 1.0
"""Games that each player is taken to have drawn against a player of strength 0."""
NORMAL_95 = 1.959963984540054
"""Standard deviations to each side that hold 95% of a normal distribution."""

MOST_STEPS = 200
"""Newton steps at most; six to fifteen are usual."""
SMALL_STEP = 1e-10
"""In units of strength: the step after one so small would be its square."""


@dataclass(frozen=True)
class Ratings:
    """The ratings of players, in Elo points.

    Attributes:
        ratings: float64 ``[P]``; their mean is 0, or one of them is.
        deviations: standard errors, float64 ``[P]``, of the difference from what is set to 0.
    """

    ratings: np.ndarray
    deviations: np.ndarray

    @property
    def half_widths(self) -> np.ndarray:
        """Half width of the 95% interval of each player's rating, float64 ``[P]``."""
        return NORMAL_95 * self.deviations

    @property
    def low(self) -> np.ndarray:
        """Lower ends of the 95% intervals of the players' ratings, float64 ``[P]``."""
        return self.ratings - self.half_widths

    @property
    def high(self) -> np.ndarray:
        """Upper ends of the 95% intervals of the players' ratings, float64 ``[P]``."""
        return self.ratings + self.half_widths


class Met(NamedTuple):
    """Results of games between pairs of players.

    Attributes:
        pairs: int32 ``[K, 2]``, the two players.
        games: float64 ``[K]``, number of games.
        points: float64 ``[K]``, points of the first player.
    """

    pairs: np.ndarray
    games: np.ndarray
    points: np.ndarray


def bradley_terry(
    players: int,
    pairs: np.ndarray,
    points: np.ndarray,
    games: np.ndarray,
    anchor: int | None = None,
) -> Ratings:
    """Fit the ratings of all players together to the results of their games, by Bradley and Terry.

    Intervals come from the observed information, by the delta method. If many games are drawn they
    are wider than necessary, because a draw has more information than the model uses.

    Args:
        players: P, their number.
        pairs: int ``[K, 2]``, players by their numbers 0..P-1; a pair may occur several times.
        points: float ``[K]``, points of the first of each pair: wins plus half of the draws.
        games: ``[K]``, number of games of each pair.
        anchor: the player whose rating is 0; None: the mean of all ratings is 0.

    Raises:
        TournamentError: a player number is out of range, or points are outside 0..games.
    """
    met = Met(
        np.array(pairs, dtype=np.int32).reshape(-1, 2),
        np.array(games, dtype=np.float64),
        np.array(points, dtype=np.float64),
    )
    _check(players, met, anchor)
    with threadpool_limits(1, "blas"):  # the same bits on any number of threads, and no spinning
        return _fitted(players, met, anchor)


def _fitted(players: int, met: Met, anchor: int | None) -> Ratings:
    """Return the ratings of players, fitted to the results of their games.

    ``anchor`` is the player whose rating is 0; None: the mean of all ratings is 0.
    """
    strengths = np.zeros(players)
    for _ in range(MOST_STEPS):
        if _newton_step(met, strengths) < SMALL_STEP:
            break
    covariances = cho_solve(cho_factor(_information(met, strengths)), np.eye(players))
    return ratings_of(strengths, covariances, anchor)


def ratings_of(strengths: np.ndarray, covariances: np.ndarray, anchor: int | None) -> Ratings:
    """Return the ratings of strengths, ``[P]``, with their covariances, ``[P, P]``.

    ``anchor`` is the player whose rating is 0; None: the mean of all ratings is 0.
    """
    players = len(strengths)
    weights = np.full(players, 1.0 / players) if anchor is None else np.eye(players)[anchor]
    shifts = covariances @ weights
    variances = np.diag(covariances) - 2.0 * shifts + weights @ shifts
    deviations = ELO * np.sqrt(np.maximum(variances, 0.0))
    if anchor is not None:
        deviations[anchor] = 0.0  # exactly, where rounding leaves a trace
    return Ratings(ELO * (strengths - weights @ strengths), deviations)


def _check(players: int, met: Met, anchor: int | None) -> None:
    """Raise if the results of games are impossible: unknown players, or more points than games."""
    for name, values in (("points", met.points), ("games", met.games)):
        if values.shape != (len(met.pairs),):
            raise TournamentError(
                f"{name} of shape {list(values.shape)} given with {len(met.pairs)} pairs; one "
                "number a pair is expected"
            )
    numbers = [*met.pairs.reshape(-1).tolist(), 0 if anchor is None else anchor]
    if not (players > 0 and 0 <= min(numbers) <= max(numbers) < players):
        raise TournamentError(
            f"players {min(numbers)}..{max(numbers)} given; there are {players}, numbered from 0"
        )
    if not np.all((met.points >= 0) & (met.points <= met.games)):
        raise TournamentError("points outside 0..games; give games won plus half of the draws")


def _newton_step(met: Met, strengths: np.ndarray) -> float:
    """Move the players' strengths one damped Newton step towards the maximum of the likelihood.

    The step is cut to 2 / (2 + d) of its length, d being how far it would move two players that met
    apart: below log(1 + d) / d, up to which the likelihood of a logistic model surely grows (F.
    Bach, "Self-concordant analysis for logistic regression", Electronic Journal of Statistics 4
    (2010) 384-414, Lemma 1).

    Returns:
        The largest move of any strength.
    """
    a, b = met.pairs.T
    surplus = met.points - met.games * expit(strengths[a] - strengths[b])
    slope = PRIOR_GAMES * (0.5 - expit(strengths))
    np.add.at(slope, a, surplus)
    np.add.at(slope, b, -surplus)
    step = cho_solve(cho_factor(_information(met, strengths)), slope)
    largest = float(np.abs(step).max())
    apart = float(np.abs(step[a] - step[b]).max(initial=largest))
    strengths += 2.0 / (2.0 + apart) * step
    return largest


def _information(met: Met, strengths: np.ndarray) -> np.ndarray:
    """Return the observed information of the players' strengths, ``[P, P]``."""
    a, b = met.pairs.T
    lead = strengths[a] - strengths[b]
    weight = met.games * expit(lead) * expit(-lead)
    matrix = np.diag(PRIOR_GAMES * expit(strengths) * expit(-strengths))
    for rows, columns, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
        np.add.at(matrix, (rows, columns), sign * weight)
    return matrix
