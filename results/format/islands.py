"""The names of populations on islands: ``island-3``, or ``cat-island-3`` if seats have roles.

A population of an island is a population with a separate name, so readers of several populations
also read islands. An archive keeps its ending: ``cat-island-3-archive``.
"""

from __future__ import annotations

import re

from results.format.genomes import ARCHIVE

ALL = "all"
"""The name of the only population of a game whose seats are alike."""
_NAME = re.compile(r"(?:(?P<role>.+)-)?island-(?P<island>\d+)")


def on_island(population: str, island: int | None) -> str:
    """Return the name of an island's ``population`` in the run; unchanged if ``island`` is None."""
    if island is None:
        return population
    role = population.removesuffix(ARCHIVE)
    ending = population[len(role) :]
    return f"{'' if role == ALL else f'{role}-'}island-{island}{ending}"


def role_and_island(population: str) -> tuple[str, int | None]:
    """Return the name of a population within its island, and the island's number or None."""
    name = population.removesuffix(ARCHIVE)
    match = _NAME.fullmatch(name)
    if match is None:
        return population, None
    return (match["role"] or ALL) + population[len(name) :], int(match["island"])
