"""Small runs of islands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evo

TINY: dict[str, Any] = {
    "game": "dots-and-boxes:rows=1,cols=1",
    "population": 6,
    "generations": 6,
    "snapshot_interval": 1,
    "seed": 3,
    "learner": {"mutation_probability": 0.02},
}
ROLES = TINY | {"game": "cat-and-mouse:rows=3,cols=3"}


def slow(value: Any) -> Any:
    """A case that is left to the slow tests."""
    return pytest.param(value, marks=pytest.mark.slow)


def run(path: Path, table: dict[str, Any], **islands: Any):
    return evo.run(path, table | {"islands": {"count": 3, "every": 2, **islands}}, threads=1)


def of_island(run, generation, island):
    rows = run.population(generation)
    return rows[rows["island"] == island].reset_index(drop=True)
