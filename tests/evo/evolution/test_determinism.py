"""One seed, one result: the same bytes in ``snapshots/`` wherever and however a run is played."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_checks import snapshot_bytes, without_vectors

import evo
from cluster import Evaluator, LocalEvaluator
from tests.evo.evolution import test_kept_results as kept_results
from tournaments.arena.arena import play_pairs
from tournaments.arena.outcomes import Played

SMALL = {"population": 24, "generations": 4, "snapshot_interval": 2, "seed": 5}
BUSY = {"learner": {"mutation_probability": 0.005}}
KEPT = {
    name: kept_results.CASES[name] | SMALL
    for name in (
        "direct",
        "round-robin",
        "antibody-antigen",
        "swiss",
        "maxsolve",
        "roles",
        "roles-with-archives",
        "islands",
        "evolution-strategy-of-vectors",
        "finite-state",
        "real-vector",
    )
}
CASES: dict[str, dict[str, Any]] = {
    **{name: case if "learner" in case else case | BUSY for name, case in KEPT.items()},
    "deap-operators": SMALL
    | {
        "scheme": "antibody-antigen",
        "learner": {
            "selection": "deap.tools.selTournament",
            "selection_options": {"tournsize": 3},
            "crossover": "deap.tools.cxTwoPoint",
        },
    },
    "islands-of-roles": SMALL
    | BUSY
    | kept_results.PURSUIT
    | {
        "population": 8,
        "islands": {
            "count": 4,
            "every": 3,
            "topology": "torus",
            "choose": "random",
            "each": [
                {"islands": [1], "learner": {"selection": "deap.tools.selRoulette"}},
                {"islands": [2, 3], "learner": "annealing"},
            ],
        },
    },
    "pairs": SMALL
    | BUSY
    | kept_results.PURSUIT
    | {"genome": {"encoding": "position-table", "pairs": True}},
    "rewards": SMALL
    | {
        "game": "fox-and-hounds:rows=4,cols=4",
        "scheme": {"name": "direct", "opponent": "random", "matches": 3},
        "learner": {"name": "q-learning", "turns": 500, "adaptive": 0.2},
    },
    "networks-of-roles": SMALL | {"game": "fox-and-hounds:rows=4,cols=4", "learner": "openai-es"},
    "moves-at-once": SMALL | {"game": "karate:rounds=8", "genome": "real-vector"},
    "hidden-agents": SMALL
    | {
        "game": "capture-the-flag:maze=small,moves=40",
        "genome": "real-vector",
        "learner": "openai-es",
        "scheme": {"name": "direct", "opponent": "hungry", "matches": 2},
    },
}
SLOW = {
    "moves-at-once",
    "islands-of-roles",
    "evolution-strategy-of-vectors",
    "networks-of-roles",
    "finite-state",
    "hidden-agents",
    "real-vector",
}
"""Cases of which each takes the compiler seconds."""
FAST = [name for name in CASES if name not in SLOW]
ALL = [*FAST, *(pytest.param(name, marks=pytest.mark.slow) for name in CASES if name in SLOW)]
UNLIKE = ["antibody-antigen", "roles", "swiss", "islands", "rewards"]
"""Cases that share no kind of player and no way to go on, and are not slow."""
CHUNKS = [1, 50]

PLAY_ALL = """
import json, os, sys
import numba
import evo
wanted = os.environ.get("NUMBA_CPU_NAME")
assert wanted is None or numba.core.config.CPU_NAME == wanted
from numpy._core._multiarray_umath import __cpu_features__ as features
disabled = os.environ.get("NPY_DISABLE_CPU_FEATURES", "").split()
assert [name for name in disabled if features[name]] == []
for name, options in json.loads(sys.argv[2]).items():
    evo.run(f"{sys.argv[1]}/{name}", options, threads=1)
"""


class References(dict[str, dict[str, bytes]]):
    """The snapshots of each case, played in one go by one thread when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __missing__(self, name: str) -> dict[str, bytes]:
        self[name] = played(self.folder / name, name, LocalEvaluator(1, 10**9))
        return self[name]


@pytest.fixture(scope="module")
def references(tmp_path_factory):
    return References(tmp_path_factory.mktemp("references"))


def played(path: Path, name: str, evaluator: Evaluator, **changes: Any) -> dict[str, bytes]:
    evo.run(path, CASES[name] | changes, evaluator=evaluator)
    evaluator.close()
    return snapshot_bytes(path)


@pytest.mark.parametrize("name", ALL)
def test_a_run_writes_a_snapshot_at_each_interval_and_no_two_are_alike(name, references):
    snapshots = [f"generation-{number:06d}.parquet" for number in (0, 2, 4)]
    assert list(references[name]) == [*snapshots, "snapshots.sha256"]
    assert len(set(references[name].values())) == 4


@pytest.mark.parametrize("name", ALL)
def test_a_run_that_was_stopped_goes_on_to_the_same_bytes(name, references, tmp_path):
    played(tmp_path / "run", name, LocalEvaluator(1), generations=2)
    evo.resume(tmp_path / "run", generations=4, threads=2)
    files = snapshot_bytes(tmp_path / "run")
    assert {file: files[file] for file in files if file.endswith("4.parquet")} == {
        file: references[name][file] for file in references[name] if file.endswith("4.parquet")
    }


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("threads", [2, 4])
def test_the_number_of_threads_changes_no_byte(name, threads, references, tmp_path):
    assert played(tmp_path / "run", name, LocalEvaluator(threads)) == references[name]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("chunk", CHUNKS)
def test_the_size_of_chunks_changes_no_byte(name, chunk, references, tmp_path):
    assert played(tmp_path / "run", name, LocalEvaluator(2, chunk)) == references[name]


@pytest.mark.parametrize("name", ALL)
def test_another_seed_gives_other_bytes(name, references, tmp_path):
    other = played(tmp_path / "run", name, LocalEvaluator(1), seed=6)
    assert other.keys() == references[name].keys()
    assert all(other[file] != references[name][file] for file in other)


@pytest.mark.parametrize("name", ["round-robin", "deap-operators"])
def test_global_random_generators_neither_matter_nor_change(name, references, tmp_path):
    random.seed(99)
    np.random.seed(99)
    before = str(random.getstate()), str(np.random.get_state())
    assert played(tmp_path / "run", name, LocalEvaluator(1)) == references[name]
    assert (str(random.getstate()), str(np.random.get_state())) == before


@pytest.mark.parametrize(
    ("variables", "names"),
    [
        pytest.param(
            {"NUMBA_CPU_NAME": "generic"},
            ["round-robin", "roles", *SLOW],
            marks=pytest.mark.slow,
        ),
        pytest.param(without_vectors(), list(CASES), marks=pytest.mark.slow),
        ({"PYTHONHASHSEED": "12345", "TZ": "Asia/Tokyo", "LANG": "C"}, FAST),
    ],
    ids=["generic-processor", "no-vector-instructions", "another-place"],
)
def test_another_process_writes_the_same_bytes(variables, names, references, tmp_path):
    cases = {name: CASES[name] for name in names}
    subprocess.run(
        [sys.executable, "-c", PLAY_ALL, str(tmp_path), json.dumps(cases)],
        env={**os.environ, **variables},
        check=True,
    )
    for name in names:
        assert snapshot_bytes(tmp_path / name) == references[name], name


def test_the_command_line_writes_the_same_bytes_as_python(references, tmp_path):
    from evo.cli.main import main

    flags = ["--game", "dots-and-boxes:rows=2,cols=2", "--scheme", "round-robin"]
    flags += ["--population", "24", "--generations", "4", "--set", "lineage=true"]
    flags += ["--seed", "5", "--threads", "2", "--set", "snapshot_interval=2"]
    flags += ["--set", "learner.mutation_probability=0.005"]
    assert main(["run", *flags, "--out", str(tmp_path / "run"), "--json"]) == 0
    assert snapshot_bytes(tmp_path / "run") == references["round-robin"]


def test_whoever_plays_first_changes_no_byte(references, tmp_path):
    """Pieces of a schedule that are played in reverse order, each by itself."""

    class Backwards:
        def __init__(self) -> None:
            self.inner = LocalEvaluator(1)

        def play(self, entrants, matches):
            for first in reversed(range(0, len(matches), 13)):
                pairs, seeds = matches.part(first, min(first + 13, len(matches)))
                yield Played(first, pairs, play_pairs(entrants, pairs, seeds, matches.games))

        def close(self) -> None:
            self.inner.close()

    for name in set(FAST) - {"deap-operators"}:
        assert played(tmp_path / name, name, Backwards()) == references[name]


@pytest.mark.slow
def test_ray_actors_change_no_byte(references, tmp_path, ray):
    from cluster.ray_matches import RayEvaluator

    evaluator = RayEvaluator(actors=2, chunk=7)
    try:
        for name in UNLIKE:
            evo.run(tmp_path / name, CASES[name], evaluator=evaluator)
            assert snapshot_bytes(tmp_path / name) == references[name], name
    finally:
        evaluator.close()


@pytest.mark.slow
def test_ray_actors_change_no_byte_of_any_case(references, tmp_path, ray):
    from cluster.ray_matches import RayEvaluator

    evaluator = RayEvaluator(actors=2, chunk=50)
    try:
        for name in set(CASES) - set(UNLIKE):
            evo.run(tmp_path / name, CASES[name], evaluator=evaluator)
            assert snapshot_bytes(tmp_path / name) == references[name], name
    finally:
        evaluator.close()
