"""Policy tables as genomes, for all forms of table that games offer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from evo.genomes.base import EncodingOptions, Genome, Plan, plans_by_role, table_diversity
from evo.population import ALL
from tournaments.game import Game
from tournaments.options import as_options, option
from tournaments.players.table import TableEncoding


@dataclass(frozen=True)
class TableOptions(EncodingOptions):
    """Base class of the options of a form of table. A subclass has the name of the form."""

    @classmethod
    def fits(cls, game: Game) -> bool:
        """Return whether a game offers this form of policy tables."""
        return cls.encoding in game.rules.tables

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """Return the populations of policy tables: one per role, or one for both seats."""
        options = as_options(self)
        form, pairs = options.pop("encoding"), options.pop("pairs", False)
        return table_plans(game, form, pairs, {name: str(one) for name, one in options.items()})


@dataclass(frozen=True)
class PairedTableOptions(TableOptions):
    """Base class of the options of forms whose genomes may hold a policy of each role.

    Attributes:
        pairs: one population of pairs, a policy for each role in one genome, that meet in matches
            of two games, in place of one population per role
    """

    pairs: bool = option(False)


def table_plans(
    game: Game, form: str, pairs: bool, options: Mapping[str, str] | None = None
) -> tuple[Plan, ...]:
    """Return the populations of policy tables of a form: one per role, or one for both seats.

    Args:
        game: the game.
        form: name of the form of table that the game offers.
        pairs: whether individuals hold the tables of both seats.
        options: options of the form.
    """

    def genome(seats: tuple[int, ...]) -> PolicyTable:
        return PolicyTable(TableEncoding(game, form, seats, options or {}, is_checked=True))

    return (Plan(ALL, genome((0, 1))),) if pairs else plans_by_role(game, genome)


@dataclass(frozen=True)
class PolicyTable(Genome):
    """Policy tables: a legal action for each situation of the mover, one byte per gene.

    Rows from outside are checked when they are unpacked. Variation keeps them legal.
    """

    default_mutation: ClassVar[str] = "reset"
    unit: ClassVar[str] = "legal actions"
    rule: ClassVar[str] = "every gene must stay one of its alleles, so take one that swaps genes"
    representation: TableEncoding

    @property
    def mutation_arguments(self) -> dict[str, Any]:
        return {"alleles": self.representation.alleles, "counts": self.representation.counts}

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        return self.representation.random(individuals, rng).view(np.uint8)

    def pack(self, genes: np.ndarray) -> np.ndarray:
        return genes

    def unpack(self, genomes: np.ndarray) -> np.ndarray:
        return self.representation.checked(genomes[:, : self.num_genes]).view(np.uint8)

    def diversity(self, genes: np.ndarray) -> float:
        return table_diversity(genes)

    def are_alleles(self, genes: np.ndarray) -> bool:
        return bool((genes[:, None] == self.representation.alleles).any(axis=1).all())

    def change(self, genes: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> None:
        alleles, counts = self.representation.alleles, self.representation.counts
        places = self._free[rng.integers(0, len(self._free), len(rows))]
        others = rng.integers(0, counts[places] - 1)
        # Alleles before the present one keep their numbers, the others move up by one.
        present = (alleles[places] == genes[rows, places][:, None]).argmax(axis=1)
        genes[rows, places] = alleles[places, others + (others >= present)]

    @property
    def can_change(self) -> bool:
        return len(self._free) > 0

    @cached_property
    def _free(self) -> np.ndarray:
        """The indices of the genes of a table that have several alleles."""
        return np.flatnonzero(self.representation.counts > 1)
