"""Simulators in plain Python by processes: the same scores, faults and errors as by one thread."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import evo
import results
from cluster import LocalEvaluator, RayEvaluator
from cluster.faults import Limits, MatchLost
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
        patch.setattr("cluster.supervisor.Limits", partial(Limits, attempts=2))
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


def test_what_cannot_be_pickled_is_played_by_this_process_and_that_is_said(two, lines):
    lock = threading.Lock()

    def locked(players, seed):
        with lock:
            return duel(players, seed)

    for _ in range(2):
        whole, parts = (played(each, contest(locked), PLAYERS) for each in (None, two))
        assert whole.matches.equals(parts.matches)
    (line,) = (line for line in lines if line.startswith("locked"))
    assert "this process alone" in line
    assert line.endswith("(TypeError: cannot pickle '_thread.lock' object)")


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


DOOMED = {(5.0, 6.0), (6.0, 7.0)}
"""Pairs whose matches the simulator does not end. They are not among the first 16 matches."""
NUMBERS = [float(number) for number in range(8)]
ONCE = {"scheme": "round-robin"}


def mortal(fatal, played=None):
    """Return a contest that ends its process in the matches of doomed pairs, or raises there.

    The numbers of both players of every game are added to a file ``played``.
    """

    def play(players, seed):
        if played is not None:
            with open(played, "a") as file:
                file.write("{:.0f}{:.0f}\n".format(*players))
        if tuple(sorted(players)) in DOOMED:
            if fatal:
                os._exit(3)
            raise ValueError("doomed")
        return duel(np.array(players), seed)

    return contest(play, name="mortal")


def voided(evaluator, *more, fatal=True):
    """Return the fitness, the void games and the whole result of a round-robin."""
    result = played(evaluator, mortal(fatal, *more), NUMBERS, **ONCE, faults="forfeit")
    columns = ["generation", "match", "game", "seat", "match_seed"]
    return result.fitness.tolist(), result.faults[columns].to_dict("list"), result


def test_a_match_that_ends_its_process_is_void_and_no_other_match_is_lost(two, tmp_path):
    fitness, rows, result = voided(two, tmp_path / "played")
    assert {*result.faults["cause"]} == {"exited"}
    assert rows["seat"] == [-1] * 4
    assert (fitness, rows) == voided(None, fatal=False)[:2]
    lines = (tmp_path / "played").read_text().split()
    assert len(lines) < 2 * 28 * 2, "matches were played again because of others"


def test_a_match_that_ends_its_process_ends_a_competition_that_aborts(two):
    with pytest.raises(MatchLost, match="loses every worker"):
        played(two, mortal(True), NUMBERS, **ONCE)


@pytest.mark.slow
def test_three_processes_and_actors_void_the_matches_that_two_processes_void(two, ray):
    expected = voided(two)[:2]
    with closing(LocalEvaluator(3)) as three:
        assert voided(three)[:2] == expected
    with closing(RayEvaluator(2)) as actors:
        assert voided(actors)[:2] == expected
        with pytest.raises(MatchLost, match="loses every worker"):
            played(actors, mortal(True), NUMBERS, **ONCE)


DEADLY = """
import os
def deadly(players, seed):
    if seed % 131 == 5 and os.environ.get("DIES"):
        os._exit(1)
    return [float(sum(each)) for each in players]
"""
RUN = """
import os, signal, sys, evo
from functools import partial
from cluster import referee, supervisor, threads

def write_faults(folder, rows):
    write(folder, rows)
    if {row["generation"] for row in rows} == {int(sys.argv[2])}:
        os.kill(os.getpid(), signal.SIGKILL)

write, referee.write_faults = referee.write_faults, write_faults
threads.WORTH_STARTING, threads.TRIAL = 0.0, 1
supervisor.Limits = partial(supervisor.Limits, attempts=2)
settings = {"game": "./arena.py:deadly", "genome": {"encoding": "real-vector", "length": 2}}
settings |= {"scheme": "round-robin", "population": 10}
evo.run(sys.argv[1], settings, generations=1, snapshot_interval=1, threads=2)
"""


@pytest.mark.slow
def test_a_run_that_is_killed_after_its_verdicts_goes_on_as_if_it_were_not(here, monkeypatch):
    (here / "arena.py").write_text(DEADLY)
    (here / "run.py").write_text(RUN)
    monkeypatch.setenv("DIES", "1")
    command = [sys.executable, "run.py"]
    subprocess.run([*command, "whole", "-1"], check=True, timeout=120)
    assert subprocess.run([*command, "killed", "1"], timeout=120).returncode == -signal.SIGKILL
    whole, killed = results.open_run("whole"), results.open_run("killed")
    assert not (here / "killed/snapshots/generation-000001.parquet").exists()
    assert {*killed.faults["generation"]} == {0, 1}  # on the disk, before its outcomes count
    monkeypatch.setenv("DIES", "")
    evo.resume("killed", threads=1, trust=True)  # the verdicts hold
    assert whole.faults.equals(killed.faults)
    assert {*killed.faults["cause"]} == {"exited"}
    assert {*killed.faults["seat"]} == {-1}
    for number in range(2):
        name = f"snapshots/generation-{number:06d}.parquet"
        assert (here / "whole" / name).read_bytes() == (here / "killed" / name).read_bytes()
