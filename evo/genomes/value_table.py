"""Tables of the values of actions: the encoding of learners by reward."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from evo.genomes.base import EncodingOptions, Genome, Plan, plans_by_role
from tournaments.game import Game
from tournaments.options import option
from tournaments.players.value_table import ValueEncoding, may_have_values

COMPARED = 65_536
"""Number of values that diversity compares."""


@dataclass(frozen=True)
class ValueTableOptions(EncodingOptions):
    """Tables with a row for each position and the value of each of its legal actions, float32.

    Attributes:
        initial: the value of an action that was never tried
    """

    values: ClassVar[bool] = True
    encoding: str = option("value-table")
    initial: float = option(0.0, low=-1e6, high=1e6)

    @staticmethod
    def fits(game: Game) -> bool:
        """Return whether a game has few enough positions for a table of values."""
        return game.rules.contest is None and may_have_values(game)

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """Return the populations of tables of values: one per role, or one if seats are alike."""
        return plans_by_role(
            game, lambda seats: ValueTable(ValueEncoding(game, seats, self.initial))
        )


@dataclass(frozen=True)
class ValueTable(Genome):
    """The values of actions, float32 ``[N, V]``. NaN marks an action that was never tried."""

    default_mutation: ClassVar[str] = ""
    unit: ClassVar[str] = "values of actions"
    rule: ClassVar[str] = "rewards alone change them"
    representation: ValueEncoding

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        """Return tables of values for individuals that have not tried any action."""
        return np.full((individuals, self.num_genes), np.nan, dtype=np.float32)

    def diversity(self, genes: np.ndarray) -> float:
        """Return the diversity of tables: the mean share of values in which two tables differ.

        Only values that at least one table has tried are compared. For large tables some tens of
        thousands of evenly spaced values are compared.
        """
        if len(genes) < 2:
            return 0.0
        some = np.sort(self.pack(genes[:, :: max(1, self.num_genes // COMPARED)]).view("<u4"), 0)
        some = some[:, np.isfinite(some.view("<f4")).any(axis=0)]
        if not some.shape[1]:
            return 0.0
        alike = _pairs_alike(some)
        individuals = len(genes)
        return 1.0 - alike / (individuals * (individuals - 1) / 2 * some.shape[1])

    def are_alleles(self, genes: np.ndarray) -> bool:
        return genes.dtype.kind == "f" and not np.isinf(genes).any()

    @property
    def can_change(self) -> bool:
        return False  # rewards alone change values


def _pairs_alike(ordered: np.ndarray) -> int:
    """Return the number of pairs of equal values within columns of ``[N, K]``.

    Each column is in ascending order.
    """
    alike, run = 0, np.zeros(ordered.shape[1], dtype=np.int64)
    for before, row in pairwise(ordered):
        run = np.where(row == before, run + 1, 0)
        alike += int(run.sum())
    return alike


GENOME = ValueTableOptions
