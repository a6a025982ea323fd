"""Islands give the same bytes wherever they are played, killed in between or not."""

from __future__ import annotations

from contextlib import closing

import pytest
from island_runs import ROLES, TINY, run, slow
from run_checks import snapshot_bytes

import evo
from cluster.ray_matches import RayEvaluator
from results import open_run


@pytest.mark.parametrize("at", [slow(0), 2, slow(3), 4, slow(5)])
def test_a_run_that_dies_anywhere_between_its_snapshots_goes_on_to_the_same_bytes(at, tmp_path):
    """Migrations fall on generations 2, 4 and 6, snapshots on 0, 3 and 6."""
    table = TINY | {"snapshot_interval": 3, "scheme": {"name": "hall-of-fame", "kept": 2}}
    run(tmp_path / "whole", table)

    def die(progress):
        if progress.generation == at:
            raise RuntimeError("killed")

    options = table | {"islands": {"count": 3, "every": 2}}
    with pytest.raises(RuntimeError, match="killed"):
        evo.run(tmp_path / "run", options, report=die, threads=1)
    evo.resume(tmp_path / "run", threads=2)
    assert snapshot_bytes(tmp_path / "run") == snapshot_bytes(tmp_path / "whole")
    columns = ["generation", "population", "island", "games_played", "best", "mean", "diversity"]
    tables = [open_run(tmp_path / name).generations[columns] for name in ("run", "whole")]
    assert tables[0].equals(tables[1])


@pytest.mark.parametrize("at", [1, slow(2), slow(3), 4, slow(5)])
def test_snapshots_that_need_not_stay_go_and_the_rest_is_the_same(at, tmp_path):
    """Killed or not, every fourth snapshot stays and the last of them."""
    table = TINY | {"keep_every": 4, "keep_last": 1}
    whole = run(tmp_path / "all", TINY)
    kept = run(tmp_path / "kept", table)
    assert kept.snapshots == [0, 4, 6]
    for generation in kept.snapshots:
        assert kept.population(generation).equals(whole.population(generation))

    def die(progress):
        if progress.generation == at:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        evo.run(
            tmp_path / "run",
            table | {"islands": {"count": 3, "every": 2}},
            report=die,
            threads=1,
        )
    evo.resume(tmp_path / "run", threads=2)
    assert snapshot_bytes(tmp_path / "run") == snapshot_bytes(tmp_path / "kept")


@pytest.mark.slow
def test_islands_of_roles_are_the_same_by_actors(ray, tmp_path):
    run(tmp_path / "threads", ROLES)
    options = ROLES | {"islands": {"count": 3, "every": 2}}
    with closing(RayEvaluator(2)) as evaluator:
        evo.run(tmp_path / "actors", options, evaluator=evaluator)
    assert snapshot_bytes(tmp_path / "actors") == snapshot_bytes(tmp_path / "threads")


def test_a_stop_is_heard_after_the_stretch_and_a_later_end_changes_nothing_before(tmp_path):
    table = TINY | {"snapshot_interval": 4, "islands": {"count": 3, "every": 3}}
    seen = []
    with pytest.raises(KeyboardInterrupt, match="evo resume"):
        evo.run(
            tmp_path / "run",
            table,
            report=lambda progress: seen.append(progress.generation),
            stop=lambda: len(seen) > 1,
            threads=1,
        )
    assert open_run(tmp_path / "run").snapshots == [0, 4]
    evo.resume(tmp_path / "run", 9, threads=1)
    evo.run(tmp_path / "whole", table, generations=9, threads=1)
    assert snapshot_bytes(tmp_path / "run") == snapshot_bytes(tmp_path / "whole")
    assert seen == list(range(5))
