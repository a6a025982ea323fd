"""Operators that a user might plug in by dotted name: right ones, and wrong ones."""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np

from evo.learners.genetic.individual import DeapIndividual

seen: list[Any] = []
"""What the operators below drew or were given, for tests to look at."""


# --- right ones --------------------------------------------------------------------------------


def swap_all(first: Any, second: Any) -> tuple[Any, Any]:
    """Genomes change places."""
    return second, first


def take_bits(first: Any, second: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """Uniform crossover by the run's stream."""
    seen.append(rng)
    swapped = rng.random(len(first)) < 0.5
    first[swapped], second[swapped] = second[swapped], first[swapped]
    return first, second


def flip_by_the_stream(individual: Any, indpb: float, rng: np.random.Generator) -> tuple[Any]:
    """Bit flips by the run's stream."""
    seen.append((rng.random(), indpb))
    return (individual,)


def flip_by_global_generators(individual: Any) -> tuple[Any]:
    """A bit each by Python's and numpy's global generators."""
    seen.append((random.random(), np.random.random()))
    individual[random.randrange(len(individual))] ^= 1
    individual[np.random.randint(len(individual))] ^= 1
    return (individual,)


def last_ones(individuals: Any, k: int) -> list[Any]:
    """The last of the population, over and over."""
    return [individuals[-1]] * k


def keep(individual: Any) -> tuple[Any]:
    """No mutation."""
    return (individual,)


def any_arguments(individual: Any, **options: Any) -> tuple[Any]:
    """Takes whatever it is given."""
    seen.append(options)
    return (individual,)


# --- wrong ones --------------------------------------------------------------------------------


def returns_none(*arguments: Any) -> None:
    """Changes in place and forgets to return."""


def returns_a_list(*individuals: Any) -> list[Any]:
    """A list where a tuple is expected."""
    return list(individuals)


def returns_too_many(*individuals: Any) -> tuple[Any, ...]:
    """One individual more than it was given."""
    return (*individuals, individuals[0])


def makes_twos(*individuals: Any) -> tuple[Any, ...]:
    """Genes that are no bits."""
    for individual in individuals:
        individual[0] = 2
    return individuals


def makes_halves(*individuals: Any) -> tuple[Any, ...]:
    """Genes that are no whole numbers."""
    return tuple(np.asarray(individual) / 2 + 0.25 for individual in individuals)


def cuts_short(*individuals: Any) -> tuple[Any, ...]:
    """Genomes of another length."""
    return tuple(individual[:-1] for individual in individuals)


def fails(*arguments: Any) -> Any:
    """Raises something of its own."""
    raise KeyError("a slip\nof the author")


def leaves(*arguments: Any) -> Any:
    """Ends the process."""
    sys.exit(0)


def strangers(individuals: Any, k: int) -> list[Any]:
    """Individuals that are not of the population."""
    return [DeapIndividual(individuals[0].tolist()) for _ in range(k)]


def strangers_with_a_place(individuals: Any, k: int) -> list[Any]:
    """Individuals with a place that the population does not have."""
    return [DeapIndividual(individuals[0].tolist(), row=10**6) for _ in range(k)]


def plain_lists(individuals: Any, k: int) -> list[Any]:
    """Genes without an individual."""
    return [individuals[0].tolist() for _ in range(k)]


def too_few(individuals: Any, k: int) -> list[Any]:
    """One less than asked for."""
    return list(individuals)[: k - 1]
