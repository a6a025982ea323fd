"""Ratings of players who met at tables of any size, fitted jointly, with intervals.

The model is that of R. D. Luce and R. L. Plackett, with ties as in H. Turner, J. van Etten, D.
Firth and I. Kosmidis, "Modelling rankings in R: the PlackettLuce package", Computational Statistics
35 (2020) 1027-1057. A ranking is a sequence of choices of the best: among the players that are
left, a set of t players is chosen with a probability proportional to the geometric mean of their
worths and to a factor for ties of t. For two players without ties, it is the model of Bradley and
Terry.

As in :mod:`tournaments.analysis.ratings`, each player has half won and half lost a game against a
virtual player of strength 0, and intervals come from the observed information.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp
from threadpoolctl import threadpool_limits

from tournaments.analysis.ratings import PRIOR_GAMES, Ratings, ratings_of
from tournaments.errors import TournamentError

TIE_DEVIATION = 5.0
"""Standard deviation of the prior of the logarithm of a factor for ties."""
TOLERANCE = 1e-8
"""Largest slope of the likelihood at the ratings."""


class Choices(NamedTuple):
    """Equal choices among players, for one number of players that are left, A.

    Attributes:
        left: int ``[K, A]``, the players that are left.
        chosen: int ``[K]``, the row of :attr:`sets` with the players that are chosen.
        counts: float64 ``[K]``, how often each choice was made.
        sets: float64 ``[T, A]``, all sets of players that may be chosen: 1 / t for each of t.
        ties: int ``[T]``, t - 2 of each set; -1: a single player.
    """

    left: np.ndarray
    chosen: np.ndarray
    counts: np.ndarray
    sets: np.ndarray
    ties: np.ndarray


def plackett_luce(
    players: int, groups: np.ndarray, scores: np.ndarray, anchor: int | None = None
) -> Ratings:
    """Fit the ratings of all players together to the scores of games of two or more players.

    Args:
        players: P, their number.
        groups: int ``[G, S]``, the players of each game by their numbers 0..P-1.
        scores: float ``[G, S]``, the score of each player. More is better, and only the order
            counts. A game with NaN is left out.
        anchor: the player whose rating is 0; None: the mean of all ratings is 0.

    Raises:
        TournamentError: a player number is out of range, or stands twice in a game.
    """
    groups, scores = np.asarray(groups), np.asarray(scores, dtype=np.float64)
    if groups.ndim != 2 or groups.shape != scores.shape:
        raise TournamentError(
            f"groups of shape {groups.shape} and scores of shape {scores.shape} given; both are "
            "expected as [games, seats]"
        )
    ordered = np.sort(groups, axis=1)
    if groups.size and (
        ordered.min() < 0 or ordered.max() >= players or (np.diff(ordered) == 0).any()
    ):
        raise TournamentError(
            f"groups given; different players from 0 to {players - 1} are expected"
        )
    with threadpool_limits(1, "blas"):
        return _fitted(players, _choices(groups, scores), anchor)


def _choices(groups: np.ndarray, scores: np.ndarray) -> list[Choices]:
    """Return the choices that make the rankings of games, equal ones counted."""
    counts: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter()
    is_whole = ~np.isnan(scores).any(axis=1)
    ranks = (scores[is_whole, :, None] > scores[is_whole, None, :]).sum(axis=2)  # 0: the worst
    ranked = np.concatenate([groups[is_whole], ranks], axis=1)
    for row, games in zip(*np.unique(ranked, axis=0, return_counts=True), strict=True):
        who, score = np.split(row, 2)
        left = {*who.tolist()}
        for value in np.unique(score)[::-1]:
            if len(left) > 1:
                best = tuple(sorted(who[score == value].tolist()))
                counts[tuple(sorted(left)), best] += int(games)
                left -= {*best}
    most = max((len(best) for _, best in counts), default=1)
    choices = []
    for size in sorted({len(left) for left, _ in counts}):
        sets = [
            each
            for ties in range(1, min(most, size) + 1)
            for each in combinations(range(size), ties)
        ]
        rows = np.array([[(place in each) / len(each) for place in range(size)] for each in sets])
        number = {each: row for row, each in enumerate(sets)}
        alike = [(left, best, n) for (left, best), n in sorted(counts.items()) if len(left) == size]
        choices.append(
            Choices(
                np.array([left for left, _, _ in alike]),
                np.array([number[tuple(map(left.index, best))] for left, best, _ in alike]),
                np.array([n for *_, n in alike], dtype=np.float64),
                rows,
                np.array([len(each) - 2 for each in sets]),
            )
        )
    return choices


def _fitted(players: int, choices: list[Choices], anchor: int | None) -> Ratings:
    most = max((int(each.ties[each.chosen].max()) + 1 for each in choices), default=0)
    size = players + most

    def loss(values: np.ndarray, order: int) -> list[np.ndarray]:
        """Return the negative logarithm of the posterior, and its derivatives up to ``order``."""
        strengths, factors = values[:players], values[players:]
        # Half won and half lost against a player of strength 0.
        even = 1.0 / (1.0 + np.exp(-strengths))
        total = PRIOR_GAMES * (np.logaddexp(0.0, strengths) - strengths / 2).sum()
        total += (factors**2).sum() / (2 * TIE_DEVIATION**2)
        slope = np.concatenate([PRIOR_GAMES * (even - 0.5), factors / TIE_DEVIATION**2])
        curve = np.diag(
            np.concatenate([PRIOR_GAMES * even * (1 - even), np.full(most, TIE_DEVIATION**-2)])
        )
        for left, chosen, counts, sets, ties in choices:
            is_tie = np.eye(most)[ties] * (ties >= 0)[:, None] if most else np.zeros((len(ties), 0))
            features = np.hstack([sets, is_tie])  # of each set: shares of its players, its tie
            where = np.hstack([left, np.tile(np.arange(players, size), (len(left), 1))])
            worths = strengths[left] @ sets.T + is_tie @ factors
            norms = logsumexp(worths, axis=1)
            total -= counts @ (worths[np.arange(len(left)), chosen] - norms)
            chances = np.exp(worths - norms[:, None])
            means = chances @ features
            np.add.at(slope, where, counts[:, None] * (means - features[chosen]))
            if order > 1:
                squares = np.einsum("kt,ti,tj->kij", chances, features, features)
                squares -= means[:, :, None] * means[:, None, :]
                rows = np.broadcast_to(where[:, :, None], squares.shape)
                np.add.at(curve, (rows, rows.swapaxes(1, 2)), counts[:, None, None] * squares)
        return [np.asarray(total), slope, curve]

    found = minimize(
        lambda values: float(loss(values, 0)[0]),
        np.zeros(size),
        method="trust-exact",
        jac=lambda values: loss(values, 1)[1],
        hess=lambda values: loss(values, 2)[2],
        options={"gtol": TOLERANCE},
    )
    covariances = np.linalg.inv(loss(found.x, 2)[2])[:players, :players]
    return ratings_of(found.x[:players], covariances, anchor)
