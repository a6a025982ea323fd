"""A run that stops, at any moment and in any way, and goes on: what comes of it is the same."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from run_checks import Stopping, assert_same_run, cut_short, flip_a_bit, killed, snapshot_bytes

import evo
from evo.cli.main import main
from evo.evolution import runs
from evo.versions import versions
from results import ResultsError, open_run
from tournaments.errors import ConfigError

SMALL = {"scheme": "round-robin", "population": 8, "snapshot_interval": 10, "seed": 3}
SLOW = ["--scheme", "round-robin", "--population", "60", "--seed", "3"]
SLOW_GAMES = 60 * 59
COMMAND = [sys.executable, "-m", "evo"]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory) -> Callable[[int], Path]:
    """Runs of the small kind that were never stopped, by their last generation."""
    folder = tmp_path_factory.mktemp("uninterrupted")

    def made(generations: int) -> Path:
        path = folder / str(generations)
        if not path.exists():
            evo.run(path, SMALL, generations=generations, threads=1)
        return path

    return made


@pytest.fixture(scope="module")
def slow(tmp_path_factory) -> Path:
    """The run that processes are stopped in: 45 generations, the last off the interval."""
    path = tmp_path_factory.mktemp("slow") / "run"
    evo.run(path, scheme="round-robin", population=60, seed=3, generations=45)
    return path


@pytest.fixture
def begun(begin) -> Callable[..., subprocess.Popen[str]]:
    """Starts ``evo run`` in a process of its own, which has shown its first line of progress."""

    def begun(path: Path, generations: int = 45) -> subprocess.Popen[str]:
        process = begin(
            [*COMMAND, "run", *SLOW, "--generations", str(generations), "--out", str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        for line in process.stderr:
            if line.startswith("generation "):
                return process
        raise AssertionError(f"the run ended with {process.wait()} before its first generation")

    return begun


# --- extending a finished run --------------------------------------------------------------------


@pytest.mark.parametrize("steps", [(20, 35, 50), (25, 50), (0, 1, 9, 10, 11, 50), (50, 50)])
def test_a_finished_run_is_extended_to_the_same_bytes(steps, uninterrupted, tmp_path):
    path = tmp_path / "run"
    evo.run(path, SMALL, generations=steps[0], threads=1)
    for generations in steps[1:]:
        extended = evo.resume(path, generations, threads=2)
        assert extended.config["generations"] == generations
        assert_same_run(path, uninterrupted(generations), generations)


def test_a_last_snapshot_off_the_interval_goes_when_the_run_is_extended_past_it(tmp_path):
    path = tmp_path / "run"
    assert evo.run(path, SMALL, generations=25, threads=1).snapshots == [0, 10, 20, 25]
    assert evo.resume(path, 28, threads=1).snapshots == [0, 10, 20, 28]
    assert evo.resume(path, 30, threads=1).snapshots == [0, 10, 20, 30]


def test_resuming_a_finished_run_changes_nothing_and_succeeds(uninterrupted, tmp_path, capsys):
    path = tmp_path / "run"
    evo.run(path, SMALL, generations=12, threads=1)
    before = snapshot_bytes(path) | {"run.json": (path / "run.json").read_bytes()}
    assert main(["resume", str(path)]) == 0
    assert "champion of generation 12" in capsys.readouterr().out
    assert snapshot_bytes(path) | {"run.json": (path / "run.json").read_bytes()} == before
    assert_same_run(path, uninterrupted(12), 12)


def test_a_new_end_beyond_the_range_is_refused_and_the_run_stays_as_it_was(tmp_path):
    path = tmp_path / "run"
    evo.run(path, SMALL, generations=1, threads=1)
    before = (path / "run.json").read_bytes()
    with pytest.raises(ConfigError, match="games=9223372036854775808 given; a value from 0 to"):
        evo.resume(path, games=2**63)
    assert (path / "run.json").read_bytes() == before


@pytest.mark.parametrize("generations", [0, 11])
def test_fewer_generations_than_there_are_is_refused(generations, uninterrupted, tmp_path, capsys):
    path = tmp_path / "run"
    evo.run(path, SMALL, generations=12, threads=1)
    with pytest.raises(ConfigError, match="generation 12 already"):
        evo.resume(path, generations)
    assert main(["resume", str(path), "--generations", str(generations)]) == 2
    assert capsys.readouterr().err.startswith(f"evo: generations={generations} given")
    assert open_run(path).config["generations"] == 12
    assert_same_run(path, uninterrupted(12), 12)


def test_a_run_is_not_started_where_there_is_one(tmp_path, capsys):
    path = tmp_path / "a run"
    evo.run(path, SMALL, generations=1, threads=1)
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    assert main(["run", "--population", "8", "--out", str(path)]) == 2
    told = capsys.readouterr().err
    assert told == f"evo: {path} holds a run; go on with: evo resume {shlex.quote(str(path))}\n"
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before


# --- stopping by a signal --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow)],
    ids=["SIGINT", "SIGTERM"],
)
def test_a_signal_ends_a_run_after_the_generation_in_hand(number, status, begun, tmp_path):
    path = tmp_path / "run"
    process = begun(path, generations=1_000_000)
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=300)
    assert process.returncode == status, err
    assert f"the run is in {path}\ngo on with: evo resume {path}\n" in out
    assert "Traceback" not in err
    stopped = open_run(path)
    reached = stopped.snapshots[-1]
    assert stopped.generations["generation"].tolist() == list(range(reached + 1))
    assert reached < 1_000_000
    command = re.search(r"go on with: evo (.*)", out)
    assert command is not None
    goal = reached + 5
    further = [*COMMAND, *shlex.split(command[1]), "--generations", str(goal)]
    subprocess.run(further, check=True, capture_output=True)
    evo.run(tmp_path / "straight", scheme="round-robin", population=60, seed=3, generations=goal)
    assert_same_run(path, tmp_path / "straight", goal, SLOW_GAMES)


@pytest.mark.parametrize(
    ("number", "generation"),
    [*((signal.SIGINT, generation) for generation in (0, 1, 9, 10, 24)), (signal.SIGTERM, 11)],
)
def test_the_generation_in_hand_is_kept(generation, number, uninterrupted, tmp_path):
    path, before = tmp_path / "run", signal.getsignal(number)
    with pytest.raises(evo.Interrupted) as stopped:
        evo.run(path, SMALL, generations=25, evaluator=Stopping(generation, [number]))
    assert (stopped.value.path, stopped.value.signal) == (path, number)
    assert signal.getsignal(number) is before
    assert open_run(path).snapshots[-1] == generation
    evo.resume(path, threads=1)
    assert_same_run(path, uninterrupted(25), 25)


def test_a_signal_in_the_last_generation_lets_the_run_be_finished(uninterrupted, tmp_path):
    path = tmp_path / "run"
    evo.run(path, SMALL, generations=25, evaluator=Stopping(25, [signal.SIGINT]))
    assert_same_run(path, uninterrupted(25), 25)


@pytest.mark.parametrize("generation", [0, 1, 10, 24])
def test_a_second_interrupt_ends_at_once_and_the_run_can_be_resumed(
    generation, uninterrupted, tmp_path
):
    path, before = tmp_path / "run", signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt) as stopped:
        evo.run(path, SMALL, generations=25, evaluator=Stopping(generation, [signal.SIGINT] * 2))
    assert not isinstance(stopped.value, evo.Interrupted)
    assert signal.getsignal(signal.SIGINT) is before
    assert open_run(path).snapshots == [g for g in (0, 10, 20) if g < generation]
    evo.resume(path, threads=1)
    assert_same_run(path, uninterrupted(25), 25)


def test_a_second_interrupt_ends_a_run_in_a_process_that_ignored_interrupts(tmp_path):
    """Shells start commands in the background so."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt):
            evo.run(tmp_path / "run", SMALL, evaluator=Stopping(1, [signal.SIGINT] * 2))
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_command_line_answers_a_second_interrupt_without_a_traceback(tmp_path):
    script = """
import signal, sys
from cluster import threads
from evo.cli.main import main
play = threads.LocalEvaluator.play
def interrupted(self, *arguments):
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGINT)
    return play(self, *arguments)
threads.LocalEvaluator.play = interrupted
sys.exit(main(sys.argv[1:]))
"""
    flags = ["run", "--population", "8", "--generations", "3", "--out", str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, "-c", script, *flags], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert f"go on with: evo resume {tmp_path / 'run'}\n" in done.stdout
    assert "Traceback" not in done.stderr


def test_two_processes_cannot_write_one_run_and_reading_it_is_free(begun, tmp_path, capsys):
    path = tmp_path / "run"
    process = begun(path, generations=1_000_000)
    before = open_run(path).snapshots
    for arguments in (["resume", str(path)], ["resume", str(path), "--generations", "7"]):
        assert main(arguments) == 2
        told = capsys.readouterr().err
        assert told.startswith(f"evo: another process (number {process.pid})")
        assert told.count("\n") == 1
    assert main(["run", "--out", str(path)]) == 2
    assert "holds a run" in capsys.readouterr().err
    assert len(evo.evaluate(path, ["level-0"], games=2, best=1, generations=[0])) == 1
    assert open_run(path).config["generations"] == 1_000_000
    assert open_run(path).snapshots[: len(before)] == before
    assert process.poll() is None
    process.kill()
    process.communicate()
    reached = open_run(path).snapshots[-1]
    evo.resume(path, reached, threads=1)  # the lock went with the process


# --- kill -9 at any moment ---------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_killed_at_any_write_goes_on_to_the_same_bytes(tmp_path):
    options = {**SMALL, "population": 4, "snapshot_interval": 2, "generations": 3}
    reference = tmp_path / "reference"
    evo.run(reference, options, threads=1)
    (tmp_path / "killed").mkdir()
    kills = killed(tmp_path / "killed", options, "each")
    assert min(kills) > 20  # as many calls as there are to be killed at
    for path in (tmp_path / "killed").iterdir():
        assert_same_run(path, reference, 3, 4 * 3)


@pytest.mark.slow
def test_a_run_killed_at_random_moments_goes_on_to_the_same_bytes(tmp_path):
    options = {**SMALL, "population": 40, "snapshot_interval": 3, "generations": 25}
    reference = tmp_path / "reference"
    evo.run(reference, options, threads=1)
    (tmp_path / "killed").mkdir()
    kills = killed(tmp_path / "killed", options, [1, 2, 3])
    assert min(kills) > 3
    for seed in (1, 2, 3):
        assert_same_run(tmp_path / "killed" / str(seed), reference, 25, 40 * 39)


@pytest.mark.slow
def test_the_command_killed_again_and_again_ends_with_the_same_bytes(slow, begin, begun, tmp_path):
    path, draw = tmp_path / "run", np.random.default_rng(4)
    begun(path).kill()
    for _ in range(8):
        process = begin([*COMMAND, "resume", path], stderr=subprocess.PIPE)
        try:
            process.communicate(timeout=1 + 1.5 * draw.random())
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
    subprocess.run([*COMMAND, "resume", path], check=True, capture_output=True)
    assert_same_run(path, slow, 45, SLOW_GAMES)


def test_the_command_killed_once_ends_with_the_same_bytes(slow, begun, tmp_path):
    path = tmp_path / "run"
    process = begun(path)
    process.kill()
    process.communicate()
    assert main(["resume", str(path)]) == 0
    assert_same_run(path, slow, 45, SLOW_GAMES)


# --- damaged snapshots ---------------------------------------------------------------------------


def empty(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize(
    ("damage", "generation", "back_to"),
    [
        *((damage, 25, 20) for damage in (flip_a_bit, cut_short, empty, Path.unlink)),
        *((flip_a_bit, generation, back_to) for generation, back_to in ((20, 10), (10, 0))),
        *((damage, 0, None) for damage in (flip_a_bit, Path.unlink)),
    ],
)
def test_a_damaged_snapshot_is_told_and_computed_again(
    damage, generation, back_to, uninterrupted, tmp_path, capsys
):
    path = tmp_path / "run"
    evo.run(path, SMALL, generations=25, threads=1)
    damage(path / "snapshots" / f"generation-{generation:06d}.parquet")
    assert main(["resume", str(path), "--threads", "1"]) == 0
    told = capsys.readouterr().err
    name = f"generation-{generation:06d}.parquet"
    state = "is missing" if damage is Path.unlink else "is damaged"
    assert f"{name} {state}" in told
    onward = "starts over from generation 0" if back_to is None else f"from generation {back_to}"
    assert onward in told
    assert_same_run(path, uninterrupted(25), 25)


def test_two_damaged_snapshots_are_told_both(uninterrupted, tmp_path):
    path, told = tmp_path / "run", list[str]()
    evo.run(path, SMALL, generations=25, threads=1)
    flip_a_bit(path / "snapshots" / "generation-000010.parquet")
    cut_short(path / "snapshots" / "generation-000025.parquet")
    evo.resume(path, 50, threads=1, announce=told.append)
    assert "generation-000010" in told[0]
    assert any("generation-000025" in line for line in told)
    assert_same_run(path, uninterrupted(50), 50)


def test_a_damaged_run_does_not_go_on_under_other_versions(tmp_path, monkeypatch, capsys):
    path = tmp_path / "run"
    evo.run(path, SMALL, generations=25, threads=1)
    now = versions()
    monkeypatch.setattr(runs, "versions", lambda **laws: {**now, **laws, "numpy": "0.1"})
    assert main(["resume", str(path), "--generations", "26", "--threads", "1"]) == 0
    assert "results may differ" in capsys.readouterr().err
    flip_a_bit(path / "snapshots" / "generation-000010.parquet")
    assert main(["resume", str(path), "--generations", "30", "--threads", "1"]) == 2
    told = capsys.readouterr().err
    assert f"needs the versions that made the run (numpy {now['numpy']} then, 0.1 now)" in told
    assert open_run(path).config["generations"] == 26


def test_a_damaged_snapshot_is_not_read_as_if_it_were_whole(tmp_path, capsys):
    path = tmp_path / "run"
    evo.run(path, SMALL, generations=10, threads=1)
    flip_a_bit(path / "snapshots" / "generation-000010.parquet")
    with pytest.raises(ResultsError, match="is damaged"):
        open_run(path).population()
    assert main(["evaluate", str(path), "--games", "2"]) == 2
    assert "is damaged" in capsys.readouterr().err
    assert not list((path / "evaluations").iterdir())


@pytest.mark.parametrize(
    "change",
    [
        {"population": 9},
        {"seed": 4},
        {"snapshot_interval": 5},
        {"genome": {"bits": 8}},
        {"scheme": {"name": "direct", "opponent": "level-1"}},
    ],
    ids=str,
)
def test_a_configuration_that_was_changed_by_hand_is_refused(change, tmp_path, capsys):
    path = tmp_path / "run"
    evo.run(path, SMALL, generations=11, threads=1)
    before = snapshot_bytes(path)
    info = json.loads((path / "run.json").read_text())
    info["config"].update(change)
    info["seed"] = info["config"]["seed"]
    (path / "run.json").write_text(json.dumps(info))
    assert main(["resume", str(path), "--generations", "20"]) == 2
    told = capsys.readouterr().err
    assert f"{path / 'run.json'}: the configuration was changed since" in told
    assert "start a new run" in told
    assert snapshot_bytes(path) == before


def test_an_encoding_that_was_changed_by_hand_is_refused(tmp_path, capsys):
    path = tmp_path / "run"
    evo.run(path, SMALL, generations=1, threads=1)
    info = json.loads((path / "run.json").read_text())
    info["genome"]["high"] = 32.0
    (path / "run.json").write_text(json.dumps(info))
    assert main(["resume", str(path), "--generations", "2"]) == 2
    assert "run.json: the configuration was changed since" in capsys.readouterr().err


@pytest.mark.parametrize("lost", [Path.unlink, empty])
def test_a_run_that_lost_its_list_of_digests_is_not_started_over(lost, tmp_path, capsys):
    path = tmp_path / "run"
    evo.run(path, SMALL, generations=12, threads=1)
    before = snapshot_bytes(path)
    lost(path / "snapshots.sha256")
    assert main(["resume", str(path), "--generations", "13"]) == 2
    told = capsys.readouterr().err
    assert f"(cd {shlex.quote(str(path))} && sha256sum snapshots/*.parquet > snapshots" in told
    for file in (path / "snapshots").iterdir():
        assert file.read_bytes() == before.pop(file.name)
    assert list(before) == ["snapshots.sha256"]
