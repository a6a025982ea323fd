"""A run in a store of objects is the run on a disk, to the byte, whoever learns what."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import pytest
from run_checks import snapshot_bytes

import evo
from evo.evolution.runs import Interrupted
from results import open_run
from results.folder.files import names_in, place_of, read_file

pytestmark = pytest.mark.slow

RUNS = {
    "antibodies": {"population": 8, "seed": 2},
    "round-robin": {"scheme": "round-robin", "population": 8, "snapshot_interval": 3},
    "roles": {"game": "cat-and-mouse", "population": 6, "snapshot_interval": 4},
    "weights": {"learner": "openai-es", "genome": "real-network", "population": 8},
    "climber": {"learner": "annealing", "snapshot_interval": 5},
    "rewards": {"game": "tic-tac-toe", "learner": "q-learning", "population": 3},
}


def there(address: str) -> dict[str, bytes]:
    run = place_of(address)
    paths = [run / "snapshots" / name for name in names_in(run / "snapshots")]
    return {path.name: read_file(path) for path in [*paths, run / "snapshots.sha256"]}


def _third(calls: Iterator[int]) -> bool:
    """Whether this is the third call."""
    return next(calls, None) is None


@pytest.mark.parametrize("name", RUNS)
def test_a_run_in_memory_stopped_and_resumed_is_the_run_on_a_disk(tmp_path, name):
    options = {"generations": 11, "threads": 1, **RUNS[name]}
    on_disk = evo.run(tmp_path / "run", **options)
    address = f"memory://{name}/run"
    for stops in itertools.count():
        stop = partial(_third, iter(range(2)))
        try:
            if stops:
                run = evo.resume(address, threads=1, stop=stop)
            else:
                run = evo.run(address, **options, stop=stop)
            break
        except Interrupted as interruption:
            stopped_at = str(interruption.path)
        assert stopped_at == address
    assert stops >= 2
    assert there(address) == snapshot_bytes(on_disk.path)
    columns = ["generation", "population", "games_played", "best", "mean", "std", "diversity"]
    assert run.generations[columns].equals(on_disk.generations[columns])
    assert open_run(address).population().equals(on_disk.population())
