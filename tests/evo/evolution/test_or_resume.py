"""One call that starts a run or goes on with it: for schedulers, which know but one command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from run_checks import Counting, Stopping, assert_same_run, snapshot_bytes

import evo
from evo.cli.main import main
from evo.config import config as configuration
from results import ResultsError, RunWriter, open_run
from tournaments.errors import ConfigError

SMALL = {"scheme": "round-robin", "population": 8, "snapshot_interval": 10, "seed": 3}
LINE = ["run", "--scheme", "round-robin", "--population", "8", "--seed", "3", "--threads", "1"]


def start_or_resume(path: Path, generations: int = 12, **more) -> evo.Run:
    return evo.run(path, SMALL, generations=generations, or_resume=True, **more)


@pytest.fixture(scope="module")
def straight(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("straight") / "run"
    evo.run(path, SMALL, generations=12, threads=1)
    return path


def test_it_starts_in_an_empty_folder_and_in_one_that_a_crash_left_half_made(straight, tmp_path):
    for folder in (tmp_path / "new", tmp_path / "half"):
        if folder.name == "half":
            (folder / "snapshots").mkdir(parents=True)
            (folder / "snapshots.sha256").touch()
            (folder / ".write-1-abc.tmp").write_bytes(b"half")
        start_or_resume(folder, threads=1)
        assert_same_run(folder, straight, 12)


def test_it_goes_on_with_a_run_that_was_stopped(straight, tmp_path):
    path = tmp_path / "run"
    for generation in (3, 5):
        with pytest.raises(evo.Interrupted):
            start_or_resume(path, evaluator=Stopping(generation, [2]))
    start_or_resume(path, threads=1)
    assert_same_run(path, straight, 12)


def test_a_later_end_extends_a_run_and_one_that_is_done_is_left_alone(straight, tmp_path):
    path, said = tmp_path / "run", []
    start_or_resume(path, 5, threads=1)
    start_or_resume(path, 12, threads=1)
    assert_same_run(path, straight, 12)
    before = snapshot_bytes(path) | {"run.json": (path / "run.json").read_bytes()}
    for generations in (12, 5):
        start_or_resume(path, generations, evaluator=Counting(0), announce=said.append)
    assert said == [f"{path} is done already, with generation 12"] * 2
    assert snapshot_bytes(path) | {"run.json": (path / "run.json").read_bytes()} == before


def test_the_command_says_that_a_run_is_done_and_measures_nothing_twice(tmp_path, capsys):
    line = [*LINE, "--generations", "2", "--or-resume", "--out", str(tmp_path / "run")]
    assert main(line) == 0
    measured = sorted((tmp_path / "run" / "evaluations").iterdir())
    times = [path.stat().st_mtime_ns for path in measured]
    capsys.readouterr()
    assert main(line) == 0
    out, err = capsys.readouterr()
    assert f"{tmp_path / 'run'} is done already, with generation 2" in err
    assert "champion of generation 2" in out
    assert sorted((tmp_path / "run" / "evaluations").iterdir()) == measured
    assert [path.stat().st_mtime_ns for path in measured] == times


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 4}, "made with seed=3, and 4 is given"),
        ({"learner": {"elites": 3}}, r"made with learner\.elites=\d+, and 3 is given"),
        ({"scheme": "direct"}, r"made with scheme\.name='round-robin', and 'direct' is given"),
        ({"start": "RUN"}, "made with start=None, and '.*' is given"),
    ],
)
def test_a_run_of_another_configuration_is_refused(changes, message, straight):
    before = snapshot_bytes(straight)
    if "start" in changes:
        changes = {"start": str(straight)}
    with pytest.raises(ConfigError, match=message) as refused:
        evo.run(straight, configuration.merge(SMALL, changes), or_resume=True, threads=1)
    assert "\n" not in str(refused.value)
    assert snapshot_bytes(straight) == before


def test_a_run_that_started_from_another_goes_on_though_that_went_on(straight, tmp_path):
    given = {**SMALL, "start": str(straight), "generations": 2}
    for _ in range(2):
        run = evo.run(tmp_path / "run", given, or_resume=True, threads=1)
        given["generations"] = 3
    assert run.config["start"] == f"{straight}@12"
    for start in (f"{straight}@10", str(tmp_path)):
        with pytest.raises(ConfigError, match="made with start="):
            evo.run(tmp_path / "run", {**given, "start": start}, or_resume=True, threads=1)


def test_of_two_that_start_at_once_one_evolves_and_the_other_says_so(tmp_path, monkeypatch):
    """The other one is the faster: between the look at the folder and the making of it."""
    path, create = tmp_path / "run", RunWriter.create
    writers = []

    def slower(out, *arguments):
        writers.append(create(out, *arguments))
        return create(out, *arguments)

    monkeypatch.setattr(RunWriter, "create", slower)
    with pytest.raises(ResultsError, match=f"number {os.getpid()}.* is writing this run"):
        start_or_resume(path, threads=1)
    writers[0].close()
    start_or_resume(path, threads=1)
    assert open_run(path).snapshots == [0, 10, 12]


@pytest.mark.slow
def test_of_four_processes_that_start_at_once_one_makes_the_run(straight, begin, tmp_path):
    path = tmp_path / "run"
    line = [sys.executable, "-m", "evo", *LINE, "--generations", "12", "--or-resume"]
    line += ["--set", "snapshot_interval=10", "--out", str(path)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    processes = [begin(line, **pipes) for _ in range(4)]
    told = [process.communicate(timeout=200)[1] for process in processes]
    assert_same_run(path, straight, 12)
    for process, err in zip(processes, told, strict=True):
        assert process.returncode in (0, 2)
        assert (process.returncode == 2) == ("is writing this run" in err)
        assert "Traceback" not in err
