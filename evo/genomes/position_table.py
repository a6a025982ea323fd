"""Policy tables with a legal action for each placement of the pieces."""

from __future__ import annotations

from dataclasses import dataclass

from evo.genomes.base import EncodingOptions, Plan
from evo.genomes.policy_table import pairs_option, table_plans
from tournaments.game import Game
from tournaments.options import option


@dataclass(frozen=True)
class PositionTableOptions(EncodingOptions):
    """Policy tables with a legal action for each placement of the pieces."""

    encoding: str = option("position-table", "how an individual is written down")
    pairs: bool = pairs_option()

    @staticmethod
    def fits(game: Game) -> bool:
        """Games that offer this form."""
        return "position-table" in game.rules.tables

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """One population a role, or one of pairs."""
        return table_plans(game, self.encoding, self.pairs)


GENOME = PositionTableOptions
