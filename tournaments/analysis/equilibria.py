"""Ratings by the cross table as a game: Nash shares and alpha-rank.

A single strength per player, such as a Bradley-Terry rating, says little if a beats b, b beats c
and c beats a. It also changes when a copy of a player joins. Both ratings here treat the cross
table as a symmetric game of two sides: each side names a player, and the payoff is the first
player's score against the second.

* **Nash shares** are the equilibrium of greatest entropy of that game (D. Balduzzi, K. Tuyls, J.
  Perolat and T. Graepel, "Re-evaluating evaluation", NeurIPS 2018). A player that is beaten in
  every mixture has no share. Copies of a player divide its share.
* **alpha-rank** is the share of time that a population of identical players consists of each
  player, if mutants invade by their payoffs (S. Omidshafiei et al., "alpha-Rank: multi-agent
  evaluation by evolution", Scientific Reports 9 (2019) 9937).

The last bits of both may differ between processors.
"""

from __future__ import annotations

from math import exp

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import softmax
from threadpoolctl import threadpool_limits

from tournaments.errors import TournamentError

MOST_PLAYERS = 200
"""Largest number of players for which equilibria are computed."""
INTENSITY = 100.0
"""alpha, the selection intensity. A player that wins 51 of 100 games takes over nearly always."""
POPULATION = 50
"""m, the number of individuals of a population."""
SLACKS = [10.0**-power for power in range(1, 8)]
"""Largest gains over the equilibrium that are allowed, in steps towards 0."""
BARRIER = 1e-3
"""Ratio of the barrier to the slack."""
MOST_STEPS, MOST_CUTS = 60, 40
"""Largest number of Newton steps for each slack, and of halvings of a step."""
RIDGE = 1e-15
"""Added to the diagonal of a system whose diagonal is scaled to 1, so that it can be solved."""
SMALL_FALL = 1e-10
"""Predicted fall of the dual, in units of the slack, at which the descent stops."""


def nash_shares(payoffs: np.ndarray) -> np.ndarray:
    """Return the share of each player in the Nash equilibrium of greatest entropy of a cross table.

    The shares are float64 ``[P]``, sum 1. The dual of that problem is a smooth function of
    multipliers above 0, one a player: the logarithm of the sum of exp(A l). It is minimised by
    Newton's method with a barrier while the slack s of A p <= s goes to nearly 0. In games with
    ties, where the set of equilibria has no interior, a player may still gain 0.0001 of a payoff.

    Args:
        payoffs: antisymmetric, ``[P, P]``: the result of the row's player against the column's, in
            -1..1.

    Raises:
        TournamentError: the matrix is none of that kind.
    """
    matrix = _checked(payoffs)
    multipliers = np.ones(len(matrix))
    with threadpool_limits(1, "blas"):  # threads that spin take minutes on busy processors
        for slack in SLACKS:
            _descend(matrix, multipliers, slack)
    return _shares(matrix, multipliers)


def _descend(matrix: np.ndarray, multipliers: np.ndarray, slack: float) -> None:
    """Minimise the dual of the Nash equilibrium's problem for this slack, by Newton's method.

    The multipliers are changed in place. A step is halved until the dual, which is convex, rises at
    its end by no more than half of what it falls by at its beginning: slopes keep the digits that
    the dual itself loses.
    """
    shares, slope = _slope(matrix, multipliers, slack)
    for _ in range(MOST_STEPS):
        diagonal = BARRIER * slack / multipliers**2
        curved = _curvature(matrix, shares, diagonal)
        scale = 1.0 / np.sqrt(np.diag(curved))
        factor = cho_factor(scale[:, None] * curved * scale + RIDGE * np.eye(len(curved)))
        step = -scale * cho_solve(factor, scale * slope)
        fall = -step @ slope
        if fall < SMALL_FALL * slack:
            return
        shrinks = float(np.max(-step / multipliers))
        length = 1.0 if shrinks <= 0.9 else 0.9 / shrinks
        for _ in range(MOST_CUTS):
            moved = multipliers + length * step
            shares, slope = _slope(matrix, moved, slack)
            if step @ slope <= 0.5 * fall:
                break
            length *= 0.5
        multipliers[:] = moved


def _slope(
    matrix: np.ndarray, multipliers: np.ndarray, slack: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the players' shares for given multipliers, and the slope of the dual there.

    The dual is that of the Nash equilibrium of greatest entropy.
    """
    shares = _shares(matrix, multipliers)
    return shares, slack - matrix @ shares - BARRIER * slack / multipliers


def _shares(matrix: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
    """Return the players' shares for given multipliers: exp(A l) divided by its sum."""
    return softmax(matrix @ multipliers)


def _curvature(matrix: np.ndarray, shares: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    """Return the second derivatives of the dual: A' (diag p - p p') A plus those of the barrier.

    The dual is that of the Nash equilibrium of greatest entropy; A is the payoffs, p the shares.
    """
    around = matrix - shares @ matrix
    return np.diag(diagonal) + (around.T * shares) @ around


def alpha_rank(
    payoffs: np.ndarray, intensity: float = INTENSITY, population: int = POPULATION
) -> np.ndarray:
    """Return the alpha-rank of each player: its long-run share of time in a population.

    The shares are float64 ``[P]``, sum 1.

    Args:
        payoffs: antisymmetric, ``[P, P]``: the result of the row's player against the column's, in
            -1..1.
        intensity: alpha, above 0, the intensity of selection.
        population: m, the number of individuals.

    Raises:
        TournamentError: the matrix is none of that kind.
    """
    matrix = _checked(payoffs)
    size = len(matrix)
    leads = intensity * (matrix.T - matrix)  # of an invader, the column, over the row
    chances = np.array([_takeover(lead, population) for lead in leads.reshape(-1).tolist()])
    moves = chances.reshape(size, size) / max(size - 1, 1)
    order = np.argsort(-np.sum(leads >= 0, axis=0), kind="stable")
    shares = np.zeros(size)
    shares[order] = stationary(moves[order][:, order])
    return shares


def _takeover(lead: float, population: int) -> float:
    """Return the probability that an invading player with a lead takes over a population.

    Omidshafiei et al., eq. 8.
    """
    if abs(lead) < 1e-9:
        return 1.0 / population
    if lead > 0:
        return float((1.0 - exp(-lead)) / (1.0 - exp(-population * lead)))
    falling = exp((population - 1) * lead)
    return float(falling * (1.0 - exp(lead)) / (1.0 - exp(population * lead)))


def stationary(moves: np.ndarray) -> np.ndarray:
    """Return the stationary distribution of a Markov chain, float64 ``[P]``.

    States are eliminated one by one, the last first. Nothing is subtracted, so small numbers keep
    their digits (W. K. Grassmann, M. I. Taksar and D. P. Heyman, "Regenerative analysis and
    steady state distributions for Markov chains", Operations Research 33 (1985) 1107-1116).

    Args:
        moves: probabilities of row to column, ``[P, P]``; the diagonal is ignored. The first state
            must be reachable from all others. In alpha-rank it is the player that beats or draws
            with most others, which belongs to the only recurrent class.
    """
    left = moves.copy()
    size = len(left)
    for state in range(size - 1, 0, -1):
        left[:state, state] /= left[state, :state].sum()
        left[:state, :state] += left[:state, state, None] * left[state, :state]
    shares = np.zeros(size)
    shares[0] = 1.0
    for state in range(1, size):
        shares[state] = shares[:state] @ left[:state, state]
    return shares / shares.sum()


def _checked(payoffs: np.ndarray) -> np.ndarray:
    """Return the payoffs of a cross table as a float64 matrix, or raise if they are none.

    Raises:
        TournamentError: the matrix is not square and antisymmetric, or exceeds -1..1.
    """
    matrix = np.array(payoffs, dtype=np.float64)
    is_square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] > 0
    if not is_square or not np.array_equal(matrix, -matrix.T) or np.abs(matrix).max() > 1:
        raise TournamentError(
            f"payoffs of shape {list(matrix.shape)} given; a square of numbers from -1 to 1 is "
            "expected, where the result of a against b is minus that of b against a"
        )
    return matrix
