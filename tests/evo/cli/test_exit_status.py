"""A command whose writes the system refuses says so; a status of 0 goes with all its data."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from refusals import FAULTS, refusing
from run_checks import snapshot_bytes

from cluster.evaluator import ClusterError
from cluster.faults import RESUME
from evo.cli.console import program
from evo.cli.main import main
from evo.evolution import runs
from results import open_run
from results.folder.tournament import open_tournament

GAME = "dots-and-boxes:rows=1,cols=2"
RUN = ["--game", GAME, "--population", "4", "--scheme", "round-robin", "--generations", "3"]
RUN += ["--set", "snapshot_interval=2", "--seed", "3", "--threads", "1"]
PLAY = ["tournament", GAME, "random", "level-0", "--games", "4", "--threads", "1"]


pytestmark = pytest.mark.usefixtures("quick_disk")


def tournament(folder: Path) -> list[str]:
    return [*PLAY, "--out", str(folder)]


def run(folder: Path) -> list[str]:
    if (folder / "run.json").exists():
        return ["resume", str(folder), "--threads", "1"]
    return ["run", *RUN, "--out", str(folder)]


def tournament_content(folder: Path) -> Any:
    opened = open_tournament(folder)
    return opened.pairs.to_dict("records"), opened.ratings.to_dict("records")


def run_content(folder: Path) -> Any:
    opened = open_run(folder)
    measured = opened.evaluations[["generation", "opponent", "games", "wins", "draws"]]
    generations = opened.generations["generation"].tolist()
    return snapshot_bytes(folder), generations, measured.to_dict("records")


@pytest.mark.parametrize(
    ("command", "content", "each"),
    [
        (tournament, tournament_content, 12),
        pytest.param(tournament, tournament_content, 1, marks=pytest.mark.slow),
        pytest.param(run, run_content, 3, marks=pytest.mark.slow),
    ],
)
def test_a_status_of_0_goes_with_all_that_was_promised(
    command: Callable[[Path], list[str]], content: Callable[[Path], Any], each, tmp_path, capfd
):
    assert main(command(tmp_path / "straight")) == 0
    expected = content(tmp_path / "straight")
    for first in itertools.count(1, each):
        path = tmp_path / str(first)
        capfd.readouterr()
        with refusing(first, *FAULTS[first // each % len(FAULTS)]) as calls:
            status = main(command(path))
        told = capfd.readouterr().err
        assert status in (0, 2), told
        if status:
            assert told.splitlines()[-1].startswith("evo: cannot "), told
            assert "Traceback" not in told
            assert main(command(path)) == 0
        assert content(path) == expected, first
        assert not list(path.rglob("*.tmp"))
        if calls.calls < first:
            return


def test_a_cluster_that_goes_away_ends_a_run_with_the_command_that_continues(
    tmp_path, monkeypatch, capsys
):
    def goes_away(*_, **__):
        raise ClusterError(f"the node is gone; {RESUME}")

    folder = tmp_path / "run"
    assert main(run(folder)) == 0
    for name in ("run", "resume"):
        monkeypatch.setattr(runs, name, goes_away)
    capsys.readouterr()
    assert main(run(folder)) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line == f"evo: the node is gone; go on with: {program()} resume {folder}"
    assert main(run(tmp_path / "none")) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line == "evo: the node is gone; stopped before the run began"


@pytest.mark.parametrize("command", ["run", "sweep", "doctor"])
def test_a_command_says_that_it_starts_ray_before_ray_says_anything(
    command, tmp_path, monkeypatch, capsys
):
    def silent(*_: object) -> None:
        raise ClusterError("Ray is asked")

    for place in ("cluster.ray_connection", "cluster.ray_matches", "cluster.doctor"):
        monkeypatch.setattr(f"{place}.RayConnection", silent)
    monkeypatch.setattr("cluster.doctor.examine_here", lambda: None)
    sweep = tmp_path / "sweep.toml"
    sweep.write_text('name = "s"\n[base]\ngenerations = 0\n[factors]\npopulation = [4]\n')
    words = {"run": RUN[:-2], "sweep": [str(sweep)], "doctor": []}[command]
    out = [] if command == "doctor" else ["--out", str(tmp_path / "out")]
    assert main([command, *words, *out, "--ray"]) == 2
    first, second = (line for line in capsys.readouterr().err.splitlines() if "Ray" in line)
    assert first == "starting Ray on this machine"
    assert second.startswith("evo: Ray is asked")
