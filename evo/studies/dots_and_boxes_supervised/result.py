"""What the study of supervised training measures: points, networks, variants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evo.studies.training.curve import Point


@dataclass(frozen=True)
class Trained:
    """One network at the end.

    Attributes:
        width: of the first weights.
        network, set: its number, and its set's.
        positions: of that set.
        error, best_moves: on positions of games that it has not seen, see
            :class:`evo.studies.training.backpropagation.Assessment`.
        third_sides: share of its moves, at positions at which no edge completes a box, that draw a
            third side though others do not.
        first_slope: the mean slope of its nodes before training.
        level_0, level_1: win rates.
        grid_level_0, grid_level_1: those of the nearest genome, in the same games.
    """

    width: float
    network: int
    set: int
    positions: int
    error: float
    best_moves: float
    third_sides: float
    first_slope: float
    level_0: float
    level_1: float
    grid_level_0: float
    grid_level_1: float


@dataclass(frozen=True)
class Variant:
    """What a few networks come to where one thing is different.

    Attributes:
        variant: what is.
        width: of the first weights.
        positions, epochs: of the first set, and how often it was seen.
        error, best_moves: as of :class:`Trained`, means.
        level_0, level_0_best, level_1, level_1_best: win rates, in the mean and the highest.
    """

    variant: str
    width: float
    positions: int
    epochs: int
    error: float
    best_moves: float
    level_0: float
    level_0_best: float
    level_1: float
    level_1_best: float


@dataclass(frozen=True, eq=False)
class Result:
    """What came of the study.

    Attributes:
        curve: figure 5, by width, epoch and opponent.
        networks: every network at the end, by width.
        variants: what explains it.
        weights: at the end, float32 ``[widths, networks, W]``.
        positions: usable ones of each set.
        left_out: positions of each set at which no move completes a box.
        random: win rate of random play against level 1, with its 95% interval.
        random_third_sides: what :attr:`Trained.third_sides` is of random play.
        training_seconds: CPU time that the networks of each width took, by width.
    """

    curve: tuple[Point, ...]
    networks: tuple[Trained, ...]
    variants: tuple[Variant, ...]
    weights: np.ndarray
    positions: tuple[int, ...]
    left_out: tuple[int, ...]
    random: tuple[float, float, float]
    random_third_sides: float
    training_seconds: dict[float, float]

    def of(self, width: float, opponent: str) -> list[Point]:
        """The points of a width against an opponent."""
        return [point for point in self.curve if (point.width, point.opponent) == (width, opponent)]

    def last(self, width: float, opponent: str) -> Point:
        """The networks of a width at the end, against an opponent."""
        return self.of(width, opponent)[-1]
