"""Genomes of numbers that control a kind of player of the game, or that are players of a contest.

Numbers are float32, as weights of networks are (:mod:`evo.genomes.reals`). Games with roles evolve
two populations, one per role, each with its own numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evo.genomes.base import EncodingOptions, Plan, plans_by_role
from evo.genomes.reals import RealGenes
from tournaments.adapters.environments import EXPECTED, EnvironmentSimulator
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.options import option
from tournaments.players.contestants import CONTEST_FORM, ContestVectors
from tournaments.players.vector import VectorEncoding
from tournaments.rules import VectorForm


@dataclass(frozen=True)
class RealVectorOptions(EncodingOptions):
    """Numbers that control a kind of player of the game, or that a contest gets as they are.

    Each number is float32.

    Attributes:
        form: the game's form of the numbers; empty: its first
        length: how many numbers a player of a contest has; 0: as the form of a game says
        initial: standard deviation of the first, random numbers; 0: as the form says
        limit: the greatest number, of either sign; 0: as the form says
    """

    real_weights: ClassVar[bool] = True
    encoding: str = option("real-vector")
    form: str = option("")
    length: int = option(0, low=0, high=1_000_000, sparse=True)
    initial: float = option(0.0, low=0.0, high=1e6)
    limit: float = option(0.0, low=0.0, high=1e6)

    @staticmethod
    def fits(game: Game) -> bool:
        """Return whether a game offers players that follow a vector of numbers, or is a contest."""
        return bool(game.rules.vectors) or game.rules.contest is not None

    def plans(self, game: Game) -> tuple[Plan, ...]:
        """Return the populations of vectors that evolve in a game: one, or one per role."""
        form = self._form(game)
        initial, limit = self.initial or form.spread, self.limit or form.limit
        if initial > limit:
            raise ConfigError(
                f"genome.initial={initial:g} given, but numbers end at genome.limit={limit:g}; a "
                "smaller one is expected"
            )

        def genome(seats: tuple[int, ...]) -> RealGenes:
            if game.rules.contest is not None:
                return RealGenes(ContestVectors(seats, self.length, limit), initial)
            return RealGenes(VectorEncoding(game, form.name, seats, limit), initial)

        return plans_by_role(game, genome)

    def _form(self, game: Game) -> VectorForm:
        """Return the form of the numbers, which the game offers.

        Raises:
            ConfigError: the length is missing for a contest, or is given for another game; or the
                players of the contest are functions.
        """
        contest = game.rules.contest
        is_contest = contest is not None
        if contest is not None and isinstance(contest.play, EnvironmentSimulator):
            raise ConfigError(
                f"genome.encoding={self.encoding!r} given for the environment {game.name}, whose "
                f"players are not numbers; {EXPECTED} is expected: take learner=program-search, or "
                "a contest whose function (players, seed) turns numbers into such functions"
            )
        if is_contest == (self.length == 0):
            wanted = (
                "how many numbers a player has is expected for a contest, such as genome.length=12"
                if is_contest
                else f"{game.name} says itself how many numbers its players have: leave it out"
            )
            raise ConfigError(f"genome.length={self.length} given; {wanted}")
        if is_contest and self.form:
            raise ConfigError(f"genome.form={self.form!r} given; a contest has none: leave it out")
        if is_contest:
            return CONTEST_FORM
        return VectorEncoding(game, self.form or next(iter(game.rules.vectors)), (0, 1)).rules


GENOME = RealVectorOptions
