"""Policy tables for boards of any size: what to do where both are close, and a far rule."""

from __future__ import annotations

from dataclasses import dataclass

from evo.genomes.policy_table import PairedTableOptions
from tournaments.options import option


@dataclass(frozen=True)
class WindowTableOptions(PairedTableOptions):
    """Policy tables for boards of any size: what to do where both are close, and a far rule.

    Attributes:
        far: rule for positions in which no window holds both: larger-axis and euclidean are greedy,
            table is a second evolved table
    """

    encoding: str = option("window-table")
    far: str = option("larger-axis", known=("larger-axis", "euclidean", "table"))


GENOME = WindowTableOptions
