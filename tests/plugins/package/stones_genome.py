"""An encoding: a table by the stones that are left, one a role."""

from __future__ import annotations

from dataclasses import dataclass

from evo.genomes.base import EncodingOptions, Plan
from evo.genomes.policy_table import table_plans
from tournaments.game import Game
from tournaments.options import option


@dataclass(frozen=True)
class StonesTable(EncodingOptions):
    """How many stones to take of each heap."""

    encoding: str = option("stones-table")

    @staticmethod
    def fits(game: Game) -> bool:
        """Games of stones."""
        return "stones" in game.options

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """One population, or one a role."""
        return table_plans(game, "position-table", False)


GENOME = StonesTable
