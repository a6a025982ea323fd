"""Policy tables for boards of any size: what to do where both are close, and a far rule."""

from __future__ import annotations

from dataclasses import dataclass

from evo.genomes.policy_table import TableOptions, pairs_option
from tournaments.options import one_of, option


@dataclass(frozen=True)
class WindowTableOptions(TableOptions):
    """Policy tables for boards of any size: what to do where both are close, and a far rule."""

    encoding: str = option("window-table", "how an individual is written down")
    pairs: bool = pairs_option()
    far: str = one_of(
        "larger-axis",
        "what is done where no window holds both: larger-axis and euclidean are greedy, table is a "
        "second evolved table",
        ("larger-axis", "euclidean", "table"),
    )


GENOME = WindowTableOptions
