"""The experiments of Bakhshi and Budriunas (2012), section 4: which role learns how, from what.

The cells are those of the authors' program, ``Experiment.java`` of github.com/mabu/Fox-and-Hounds
at commit 8e068ff. ``published.csv`` holds the results of that commit, ``docs/report/exp*.csv``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import NamedTuple

from cluster.processors import available_threads
from evo.studies.settings import PageSettings, setting
from tournaments import games
from tournaments.game import Game
from tournaments.options import option

GAME = "fox-and-hounds"
ROLES = ("fox", "hounds")
PHASE = 100_000
"""Turns of a phase of the source."""
PUBLISHED = Path(__file__).with_name("published.csv")


@dataclass(frozen=True)
class FoxAndHoundsSettings(PageSettings):
    """Options of the study.

    Attributes:
        seeds: pairs of each cell
        turns: turns of a cell; experiment 5 has 4.8 times as many
        phase: turns from one evaluation to the next
        games: games of an evaluation, of each pair and side
        exact: pairs of a cell whose hounds are measured exactly
        rivals: seeds of each evolved rival; 0: these are left out
        rows: rows of the board
        cols: columns of the board, even
        seed: seed of all cells
        quick: few seeds and turns, in a minute: to see how it goes
        runs: folder in which what is done stays done; empty: none
        threads: threads; 0: one a processor
    """

    seeds: int = setting(6, low=1, high=1000)
    turns: int = setting(10_000_000, low=1, high=10**9, quick=200_000)
    phase: int = setting(PHASE, low=1, high=10**9)
    games: int = setting(100)
    exact: int = setting(6, low=0, high=1000, quick=2)
    rivals: int = setting(3, low=0, high=1000, quick=1)
    rows: int = setting(8, low=4, high=8)
    cols: int = setting(8, low=4, high=8)
    seed: int = setting(1, low=0, high=2**31)
    quick: bool = option(False)
    runs: str = option("")
    threads: int = setting(0, low=0, high=4096)

    @property
    def game(self) -> Game:
        """The game of fox and hounds on the board of the study, or on a smaller one."""
        return games.make(GAME, rows=self.rows, cols=self.cols)

    @property
    def workers(self) -> int:
        """Number of threads that run the experiments."""
        return self.threads or available_threads()


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
"""Final exploration in the cell ``adaptive``."""
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
        starts: by role, the cell whose tables are the initial tables.
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
    """Yield the eight cells of an experiment in which one role learns against random play.

    ``is_of_foxes`` says whether foxes learn, or hounds.
    """
    for slow, short, (name, rates) in product(("", SLOW), ("", SHORT), EXPLORATIONS.items()):
        learning = Rates(rates.epsilon, 0.3 if slow else 0.5, 0.95 if short else 0.99)
        roles = (learning, AT_RANDOM) if is_of_foxes else (AT_RANDOM, learning)
        yield Cell(f"{experiment}-{name}{slow}{short}", experiment, *roles)


def _both(experiment: int, share: float, is_trained: bool) -> tuple[Cell, ...]:
    """Return the four cells of an experiment in which both foxes and hounds learn.

    Args:
        experiment: number of the experiment.
        share: number of turns of a cell, as a share of that in the settings.
        is_trained: whether the roles begin with the tables of experiments 2 and 3.
    """
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
