"""Genomes of numbers that control a kind of player of the game.

Numbers are float32, as weights of networks are (:mod:`evo.genomes.reals`). Games with roles evolve
two populations, one per role, each with its own numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evo.genomes.base import EncodingOptions, Plan, plans_by_role
from evo.genomes.reals import RealGenes
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.options import option
from tournaments.players.vector import VectorEncoding


@dataclass(frozen=True)
class RealVectorOptions(EncodingOptions):
    """Numbers that control a kind of player of the game, float32.

    Attributes:
        form: the game's form of the numbers; empty: its first
        initial: standard deviation of the first, random numbers; 0: as the form says
        limit: the greatest number, of either sign; 0: as the form says
    """

    real_weights: ClassVar[bool] = True
    encoding: str = option("real-vector")
    form: str = option("")
    initial: float = option(0.0, low=0.0, high=1e6)
    limit: float = option(0.0, low=0.0, high=1e6)

    @staticmethod
    def fits(game: Game) -> bool:
        """Return whether a game offers players that follow a vector of numbers."""
        return bool(game.rules.vectors)

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """Return the populations of vectors that evolve in a game: one, or one per role."""
        name = self.form or next(iter(game.rules.vectors))
        form = VectorEncoding(game, name, (0, 1)).rules
        initial, limit = self.initial or form.spread, self.limit or form.limit
        if initial > limit:
            raise ConfigError(
                f"genome.initial={initial:g} given, but numbers end at genome.limit={limit:g}; a "
                "smaller one is expected"
            )
        return plans_by_role(
            game, lambda seats: RealGenes(VectorEncoding(game, name, seats, limit), initial)
        )


GENOME = RealVectorOptions
