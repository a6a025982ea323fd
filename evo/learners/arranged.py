"""What learners share whose matches a scheme arranges."""

from __future__ import annotations

import numpy as np

from evo.config import Config
from evo.learners.contest import Contest
from evo.population import EvaluatedGeneration, Generation
from evo.selection import linear_scaling
from tournaments.scoring import Tally


class Arranged:
    """The half of a :class:`evo.learners.contest.Learner` that asks the configuration's scheme."""

    def __init__(self, config: Config) -> None:
        assert config.scheme is not None
        self.config = config
        self.scheme = config.scheme

    def contest(self, generation: Generation) -> Contest:
        """The scheme's matches."""
        sizes = tuple(map(len, generation.populations))
        schedule = self.scheme.schedule(sizes, self.config.seed, generation.number)
        scoring = self.scheme.scoring(schedule, sizes)
        return Contest(schedule, scoring, generation.number, games=2 if len(sizes) == 1 else 1)

    def judge(self, generation: Generation, contest: Contest, tally: Tally) -> EvaluatedGeneration:
        """The scheme's points, with its bonus and scaled for selection."""
        raw = contest.scoring.points()
        scaled = [
            linear_scaling(raw[part] + self.scheme.bonus, self.scheme.best_share)
            for part in generation.parts()
        ]
        return EvaluatedGeneration.of(generation, raw, np.concatenate(scaled), tally)

    def is_done(self, evaluated: EvaluatedGeneration) -> str:
        """It never has enough."""
        return ""
