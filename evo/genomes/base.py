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
    """The encoding of one population: its genes, their variation and the players that they become.

    Each encoding inherits this class, which has the common part of most encodings.

    Attributes:
        representation: the conversion of packed rows into players.
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
        """The arguments that the encoding passes to mutations that take them, such as alleles."""
        return {}

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        """Return random genes of a number of individuals, ``[N, G]``."""
        raise NotImplementedError

    def pack(self, genes: np.ndarray) -> np.ndarray:
        """Return genes in the packed form that is played and saved, uint8 ``[N, B]``."""
        return self.representation.encode(genes)

    def unpack(self, genomes: np.ndarray) -> np.ndarray:
        """Return packed genomes, uint8 ``[N, B]``, as genes ``[N, G]``. Further bytes are ignored.

        Raises:
            TournamentError: genes are invalid.
        """
        return self.representation.genes(genomes[:, : self.representation.num_bytes])

    def diversity(self, genes: np.ndarray) -> float:
        """Return the diversity of genes: the mean share in which two individuals differ, 0 to 1.

        Real weights all differ, so their relative spread is returned: 1 for random weights, 0 for
        equal weights.
        """
        return diversity(genes)

    def are_alleles(self, genes: np.ndarray) -> bool:
        """Return whether genes of one individual, ``[G]``, have valid values at their places."""
        raise NotImplementedError

    def settled(self, genes: np.ndarray) -> np.ndarray:
        """Return genes ``[G]`` that a user's operator made in the form in which they are saved."""
        return genes

    @property
    def can_change(self) -> bool:
        """Whether any gene of this encoding has several alleles, so that mutation can change it."""
        return True

    def change(self, genes: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> None:
        """Mutate individuals: change a gene of each of these rows, int ``[K]``, to another allele.

        The genes change in place. Genes with one allele only are not drawn. A row that is drawn
        twice changes once.
        """
        raise NotImplementedError

    def sources(self, genes: np.ndarray) -> list[str] | None:
        """Return the texts of individuals for column ``source``. None: they are no programs."""
        return None

    def spec(self) -> dict[str, Any]:
        """Return the description of the encoding for ``run.json`` and each snapshot."""
        return self.representation.spec()


class Plan(NamedTuple):
    """A planned population: its name and its encoding."""

    name: str
    genome: Genome


@dataclass(frozen=True)
class EncodingOptions:
    """Base class of the options of an encoding. The ``GENOME`` of an encoding's file is a subclass.

    Each field is declared by :func:`tournaments.options.option` and described under ``Attributes:``
    in the docstring of its class. A subclass sets the default of ``encoding`` to its own name.

    Attributes:
        encoding: the name of the encoding
        real_weights: whether genes are real numbers, which strategies need.
        values: whether genes are values of actions, which only learners by reward take.
        programs: whether genes are programs, which only learners of programs take.
        law: number to raise by one when the same seed gives other genes, or the same genes another
            player.
    """

    real_weights: ClassVar[bool] = False
    values: ClassVar[bool] = False
    programs: ClassVar[bool] = False
    law: ClassVar[int] = 1
    encoding: str

    @staticmethod
    def fits(game: Game) -> bool:
        """Return whether the encoding can represent players of a game.

        By default the encoding represents networks, so the game must have network inputs.
        """
        return game.rules.network is not None

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """Return the populations that evolve in a game with this encoding: one, or one per role.

        Raises:
            ConfigError, TournamentError: options that do not go together, or with the game.
        """
        raise NotImplementedError


def plans_by_role(game: Game, genome: Callable[[tuple[int, ...]], Genome]) -> tuple[Plan, ...]:
    """Return the populations that evolve in a game: one for both seats, or one per role.

    Args:
        game: the game that is played.
        genome: (seats) -> the encoding of players of these seats.
    """
    if not game.rules.has_roles:
        return (Plan(ALL, genome((0, 1))),)
    return tuple(Plan(name, genome((seat,))) for seat, name in enumerate(game.seats))


@dataclass(frozen=True)
class NetworkOptions(EncodingOptions):
    """Base class of the options of networks.

    Attributes:
        hidden: nodes of each hidden layer, first to last, as in [18, 9]; []: one layer of the
            game's own number, in dots and boxes a node a box
    """

    hidden: tuple[int, ...] = option((), low=1, high=1_000_000)


# --- diversity ----------------------------------------------------------------------------------


def diversity(genes: np.ndarray) -> float:
    """Return the diversity of genes: the mean share in which two individuals differ, 0 to 1.

    Random bits have 0.5; a population of copies has 0.
    """
    individuals, length = genes.shape
    if individuals < 2:
        return 0.0
    ones = _ones(genes)
    differing = int(ones.dot(individuals - ones))
    return differing / (individuals * (individuals - 1) / 2 * length)


def table_diversity(genes: np.ndarray) -> float:
    """Return the :func:`diversity` of genes that take any of a few values, ``[N, G]``."""
    individuals, length = genes.shape
    if individuals < 2:
        return 0.0
    alike, rest = 0, np.full(length, individuals)
    same = np.empty(genes.shape, dtype=bool)
    for value in range(int(genes.max())):
        having = _ones(np.equal(genes, value, out=same).view(np.uint8))
        alike += int(having.dot(having - 1)) // 2
        rest -= having
    alike += int(rest.dot(rest - 1)) // 2  # rows with the greatest value
    return 1.0 - alike / (individuals * (individuals - 1) / 2 * length)


def _ones(genes: np.ndarray) -> np.ndarray:
    """Return the number of individuals with each gene set, int64 ``[G]``.

    Counts are kept in bytes for 255 rows at a time, which is many times as fast as wider integers.
    """
    total = np.zeros(genes.shape[1], dtype=np.int64)
    for first in range(0, len(genes), MOST_IN_A_BYTE):
        total += np.add.reduce(genes[first : first + MOST_IN_A_BYTE], axis=0, dtype=np.uint8)
    return total


# --- rows of snapshots --------------------------------------------------------------------------


def trimmed(genome: Genome, genomes: np.ndarray) -> np.ndarray:
    """Return packed genomes of a snapshot without the bytes that pad them to the widest genome.

    Raises:
        TournamentError: genes are invalid.
    """
    return genome.pack(genome.unpack(genomes))
