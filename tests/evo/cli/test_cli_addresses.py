"""Commands take an address where they take a folder, and print it as it was typed."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import StringIO

import pytest

from evo.cli.main import main
from results import open_run
from results.folder.files import exists, names_in, place_of

RUN = ["run", "--scheme", "round-robin", "--population", "8", "--seed", "3", "--threads", "1"]


@pytest.fixture(scope="module")
def printed() -> str:
    """What the command says that makes a run of two generations in memory."""
    with redirect_stdout(StringIO()) as printed:
        assert main([*RUN, "--generations", "2", "--out", "memory://commands/runs/x"]) == 0
    return printed.getvalue()


@pytest.fixture(scope="module")
def run(printed) -> str:
    """The address of that run."""
    return "memory://commands/runs/x"


def test_a_run_says_where_it_is_and_how_to_go_on(run, printed, capsys):
    assert f"\nthe run is in {run}\n" in printed
    assert f"resume {run} --generations 12\n" in printed
    assert f"pd.read_parquet('{run}/generations')" in printed
    assert main([*RUN, "--out", run]) == 2
    assert f"evo: {run} holds a run; go on with: evo resume {run}\n" in capsys.readouterr().err


@pytest.mark.slow
def test_what_is_measured_and_drawn_stands_beside_the_run(run, tmp_path, capsys):
    games = ["--games", "10", "--threads", "1"]
    assert main(["evaluate", run, "--opponents", "level-0", *games]) == 0
    assert f" rows in {run}/evaluations; draw them: " in capsys.readouterr().out
    assert main(["plot", run, "--json"]) == 0
    files = [json.loads(line)["file"] for line in capsys.readouterr().out.splitlines()]
    assert f"{run}/plots/win-rate.svg" in files
    assert all(exists(place_of(file)) for file in files)
    assert main(["analyse", run, *games]) == 0
    assert f"pictures and numbers: {run}/analysis, {run}/plots" in capsys.readouterr().out
    assert "result.json" in names_in(place_of(run) / "analysis")
    assert main(["plot", run, "--out", str(tmp_path / "here")]) == 0
    assert (tmp_path / "here" / "fitness.png").is_file()


def test_a_run_at_an_address_is_an_opponent_a_start_and_what_is_watched(run, tmp_path, capsys):
    assert main(["watch", run, "--opponent", f"{run}@0", "--plain"]) == 0
    assert f"{run}@0" in capsys.readouterr().out
    assert main(["export", run, str(tmp_path / "best.npy")]) == 0
    fork = f"{run}-fork"
    given = ["--set", f"start={run}@2", "--generations", "1", "--out", fork]
    assert main([*RUN, *given]) == 0
    assert open_run(fork).config["start"] == f"{run}@2"


def test_a_tournament_at_an_address_goes_on_where_it_stopped(capsys):
    out, players = "memory://commands/tournament", ["random", "level-0"]
    arguments = ["tournament", "dots-and-boxes", *players, "--threads", "1", "--out", out]
    assert main([*arguments, "--games", "10"]) == 0
    parts = names_in(place_of(out) / "pairs")
    assert main([*arguments, "--games", "20"]) == 0
    assert len(names_in(place_of(out) / "pairs")) == len(parts) + 1
    assert f"results.open_tournament('{out}')" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["plot", "resume", "evaluate", "analyse"])
def test_an_address_without_a_run_is_one_line(command, capsys):
    assert main([command, "memory://commands/none"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("evo: memory://commands/none does not exist; give the folder ")
    assert err.count("\n") == 1
