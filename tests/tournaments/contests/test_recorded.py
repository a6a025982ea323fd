"""Contests whose scores do not repeat: runs go on and are replayed from what they recorded."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from test_contests import EVOLVING

import evo
from evo.cli.main import main
from results import ResultsError
from tournaments import Competition, TournamentError, contest
from tournaments.errors import ConfigError

ARENA = """
import os, random
import tournaments

def judge(players, seed):
    with open("calls", "a") as file:
        file.write("x")
    if random.random() < 0.05:
        raise ValueError("tired")
    return [float(sum(each)) + random.random() for each in players]

judge = tournaments.contest(judge, recorded=True)
"""
REFUSED = (ConfigError, TournamentError)
SETTINGS = {**EVOLVING, "game": "./arena.py:judge", "population": 8, "snapshot_interval": 1}


@pytest.fixture
def arena(here):
    (here / "arena.py").write_text(ARENA)
    return here


def snapshots(path):
    return {file.name: file.read_bytes() for file in sorted((path / "snapshots").iterdir())}


def test_a_replay_has_the_same_bytes_and_calls_nothing(arena, capsys):
    run = evo.run("a", SETTINGS, generations=4)
    assert len(run.faults) > 0
    calls = (arena / "calls").read_text()
    assert len(calls) == run.games_played
    assert main(["run", "--replay", "a", "--out", "b", "--trust"]) == 0
    assert "the replay is in b" in capsys.readouterr().out
    assert snapshots(arena / "a") == snapshots(arena / "b")
    assert evo.resume("b", trust=True).faults.equals(run.faults)
    assert (arena / "calls").read_text() == calls
    assert main(["verify", "a"]) == 0
    other = evo.run("c", SETTINGS, generations=4)
    assert not np.array_equal(other.genomes(4), run.genomes(4))  # the scores are others


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_bytes_of_its_record(arena, begin):
    options = {"genome.encoding": "real-vector", "genome.length": 3, "snapshot_interval": 2}
    words = [f"--set={name}={value}" for name, value in options.items()]
    command = ["evo", "run", "--game=./arena.py:judge", "--scheme=round-robin", "--population=20"]
    command += ["--generations=12", "--out=a", "--or-resume", *words]
    moments = random.Random(1)
    (arena / "arena.py").write_text(
        ARENA.replace("    if random", "    time.sleep(2e-3)\n    if random", 1).replace(
            "import os,", "import os, time,"
        )
    )
    for _ in range(4):
        process = begin([sys.executable, "-m", *command], stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(2.5, 5.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
    run = evo.run(
        "a", {**SETTINGS, "population": 20, "snapshot_interval": 2}, generations=12, or_resume=True
    )
    calls = len((arena / "calls").read_text())
    assert calls >= run.games_played
    evo.run("b", replay="a", trust=True)
    assert snapshots(arena / "a") == snapshots(arena / "b")
    assert len((arena / "calls").read_text()) == calls


def test_what_cannot_be_replayed_says_so(arena):
    evo.run("plain", {**EVOLVING, "game": "nim", "genome": {}}, generations=1, population=4)
    with pytest.raises(REFUSED, match="no recording, so it repeats by its seed"):
        evo.run("b", replay="plain")
    evo.run("a", SETTINGS, generations=2)
    with pytest.raises(REFUSED, match="a configuration given; the run has one"):
        evo.run("b", SETTINGS, replay="a", trust=True)
    file = sorted((arena / "a" / "recording").iterdir())[-1]
    file.write_text(file.read_text() + " ")
    with pytest.raises(ResultsError, match="is damaged"):
        evo.run("b", replay="a", trust=True)
    assert main(["verify", "a"]) == 1
    file.unlink()
    with pytest.raises(REFUSED, match="match 0 of matches in generation 2 is not in"):
        evo.run("d", replay="a", trust=True)


def test_islands_record_their_outcomes_too(arena):
    evo.run("a", {**SETTINGS, "islands": {"count": 2, "every": 1}}, generations=2)
    calls = (arena / "calls").read_text()
    evo.run("b", replay="a", trust=True)
    assert snapshots(arena / "a") == snapshots(arena / "b")
    assert (arena / "calls").read_text() == calls


def test_scores_that_differ_are_refused_without_it():
    def judge(players, seed):
        return [random.random(), random.random()]

    with pytest.raises(TournamentError, match="or give recorded=True to contest"):
        Competition(contest(judge)).evaluate([1, 2, 3])
    assert len(Competition(contest(judge, recorded=True)).evaluate([1, 2, 3]).fitness) == 3


def test_a_record_is_json_with_a_score_for_each_seat(arena):
    evo.run("a", SETTINGS, generations=0)
    (file,) = (arena / "a" / "recording").iterdir()
    record = json.loads(file.read_text())
    assert np.shape(record["scores"]) == (28, 2, 2)
    void = [scores for match in record["scores"] for scores in match if None in scores]
    assert len(void) == len(record["faults"])
