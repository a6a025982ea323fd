"""The nightly script of crashes sees what is wrong: a fault that it missed would be one of ours."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from processes import ROOT

from benchmarks.crashes import calls, kills
from benchmarks.crashes.tally import Tally
from benchmarks.crashes.work import Work, all_work
from evo.learners import LEARNERS
from tournaments.schemes import REGISTRY as SCHEMES


def killed_once(goes_on_with: str) -> Work:
    """A work whose process is killed the first time."""

    def begin(path: Path) -> None:
        path.mkdir(exist_ok=True)
        if path.name == "straight":
            (path / "done").write_text("right")
        elif (path / "begun").exists():
            (path / "done").write_text(goes_on_with)
        else:
            (path / "begun").touch()
            os.kill(os.getpid(), signal.SIGKILL)

    return Work("made up", begin, lambda path: {"done": (path / "done").read_text()}, lambda: None)


@pytest.mark.parametrize(("goes_on_with", "faults"), [("right", 0), ("wrong", 2)])
def test_work_that_goes_on_to_something_else_is_a_fault(goes_on_with, faults, tmp_path, capfd):
    work, tally = killed_once(goes_on_with), Tally(60)
    work.begin(tmp_path / "straight")
    path = tmp_path / "run"
    assert kills.killed_until_done(work, path, Random(1), 0.0, 0, tally) == 1
    kills.compare(work, path, tmp_path / "straight", "made up", tally)
    assert len(tally.faults) == faults
    assert ("FAULT made up is not what it is undisturbed" in capfd.readouterr().out) == bool(faults)


def test_work_that_fails_by_itself_is_a_fault(capfd):
    tally = Tally(60)
    assert kills.in_child(lambda: 1 / 0, None, tally)
    assert tally.faults == ["a process that went on ended with 1"]
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_every_learner_and_every_scheme_is_killed():
    names = [work.name for work in all_work()]
    runs = [f"learner {name}" for name in LEARNERS.names()]
    assert names == [*runs, *(f"scheme {name}" for name in SCHEMES.names()), "tournament"]


def test_each_call_fails_in_turn_and_is_the_last_in_turn():
    faults = list(calls.injections({"fsync": 3, "write": 1}))
    assert [fault for fault in faults if fault[2] == "signal=SIGKILL"] == [
        ("fsync", "1", "signal=SIGKILL"),
        ("fsync", "2", "signal=SIGKILL"),
        ("fsync", "3", "signal=SIGKILL"),
        ("write", "1", "signal=SIGKILL"),
    ]
    refused = [("fsync", "1+"), ("fsync", "2"), ("fsync", "3+"), ("write", "1+")]
    assert [fault[:2] for fault in faults if "error=" in fault[2]] == refused


def test_without_strace_the_script_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    calls.inject_at_calls(tmp_path, None, Tally(60))
    assert capsys.readouterr().out == "calls: left out, as strace is not installed\n"


@pytest.mark.slow
def test_the_script_kills_and_sums_up():
    command = [sys.executable, "-m", "benchmarks.crashes", "kills", "--kills", "2"]
    done = subprocess.run(
        [*command, "--only", "scheme round"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    summary = json.loads(done.stdout.splitlines()[-1])
    assert (summary["value"], summary["kills"], summary["end"]) == (0, 2, "done")


@pytest.mark.slow
@pytest.mark.skipif(bool(calls.why_no_strace()), reason="strace is not here, or may not trace")
@pytest.mark.parametrize(
    ("way", "counted"), [("error=EIO", "refused"), ("signal=SIGKILL", "killed")]
)
def test_a_call_of_the_command_itself_fails_or_is_its_last(way, counted, tmp_path):
    command = next(command for command in calls.commands() if command.name == "tournament")
    subprocess.run(calls.evo_command(command.arguments(tmp_path / "a")), check=True)
    wanted, tally = command.content(tmp_path / "a"), Tally(60)
    (tmp_path / "b").mkdir()
    calls.inject(command, tmp_path / "b", f"rename:{way}:when=1", wanted, tally)
    assert tally.faults == []
    assert tally.counts == {counted: 1}
