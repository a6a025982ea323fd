"""Policy tables with a legal action for each placement of the pieces."""

from __future__ import annotations

from dataclasses import dataclass

from evo.genomes.policy_table import TableOptions, pairs_option
from tournaments.options import option


@dataclass(frozen=True)
class PositionTableOptions(TableOptions):
    """Policy tables with a legal action for each placement of the pieces."""

    encoding: str = option("position-table", "how an individual is written down")
    pairs: bool = pairs_option()


GENOME = PositionTableOptions
