"""What players are worth by whom they beat: Nash shares and alpha-rank of a cross table.

One number of strength, as Bradley and Terry's, says little where a beats b, b beats c and c beats
a, and it changes when a copy of somebody joins. These two take the cross table as a symmetric game
of two: each names a player, and gets what it makes of the other.

* **Nash shares** are the equilibrium of that game in which most players have a part: of all
  equilibria the one of greatest entropy (D. Balduzzi, K. Tuyls, J. Perolat and T. Graepel,
  "Re-evaluating evaluation", NeurIPS 2018). Who is beaten in every mixture has none; copies share
  what one would have.
* **alpha-rank** is how often a population of one kind is of each player, where mutants come and
  take over by what they make of it (S. Omidshafiei et al., "alpha-Rank: multi-agent evaluation by
  evolution", Scientific Reports 9 (2019) 9937).

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
"""Beyond which equilibria take longer than they are worth."""
INTENSITY = 100.0
"""alpha, of selection: who wins 51 games of 100 then takes over in nearly all
cases."""
POPULATION = 50
"""m, individuals of a population."""
SLACKS = [10.0**-power for power in range(1, 8)]
"""How much better than the equilibrium another player may do, in steps to nearly nothing."""
BARRIER = 1e-3
"""Of the barrier to each slack."""
MOST_STEPS, MOST_CUTS = 60, 40
"""Newton steps for each slack, and how often one is halved."""
RIDGE = 1e-15
"""Added to the diagonal of a system whose diagonal is scaled to 1, so that it can be solved."""
SMALL_FALL = 1e-10
"""By how much the dual would still fall, in units of the slack, where it is at its bottom."""


def nash_shares(payoffs: np.ndarray) -> np.ndarray:
    """The shares of the Nash equilibrium of greatest entropy, float64 ``[P]``, their sum is 1.

    The dual of that problem is a smooth function of multipliers above 0, one a player: the
    logarithm of the sum of exp(A l). It is followed by Newton's method with a barrier while the
    slack s of A p <= s goes to nearly nothing. Of games with ties, where an equilibrium has no
    room, 0.0001 of a payoff may be left to gain.

    Args:
        payoffs: antisymmetric, ``[P, P]``: what the row's player makes of the column's, in -1..1.

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
    """Move the multipliers, in place, to the bottom of the dual with this slack.

    A step is halved until the dual, which is convex, rises at its end by no more than half of
    what it falls by at its beginning: slopes keep the digits that the dual itself loses.
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
    """The shares that go with multipliers, those of exp(A l), and the slope of the dual there."""
    shares = _shares(matrix, multipliers)
    return shares, slack - matrix @ shares - BARRIER * slack / multipliers


def _shares(matrix: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
    """exp(A l) over its sum."""
    return softmax(matrix @ multipliers)


def _curvature(matrix: np.ndarray, shares: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    """The second derivatives: A' (diag p - p p') A, and what the barrier adds."""
    around = matrix - shares @ matrix
    return np.diag(diagonal) + (around.T * shares) @ around


def alpha_rank(
    payoffs: np.ndarray, intensity: float = INTENSITY, population: int = POPULATION
) -> np.ndarray:
    """How often a population is of each player in the long run, float64 ``[P]``, the sum is 1.

    Args:
        payoffs: antisymmetric, ``[P, P]``: what the row's player makes of the column's, in -1..1.
        intensity: alpha, above 0: how surely the better takes over.
        population: m, of how many individuals.

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
    """The probability that one invader with a lead takes over (Omidshafiei et al., eq. 8)."""
    if abs(lead) < 1e-9:
        return 1.0 / population
    if lead > 0:
        return float((1.0 - exp(-lead)) / (1.0 - exp(-population * lead)))
    falling = exp((population - 1) * lead)
    return float(falling * (1.0 - exp(lead)) / (1.0 - exp(population * lead)))


def stationary(moves: np.ndarray) -> np.ndarray:
    """The stationary distribution of a Markov chain, float64 ``[P]``.

    States are taken out one by one, the last first, and nothing is subtracted, so small numbers
    keep their digits (W. K. Grassmann, M. I. Taksar and D. P. Heyman, "Regenerative analysis and
    steady state distributions for Markov chains", Operations Research 33 (1985) 1107-1116).

    Args:
        moves: probabilities of row to column, ``[P, P]``; the diagonal is not looked at. The first
            state is reached from all others. In alpha-rank it is the player that beats or draws
            with most others, which belongs to the one class of states that is never left.
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
    """The matrix of a game, or an error."""
    matrix = np.array(payoffs, dtype=np.float64)
    is_square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] > 0
    if not is_square or not np.array_equal(matrix, -matrix.T) or np.abs(matrix).max() > 1:
        raise TournamentError(
            f"payoffs of shape {list(matrix.shape)} given; a square of numbers from -1 to 1 is "
            "expected, what a makes of b being minus what b makes of a"
        )
    return matrix
