"""Finite-state machines that play a repeated game."""

from __future__ import annotations

from dataclasses import dataclass

from evo.genomes.base import EncodingOptions, Plan
from evo.genomes.policy_table import table_plans
from tournaments.game import Game
from tournaments.options import option


@dataclass(frozen=True)
class FiniteStateOptions(EncodingOptions):
    """Finite-state machines that play a repeated game."""

    encoding: str = option("finite-state", "how an individual is written down")
    digits: int = option(
        2, "genes that say which state is next: two moves and three digits make 8 states", 1, 4
    )

    @staticmethod
    def fits(game: Game) -> bool:
        """Games that offer this form."""
        return "finite-state" in game.rules.tables

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """One population."""
        return table_plans(game, self.encoding, False, {"digits": str(self.digits)})


GENOME = FiniteStateOptions
