"""Guards of third-party encodings: checks of the results of hooks, and a trial before a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from evo.genomes import ENCODINGS
from evo.genomes.base import EncodingOptions, Genome, Plan
from tournaments.game import Game
from tournaments.guard import (
    ContractError,
    Guarded,
    Hook,
    Plugin,
    call_hook,
    expect,
    expect_array,
    type_and_shape,
)

TRIED = 2
"""Number of random individuals of each population that are made before a run."""


def plans_of(options: EncodingOptions, game: Game) -> tuple[Plan, ...]:
    """Return the populations that evolve in a game with an encoding, which may be third-party.

    Raises:
        TournamentError: a third-party encoding raises, or returns an invalid result.
    """
    plugin = ENCODINGS.plugin(options.encoding)
    plans = call_hook(plugin, PLANS, options.plans, game)
    if not plugin.is_ours:
        for plan in plans:
            try:
                tried_genes(plugin, plan.genome, options.values)
            except ContractError as error:
                raise plugin.error(error.law) from None
    return plans


def _expect_plans(plans: Any, game: Game) -> None:
    is_tuple = isinstance(plans, tuple) and bool(plans)
    fits = is_tuple and all(isinstance(plan, Plan) for plan in plans)
    mend = "give a tuple of evo.genomes.base.Plan, one or one a role"
    expect(fits, type_and_shape(plans), mend)
    for plan in plans:
        name = type(plan.genome).__name__
        mend = "let the class inherit evo.genomes.base.Genome"
        expect(Genome in type(plan.genome).__mro__, f"a genome of class {name}", mend)


PLANS = Hook("plans(game)", _expect_plans)


def hooks_of(genome: Genome, has_values: bool) -> dict[str, Hook]:
    """Return the hooks that a third-party encoding must offer, with the results expected of each.

    The expected shapes follow from its numbers of genes and bytes.

    Args:
        genome: the encoding of the hooks.
        has_values: whether genes are values of actions. These may be NaN: never tried.
    """
    num_genes, width = genome.num_genes, int(genome.spec()["bytes"])

    def expect_genes(given: Any, individuals: Any, *rng: Any) -> None:
        rows = individuals if isinstance(individuals, int) else len(individuals)
        types = ("uint8", "float32")
        expect_array(given, (rows, num_genes), types, " or ".join(types))
        is_finite = has_values or bool(np.isfinite(given).all())
        expect(is_finite, "NaN or infinite genes", "give finite numbers")

    def expect_packed(given: Any, genes: np.ndarray) -> None:
        expect_array(given, (len(genes), width), ("uint8",), "uint8")

    return {
        "random": Hook("random(individuals, rng)", expect_genes),
        "pack": Hook("pack(genes)", expect_packed),
        "unpack": Hook("unpack(genomes)", expect_genes),
    }


def tried_genes(
    plugin: Plugin, genome: Genome, has_values: bool, individuals: int = TRIED
) -> np.ndarray:
    """Try a third-party encoding: return random genes that are reproducible and survive packing.

    Raises:
        TournamentError: a hook raises, or returns an invalid result.
        ContractError: the genes differ after packing, or at the second call.
    """
    hooks = call_hook(plugin, Hook("num_genes and spec()"), hooks_of, genome, has_values)
    guarded = Guarded(plugin, genome, hooks)
    genes, again = (guarded.random(individuals, np.random.default_rng(1)) for _ in range(2))
    if not are_same(genes, again):
        raise ContractError(
            "random(individuals, rng) gave other genes at its second call; take all randomness "
            "from rng"
        )
    if not are_same(guarded.unpack(guarded.pack(genes.copy())), genes):
        raise ContractError("unpack(pack(genes)) gave other genes than were packed")
    return genes


def are_same(genes: np.ndarray, others: np.ndarray) -> bool:
    """Whether two arrays of genes are the same to the bit."""
    return genes.dtype == others.dtype and genes.tobytes() == others.tobytes()
