"""Migration of individuals between islands, after a generation that all islands have played.

Migrants are copies: the originals stay at home. All random choices use streams of the run's seed,
the generation and the island, so they do not depend on where islands are played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from evo.config.islands import IslandOptions, Islands
from evo.learners.genetic.selection import elite_rows, tournament
from evo.population import Evaluated, EvaluatedGeneration, Migrants
from tournaments.kernels.rng import generator

Choice = Callable[[np.ndarray, int, np.random.Generator, IslandOptions], np.ndarray]
"""(fitness, count, stream, options) -> rows."""
CHOOSE: dict[str, Choice] = {
    "best": lambda fitness, count, rng, options: elite_rows(fitness, count),
    "random": lambda fitness, count, rng, options: rng.permutation(len(fitness))[:count],
    "tournament": lambda fitness, count, rng, options: tournament(
        fitness, count, rng, options.tournament_size
    ),
}
"""Choice of the migrants, by ``islands.choose``."""
REPLACE: dict[str, Choice] = {
    "worst": lambda fitness, count, rng, options: fitness.argsort(kind="stable")[:count],
    "random": lambda fitness, count, rng, options: rng.permutation(len(fitness))[:count],
}
"""Choice of the individuals that migrants replace, by ``islands.replace``."""


def migrations(
    islands: Islands, seed: int, played: Sequence[EvaluatedGeneration]
) -> list[dict[str, Migrants]]:
    """Return for each island the migrants that come to its populations, by name.

    Args:
        islands: the islands, with their ways and options.
        seed: of the run.
        played: the same generation of each island.
    """
    arriving: list[dict[str, Migrants]] = [{} for _ in played]
    for populations in zip(*(island.living for island in played), strict=True):
        name = populations[0].population.name
        sent = {
            source: _sent(islands.options, seed, populations[source], source)
            for source in sorted({source for source, _ in islands.ways})
        }
        for target in sorted({target for _, target in islands.ways}):
            coming = [sent[source] for source, to in islands.ways if to == target]
            arriving[target][name] = _arrived(
                islands.options, seed, populations[target], target, coming
            )
    return arriving


def _sent(options: IslandOptions, seed: int, home: Evaluated, island: int) -> Migrants:
    """Return the individuals that an island sends to other islands, with their standing at home.

    Their rows in other populations are set later. ``home`` is the evaluated population.
    """
    population, size = home.population, len(home.population)
    rng = generator(seed, f"emigrants/{population.name}", population.generation, island)
    rows = CHOOSE[options.choose](home.fitness, min(options.migrants, size), rng, options)
    ranks = np.empty(size)
    ranks[elite_rows(home.fitness, size)] = np.arange(size)
    return Migrants(population.genes[rows], population.ids[rows], ranks[rows] / size, rows)


def _arrived(
    options: IslandOptions, seed: int, here: Evaluated, island: int, coming: Sequence[Migrants]
) -> Migrants:
    """Return all migrants to a population, with the rows of the individuals that they replace.

    They are in the order of the islands that they come from; ``coming`` has those of each.
    """
    genes, ids, standing = (
        np.concatenate([getattr(sent, field) for sent in coming])
        for field in ("genes", "ids", "standing")
    )
    population = here.population
    rng = generator(seed, f"immigrants/{population.name}", population.generation, island)
    rows = REPLACE[options.replace](here.fitness, len(ids), rng, options)
    return Migrants(genes, ids, standing, rows)
