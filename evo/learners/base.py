"""What every learner offers the generation loop."""

from __future__ import annotations

from typing import Protocol

from evo.config.config import Config
from evo.population import EvaluatedGeneration, Generation
from tournaments.arena.outcomes import Tally
from tournaments.schemes import Contest as Contest


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
