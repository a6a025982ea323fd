"""The experiments of Bakhshi and Budriunas (2012), section 4: which role learns how, from what.

The cells are those of the authors' program, ``Experiment.java`` of github.com/mabu/Fox-and-Hounds
at commit 8e068ff. ``published.csv`` holds the results of that commit, ``docs/report/exp*.csv``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple


class Rates(NamedTuple):
    """Exploration, learning rate and discount; all 0: random play that learns nothing."""

    epsilon: float
    eta: float = 0.5
    gamma: float = 0.99

    @property
    def in_words(self) -> str:
        if not any(self):
            return "random"
        return f"epsilon {self.epsilon:g}, eta {self.eta:g}, gamma {self.gamma:g}"


LEAST = Rates(0.001)
"""What exploration falls to in the cell ``adaptive``."""
AT_RANDOM = Rates(0.0, 0.0, 0.0)
LOW, HIGH = Rates(0.1), Rates(0.2)
EXPLORATIONS = {"low": LOW, "high": HIGH}
SLOW, SHORT = "-slow", "-short"
"""Suffixes of cells with a learning rate of 0.3 in place of 0.5, with a discount of 0.95."""


@dataclass(frozen=True)
class Cell:
    """A line, or two, of a graph: a fox and hounds that play each other.

    Attributes:
        name: in tables.
        experiment: its number in the paper; 0: it is ours.
        fox, hounds: how they learn.
        share: turns of the cell, as a share of ``Settings.turns``.
        starts: by role, the cell whose tables it goes on with.
        adaptive: see ``learner.adaptive``.
    """

    name: str
    experiment: int
    fox: Rates = AT_RANDOM
    hounds: Rates = AT_RANDOM
    share: float = 1.0
    starts: Mapping[str, str] = field(default_factory=dict)
    adaptive: float = 0.0

    @property
    def in_words(self) -> str:
        parts = [f"fox {self.fox.in_words}", f"hounds {self.hounds.in_words}"]
        return "; ".join([*parts, *([f"adaptive {self.adaptive:g}"] if self.adaptive else [])])


def _alone(experiment: int, is_of_foxes: bool) -> Iterator[Cell]:
    """The eight cells in which one role learns against random play."""
    for slow, short, (name, rates) in product(("", SLOW), ("", SHORT), EXPLORATIONS.items()):
        learning = Rates(rates.epsilon, 0.3 if slow else 0.5, 0.95 if short else 0.99)
        roles = (learning, AT_RANDOM) if is_of_foxes else (AT_RANDOM, learning)
        yield Cell(f"{experiment}-{name}{slow}{short}", experiment, *roles)


def _both(experiment: int, share: float, is_trained: bool) -> tuple[Cell, ...]:
    """The four cells in which both roles learn, from nothing or from experiments 2 and 3."""
    return tuple(
        Cell(
            f"{experiment}-{fox}-{hounds}",
            experiment,
            EXPLORATIONS[fox],
            EXPLORATIONS[hounds],
            share,
            {"fox": f"3-{fox}", "hounds": f"2-{hounds}"} if is_trained else {},
        )
        for fox, hounds in product(EXPLORATIONS, EXPLORATIONS)
    )


LONG = 4.8
"""Share of the turns that experiment 5 takes: 480 phases in place of 100."""
CELLS = (
    Cell("1", 1),
    *_alone(2, is_of_foxes=False),
    *_alone(3, is_of_foxes=True),
    *_both(4, 1.0, is_trained=True),
    *_both(5, LONG, is_trained=False),
    Cell("adaptive", 0, LOW, LOW, LONG, adaptive=0.2),
    Cell("least", 0, LOW, LEAST),
)
"""All cells, in an order in which each follows the cells that it goes on with."""
BY_NAME = {cell.name: cell for cell in CELLS}
