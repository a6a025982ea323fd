"""What the populations of an encoding are held to before a run, where others wrote it."""

from __future__ import annotations

from typing import Any

import numpy as np

from evo.genomes import ENCODINGS
from evo.genomes.base import EncodingOptions, Genome, Plan
from tournaments.arena.strangers import form, hook, wrong
from tournaments.game import Game

TRIED = 2
"""Random individuals of each population."""


def plans_of(genome: EncodingOptions, game: Game) -> tuple[Plan, ...]:
    """The populations that evolve.

    Raises:
        TournamentError: of others' genomes, a hook raises, or gives what it may not.
    """
    with hook(ENCODINGS, genome.encoding, "plans(game)"):
        plans = genome.plans(game)
        if genome.encoding in ENCODINGS.own():
            return plans
        if not isinstance(plans, tuple) or not plans or not all(isinstance(p, Plan) for p in plans):
            raise wrong(
                ENCODINGS,
                genome.encoding,
                f"plans(game) gave {form(plans)}",
                "give a tuple of evo.genomes.base.Plan, one or one a role",
            )
    for plan in plans:
        _check(genome.encoding, plan)
    return plans


def _check(encoding: str, plan: Plan) -> None:
    """Refuse genes that come back as others, or as arrays of another form."""
    genome = plan.genome
    if Genome not in type(genome).__mro__:
        raise wrong(
            ENCODINGS,
            encoding,
            f"plans(game) gave a genome of class {type(genome).__name__}",
            "let the class inherit evo.genomes.base.Genome",
        )
    with hook(ENCODINGS, encoding, "num_genes and spec()"):
        count, width, _ = int(genome.num_genes), int(genome.spec()["bytes"]), genome.representation
    with hook(ENCODINGS, encoding, "random(individuals, rng)"):
        genes, again = (genome.random(TRIED, np.random.default_rng(1)) for _ in range(2))
    _expect(encoding, "random(individuals, rng)", genes, ("uint8", "float32"), count)
    if not np.isfinite(genes).all():
        raise wrong(ENCODINGS, encoding, "random(individuals, rng) gave NaN or infinite genes")
    if not np.array_equal(genes, again):
        raise wrong(
            ENCODINGS,
            encoding,
            "random(individuals, rng) gave other genes at its second call",
            "take all randomness from rng",
        )
    with hook(ENCODINGS, encoding, "pack(genes)"):
        packed = genome.pack(genes.copy())
    _expect(encoding, "pack(genes)", packed, ("uint8",), width)
    with hook(ENCODINGS, encoding, "unpack(genomes)"):
        back = genome.unpack(packed)
    if not np.array_equal(back, genes):
        raise wrong(ENCODINGS, encoding, "unpack(pack(genes)) gave other genes than were packed")


def _expect(encoding: str, call: str, given: Any, kinds: tuple[str, ...], width: int) -> None:
    """Refuse what is no array of a row an individual."""
    is_array = isinstance(given, np.ndarray)
    if not is_array or given.dtype.name not in kinds or given.shape != (TRIED, width):
        raise wrong(
            ENCODINGS,
            encoding,
            f"{call} gave {form(given)} for {TRIED} individuals",
            f"give {' or '.join(kinds)} {[TRIED, width]}",
        )
