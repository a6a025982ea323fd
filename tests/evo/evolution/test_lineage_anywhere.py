"""Rows of lineage are the same wherever a run is played: killed, compacted or thinned."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from island_runs import ROLES, TINY

import evo
from cluster.ray_matches import RayEvaluator
from results import open_run
from results.read.verify import verify
from results.writer.compact import compact

PLAIN = TINY | {"lineage": True, "generations": 6, "snapshot_interval": 3}
ISLANDS = PLAIN | {"islands": {"count": 3, "every": 2}}
OF_ROLES = ROLES | {"lineage": True}
TABLES = {
    "plain": PLAIN,
    "islands": ISLANDS,
    "roles": OF_ROLES,
    "islands of roles": OF_ROLES | {"islands": {"count": 3, "every": 2}},
    "thinned": PLAIN | {"snapshot_interval": 1, "keep_every": 4, "keep_last": 1},
}


def rows(path: Path) -> pd.DataFrame:
    """All rows, in an order that does not depend on the files."""
    frame = pd.read_parquet(path / "lineage")
    return frame.sort_values(["generation", "population", "id"], ignore_index=True)


def killed_at(generation: int, path: Path, table: dict) -> None:
    """A run that ends without warning after a generation; nothing of it is lost twice."""

    def die(progress):
        if progress.generation == generation:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        evo.run(path, table, report=die, threads=1)


@pytest.mark.slow
@pytest.mark.parametrize("at", [1, 3, 5])
@pytest.mark.parametrize("name", TABLES)
def test_a_run_that_is_killed_goes_on_to_the_same_rows(name, at, tmp_path):
    evo.run(tmp_path / "whole", TABLES[name], threads=1)
    killed_at(at, tmp_path / "run", TABLES[name])
    evo.resume(tmp_path / "run", threads=2)
    run, straight = open_run(tmp_path / "run"), open_run(tmp_path / "whole")
    whole = rows(straight.path)
    assert sorted(whole["generation"].unique()) == list(range(run.snapshots[-1] + 1))
    assert not whole.duplicated(["generation", "population", "id"]).any()
    pd.testing.assert_frame_equal(rows(run.path), whole)
    for id in whole["id"].tail(3).tolist():
        descent = run.lineage(id)
        pd.testing.assert_frame_equal(descent, straight.lineage(id))
        assert descent["generation"].min() == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_compacting_leaves_each_row_once_and_the_run_whole(name, tmp_path):
    evo.run(tmp_path / "run", TABLES[name], threads=1)
    before, descent = rows(tmp_path / "run"), open_run(tmp_path / "run").lineage()
    compact(tmp_path / "run")
    pd.testing.assert_frame_equal(rows(tmp_path / "run"), before)
    assert {finding.state for finding in verify(tmp_path / "run")} == {"whole"}
    pd.testing.assert_frame_equal(open_run(tmp_path / "run").lineage(), descent)
    end = int(before["generation"].max())
    evo.resume(tmp_path / "run", end + 2, threads=1)
    later = rows(tmp_path / "run")
    pd.testing.assert_frame_equal(later[later["generation"] <= end], before)
    assert later["generation"].max() == end + 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "islands of roles"])
def test_actors_of_ray_leave_the_same_rows(name, ray, tmp_path):
    evo.run(tmp_path / "threads", TABLES[name], threads=1)
    killed_at(4, tmp_path / "actors", TABLES[name])
    with closing(RayEvaluator(2)) as evaluator:
        evo.resume(tmp_path / "actors", evaluator=evaluator)
        evo.run(tmp_path / "again", TABLES[name], evaluator=evaluator)
    whole = rows(tmp_path / "threads")
    pd.testing.assert_frame_equal(rows(tmp_path / "actors"), whole)
    pd.testing.assert_frame_equal(rows(tmp_path / "again"), whole)
