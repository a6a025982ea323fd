"""The names of populations on islands: ``island-3``, or ``cat-island-3`` if seats have roles.

A population of an island is a population with a separate name, so readers of several populations
also read islands. An archive keeps its ending: ``cat-island-3-archive``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from results.format.genomes import ARCHIVE

if TYPE_CHECKING:
    from pandas import DataFrame

ALL = "all"
"""The name of the only population of a game whose seats are alike."""
_NAME = re.compile(r"(?:(?P<role>.+)-)?island-(?P<island>\d+)")


def on_island(population: str, island: int | None) -> str:
    """Return the name in a run of a population on an island; unchanged if ``island`` is None."""
    if island is None:
        return population
    role = population.removesuffix(ARCHIVE)
    ending = population[len(role) :]
    return f"{'' if role == ALL else f'{role}-'}island-{island}{ending}"


def role_and_island(population: str) -> tuple[str, int | None]:
    """Split the name of a run's population into the name within its island and the island's number.

    The number is None if the name is not that of a population on an island.
    """
    name = population.removesuffix(ARCHIVE)
    match = _NAME.fullmatch(name)
    if match is None:
        return population, None
    return (match["role"] or ALL) + population[len(name) :], int(match["island"])


def has_islands(rows: DataFrame) -> bool:
    """Return whether the populations of rows are on islands."""
    return any(role_and_island(str(name))[1] is not None for name in rows["population"].unique())
