"""The digest of an evolution strategy's generations, without a game; run by itself."""

from __future__ import annotations

import hashlib
import json
import os
import sys

import numpy as np
from numpy._core._multiarray_umath import __cpu_features__ as features

from evo.config import config as configuration
from evo.evolution.start import learner_of
from evo.population import EvaluatedGeneration
from tournaments.arena.outcomes import Tally

STRATEGY = {"population": 50, "scheme": {"name": "direct", "opponent": "level-1"}}


def digest(learner_name: str, generations: int = 40) -> str:
    """Of what 465 weights become whose fitness is a number of whole ones, as games won are."""
    learner = learner_of(configuration.from_dict(STRATEGY | {"learner": learner_name}))
    generation, found = learner.first(), hashlib.sha256()
    nobody = Tally(*np.zeros((4, len(generation)), dtype=np.int32))
    for _ in range(generations):
        (population,) = generation.populations
        won = (population.genes > 0.3).sum(axis=1).astype(np.float64)
        found.update(population.genes.tobytes() + json.dumps(generation.state).encode())
        judged = EvaluatedGeneration.of(generation, won, won, nobody)
        generation = learner.next(judged)
    return found.hexdigest()


if __name__ == "__main__":
    disabled = os.environ.get("NPY_DISABLE_CPU_FEATURES", "").split()
    assert [name for name in disabled if features[name]] == []
    print(digest(sys.argv[1]))
