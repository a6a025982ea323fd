"""Policy tables for boards of any size: what to do where both are close, and a far rule."""

from __future__ import annotations

from dataclasses import dataclass

from evo.genomes.base import EncodingOptions, Plan
from evo.genomes.policy_table import pairs_option, table_plans
from tournaments.game import Game
from tournaments.options import one_of, option


@dataclass(frozen=True)
class WindowTableOptions(EncodingOptions):
    """Policy tables for boards of any size: what to do where both are close, and a far rule."""

    encoding: str = option("window-table", "how an individual is written down")
    pairs: bool = pairs_option()
    far: str = one_of(
        "larger-axis",
        "what is done where no window holds both: larger-axis and euclidean are greedy, table is a "
        "second evolved table",
        ("larger-axis", "euclidean", "table"),
    )

    @staticmethod
    def fits(game: Game) -> bool:
        """Games that offer this form."""
        return "window-table" in game.rules.tables

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """One population a role, or one of pairs."""
        return table_plans(game, self.encoding, self.pairs, {"far": self.far})


GENOME = WindowTableOptions
