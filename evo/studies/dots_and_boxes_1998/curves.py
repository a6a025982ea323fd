"""The best of each population over the games played, a curve per seed: the basis of the claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from evo.studies.intervals import Interval, median_interval

if TYPE_CHECKING:
    from results import DataFrame
    from results.read.sweep import Sweep

DIRECT_0, DIRECT_1 = "direct-level-0", "direct-level-1"
ROUND_ROBIN, ANTIBODIES = "round-robin", "antibody-antigen"
POPULATIONS = (ANTIBODIES, DIRECT_0, DIRECT_1, ROUND_ROBIN)
RANDOM, GREEDY = "level-0", "level-1"
LATE = 0.75
"""Where the last quarter of a run begins: over it what a population ends with is averaged."""


@dataclass(frozen=True)
class Curves:
    """Win rates of the best individual of each snapshot.

    Attributes:
        games: numbers of games played, float64 [K], rising from 0.
        rates: win rates by population and opponent, float64 [seeds, K]; the same seeds in the same
            order for all.
    """

    games: np.ndarray
    rates: Mapping[tuple[str, str], np.ndarray] = field(repr=False)

    @property
    def seeds(self) -> int:
        """Number of seeds of the curves."""
        return len(next(iter(self.rates.values())))

    @property
    def populations(self) -> list[str]:
        """Names of the populations of the curves."""
        return list(dict.fromkeys(name for name, _ in self.rates))

    def start(self, population: str, opponent: str) -> np.ndarray:
        """Return the win rate of a population's best of generation 0, float64 [seeds]."""
        return self.rates[population, opponent][:, 0]

    def late(self, population: str, opponent: str) -> np.ndarray:
        """Return the mean win rate of a population's best in the last quarter, float64 [seeds].

        It is the last quarter of the games played.
        """
        last = self.games >= LATE * self.games[-1]
        return self.rates[population, opponent][:, last].mean(axis=1)

    def gain(self, population: str, opponent: str) -> np.ndarray:
        """Return the gain in a population's win rate since generation 0, float64 [seeds].

        It is the win rate in the last quarter of the games, minus that in generation 0.
        """
        return self.late(population, opponent) - self.start(population, opponent)

    def change(self, population: str, opponent: str) -> np.ndarray:
        """Return the gain in a population's win rate since the second quarter, float64 [seeds].

        It is the win rate in the last quarter of the games, minus that in the second.
        """
        second = np.linspace(0.25, 0.5, 6) * self.games[-1]
        rates = [np.interp(second, self.games, row) for row in self.rates[population, opponent]]
        return self.late(population, opponent) - np.mean(rates, axis=1)

    def games_until(self, population: str, opponent: str, rate: float) -> np.ndarray:
        """Return the games after which a population's best first wins ``rate``, float64 [seeds].

        Between two points the curve is straight. A rate that is never won has infinite games.
        """
        rows = self.rates[population, opponent]
        return np.array([_first_at(self.games, row, rate) for row in rows])

    # --- the same curves seen otherwise ----------------------------------------------------------

    def of(self, seeds: Sequence[int]) -> Curves:
        """Return the curves of some seeds, given by their positions among all seeds."""
        return Curves(self.games, {key: rows[list(seeds)] for key, rows in self.rates.items()})

    def until(self, games: float) -> Curves:
        """Return the curves cut off after a number of games; at least two points remain."""
        points = max(2, int(np.count_nonzero(self.games <= games)))
        rates = {key: rows[:, :points] for key, rows in self.rates.items()}
        return Curves(self.games[:points], rates)

    def with_population(self, name: str, other: Curves, its_name: str) -> Curves:
        """Return the curves with those of one population replaced by those of other runs.

        Only the common seeds remain. The other curves are interpolated at the numbers of games of
        these.

        Args:
            name: the population that is replaced.
            other: the curves of the other runs.
            its_name: the population of the other runs.
        """
        seeds = min(self.seeds, other.seeds)
        rates = dict(self.of(range(seeds)).rates)
        for (population, opponent), rows in other.rates.items():
            if population == its_name:
                taken = [np.interp(self.games, other.games, row) for row in rows[:seeds]]
                rates[name, opponent] = np.array(taken)
        return Curves(self.games, rates)


def _first_at(games: np.ndarray, rates: np.ndarray, wanted: float) -> float:
    reached = np.flatnonzero(rates >= wanted)
    if not len(reached):
        return np.inf
    place = int(reached[0])
    if place == 0:
        return 0.0
    below, above = rates[place - 1], rates[place]
    share = (wanted - below) / (above - below)
    return float(games[place - 1] + share * (games[place] - games[place - 1]))


def difference(one: np.ndarray, other: np.ndarray) -> Interval:
    """Return the median difference between two arrays of a value per seed, seed by seed."""
    apart = np.subtract(one, other, out=np.zeros(len(one)), where=one != other)  # inf - inf is 0
    return median_interval(apart)


def curves_of(runs: Sweep, best: DataFrame, estimate: str, rate: Any = None) -> Curves:
    """Return the curves of win rates over games of the runs of a sweep.

    Args:
        runs: a sweep.
        best: the table of :func:`results.plots.sweep.best_of_snapshots`.
        estimate: ``best``, by the games that chose the individual, or ``again``.
        rate: the mutation rate, where the sweep has several.
    """
    rows = best if rate is None else best[best["mutation_probability"] == rate]
    ends = rows.groupby([*runs.columns, "opponent"], dropna=False)["games_played"]
    points = int(ends.size().median())
    grid = np.linspace(0.0, float(ends.max().min()), points)
    rates = {}
    for (variant, opponent), part in rows.groupby(["variant", "opponent"], sort=False):
        seeds = [
            (run["games_played"].to_numpy(float), run[estimate].to_numpy(float))
            for _, run in part.groupby("seed", sort=True)
        ]
        curves = np.array([np.interp(grid, played, won) for played, won in seeds])
        rates[str(variant), str(opponent)] = curves
    return Curves(grid, rates)
