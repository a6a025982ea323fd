"""Genomes of real weights: networks that an evolution strategy, or a genetic algorithm, varies.

Genes are float32 ``[N, G]``, a weight each (:mod:`evo.genomes.reals`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from evo.genomes.base import NetworkOptions, Plan, plans_by_role
from evo.genomes.reals import RealGenes
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.options import option
from tournaments.players.network import RealEncoding, groups_of, layers_for


@dataclass(frozen=True)
class RealNetworkOptions(NetworkOptions):
    """Networks: weights as real numbers, float32.

    Attributes:
        initial: standard deviation of the first, random weights
        limit: the greatest weight, of either sign; larger weights are cut to the limit
        symmetry: whether weights that rotations and reflections of the board map to one another
            share a number, to which each weight adds a number of its own
        own: factor of a weight's own number under symmetry
    """

    real_weights: ClassVar[bool] = True
    encoding: str = option("real-network")
    initial: float = option(1.0, low=1e-6, high=1e6)
    limit: float = option(64.0, low=1e-6, high=1e6)
    symmetry: bool = option(False)
    own: float = option(0.1, low=0.0, high=1e3)

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """Return the populations of networks that evolve in a game: one, or one per role."""
        if self.own != type(self).own and not self.symmetry:
            raise ConfigError(
                f"genome.own={self.own:g} given without genome.symmetry; it is the "
                "factor of a weight's own number if weights are shared: set genome.symmetry=true, "
                "or leave it out"
            )
        layers = layers_for(game, self.hidden)
        shared = groups_of(game, layers) if self.symmetry else ()
        encoding = RealEncoding(layers, self.limit, shared, self.own if shared else 1.0)
        return plans_by_role(
            game, lambda seats: RealGenes(replace(encoding, seats=seats), self.initial)
        )


GENOME = RealNetworkOptions
