"""Finite-state machines that play a repeated game."""

from __future__ import annotations

from dataclasses import dataclass

from evo.genomes.policy_table import TableOptions
from tournaments.options import option


@dataclass(frozen=True)
class FiniteStateOptions(TableOptions):
    """Finite-state machines that play a repeated game.

    Attributes:
        digits: genes that say which state is next: two moves and three digits make 8 states
    """

    encoding: str = option("finite-state")
    digits: int = option(2, low=1, high=4)


GENOME = FiniteStateOptions
