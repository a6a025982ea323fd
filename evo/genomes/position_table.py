"""Policy tables with a legal action for each placement of the pieces."""

from __future__ import annotations

from dataclasses import dataclass

from evo.genomes.policy_table import PairedTableOptions
from tournaments.options import option


@dataclass(frozen=True)
class PositionTableOptions(PairedTableOptions):
    """Policy tables with a legal action for each placement of the pieces."""

    encoding: str = option("position-table")


GENOME = PositionTableOptions
