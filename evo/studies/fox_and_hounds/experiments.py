"""The experiments of Bakhshi and Budriunas (2012), section 4: who learns how, from what.

The paper gives the parameters of experiments 1, 4 and 5, and of experiments 2 and 3 those that it
names in its text; graphs whose parameters it does not print are filled in from these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
SLOW, SLOW_HIGH = Rates(0.1, eta=0.1), Rates(0.2, eta=0.1)
SHORT, SHORT_HIGH = Rates(0.1, gamma=0.9), Rates(0.2, gamma=0.9)


@dataclass(frozen=True)
class Cell:
    """A line, or two, of a graph: a fox and hounds that play each other.

    Attributes:
        name: in tables.
        experiment: its number in the paper; 0: it is ours.
        fox, hounds: how they learn.
        share: of the turns of the longest cells that it takes.
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


CELLS = (
    Cell("1", 1, share=0.1),
    Cell("2-low", 2, hounds=LOW),
    Cell("2-high", 2, hounds=HIGH),
    Cell("2-low-short", 2, hounds=SHORT),
    Cell("2-high-short", 2, hounds=SHORT_HIGH),
    Cell("2-low-slow", 2, hounds=SLOW),
    Cell("2-high-slow", 2, hounds=SLOW_HIGH),
    Cell("3-low", 3, fox=LOW, share=0.3),
    Cell("3-high", 3, fox=HIGH, share=0.3),
    Cell("4-low-low", 4, LOW, LOW, 0.5, {"fox": "3-low", "hounds": "2-low"}),
    Cell("4-low-high", 4, LOW, HIGH, 0.5, {"fox": "3-low", "hounds": "2-high"}),
    Cell("4-high-low", 4, HIGH, LOW, 0.5, {"fox": "3-high", "hounds": "2-low"}),
    Cell("5-low-low", 5, LOW, LOW),
    Cell("5-low-high", 5, LOW, HIGH),
    Cell("5-high-low", 5, HIGH, LOW),
    Cell("5-high-high", 5, HIGH, HIGH),
    Cell("adaptive", 0, LOW, LOW, adaptive=0.2),
    Cell("least", 0, LOW, LEAST),
)
"""All that is run, in an order in which each has what it goes on with."""
BY_NAME = {cell.name: cell for cell in CELLS}
