"""Measurements by which the claims of Weaver and Bossomaier (1998) are judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from evo.studies.dots_and_boxes_1998.curves import Curves
from evo.studies.intervals import Interval


@dataclass(frozen=True)
class Supervised:
    """Results of training by back-propagation (section 4.3).

    Attributes:
        mean: mean win rate of the trained networks, by opponent, a number a checkpoint from before
            training on, float64 [K].
        highest: that of the best of them at each checkpoint, by opponent, float64 [K].
        fresh: win rate of the best at the last checkpoint in other games, by opponent.
        seconds: of one processor, to train all of them.
    """

    mean: Mapping[str, np.ndarray]
    highest: Mapping[str, np.ndarray]
    fresh: Mapping[str, float]
    seconds: float

    @property
    def measured_again(self) -> Supervised:
        """The same results of training, with the best networks measured in fresh games alone."""
        return replace(self, highest={name: np.array([rate]) for name, rate in self.fresh.items()})


@dataclass(frozen=True)
class Measurements:
    """Curves of evolved populations, facts, and trained networks.

    Attributes:
        curves: at the lower mutation rate, by the estimates that chose the best.
        facts: numbers by name that depend on no run; see :func:`facts.measure_facts`.
        faster: the same curves at the higher mutation rate; None: not run.
        seconds: of one processor that a run of each population took, in the median.
        supervised: by how the first weights were drawn; empty: networks were not trained.
    """

    curves: Curves
    facts: Mapping[str, Interval]
    faster: Curves | None = None
    seconds: Mapping[str, float] | None = None
    supervised: Mapping[str, Supervised] | None = None
