"""Pareto coevolution: each opponent is a separate objective."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tournaments.arena.outcomes import Played, Results
from tournaments.errors import TournamentError
from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import everybody
from tournaments.schemes.base import Roster, Scheme, Scoring, Sizes
from tournaments.schemes.scoring import shares

MOST_INDIVIDUALS = 1000


@dataclass(frozen=True)
class Pareto(Scheme):
    """Coevolution in which all individuals meet and are ranked by Pareto dominance.

    Ficici and Pollack, "Pareto optimality in coevolutionary learning" (ECAL 2001): an individual
    dominates another if it does as well against each opponent, and better against at least one.
    Individuals that are not dominated form the first layer. Without these individuals, the next
    that are not dominated form the second layer, and so on. Raw fitness is the number of layers
    behind an individual, plus less than 1 by competitive fitness sharing within its layer.
    """

    name: ClassVar[str] = "pareto"

    def check(self, sizes: Sizes) -> None:
        """Raise if a population is too large to compare each pair by all opponents."""
        super().check(sizes)
        if max(sizes) > MOST_INDIVIDUALS:
            raise TournamentError(
                f"population={max(sizes)} given; {self.name} compares any two individuals by all "
                f"opponents, so at most {MOST_INDIVIDUALS} are expected: take maxsolve"
            )

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        return everybody(roster.sizes), _Layers(roster.sizes)


class _Layers(Scoring):
    """The verdicts of all individuals, int8 ``[N, N]``, row against column."""

    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._verdicts = np.zeros((sum(sizes), sum(sizes)), dtype=np.int8)

    def take(self, played: Played, results: Results) -> None:
        a, b = played.pairs.T
        self._verdicts[a, b] = results.verdicts
        self._verdicts[b, a] = -results.verdicts

    def points(self) -> np.ndarray:
        cut = self._sizes[0]
        if len(self._sizes) == 1:
            return layered_points(self._verdicts)
        blocks = self._verdicts[:cut, cut:], self._verdicts[cut:, :cut]
        return np.concatenate([layered_points(block) for block in blocks])


def layered_points(verdicts: np.ndarray) -> np.ndarray:
    """Return the points of each individual by Pareto layers: the number of layers behind it.

    A share below 1 by competitive fitness sharing within its own layer is added.

    Args:
        verdicts: int8 ``[N, O]``, the verdict of each individual against each opponent.

    Returns:
        float64 ``[N]``.
    """
    layers = pareto_layers(verdicts)
    points = (layers.max() - layers).astype(np.float64)
    for layer in range(layers.max() + 1):
        rows = np.flatnonzero(layers == layer)
        beaten = verdicts[rows].T > 0
        points[rows] += shares(beaten) / (1 + len(beaten))
    return points


def pareto_layers(verdicts: np.ndarray) -> np.ndarray:
    """Return the Pareto layer of each individual, int64 ``[N]``. Layer 0 is not dominated.

    ``verdicts`` has the verdict of each individual against each opponent, ``[N, O]``.
    """
    count = len(verdicts)
    dominated_by = np.zeros((count, count), dtype=bool)
    for row, own in enumerate(verdicts):
        dominated_by[row] = (verdicts >= own).all(axis=1) & (verdicts > own).any(axis=1)
    layers = np.full(count, -1)
    layer = 0
    while (layers < 0).any():
        left = layers < 0
        layers[left & ~dominated_by[:, left].any(axis=1)] = layer
        layer += 1
    return layers


SCHEME = Pareto
