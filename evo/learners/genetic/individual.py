"""Individuals as DEAP's operators take them."""

from __future__ import annotations

from typing import Any

import numpy as np
from deap import base


class Fitness(base.Fitness):
    """The fitness that selection compares: one number, larger is better."""

    weights = (1.0,)


class DeapIndividual(np.ndarray):
    """A genome as DEAP's operators take it: an array of genes with a fitness.

    It is an ordinary class of this module, not one made by ``deap.creator``, so it clashes with no
    class that a user creates there, and a copy or a pickle needs nothing that must be created
    first. A slice is a copy, as it is of a list: operators that swap slices, as most of DEAP's do,
    would otherwise write one parent over the other.

    Attributes:
        fitness: a :class:`Fitness`.
        row: its place in the population, -1 for none.
    """

    fitness: Fitness
    row: int

    def __new__(cls, genes: Any, row: int = -1, fitness: float | None = None) -> DeapIndividual:
        array = np.array(genes)  # a list of genes has no type of its own
        kind = array.dtype if array.dtype == np.float32 else np.uint8
        individual = array.astype(kind, copy=False).view(cls)
        individual.row = row
        if fitness is not None:
            individual.fitness.values = (fitness,)
        return individual

    def __array_finalize__(self, source: Any) -> None:
        self.fitness = Fitness()
        self.row = getattr(source, "row", -1)

    def __getitem__(self, key: Any) -> Any:
        item = super().__getitem__(key)
        return item.copy() if isinstance(item, np.ndarray) else item

    def __setitem__(self, key: Any, value: Any) -> None:
        # numpy would write into the result of the subclass's __getitem__, a copy that is lost.
        np.asarray(self)[key] = value

    def __deepcopy__(self, memo: dict[int, Any] | None) -> DeapIndividual:
        return self.__copy__()

    def __copy__(self) -> DeapIndividual:
        kind, arguments = self.__reduce__()
        return kind(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        values = self.fitness.values
        return DeapIndividual, (np.array(self), self.row, values[0] if values else None)
