"""A generation of individuals, before and after it has played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from results.format.genomes import ARCHIVE as ARCHIVE
from results.format.islands import ALL as ALL
from tournaments.arena.outcomes import Tally

NO_PARENT = -1


@dataclass(frozen=True)
class Population:
    """Individuals with their lineage.

    Attributes:
        generation: its number; 0 is the first, random one.
        genes: ``[N, G]``, uint8 or, of real weights, float32.
        parents: int64 ``[N, 2]``, ids; ``NO_PARENT`` for a missing parent.
        name: of the population: a role, or ``all``.
        ids: int64 ``[N]``, unique in a run; by default generation * N + row.
    """

    generation: int
    genes: np.ndarray
    parents: np.ndarray
    name: str = ALL
    ids: np.ndarray = None  # type: ignore[assignment]  # filled in below

    def __post_init__(self) -> None:
        if self.ids is None:
            size = len(self.genes)
            object.__setattr__(self, "ids", numbered(self.generation * size, size))

    def __len__(self) -> int:
        return len(self.genes)

    @property
    def is_archive(self) -> bool:
        """Whether this is an archive: earlier individuals of another population."""
        return self.name.endswith(ARCHIVE)


def lineage(individuals: int, parent: int = NO_PARENT) -> np.ndarray:
    """Return the parents of individuals that have only one parent, or none, int64 ``[N, 2]``.

    ``parent`` is the id of the parent; missing parents are -1.
    """
    parents = np.full((individuals, 2), NO_PARENT, dtype=np.int64)
    parents[:, 0] = parent
    return parents


def numbered(first: int, count: int) -> np.ndarray:
    """Return ``count`` consecutive ids of individuals from the first one, int64."""
    return first + np.arange(count, dtype=np.int64)


@dataclass(frozen=True)
class Evaluated:
    """A population that has played.

    Attributes:
        population: the individuals.
        raw_fitness: float64 ``[N]``, the points of the scheme or the learner.
        fitness: float64 ``[N]``, the fitness for selection: with the bonus, scaled.
        tally: games won, drawn and lost.
    """

    population: Population
    raw_fitness: np.ndarray
    fitness: np.ndarray
    tally: Tally


@dataclass(frozen=True)
class Migrants:
    """Individuals of other islands that come to a population that has played.

    Their fitness at home is not comparable, since opponents and points may differ. Their standing
    at home is used instead.

    Attributes:
        genes: ``[M, G]``.
        ids: int64 ``[M]``; children have them for parents.
        standing: float64 ``[M]``, the share of better individuals at home, 0 for the best.
        rows: int64 ``[M]``, the rows of the individuals that they replace, all different.
    """

    genes: np.ndarray
    ids: np.ndarray
    standing: np.ndarray
    rows: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class Generation:
    """The populations that play together, and the state of the learner.

    Attributes:
        number: of the generation.
        populations: in the order of their entrants.
        state: data of the learner beyond the populations; JSON can hold it.
    """

    number: int
    populations: tuple[Population, ...]
    state: Mapping[str, Any] = field(default_factory=dict)

    def parts(self) -> Iterator[slice]:
        """Return the range of entrant numbers of each population of the generation."""
        ends = accumulate(map(len, self.populations), initial=0)
        return (slice(first, last) for first, last in pairwise(ends))

    def __len__(self) -> int:
        return sum(map(len, self.populations))


@dataclass(frozen=True)
class EvaluatedGeneration:
    """A generation that has played.

    Attributes:
        number: of the generation.
        populations: with their fitness.
        state: the state of the :class:`Generation`, updated with the results of the games.
    """

    number: int
    populations: tuple[Evaluated, ...]
    state: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        generation: Generation,
        raw_fitness: np.ndarray,
        fitness: np.ndarray,
        tally: Tally,
        state: Mapping[str, Any] | None = None,
    ) -> EvaluatedGeneration:
        """Return a generation with the results of its matches.

        The results are arrays ``[N]`` over all of its individuals. ``tally`` has each one's wins,
        draws and losses.
        """
        parts = zip(generation.populations, generation.parts(), strict=True)
        evaluated = tuple(
            Evaluated(population, raw_fitness[part], fitness[part], tally[part])
            for population, part in parts
        )
        state = generation.state if state is None else state
        return cls(generation.number, evaluated, state)

    @property
    def living(self) -> tuple[Evaluated, ...]:
        """The populations of the generation, without the archives."""
        return tuple(each for each in self.populations if not each.population.is_archive)

    @property
    def by_name(self) -> dict[str, Evaluated]:
        """The populations of the generation by name, archives included."""
        return {each.population.name: each for each in self.populations}


def with_ids(populations: Sequence[Population], number: int) -> tuple[Population, ...]:
    """Return the populations of a generation with ids of individuals that are unique in the run.

    The sizes must be the same in all generations. ``number`` is that of the generation.
    """
    first = number * sum(map(len, populations))
    starts = accumulate(map(len, populations), initial=first)
    return tuple(
        replace(population, ids=numbered(start, len(population)))
        for population, start in zip(populations, starts, strict=False)
    )
