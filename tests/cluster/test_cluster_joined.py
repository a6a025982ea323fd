"""A cluster that runs is joined by `--ray auto`, and left running."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

SMALL = ["--population", "4", "--set", "game.rows=1", "--set", "game.cols=1", "--generations", "2"]
SWEEP = """
name = "two"
seeds = 2
[base]
population = 4
generations = 2
game = "dots-and-boxes:rows=1,cols=1"
[populations.rr]
scheme = "round-robin"
"""


@pytest.fixture
def cluster():
    """A cluster of this machine, on ports of its own."""
    utils = pytest.importorskip("ray.cluster_utils")
    options = {"num_cpus": 2, "object_store_memory": 80_000_000, "include_dashboard": False}
    there = utils.Cluster(initialize_head=True, head_node_args=options)
    yield there
    there.shutdown()


def test_auto_joins_the_cluster_that_the_variable_names_and_leaves_it_running(cluster, tmp_path):
    (tmp_path / "e.toml").write_text(SWEEP)
    commands = [
        ["run", "--ray", "auto", "--actors", "1", *SMALL, "--out", "run", "--or-resume"],
        ["run", "--ray", "auto", "--actors", "1", *SMALL, "--out", "run", "--or-resume"],
        ["sweep", "e.toml", "--ray", "auto", "--actors", "2", "--out", "sweep"],
    ]
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "evo", *command],
            cwd=tmp_path,
            env={**os.environ, "RAY_ADDRESS": cluster.address, "PYTHONPATH": os.getcwd()},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "joining Ray at auto" in done.stderr
        assert cluster.head_node.all_processes
        assert cluster.head_node.remaining_processes_alive()
