"""What the study of supervised training measures: points, networks, variants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Point:
    """All networks of one width at one checkpoint, against one opponent.

    Attributes:
        width: of the first weights.
        epoch: how often networks have seen their sets.
        opponent: whom they met.
        mean, deviation: win rate over the networks, and its standard deviation.
        best: the highest win rate, biased upwards, being the best of many estimates.
        network: whose it is, the first of equals.
        again, again_low, again_high: what it wins of fresh games, and the 95% interval of that.
    """

    width: float
    epoch: int
    opponent: str
    mean: float
    deviation: float
    best: float
    network: int
    again: float
    again_low: float
    again_high: float


@dataclass(frozen=True)
class Trained:
    """One network at the end.

    Attributes:
        width: of the first weights.
        network, set: its number, and its set's.
        positions: of that set.
        error, best_moves: on positions of games that it has not seen, see
            :class:`evo.studies.dots_and_boxes_supervised.backpropagation.Assessment`.
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

    def last(self, width: float, opponent: str) -> Point:
        """The networks of a width at the end, against an opponent."""
        return [one for one in self.curve if (one.width, one.opponent) == (width, opponent)][-1]
