"""Clusters of several nodes on this machine, and what becomes of calls when parts of them go."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from processes import ROOT

import evo
from cluster import ClusterError, Entrants
from cluster.evaluator import all_outcomes
from cluster.faults import Limits
from cluster.ray_matches import RayEvaluator
from tournaments import games
from tournaments.arena.arena import play_pairs
from tournaments.schedules.base import Listed, Matches

pytestmark = pytest.mark.slow

GAME = games.make("dots-and-boxes", rows=1, cols=2)
SOON = Limits(patience=20.0, floor=1.5, warm=3.0, quiet=2.0, end=90.0)
STORE = 80_000_000


class Slow:
    """Takes a while for a move; on a node that is named it moves another way."""

    name = "slow"

    def __init__(self, wrong_on: str = "", seconds: float = 0.02) -> None:
        self.wrong_on, self.seconds = wrong_on, seconds

    def choose(self, state, rng):
        time.sleep(self.seconds)
        actions = state.legal_actions()
        is_wrong = self.wrong_on and self._node() == self.wrong_on
        return actions[len(actions) // 2 if is_wrong else 0]

    @staticmethod
    def _node() -> str:
        import ray

        return ray.get_runtime_context().get_node_id() if ray.is_initialized() else ""


class Nodes:
    """A cluster whose head plays nothing."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self.cluster = Cluster(True, head_node_args={"num_cpus": 0, "object_store_memory": STORE})
        self.address = self.cluster.address
        self.added: list = []

    def add(self, processors: int = 2):
        node = self.cluster.add_node(num_cpus=processors, object_store_memory=STORE)
        self.added.append(node)
        return node

    def remove(self, node) -> None:
        self.added.remove(node)
        self.cluster.remove_node(node, allow_graceful=False)
        until(lambda: node.node_id not in self.alive())

    def alive(self) -> set[str]:
        import ray

        return {entry["NodeID"] for entry in ray.nodes() if entry["Alive"]}

    def close(self) -> None:
        self.cluster.shutdown()


@pytest.fixture(scope="module")
def head(cache_folder):
    ray = pytest.importorskip("ray")
    nodes = Nodes()
    try:
        ray.init(nodes.address, log_to_driver=False, logging_level=40)
        yield nodes
    finally:
        ray.shutdown()
        nodes.close()


@pytest.fixture
def nodes(head):
    """A cluster without a node to play on."""
    yield head
    for node in list(head.added):
        head.remove(node)


def matches_of(count: int) -> Matches:
    return Matches(Listed(np.full((count, 2), (-1, -2), dtype=np.int32)), 5, "test")


def entrants_of(wrong_on: str = "") -> Entrants:
    return Entrants(GAME, (Slow(wrong_on), Slow()))


def in_one_go(count: int) -> np.ndarray:
    entrants = Entrants(GAME, (Slow(seconds=0.0), Slow(seconds=0.0)))
    return play_pairs(entrants, *matches_of(count).part(0, count), 2)


def call(evaluator, count: int, wrong_on: str = "") -> np.ndarray:
    return all_outcomes(evaluator, entrants_of(wrong_on), matches_of(count))


def until(condition, seconds=300.0) -> None:
    """Wait for what another process does."""
    last = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < last, "it did not come about in time"
        threading.Event().wait(0.05)


@contextlib.contextmanager
def meanwhile(action):
    """Something done by another thread, whose error is raised."""
    errors = []

    def act() -> None:
        try:
            action()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=act)
    thread.start()
    yield
    thread.join()
    assert not errors, errors


def pids(evaluator) -> list[int]:
    """Processes of the actors that have started."""
    workers = list(evaluator.supervisor.workers.values())
    return [worker.who.pid for worker in workers if worker.who is not None]


def at_work(evaluator) -> list[int]:
    """Processes of the actors that have a chunk in hand."""
    workers = list(evaluator.supervisor.workers.values())
    return [worker.who.pid for worker in workers if worker.who and worker.tasks]


def test_nodes_come_and_go(nodes):
    """One that is added plays from the next call on; the actors of one that goes are not missed."""
    nodes.add()
    with closing(RayEvaluator(chunk=2, limits=SOON)) as evaluator:
        call(evaluator, 4)
        assert evaluator.supervisor.target == 2
        added = nodes.add()
        until(lambda: evaluator.supervisor.transport.room() == 4)
        call(evaluator, 4)
        until(lambda: call(evaluator, 4) is not None and len(pids(evaluator)) == 4)

        def remove() -> None:
            until(lambda: len(at_work(evaluator)) > 1)
            nodes.remove(added)

        with meanwhile(remove):
            outcomes = call(evaluator, 60)
        assert np.array_equal(outcomes, in_one_go(60))
        until(lambda: evaluator.supervisor.transport.room() == 2)
        call(evaluator, 4)
        assert evaluator.supervisor.target == 2


def test_all_workers_are_gone_for_a_while_and_come_back(nodes):
    node, said = nodes.add(), []

    def hear(line: str) -> None:
        said.append(line)
        if len(said) == 1:
            nodes.add()

    with closing(RayEvaluator(chunk=2, limits=SOON, announce=hear)) as evaluator:
        call(evaluator, 4)

        def remove() -> None:
            until(lambda: at_work(evaluator))
            nodes.remove(node)

        with meanwhile(remove):
            outcomes = call(evaluator, 30)
        assert np.array_equal(outcomes, in_one_go(30))
        assert any("no worker has answered for" in line for line in said)


def test_without_a_worker_the_work_ends_and_says_what_to_do(nodes):
    soon = Limits(quiet=0.5, end=2.0)
    with (
        closing(RayEvaluator(actors=2, limits=soon)) as evaluator,
        pytest.raises(ClusterError, match=r"0 of 2 have started; each takes one CPU.*evo resume"),
    ):
        call(evaluator, 4)


def test_a_node_that_plays_otherwise_ends_the_work_and_both_nodes_are_named(nodes):
    good, bad = nodes.add().node_id, nodes.add().node_id
    with closing(RayEvaluator(chunk=2, check=1, limits=SOON)) as evaluator:
        until(lambda: call(evaluator, 4) is not None and len(pids(evaluator)) == 4)
        with pytest.raises(ClusterError, match="different outcomes for matches") as ends:
            call(evaluator, 30, wrong_on=bad)
        assert f"({good[:8]})" in str(ends.value)
        assert f"({bad[:8]})" in str(ends.value)
        assert np.array_equal(call(evaluator, 30), in_one_go(30))


RUN = ["--scheme", "round-robin", "--population", "10", "--seed", "3", "--generations", "100000"]


def snapshots(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted((path / "snapshots").iterdir())}


def is_there(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def actors_of(node) -> set[int]:
    """Processes of the actors that play matches on a node."""
    parent, pids = str(node.all_processes["raylet"][0].process.pid), set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (folder / "stat").read_text().rpartition(")")[2].split()
            if line[1] == parent and "ray::WorkerActor" in (folder / "cmdline").read_text():
                pids.add(int(folder.name))
    return pids


def test_a_driver_that_is_killed_leaves_no_actor_and_its_run_goes_on_anywhere(
    nodes, begin, tmp_path
):
    node = nodes.add(4)
    path, command = tmp_path / "run", [sys.executable, "-m", "evo"]
    where = ["--ray", nodes.address, "--actors"]
    options = {"cwd": ROOT, "stderr": subprocess.DEVNULL}
    driver = begin([*command, "run", *RUN, "--out", path, *where, "3"], **options)
    until(lambda: len(snapshots(path)) > 1 if (path / "snapshots").is_dir() else False)
    actors = actors_of(node)
    assert actors
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    until(lambda: not any(is_there(pid) for pid in actors))
    reached = 10 * (len(snapshots(path)) + 1)
    with closing(RayEvaluator(actors=2)) as evaluator:
        evo.resume(path, reached + 20, evaluator=evaluator)
    evo.resume(path, reached + 40, threads=2)
    options = {"scheme": "round-robin", "population": 10, "seed": 3, "generations": reached + 40}
    undisturbed = evo.run(tmp_path / "whole", options, threads=1)
    assert snapshots(path) == snapshots(undisturbed.path)
