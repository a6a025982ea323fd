"""Diagnoses of whole populations: disengagement and diversity.

Sources of the terms: see :mod:`tournaments.analysis.diagnoses`.
"""

from __future__ import annotations

import numpy as np

from tournaments.analysis.diagnoses import Diagnosis

ONE_SIDED = 0.95
"""Share of its games won by one side at which the sides are disengaged."""
BLIND = 0.5
"""Share of generations without any difference in fitness at which selection is blind."""
CONVERGED = 0.1
"""Share of the initial diversity below which a population has converged."""


def disengagement(shares: np.ndarray, spread: np.ndarray, population: str = "") -> Diagnosis:
    """Diagnose whether a population's games still separate better from worse individuals.

    *disengaged*: in the last tenth of the snapshots the population won 95% of the points of its
    games or more, or 5% or fewer. *blind*: in half of the last tenth of the generations or more,
    all individuals had the same fitness. *engaged* otherwise; *no games* where none were counted.

    Args:
        shares: of the points of its games that the population won in each snapshot, float64
            ``[G]``, NaN where it played none.
        spread: standard deviation of the raw fitness in each generation, float64; empty where no
            individuals are compared by it, as with one climber.
        population: name of the population.
    """
    known = shares[~np.isnan(shares)]
    late = float(_last_tenth(known).mean()) if len(known) else float("nan")
    flat = float((_last_tenth(spread) == 0).mean()) if len(spread) else 0.0
    if late >= ONE_SIDED or late <= 1 - ONE_SIDED:
        verdict = "disengaged"
    elif flat >= BLIND:
        verdict = "blind"
    else:
        verdict = "engaged" if len(known) else "no games"
    text = f"of late it wins {late:.1%} of its points" if len(known) else "no games to look at"
    if len(spread):
        text += f"; {flat:.0%} of the last generations had no difference in fitness"
    numbers = {"late_share": late if len(known) else None, "flat_generations": flat}
    return Diagnosis("disengagement", verdict, text, numbers, population)


def diversity(values: np.ndarray, population: str = "") -> Diagnosis:
    """Diagnose whether the individuals of a population still differ.

    *converged*: in the last tenth of the generations two individuals differ in fewer than a tenth
    of the genes in which they differed at the start. *alike from the start*: they never differed.

    Args:
        values: the diversity of each generation, float64: the share of genes in which two
            individuals differ; for real weights their spread relative to random weights.
        population: name of the population.
    """
    first, last = float(values[0]), float(_last_tenth(values).mean())
    if not values.any():
        text = "there is nothing to differ: one individual, or copies of one"
        return Diagnosis("diversity", "alike from the start", text, {"first": 0.0}, population)
    verdict = "converged" if last < CONVERGED * first else "diverse"
    text = f"two individuals differ by {last:.2%}; at the start by {first:.2%}"
    return Diagnosis("diversity", verdict, text, {"first": first, "last": last}, population)


def _last_tenth(values: np.ndarray) -> np.ndarray:
    return values[-max(1, len(values) // 10) :]
