"""Who meets whom. Every schedule is a pure function that gives int32 ``[M, 2]``.

A pair is (entrant a, entrant b): ``0..N-1`` are the individuals of the population, ``-1`` is the
first fixed opponent of the panel.
"""

from __future__ import annotations

import numpy as np


def against_panel(individuals: int, matches: int, panel: int = 1) -> np.ndarray:
    """Each individual meets each of P fixed opponents in so many matches, int32 ``[M, 2]``."""
    rows = np.repeat(np.arange(individuals), panel * matches)
    opponents = np.tile(np.repeat(-1 - np.arange(panel), matches), individuals)
    return np.stack([rows, opponents], axis=1).astype(np.int32)


def round_robin(entrants: int) -> np.ndarray:
    """Each pair of individuals once, int32 ``[N(N-1)/2, 2]``."""
    return np.stack(np.triu_indices(entrants, k=1), axis=1).astype(np.int32)


def antibodies_against_antigens(
    individuals: int, antigens: int, antibodies: int, rng: np.random.Generator
) -> np.ndarray:
    """Random antigens, each met by random antibodies other than itself, int32 ``[M, 2]``.

    The antigens are distinct, and so are the antibodies of one antigen. Entrant a is the antibody.
    The matches of an antigen follow one another.
    """
    chosen = rng.permutation(individuals)[:antigens]
    # The first so many of a random order of the others, for all antigens at once.
    order = rng.random((antigens, individuals))
    order[np.arange(antigens), chosen] = np.inf
    testers = np.argsort(order, axis=1, kind="stable")[:, :antibodies]
    return np.stack([testers.ravel(), np.repeat(chosen, antibodies)], axis=1).astype(np.int32)
