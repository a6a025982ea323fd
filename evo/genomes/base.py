"""Genomes: arrays of genes, and packed rows.

A population is one array ``[N, G]``: uint8 with a gene in each byte, a bit of a weight or an action
of a policy table, or float32 with a weight each (:mod:`evo.genomes.real_network`). Packed, as it
is played and written, it is ``uint8 [N, B]``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from evo.population import ALL
from tournaments.game import Game
from tournaments.options import option

MOST_IN_A_BYTE = 255


@dataclass(frozen=True)
class Genome:
    """How the individuals of one population are written down, bred and played.

    Each encoding inherits this class, which has what most encodings have in common.

    Attributes:
        representation: how packed rows become players.
        default_mutation: the mutation of this project that keeps genes valid.
        unit: the genes in words, for messages.
        rule: the rule that operators must keep to, for messages.
    """

    default_mutation: ClassVar[str]
    unit: ClassVar[str]
    rule: ClassVar[str]
    representation: Any

    @property
    def num_genes(self) -> int:
        """The number of genes of an individual."""
        return self.representation.num_genes

    @property
    def mutation_arguments(self) -> dict[str, Any]:
        """The arguments on the genes for mutations that take them."""
        return {}

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        """Return random genes ``[N, G]``."""
        raise NotImplementedError

    def pack(self, genes: np.ndarray) -> np.ndarray:
        """Return genes as they are played and written, uint8 ``[N, B]``."""
        return self.representation.encode(genes)

    def unpack(self, genomes: np.ndarray) -> np.ndarray:
        """Return packed rows as genes ``[N, G]``; what follows a narrower genome is left out.

        Raises:
            TournamentError: genes that are not what they may be.
        """
        return self.representation.genes(genomes[:, : self.representation.num_bytes])

    def diversity(self, genes: np.ndarray) -> float:
        """Return the mean share of genes in which two different individuals differ, 0 to 1.

        Real weights, all of which differ, have their spread: 1 as random ones, 0 not at all.
        """
        return diversity(genes)

    def are_alleles(self, genes: np.ndarray) -> bool:
        """Return whether genes, ``[G]``, may stand where they stand."""
        raise NotImplementedError

    def settled(self, genes: np.ndarray) -> np.ndarray:
        """Return alleles ``[G]`` from outside as they will be written down."""
        return genes

    @property
    def can_change(self) -> bool:
        """Whether any gene has several alleles."""
        return True

    def change(self, genes: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> None:
        """Change a gene of each of these rows, int ``[K]``, to another allele, in place.

        Genes that have but one allele are not drawn. A row that is drawn twice changes once.
        """
        raise NotImplementedError

    def spec(self) -> dict[str, Any]:
        """Return what ``run.json`` and each snapshot say of the encoding."""
        return self.representation.spec()


class Plan(NamedTuple):
    """A population: its name, and how its individuals are written down."""

    name: str
    genome: Genome


@dataclass(frozen=True)
class EncodingOptions:
    """What the options of an encoding offer; a subclass declares them and is its file's ``GENOME``.

    Attributes:
        encoding: as users type it; each subclass gives its own.
        real_weights: whether genes are real numbers, which strategies take.
        values: whether genes are the values of actions, which learners by reward take and no other.
        law: raised by one when the same seed gives other genes, or the same genes another player.
    """

    real_weights: ClassVar[bool] = False
    values: ClassVar[bool] = False
    law: ClassVar[int] = 1
    encoding: str

    @staticmethod
    def fits(game: Game) -> bool:
        """Whether players of a game can be written down so: of networks, if it shows them
        something."""
        return game.rules.network is not None

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """The populations that evolve: one, or one a role.

        Raises:
            ConfigError, TournamentError: options that do not go together, or with the game.
        """
        raise NotImplementedError


def plans_by_role(game: Game, genome: Callable[[tuple[int, ...]], Genome]) -> tuple[Plan, ...]:
    """One population, of players of both seats; of a game with roles one a role.

    Args:
        game: what is played.
        genome: (seats) -> how players of these seats are written down.
    """
    if not game.rules.has_roles:
        return (Plan(ALL, genome((0, 1))),)
    return tuple(Plan(name, genome((seat,))) for seat, name in enumerate(game.seats))


def hidden_option() -> Any:
    """The field of networks for their layers."""
    return option(
        (),
        "nodes of each hidden layer, first to last, as in [18, 9]; []: one layer of the game's own "
        "number, in dots and boxes a node a box",
        low=1,
        high=1_000_000,
    )


# --- diversity ----------------------------------------------------------------------------------


def diversity(genes: np.ndarray) -> float:
    """Return the mean share of genes in which two different individuals differ, 0 to 1.

    Random bits have 0.5; a population of copies has 0.
    """
    individuals, length = genes.shape
    if individuals < 2:
        return 0.0
    ones = _ones(genes)
    differing = int(ones.dot(individuals - ones))
    return differing / (individuals * (individuals - 1) / 2 * length)


def table_diversity(genes: np.ndarray) -> float:
    """Return the :func:`diversity` of genes that take any of a few values."""
    individuals, length = genes.shape
    if individuals < 2:
        return 0.0
    alike, rest = 0, np.full(length, individuals)
    same = np.empty(genes.shape, dtype=bool)
    for value in range(int(genes.max())):
        having = _ones(np.equal(genes, value, out=same).view(np.uint8))
        alike += int(having.dot(having - 1)) // 2
        rest -= having
    alike += int(rest.dot(rest - 1)) // 2  # who have the greatest value
    return 1.0 - alike / (individuals * (individuals - 1) / 2 * length)


def _ones(genes: np.ndarray) -> np.ndarray:
    """How many individuals have each gene, int64 ``[G]``.

    Counted in bytes, 255 rows at a time, which is many times as fast as in wider integers.
    """
    total = np.zeros(genes.shape[1], dtype=np.int64)
    for first in range(0, len(genes), MOST_IN_A_BYTE):
        total += np.add.reduce(genes[first : first + MOST_IN_A_BYTE], axis=0, dtype=np.uint8)
    return total


# --- rows of snapshots --------------------------------------------------------------------------


def trimmed(genome: Genome, genomes: np.ndarray) -> np.ndarray:
    """Packed rows of a snapshot, as wide as its widest genome, as they are played.

    Raises:
        TournamentError: genes that are not what they may be.
    """
    return genome.pack(genome.unpack(genomes))
