"""What depends on how a program starts, where Ray is, and what the terminal sends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading

import pytest
from processes import ROOT

from cluster import ClusterError
from cluster.ray_matches import RayEvaluator

HEAD = """
import signal, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from cluster import Entrants, LocalEvaluator
from cluster.evaluator import all_outcomes
from cluster.ray_matches import RayEvaluator
from tournaments import games, players
from tournaments.schedules.base import Listed, Matches

game = games.make("dots-and-boxes", rows=2, cols=2)
panel = players.make("level-0", game), players.make("level-1", game)
many = Matches(Listed(np.full((200_000, 2), (-1, -2), dtype=np.int32)), 0, "test")
few = Matches(Listed(many.schedule.pairs(0, 50)), 0, "test")
entrants = Entrants(game, panel)
"""

FEW = """
sys.path.insert(0, "plugins")
import own_player
entrants = Entrants(game, (own_player.FirstEdge(), panel[1]))
evaluator = RayEvaluator(actors=1)
outcomes = all_outcomes(evaluator, entrants, few)
assert np.array_equal(outcomes, all_outcomes(LocalEvaluator(1), entrants, few))
evaluator.close()
import ray
assert not ray.is_initialized()
print("done")
"""

OWN_PLAYER = """
class FirstEdge:
    name = "first edge"
    def choose(self, state, rng):
        return state.legal_actions()[0]
"""

INTERRUPTED = """
expected = all_outcomes(LocalEvaluator(1), entrants, many)
evaluator = RayEvaluator(actors=2, chunk=5_000)
all_outcomes(evaluator, entrants, few)
handles = set(evaluator.supervisor.transport.handles.values())
try:
    print("playing", flush=True)
    while True:
        all_outcomes(evaluator, entrants, many)
except KeyboardInterrupt:
    assert np.array_equal(all_outcomes(evaluator, entrants, many), expected)

stopped = []
signal.signal(signal.SIGINT, lambda *_: stopped.append(True))
print("playing", flush=True)
while not stopped:
    assert np.array_equal(all_outcomes(evaluator, entrants, many), expected)
assert set(evaluator.supervisor.transport.handles.values()) == handles
evaluator.close()
print("done")
"""

NODE_GONE = """
import os, ray, select
from cluster import ClusterError
evaluator = RayEvaluator(actors=1)
all_outcomes(evaluator, entrants, few)
node = ray._private.worker.global_worker.node
os.kill(node.all_processes[sys.argv[2]][0].process.pid, signal.SIGKILL)
select.select(evaluator.supervisor.transport.connection._node, [], [])
try:
    while True:
        all_outcomes(evaluator, entrants, few)
except ClusterError as error:
    print(error)
evaluator.close()
print("done")
"""


@pytest.fixture
def start(begin, tmp_path):
    """Starts a program as a terminal would, in another folder."""

    def start(script: str, *words: str) -> subprocess.Popen[str]:
        path = tmp_path / "program.py"
        path.write_text(HEAD + script)
        environment = {name: os.environ[name] for name in os.environ if name != "PYTHONPATH"}
        command = [sys.executable, str(path), str(ROOT), *words]
        return begin(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE)

    return start


def test_importing_cluster_does_not_import_ray():
    command = "import sys, cluster, cluster.ray_matches; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", command], cwd=ROOT).returncode == 0


@pytest.mark.slow
def test_a_program_elsewhere_whose_modules_only_it_can_find(start, tmp_path):
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "own_player.py").write_text(OWN_PLAYER)
    program = start(FEW)
    assert program.communicate(timeout=300)[0].endswith("done\n")
    assert program.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("process", ["raylet", "gcs_server"])
def test_the_node_of_this_process_going_away_is_told_before_ray_ends_the_process(start, process):
    program = start(NODE_GONE, process)
    assert program.communicate(timeout=300)[0] == (
        "the Ray node of this process has ended, or was killed; "
        "the run can be resumed: evo resume RUN\ndone\n"
    )
    assert program.returncode == 0


@pytest.mark.slow
def test_interrupting_the_terminal_leaves_the_actors_at_work(start):
    """By the exception of Python's own handler, and by a handler that notes the signal."""
    program = start(INTERRUPTED)
    assert program.stdout is not None
    for _ in range(2):
        assert program.stdout.readline() == "playing\n"
        threading.Event().wait(0.3)  # a generation takes longer
        os.killpg(program.pid, signal.SIGINT)
    assert program.communicate(timeout=300)[0].endswith("done\n")
    assert program.returncode == 0


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.mark.parametrize("address", ["127.0.0.1:{}", "ray://127.0.0.1:{}"])
def test_an_address_where_nobody_listens(address):
    given = address.format(free_port())
    with pytest.raises(ClusterError, match=f"no Ray cluster at '{given}'") as raised:
        RayEvaluator(actors=2, address=given)
    assert "\n" not in str(raised.value)


def test_an_address_that_is_none():
    with pytest.raises(ClusterError, match="no Ray cluster at 'nonsense'"):
        RayEvaluator(actors=2, address="nonsense")


@pytest.mark.slow
def test_an_address_where_something_else_listens():
    """Ray tries for 40 seconds; by default it would go on for a quarter of an hour."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with pytest.raises(ClusterError, match="no Ray cluster at"):
            RayEvaluator(actors=2, address=f"127.0.0.1:{listener.getsockname()[1]}")
    assert "RAY_gcs_server_port_wait_time_s" not in os.environ


def test_without_ray_the_message_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ClusterError, match=r"Ray is not installed here .* pip install ray"):
        RayEvaluator(actors=1)
