"""The laws that every encoding keeps, as a check for its author.

::

    import evo

    evo.check_genome("./stones.py", game="cat-and-mouse:rows=3,cols=3")

Each law is a function in a table. The function raises :class:`tournaments.contract.ContractError`
with the text of the law if the law is broken. The check adds the name of the encoding.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evo.config.tables import named_table
from evo.genomes import ENCODINGS
from evo.genomes.base import Genome, Plan, trimmed
from evo.genomes.guarded import PLANS, are_same, tried_genes
from evo.population import ALL
from tournaments import games
from tournaments.contract import check_player
from tournaments.game import Game
from tournaments.guard import ContractError, Hook, Plugin, call_hook, laws_of_plugin
from tournaments.kernels.rng import generator
from tournaments.options import checked

INDIVIDUALS = 12
"""Number of random individuals that an encoding is checked with."""


@dataclass(frozen=True)
class Genes:
    """The random genes of a population.

    Attributes:
        game: the game of the individuals.
        genome: the encoding of the individuals.
        genes: the genes, ``[N, G]``.
    """

    game: Game
    genome: Genome
    genes: np.ndarray

    @property
    def packed(self) -> np.ndarray:
        """The random genes of the tried encoding as packed rows, uint8 ``[N, B]``."""
        return self.genome.pack(self.genes.copy())


def check_genome(genome: str | Mapping[str, Any], game: str | Game = "nim") -> None:
    """Check the laws of an encoding: its populations, its genes, and the players made of them.

    Args:
        genome: name of the encoding or path of its file, optionally with options, such as
            ``real-network:limit=3``; or the table of a configuration, with ``encoding``.
        game: a game whose players the encoding can represent.

    Raises:
        ContractError: a law is broken. The message says which.
        TournamentError: there is no such encoding, game or option.
    """
    name, given = named_table({"genome": genome}, "genome")
    plugin, game = Plugin(ENCODINGS.what, name), games.parse(game)
    options = checked(ENCODINGS.load(name), "genome.", {"encoding": name, **given})
    with laws_of_plugin(plugin):
        if not call_hook(plugin, Hook("fits(game)"), options.fits, game):
            raise ContractError(f"fits() must be true for the game of this check, {game.spec}")
        plans = call_hook(plugin, PLANS, options.plans, game)
        _check_names(plans, game)
        for plan in plans:
            genes = tried_genes(plugin, plan.genome, options.values, INDIVIDUALS)
            for law in GENOME_LAWS:
                law(Genes(game, plan.genome, genes))


def _check_names(plans: tuple[Plan, ...], game: Game) -> None:
    names = tuple(plan.name for plan in plans)
    expected = {(ALL,), game.seats} if game.rules.has_roles else {(ALL,)}
    if names not in expected:
        listed = " or ".join(map(str, sorted(expected)))
        raise ContractError(f"plans() must name the populations {listed}, not {names}")


def has_description(tried: Genes) -> None:
    """Check the description that an encoding gives of itself for ``run.json``.

    A reader of a run has only this description, in JSON.
    """
    spec = tried.genome.spec()
    if json.loads(json.dumps(spec)) != spec:
        raise ContractError("spec() must return values that JSON can hold")
    if not isinstance(spec.get("encoding"), str):
        raise ContractError("spec() must name the encoding")


def takes_wider_rows(tried: Genes) -> None:
    """Check that an encoding's ``unpack()`` accepts rows that are wider than the genome.

    All rows of a snapshot have the width of its widest genome.
    """
    wider = np.pad(tried.packed, ((0, 0), (0, 5)))
    if not are_same(trimmed(tried.genome, wider), tried.packed):
        raise ContractError("unpack() must ignore bytes that follow the genome in a wider row")


def has_alleles(tried: Genes) -> None:
    for row in tried.genes:
        if not tried.genome.are_alleles(row):
            raise ContractError("are_alleles() must be true for random genes")
        if not are_same(tried.genome.settled(row.copy()), row):
            raise ContractError("settled() must leave random genes as they are")


def changes_a_gene(tried: Genes) -> None:
    if not tried.genome.can_change:
        return
    rows, changed = np.array([0, 2, 2, 5]), [tried.genes.copy() for _ in range(2)]
    for genes in changed:
        tried.genome.change(genes, rows, generator(1, "contract"))
    if not are_same(*changed):
        raise ContractError("change() must take all randomness from rng")
    differing = (changed[0] != tried.genes).sum(axis=1)
    if (differing > np.bincount(rows, minlength=len(differing))).any() or not differing[0]:
        raise ContractError("change() must change one gene of each row that it is given, in place")
    if not all(map(tried.genome.are_alleles, changed[0])):
        raise ContractError("change() must give a gene another of its alleles")


def has_diversity(tried: Genes) -> None:
    copies = np.repeat(tried.genes[:1], 4, axis=0)
    if tried.genome.diversity(copies) != 0 or not tried.genome.diversity(tried.genes) >= 0:
        raise ContractError("diversity() must be at least 0, and 0 for copies")


def makes_players(tried: Genes) -> None:
    """Check that the players made of an encoding's genomes keep the laws of players."""
    for number, packed in enumerate(tried.packed[:2]):
        name, made = f"individual {number}", tried.genome.representation
        player = made.player(tried.game, [packed.tobytes()], name)
        try:
            check_player(player, tried.game, games=2)
        except ContractError as error:
            raise ContractError(f"players made of genes must keep their laws: {error}") from None


GENOME_LAWS = (
    has_description,
    takes_wider_rows,
    has_alleles,
    changes_a_gene,
    has_diversity,
    makes_players,
)
"""The laws of an encoding, as checks of random genes of a population."""
