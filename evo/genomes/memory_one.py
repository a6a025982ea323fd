"""A move for what both seats did last, and a first one: players of a repeated game."""

from __future__ import annotations

from dataclasses import dataclass

from evo.genomes.base import EncodingOptions, Plan
from evo.genomes.policy_table import table_plans
from tournaments.game import Game
from tournaments.options import option


@dataclass(frozen=True)
class MemoryOneOptions(EncodingOptions):
    """A move for what both seats did last, and a first one: players of a repeated game."""

    encoding: str = option("memory-one", "how an individual is written down")

    @staticmethod
    def fits(game: Game) -> bool:
        """Games that offer this form."""
        return "memory-one" in game.rules.tables

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """One population."""
        return table_plans(game, self.encoding, pairs=False)


GENOME = MemoryOneOptions
