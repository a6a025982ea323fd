"""Ratings of players who met in any pairings, fitted jointly, with intervals.

The model is that of R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs",
Biometrika 39 (1952) 324-345: a beats b with probability 1 / (1 + exp(s_b - s_a)), where the
strengths s are what is fitted, by maximum likelihood. A draw is half a win of each. Each player has
besides drawn a small number of games against a player of strength 0 that is nobody: this prior, as
in R. Coulom's BayesElo, keeps the unbeaten and the winless finite, and so the players that are not
linked by any games. D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of
Statistics 32 (2004) 384-406, tells when the likelihood alone has no maximum; F. Caron and A.
Doucet, "Efficient Bayesian inference for generalized Bradley-Terry models", Journal of
Computational and Graphical Statistics 21 (2012) 174-196, what priors do.

Strengths are printed as Elo ratings, 400 / ln 10 a unit: 400 points are odds of ten to one.

Ratings may decide how long a tournament goes on, so they are exact: float64 in a fixed order, on
every processor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.kernels.arithmetic import sigmoid
from tournaments.kernels.linker import build, kernel

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
    """What players are worth, in Elo points.

    Attributes:
        ratings: float64 ``[P]``; their mean is 0, or one of them is.
        deviations: standard errors, float64 ``[P]``, of the difference from what is set to 0.
    """

    ratings: np.ndarray
    deviations: np.ndarray

    @property
    def half_widths(self) -> np.ndarray:
        """Half of each 95% interval, float64 ``[P]``."""
        return NORMAL_95 * self.deviations

    @property
    def low(self) -> np.ndarray:
        """Lower ends of the 95% intervals, float64 ``[P]``."""
        return self.ratings - self.half_widths

    @property
    def high(self) -> np.ndarray:
        """Upper ends of the 95% intervals, float64 ``[P]``."""
        return self.ratings + self.half_widths


class Met(NamedTuple):
    """Games as kernels take them: who met, int32 ``[K, 2]``, in how many games, and the points of
    the first of the two, float64 ``[K]`` each; and how many games each player drew beforehand."""

    pairs: np.ndarray
    games: np.ndarray
    points: np.ndarray
    prior: float


class System(NamedTuple):
    """The equations of a Newton step: information ``[P, P]``, of which the upper half is used,
    and the right-hand side, then the solution ``[P]``."""

    matrix: np.ndarray
    vector: np.ndarray


def bradley_terry(
    players: int,
    pairs: np.ndarray,
    points: np.ndarray,
    games: np.ndarray,
    anchor: int | None = None,
    prior: float = PRIOR_GAMES,
) -> Ratings:
    """Fit the ratings of all players together.

    Intervals come from the observed information, by the delta method. Where many games are drawn
    they are wider than they need be, as a draw tells more than the model takes from it.

    Args:
        players: P, their number.
        pairs: int ``[K, 2]``, who met, by numbers 0..P-1; a pair may come several times.
        points: float ``[K]``, of the first of each pair: games won, and half of those drawn.
        games: ``[K]``, how many they played.
        anchor: the player whose rating is 0; None: the mean of all is.
        prior: games that each is taken to have drawn against a player of strength 0, above 0.

    Raises:
        TournamentError: numbers that stand for nobody, points outside 0..games, or no prior.
    """
    met = Met(
        np.array(pairs, dtype=np.int32).reshape(-1, 2),
        np.array(games, dtype=np.float64),
        np.array(points, dtype=np.float64),
        float(prior),
    )
    _check(players, met, anchor)
    strengths = np.zeros(players)
    system = System(np.zeros((players, players)), np.zeros(players))
    for _ in range(MOST_STEPS):
        if build(newton_step)(met, strengths, system) < SMALL_STEP:
            break
    variances, shifts = np.zeros((2, players))
    weights = np.full(players, 1.0 / players)
    if anchor is not None:
        weights[:] = 0.0
        weights[anchor] = 1.0
    centre = build(spread)(met, strengths, system, weights, variances, shifts)
    variances += centre - 2.0 * shifts
    mean = _total(strengths * weights)
    deviations = ELO * np.sqrt(np.maximum(variances, 0.0))
    if anchor is not None:
        deviations[anchor] = 0.0  # exactly, where rounding leaves a trace
    return Ratings(ELO * (strengths - mean), deviations)


def _total(values: np.ndarray) -> float:
    """The sum from the first to the last, in this order on every processor."""
    total = 0.0
    for value in values.tolist():
        total += value
    return total


def _check(players: int, met: Met, anchor: int | None) -> None:
    """Refuse games that cannot have been played so."""
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
        raise TournamentError("points outside 0..games; give games won, and half of those drawn")
    if not met.prior > 0:
        raise TournamentError(f"prior={met.prior:g} given; a number of games above 0 is expected")


@kernel
def newton_step(met, strengths, system):
    """Move ``strengths`` one damped Newton step up the likelihood; the largest move of any.

    ``system`` is used up. The step is cut to 2 / (2 + d) of its length, d being how far it would
    move two players that met apart: below log(1 + d) / d, up to which the likelihood of a logistic
    model surely grows (F. Bach, "Self-concordant analysis for logistic regression", Electronic
    Journal of Statistics 4 (2010) 384-414, Lemma 1).
    """
    players = strengths.size
    information(met, strengths, system)
    vector = system.vector
    for player in range(players):
        vector[player] = met.prior * (0.5 - sigmoid(strengths[player]))
    for index in range(met.games.size):
        a = met.pairs[index, 0]
        b = met.pairs[index, 1]
        surplus = met.points[index] - met.games[index] * sigmoid(strengths[a] - strengths[b])
        vector[a] += surplus
        vector[b] -= surplus
    factorise(system.matrix)
    solve(system)
    apart = 0.0
    largest = 0.0
    for player in range(players):
        largest = max(largest, abs(vector[player]))
    for index in range(met.games.size):
        apart = max(apart, abs(vector[met.pairs[index, 0]] - vector[met.pairs[index, 1]]))
    share = 2.0 / (2.0 + max(apart, largest))
    for player in range(players):
        strengths[player] += share * vector[player]
    return largest


@kernel
def spread(met, strengths, system, weights, variances, shifts):
    """Fill ``variances`` with those of the strengths, and ``shifts`` with their covariances with
    the weighted mean; the variance of that mean. ``system`` is used up."""
    players = strengths.size
    matrix = system.matrix
    information(met, strengths, system)
    factorise(matrix)
    row = variances  # each is complete before the rows that come later overwrite the rest
    for player in range(players):
        for other in range(player, players):
            row[other] = 0.0
        row[player] = 1.0
        total = 0.0
        for other in range(player, players):
            entry = row[other] / matrix[other, other]
            total += entry * entry
            for after in range(other + 1, players):
                row[after] -= entry * matrix[other, after]
        variances[player] = total
    for player in range(players):
        system.vector[player] = weights[player]
    solve(system)
    centre = 0.0
    for player in range(players):
        shifts[player] = system.vector[player]
        centre += weights[player] * shifts[player]
    return centre


@kernel
def information(met, strengths, system):
    """Fill the upper half of ``system.matrix`` with the observed information."""
    matrix = system.matrix
    players = strengths.size
    for player in range(players):
        for other in range(player, players):
            matrix[player, other] = 0.0
        likely = sigmoid(strengths[player])
        matrix[player, player] = met.prior * likely * sigmoid(-strengths[player])
    for index in range(met.games.size):
        a = met.pairs[index, 0]
        b = met.pairs[index, 1]
        lead = strengths[a] - strengths[b]
        weight = met.games[index] * sigmoid(lead) * sigmoid(-lead)
        matrix[a, a] += weight
        matrix[b, b] += weight
        matrix[min(a, b), max(a, b)] -= weight


@kernel
def factorise(matrix):
    """Replace the upper half of a positive definite matrix by U, where it is U' U (Cholesky)."""
    size = matrix.shape[0]
    for pivot in range(size):
        scale = np.sqrt(matrix[pivot, pivot])
        for column in range(pivot, size):
            matrix[pivot, column] /= scale
        for row in range(pivot + 1, size):
            factor = matrix[pivot, row]
            if factor != 0.0:
                for column in range(row, size):
                    matrix[row, column] -= factor * matrix[pivot, column]


@kernel
def solve(system):
    """Replace the vector by the solution x of U' U x = vector, the matrix being U."""
    matrix = system.matrix
    vector = system.vector
    size = vector.size
    for row in range(size):
        vector[row] /= matrix[row, row]
        for column in range(row + 1, size):
            vector[column] -= vector[row] * matrix[row, column]
    for row in range(size - 1, -1, -1):
        for column in range(row + 1, size):
            vector[row] -= matrix[row, column] * vector[column]
        vector[row] /= matrix[row, row]
