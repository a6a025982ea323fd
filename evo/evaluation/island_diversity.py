"""Drift between the islands of a run: diversity within each island, and of all islands together.

The drift is the share of the total diversity that is not within islands. This is the F_ST of
S. Wright ("The genetical structure of populations", 1951), and the verdicts use his scale.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evo.config.config import Config
from evo.genomes.base import Plan
from results import DataFrame, Run
from results.format.islands import ALL
from tournaments.analysis.diagnoses import Diagnosis

SCALE = ((0.25, "far apart"), (0.05, "apart in part"), (0.0, "alike"))
"""Verdicts with the least share of the diversity between islands for which each holds."""


def genes_of_islands(
    run: Run, config: Config, role: Plan, generation: int | None = None
) -> list[np.ndarray]:
    """Return the genes of a role on each island in a snapshot of a run, by default the newest."""
    names = [plan.name for plan in config.evolving if config.plan(plan.name) == role]
    return [role.genome.unpack(run.genomes(generation, name)) for name in names]


def diversity_of_islands(run: Run, config: Config, generations: list[int]) -> DataFrame:
    """Return the diversity of a run's islands, one row per generation and role.

    ``within`` is the mean diversity of the islands. ``together`` is the diversity of the
    individuals of all islands, taken as a single population. ``between`` is the share of the
    diversity that lies between islands.
    """
    games = run.generations.groupby("generation")["games_played"].max()
    rows = []
    for generation in generations:
        for role in config.populations:
            genes = genes_of_islands(run, config, role, generation)
            within = float(np.mean([role.genome.diversity(part) for part in genes]))
            together = role.genome.diversity(np.concatenate(genes))
            rows.append(
                {
                    "generation": generation,
                    "games_played": float(games[generation]),
                    "population": role.name,
                    "within": within,
                    "together": together,
                    "between": max(0.0, 1.0 - within / together) if together else 0.0,
                }
            )
    return DataFrame(rows)


def drift(diversity: DataFrame) -> Iterator[Diagnosis]:
    """Yield a diagnosis of the islands' diversity per role, from its newest generation."""
    for name, rows in diversity.groupby("population", sort=False):
        newest = rows.iloc[-1]
        between = float(newest["between"])
        numbers = {key: float(newest[key]) for key in ("within", "together", "between")}
        yield Diagnosis(
            "islands",
            next(verdict for least, verdict in SCALE if between >= least),
            f"in generation {newest['generation']} diversity is {newest['within']:.1%} on an "
            f"island and {newest['together']:.1%} on all together: {between:.0%} of it is what "
            "islands differ by",
            numbers,
            "" if name == ALL else str(name),
        )
