"""A move for what both seats did last, and a first one: players of a repeated game."""

from __future__ import annotations

from dataclasses import dataclass

from evo.genomes.policy_table import TableOptions
from tournaments.options import option


@dataclass(frozen=True)
class MemoryOneOptions(TableOptions):
    """A move for what both seats did last, and a first one: players of a repeated game."""

    encoding: str = option("memory-one")


GENOME = MemoryOneOptions
