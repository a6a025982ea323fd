"""Runs that begin with the individuals of another run."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import evo
from evo.cli.main import main
from results import Run, open_run
from tournaments.errors import ConfigError

SMALL = {"game": "dots-and-boxes:rows=1,cols=1", "population": 12, "snapshot_interval": 2}
REAL = {**SMALL, "genome": {"encoding": "real-network"}, "scheme": "direct"}


def genomes(run: Run, generation: int) -> list[bytes]:
    return run.population(generation)["genome"].tolist()


def files(run: Run) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((run.path / "snapshots").iterdir())}


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Run:
    path = tmp_path_factory.mktemp("starting") / "source"
    return evo.run(path, scheme="round-robin", generations=6, threads=1, **SMALL)


def test_generation_0_is_that_of_the_snapshot_named(source: Run, tmp_path: Path):
    fork = evo.run(
        tmp_path / "fork", scheme="direct", generations=2, start=f"{source.path}@4", **SMALL
    )
    assert genomes(fork, 0) == genomes(source, 4)
    assert genomes(fork, 2) != genomes(source, 6)
    assert fork.population(0)["parent_a"].isna().all()


def test_without_a_generation_it_is_the_newest_and_is_written_down(source: Run, tmp_path: Path):
    fork = evo.run(
        tmp_path / "fork", scheme="direct", generations=1, start=str(source.path), **SMALL
    )
    assert genomes(fork, 0) == genomes(source, 6)
    assert fork.config["start"] == f"{source.path}@6"


def test_a_smaller_population_takes_the_fittest(source: Run, tmp_path: Path):
    small = {**SMALL, "population": 5}
    fork = evo.run(tmp_path / "fork", generations=0, start=str(source.path), **small)
    rows = source.population(6)
    least = np.sort(rows["fitness"])[-5]
    kept = set(genomes(fork, 0))
    assert all(rows["fitness"][rows["genome"].isin([genome])].max() >= least for genome in kept)
    assert len(genomes(fork, 0)) == 5


@pytest.mark.parametrize("learner", ["openai-es", "evolution-strategy"])
def test_a_strategy_goes_on_from_the_champion(learner: str, tmp_path: Path):
    first = evo.run(tmp_path / "first", learner=learner, generations=3, seed=4, **REAL)
    second = evo.run(
        tmp_path / "second", learner=learner, generations=2, start=f"{first.path}@2", **REAL
    )
    assert genomes(second, 0)[0] == first.champion(2)["genome"]


def test_climbers_go_on_from_the_champions_of_both_roles(tmp_path: Path):
    small = {"game": "cat-and-mouse:rows=3,cols=3", "learner": "hill-climbing"}
    first = evo.run(tmp_path / "first", generations=8, seed=2, **small)
    second = evo.run(tmp_path / "second", generations=1, start=str(first.path), **small)
    for role in ("cat", "mouse"):
        taken = second.population(0, role)["genome"].tolist()
        assert taken == [first.champion(population=role)["genome"]]


def test_a_run_that_was_started_so_goes_on_without_its_source(source: Run, tmp_path: Path):
    there = tmp_path / "source"
    shutil.copytree(source.path, there)
    options = {**SMALL, "scheme": "direct", "start": str(there)}
    whole = evo.run(tmp_path / "whole", generations=6, **options)
    evo.run(tmp_path / "parts", generations=3, **options)
    shutil.rmtree(there)
    parts = evo.resume(tmp_path / "parts", generations=6)
    assert [genomes(parts, number) for number in (2, 6)] == [
        genomes(whole, number) for number in (2, 6)
    ]


def test_the_bytes_do_not_hang_on_how_the_source_is_called(source: Run, tmp_path, monkeypatch):
    monkeypatch.chdir(source.path.parent)
    made = [
        evo.run(tmp_path / f"fork-{number}", generations=2, start=start, **SMALL)
        for number, start in enumerate([str(source.path), "source", "source@6"])
    ]
    assert files(made[0]) == files(made[1]) == files(made[2])


def test_a_run_without_a_start_says_nothing_of_it(source: Run):
    assert "start" not in source.config


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": "{source}@5"}, "holds no snapshot of generation 5"),
        ({"start": "{source}-nowhere"}, "does not exist"),
        ({"start": "{source}", "population": 13}, "has 12 individuals"),
        ({"start": "{source}", "game": "dots-and-boxes:rows=1,cols=2"}, "the same game and genome"),
        (
            {"start": "{source}", "game": "tic-tac-toe"},
            "game dots-and-boxes.* there and tic-tac-toe here, layers .* there and 18-9-9 here",
        ),
        (
            {"start": "{source}", "genome": {"bits": 9}},
            "do not fit this configuration: bits 10 there and 9",
        ),
    ],
)
def test_what_cannot_be_started_from_is_refused_before_a_folder_is_made(
    change, message, source: Run, tmp_path: Path
):
    given = {**SMALL, **change, "start": change["start"].format(source=source.path)}
    with pytest.raises(Exception, match=message):
        evo.run(tmp_path / "fork", generations=1, **given)
    assert not (tmp_path / "fork").exists()


def test_the_command_line_takes_it_by_set_and_refuses_in_one_line(
    source: Run, tmp_path: Path, capsys
):
    small = ["--game", SMALL["game"], "--population", "12", "--generations", "1"]
    out = tmp_path / "fork"
    assert main(["run", *small, "--set", f"start={source.path}@0", "--out", str(out)]) == 0
    assert genomes(open_run(out), 0) == genomes(source, 0)
    capsys.readouterr()
    assert main(["run", *small, "--set", f"start={source.path}@1", "--out", str(out) + "2"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("evo: start=")
    assert said.count("\n") == 1


def test_the_errors_are_the_projects_own(source: Run, tmp_path: Path):
    with pytest.raises(ConfigError):
        evo.run(tmp_path / "fork", generations=1, start=f"{source.path}@1", **SMALL)
