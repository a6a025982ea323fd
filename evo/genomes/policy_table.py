"""Policy tables as genomes, whatever form of table a game offers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from evo.genomes.base import Genome, Plan, plans_by_role, table_diversity
from evo.population import ALL
from tournaments.game import Game
from tournaments.options import option
from tournaments.player import Representation
from tournaments.players.table.encoding import TableEncoding
from tournaments.players.table.player import TableGenomes


def pairs_option() -> Any:
    """The field of tables for genomes that hold a policy of each role."""
    return option(
        False,
        "one population of pairs, a policy for each role in one genome, that meet in matches of "
        "two games, in place of one population a role",
    )


def table_plans(
    game: Game, form: str, pairs: bool, options: Mapping[str, str] | None = None
) -> tuple[Plan, ...]:
    """The populations of a form of table: one a role, or one of players of both seats."""

    def genome(seats: tuple[int, ...]) -> PolicyTable:
        return PolicyTable(TableEncoding(game, form, seats, options or {}))

    return (Plan(ALL, genome((0, 1))),) if pairs else plans_by_role(game, genome)


@dataclass(frozen=True)
class PolicyTable(Genome):
    """A legal action for each situation that the mover may be in, a byte a gene.

    Rows from outside are looked at where they are unpacked; what is made of them stays legal.
    """

    default_mutation: ClassVar[str] = "reset"
    unit: ClassVar[str] = "legal actions"
    rule: ClassVar[str] = "every gene must stay one of its alleles, so take one that swaps genes"
    encoding: TableEncoding

    @property
    def num_genes(self) -> int:
        return self.encoding.num_genes

    @property
    def representation(self) -> Representation:
        return TableGenomes(self.encoding, are_checked=True)

    @property
    def mutation_arguments(self) -> dict[str, Any]:
        return {"alleles": self.encoding.alleles, "counts": self.encoding.counts}

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        return self.encoding.random(individuals, rng).view(np.uint8)

    def pack(self, genes: np.ndarray) -> np.ndarray:
        return genes

    def unpack(self, genomes: np.ndarray) -> np.ndarray:
        return self.encoding.checked(genomes[:, : self.num_genes]).view(np.uint8)

    def diversity(self, genes: np.ndarray) -> float:
        return table_diversity(genes)

    def are_alleles(self, genes: np.ndarray) -> bool:
        return bool((genes[:, None] == self.encoding.alleles).any(axis=1).all())

    def change(self, genes: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> None:
        alleles, counts = self.encoding.alleles, self.encoding.counts
        places = self._free[rng.integers(0, len(self._free), len(rows))]
        others = rng.integers(0, counts[places] - 1)
        # Those before the present one stay as they are numbered, those from it on move up by one.
        present = (alleles[places] == genes[rows, places][:, None]).argmax(axis=1)
        genes[rows, places] = alleles[places, others + (others >= present)]

    @property
    def can_change(self) -> bool:
        return len(self._free) > 0

    @cached_property
    def _free(self) -> np.ndarray:
        """The genes that have several alleles."""
        return np.flatnonzero(self.encoding.counts > 1)

    def spec(self) -> dict[str, Any]:
        return self.encoding.spec()
