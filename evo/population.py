"""A generation of individuals, before and after it has played."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournaments.scoring import Tally

NO_PARENT = -1


@dataclass(frozen=True)
class Population:
    """Individuals with their lineage.

    Attributes:
        generation: its number; 0 is the first, random one.
        genes: uint8 ``[N, G]``, one gene a byte.
        ids: int64 ``[N]``, unique in a run: generation * N + row.
        parents: int64 ``[N, 2]``, ids; ``NO_PARENT`` where there is none.
    """

    generation: int
    genes: np.ndarray
    parents: np.ndarray

    @property
    def ids(self) -> np.ndarray:
        size = len(self.genes)
        return self.generation * size + np.arange(size, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.genes)


@dataclass(frozen=True)
class Evaluated:
    """A population that has played.

    Attributes:
        population: who.
        raw_fitness: float64 ``[N]``, the scheme's points.
        fitness: float64 ``[N]``, what selection sees: with the bonus, scaled.
        tally: games won, drawn and lost.
    """

    population: Population
    raw_fitness: np.ndarray
    fitness: np.ndarray
    tally: Tally
