"""Commands on runs that evolve programs."""

from __future__ import annotations

from pathlib import Path

import pytest

import evo
import results
from evo.cli.main import main
from results.plots.run import diversity_figure

ARENA = """
import tournaments

def called(players, seed):
    return [player(seed) for player in players]

CALLED = tournaments.contest(called)
"""
CRASHES = "import sys\nsys.exit(3)\n"


@pytest.fixture
def crashing(here: Path) -> Path:
    """A run of nim whose children crash, and are in no snapshot."""
    (here / "mutator.py").write_text(f"def crash(request):\n    return {{'child': {CRASHES!r}}}\n")
    learner = {"name": "program-search", "mutator": "./mutator.py:crash", "children": 1}
    settings = {"game": "nim", "learner": learner, "scheme": "round-robin", "snapshot_interval": 5}
    evo.run("nim", settings, population=2, generations=2, trust=True)
    return here


def test_a_fault_is_played_again_from_the_recorded_text(crashing, capsys):
    assert main(["watch", "nim", "--fault", "0", "--trust"]) == 0
    assert "ended with status 3" in capsys.readouterr().out
    assert main(["watch", "nim", "--fault", "0"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("evo: nim holds programs, which are not run without your word")


def test_messages_name_the_run_once(crashing, capsys):
    for command in (["watch", "nim"], ["play", "nim"]):
        assert main(command) == 2
        assert capsys.readouterr().err.startswith("evo: nim holds programs")


def test_a_league_says_how_to_submit_a_program(crashing, capsys):
    (crashing / "submissions").mkdir()
    (crashing / "nim").rename(crashing / "submissions" / "nim")
    assert main(["league", "submissions", "--game", "nim"]) == 0
    out = capsys.readouterr()
    assert "submit a file of evo export" in out.out + out.err


def test_an_analysis_counts_faults_as_lost_games(here, capsys):
    (here / "arena.py").write_text(ARENA)
    (here / "good.py").write_text("def act(seed):\n    return 1.0\n")
    (here / "bad.py").write_text("def act(seed):\n    raise ValueError('no idea')\n")
    genome = {"encoding": "program", "function": "act", "files": ["good.py", "bad.py"]}
    settings = {"game": "./arena.py:CALLED", "genome": {**genome, "confined": False}}
    settings |= {"learner": "program-search", "scheme": "round-robin"}
    evo.run("a", settings, population=2, generations=0, trust=True)
    found = evo.analyse("a", games=40, trust=True)
    rows = found.opponents.query("opponent == 'random genomes'")
    assert rows["score"].tolist() == [0.75], "all against bad.py, and half of the points of equals"
    assert main(["watch", "a", "--fault", "0", "--trust"]) == 2
    assert "is a contest, which has no positions" in capsys.readouterr().err


def test_diversity_of_programs_is_that_of_pairs(crashing):
    run = results.open_run("nim")
    figure = diversity_figure(run.generations, run.layouts)
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert "pairs of individuals whose programs differ" in labels
