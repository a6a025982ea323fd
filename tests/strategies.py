"""Strategies on fitness that is a function of the weights."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from evo.population import EvaluatedGeneration, Generation
from tournaments.arena.outcomes import Tally
from tournaments.schemes import Scoring

SMALL_BOARD = "dots-and-boxes:rows=1,cols=2"


def judged(learner: Any, generation: Generation, fitness: np.ndarray) -> EvaluatedGeneration:
    """A generation whose raw fitness is given, as a scheme's scoring would give it."""

    class Given(Scoring):
        def points(self) -> np.ndarray:
            return fitness

    contest = learner.contest(generation)._replace(scoring=Given())
    nobody = Tally(*np.zeros((4, len(generation)), dtype=np.int32))
    return learner.judge(generation, contest, nobody)


def climbed(learner: Any, value: Any, generations: int) -> list[Generation]:
    """Generations of a learner whose fitness is a function of the weights."""
    made = [learner.first()]
    for _ in range(generations):
        genes = made[-1].populations[0].genes
        evaluated = judged(learner, made[-1], value(genes.astype(np.float64)))
        # What goes on from here is what a snapshot keeps: arrays, and a state that is JSON.
        kept = json.loads(json.dumps(evaluated.state))
        made.append(learner.next(replace(evaluated, state=kept)))
    return made


def ellipsoid(genes: np.ndarray) -> np.ndarray:
    """The less the further from 0.5, by weights of scales from 1 to 10; never negative."""
    scales = np.linspace(1.0, 10.0, genes.shape[1])
    return 1.0 / (1.0 + (((genes - 0.5) * scales) ** 2).sum(axis=1))
