"""Simulators in plain Python by processes: the same scores, faults and errors as by one thread."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import evo
from cluster import LocalEvaluator
from tournaments import Competition, contest
from tournaments.errors import PlayerFault, TournamentError

PLAYERS = list(np.random.default_rng(1).random((8, 3)))


@pytest.fixture(scope="module")
def lines():
    return []


@pytest.fixture(scope="module")
def two(lines):
    """An evaluator whose processes have started."""
    with (
        pytest.MonkeyPatch.context() as patch,
        closing(LocalEvaluator(2, None, lines.append)) as two,
    ):
        patch.setattr("cluster.threads.WORTH_STARTING", 0.0)
        patch.setattr("cluster.threads.WORTH_HANDING", 0.0)
        yield two


def luck(seed):
    return float(np.random.default_rng(seed).random())


def duel(players, seed):
    return [float(player.sum()) + luck(seed + seat) for seat, player in enumerate(players)]


def fragile(players, seed):
    if seed % 7 == 0:
        raise ValueError("no luck")
    return duel(players, seed)


def played(evaluator, game, *groups, scheme="round-robin:matches=20", **options):
    competition = Competition(game, scheme, seed=2, evaluator=evaluator, **options)
    return competition.evaluate(*groups)


def tells_process(players, seed):
    return [float(os.getpid()), 0.0]


@pytest.mark.parametrize(
    "game",
    [
        contest(duel),
        contest(lambda players, seed: duel(players, seed)),
        contest(duel, seats=3),
        contest(duel, seats=("red", "blue")),
    ],
    ids=["function", "lambda", "table", "roles"],
)
def test_processes_play_what_one_thread_plays(two, game):
    groups = [PLAYERS] * (2 if game.rules.has_roles else 1)
    whole, parts = played(None, game, *groups), played(two, game, *groups)
    assert len(whole._rounds[0].outcomes) > 16  # which this process plays, to measure the speed
    assert whole.matches.equals(parts.matches)
    assert np.array_equal(whole.fitness, parts.fitness)


def test_matches_are_played_elsewhere_and_that_is_said(two, lines):
    result = played(two, contest(tells_process), PLAYERS)
    processes = {int(score) for score in result._rounds[0].outcomes[:, :, 0].flat}
    assert os.getpid() in processes
    assert len(processes) == 3
    assert lines[0].endswith("is plain Python, so its matches are played by 2 processes")
    assert len(lines) == 1


def test_faults_and_errors_are_those_of_one_thread(two):
    whole, parts = (
        played(each, contest(fragile), PLAYERS, faults="forfeit") for each in (None, two)
    )
    assert len(whole.faults) > 10
    assert whole.faults.equals(parts.faults)
    for error in (PlayerFault, TournamentError):
        with pytest.raises(error, match="raised ValueError: no luck"):
            played(two, contest(fragile), PLAYERS)


WORK = """
import time
from cluster import LocalEvaluator, threads
from tournaments import Competition, contest

def slow(players, seed):
    time.sleep(0.001)
    return players

threads.WORTH_STARTING = 0.0
print("begun", flush=True)
competition = Competition(contest(slow), "round-robin:matches=100000", evaluator=LocalEvaluator(2))
competition.evaluate([1, 2, 3])
"""


def test_a_script_needs_no_guard_and_its_processes_end_with_it(begin, here):
    (here / "script.py").write_text(WORK)
    script = begin([sys.executable, "script.py"], stdout=subprocess.PIPE)
    assert script.stdout.readline() == "begun\n"
    children = Path(f"/proc/{script.pid}/task/{script.pid}/children")
    end = time.monotonic() + 60
    while len(workers := children.read_text().split()) < 2:
        assert time.monotonic() < end
        time.sleep(0.05)
    script.kill()
    while any(Path("/proc", worker).exists() for worker in workers):
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_a_simulator_that_ends_its_process_costs_its_games(here, monkeypatch):
    monkeypatch.setattr("cluster.threads.WORTH_STARTING", 0.0)
    (here / "arena.py").write_text(
        "import os, time\n"
        "def fatal(players, seed):\n"
        "    if seed % 131 == 5 and os.environ.get('DIES'): os._exit(1)\n"
        "    return [float(sum(each)) for each in players]\n"
    )
    settings = {
        "game": "./arena.py:fatal",
        "genome": {"encoding": "real-vector", "length": 2},
        "scheme": "round-robin",
    }
    monkeypatch.setattr("cluster.threads.TRIAL", 1)
    monkeypatch.setenv("DIES", "")
    evo.run("whole", settings, population=10, generations=1, threads=1)
    monkeypatch.setenv("DIES", "1")
    run = evo.run("dies", settings, population=10, generations=1, threads=2)
    faults = run.faults
    assert 0 < len(faults) < 20
    assert set(faults["cause"]) == {"exited"}
    assert set(faults["seat"]) == {-1}
    rows = run.population(0)
    assert rows[["wins", "draws", "losses"]].to_numpy().sum() == 2 * (
        90 - (faults["generation"] == 0).sum()
    )
