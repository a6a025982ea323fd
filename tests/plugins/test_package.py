"""What an installed package brings, each in one file, is as well served as ours: by every command.

A game between two roles with solver, drawing, yardsticks, tables and exact play; an encoding, a
scheme, a learner, a player, a study and a command.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from processes import ROOT

from evo.cli.main import main
from results import open_run

SOURCES = Path(__file__).parent / "package"
OF_TESTS = ("game_of_a_stranger.py", "learner_of_a_stranger.py")
GAME = "giver-and-taker"
RUN = f"run --game {GAME} --scheme series:matches=2 --population 4 --generations 2 --threads 1"
OURS = "--set genome.encoding=stones-table --set snapshot_interval=1"
COMMANDS = {
    "config --game giver-and-taker --scheme series": "matches = 3",
    "players giver-and-taker": "passer",
    "games": "the last stone, between a giver and a taker",
    f"{RUN} {OURS} --out run": "champions of generation 2",
    "snapshots run --last 2": "1 2",
    "resume run --generations 3 --threads 1": "champions of generation 3",
    "status run": "generation",
    "verify run": "whole",
    "evaluate run --games 10 --best 1 --threads 1": "taker",
    "evaluate run --exact --best 1": "optimal",
    "analyse run --games 4 --threads 1": "progress",
    "best-response run": "the best opponent gains",
    "plot run": "run/plots",
    "watch run --opponent passer:taken=2 --as taker --save game.svg": "",
    "export run best.json": "best.json: ",
    "tournament giver-and-taker best.json run taker passer optimal --games 4": "passer",
    f"run --game {GAME} --learner sarsa --generations 1 --threads 1 --out q": "champion",
    "sweep sweep.toml --threads 2 --out sweep": "done",
    "reproduce": "counting",
    "reproduce counting --last 3": "counted",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The folder into which pip has installed the package, offline."""
    folder = tmp_path_factory.mktemp("installed")
    source, target = folder / "source", folder / "target"
    shutil.copytree(SOURCES, source, ignore=shutil.ignore_patterns("__pycache__"))
    for name in OF_TESTS:
        shutil.copy(ROOT / "tests" / name, source)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    command = [*pip, "--no-build-isolation", "--target", str(target), str(source)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    return target


def test_each_thing_of_the_package_is_one_file():
    text = (SOURCES / "pyproject.toml").read_text()
    files = [*SOURCES.glob("*.py"), *map(Path, OF_TESTS)]
    assert sorted(file.stem for file in files if f'"{file.stem}:' not in text) == []


@pytest.mark.slow
def test_every_command_serves_it(installed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(installed), str(ROOT)]))
    Path("sweep.toml").write_text(
        'name = "s"\nseeds = 1\n[base]\npopulation = 4\ngenerations = 1\n'
        f'game = "{GAME}"\n[populations.a]\nscheme = "series"\n'
        'genome = "stones-table"\n[populations.b]\nlearner = "sarsa"\n'
    )
    for line, expected in COMMANDS.items():
        status = main(line.split())
        shown = capsys.readouterr()
        assert (status, line) == (0, line), shown.err
        assert expected in shown.out, line
    assert open_run("run").config["genome"]["encoding"] == "stones-table"
    assert Path("game.svg").read_text().count("<circle") == 7


@pytest.mark.slow
def test_a_process_that_is_started_afresh_finds_it(installed, tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), str(ROOT)])}
    command = [sys.executable, "-m", "evo", "games", "--json"]
    ended = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    rows = [json.loads(row) for row in ended.stdout.splitlines()]
    assert GAME in [row["game"] for row in rows], ended.stderr
