"""What every learner offers the generation loop."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from evo.config.config import Config
from evo.population import EvaluatedGeneration, Generation
from tournaments.arena.outcomes import Tally
from tournaments.schedules.base import Schedule
from tournaments.schemes import Scoring


class Contest(NamedTuple):
    """The matches of a generation, and what makes fitness of them.

    Attributes:
        schedule: who meets whom; entrants are the individuals, population after population.
        scoring: takes what is played.
        seeds_of: the generation whose seeds are taken.
        games: games a match, the seats swapped after each.
        measured: whether plies and the game's measure are noted.
    """

    schedule: Schedule
    scoring: Scoring
    seeds_of: int
    games: int = 2
    measured: bool = False


class Learner(Protocol):
    """Makes one generation of another. What it knows stands in generations, which are kept."""

    config: Config

    def first(self) -> Generation:
        """Generation 0."""

    def contest(self, generation: Generation) -> Contest:
        """The matches of a generation."""

    def judge(self, generation: Generation, contest: Contest, tally: Tally) -> EvaluatedGeneration:
        """What came of them, once all have been played."""

    def next(self, parents: EvaluatedGeneration) -> Generation:
        """The next generation; it depends on the configuration and on its parents alone."""

    def is_done(self, evaluated: EvaluatedGeneration) -> str:
        """Why there is nothing more to learn, in a few words; nothing where there is."""
