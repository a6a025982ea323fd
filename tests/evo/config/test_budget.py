"""Runs whose end and whose snapshots are given in games."""

from __future__ import annotations

import signal
import tomllib

import pytest
from run_checks import snapshot_bytes

import evo
from evo.cli.main import main
from evo.config.config import from_dict
from evo.evolution import runs
from results import open_run
from results.read.below import survey
from tournaments.errors import ConfigError

SMALL = {"scheme": "round-robin", "population": 8, "seed": 3}
GAMES = 8 * 7
"""Of a generation."""


@pytest.mark.parametrize(
    ("games", "last"),
    [(1, 0), (GAMES, 0), (GAMES + 1, 1), (5 * GAMES - 1, 4), (5 * GAMES, 4)],
)
def test_a_run_ends_with_the_first_generation_that_reaches_its_games(games, last, tmp_path):
    run = evo.run(tmp_path / "run", SMALL, games=games, threads=1)
    assert run.generations["generation"].max() == last
    assert run.snapshots[-1] == last
    assert run.games_played == (last + 1) * GAMES


def test_generations_end_a_run_before_its_games_do(tmp_path):
    run = evo.run(tmp_path / "run", SMALL, games=100 * GAMES, generations=2, threads=1)
    assert run.snapshots == [0, 2]


@pytest.mark.parametrize(
    ("scheme", "games", "interval"),
    [
        ("round-robin", 100_000, 10),  # 9,900 a generation
        ("antibody-antigen", 100_000, 61),  # 1,650
        ("direct", 100_000, 50),  # 2,000
        ("direct", 2_900, 1),
        ("direct", 3_100, 2),
        ("direct", 1, 1),
    ],
)
def test_snapshots_by_games_are_those_of_the_nearest_number_of_generations(scheme, games, interval):
    table = from_dict({"scheme": scheme, "snapshot_games": games}).to_dict()
    assert table["snapshot_interval"] == interval
    assert table == from_dict({"scheme": scheme, "snapshot_interval": interval}).to_dict()


def test_of_two_populations_a_match_is_one_game():
    given = {"game": "cat-and-mouse", "scheme": "round-robin", "population": 20}
    assert from_dict({**given, "snapshot_games": 2000}).run.snapshot_interval == 5


def test_a_configuration_without_games_is_written_as_it_always_was():
    assert not {"games", "snapshot_games"} & set(from_dict({}).to_dict())


def test_learners_that_arrange_their_matches_take_snapshots_by_rounds():
    given = {"game": "cat-and-mouse", "learner": "hill-climbing", "snapshot_games": 100}
    with pytest.raises(ConfigError, match=r"snapshot_games=100 .* give snapshot_interval"):
        from_dict(given)


@pytest.mark.parametrize("stop_at", [0, 3, 5])
def test_a_run_by_games_goes_on_to_the_same_bytes(stop_at, tmp_path):
    given = {**SMALL, "games": 9 * GAMES, "snapshot_games": 2 * GAMES}
    whole = evo.run(tmp_path / "whole", given, threads=1)
    at: list[int] = []
    with pytest.raises(evo.Interrupted):
        evo.run(
            tmp_path / "run",
            given,
            threads=1,
            report=lambda progress: at.append(progress.generation),
            stop=lambda: len(at) == stop_at,
        )
    assert open_run(tmp_path / "run").snapshots[-1] == stop_at
    evo.resume(tmp_path / "run", threads=1)
    assert whole.snapshots == [0, 2, 4, 6, 8]
    assert snapshot_bytes(tmp_path / "run") == snapshot_bytes(tmp_path / "whole")


def test_a_run_is_extended_by_games_to_the_same_bytes(tmp_path):
    whole = evo.run(tmp_path / "whole", SMALL, games=9 * GAMES, snapshot_interval=2, threads=1)
    evo.run(tmp_path / "run", SMALL, games=4 * GAMES, snapshot_interval=2, threads=1)
    extended = evo.resume(tmp_path / "run", games=9 * GAMES, threads=1)
    assert extended.config == whole.config
    assert snapshot_bytes(tmp_path / "run") == snapshot_bytes(tmp_path / "whole")
    further = evo.resume(tmp_path / "run", generations=10, threads=1)
    assert further.snapshots[-1] == 10
    assert "games" not in further.config


def test_fewer_games_than_were_played_are_refused(tmp_path):
    evo.run(tmp_path / "run", SMALL, generations=3, threads=1)
    with pytest.raises(ConfigError, match=rf"games=10 given, .* is at {4 * GAMES} games already"):
        evo.resume(tmp_path / "run", games=10)


def test_the_command_line_says_how_to_go_on_by_games(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run = ["run", "--scheme", "round-robin", "--population", "8", "--threads", "1", "--out", "r"]
    assert main([*run, "--set", f"games={2 * GAMES}"]) == 0
    shown = capsys.readouterr()
    assert f"resume r --games {4 * GAMES}" in shown.out
    assert f"generation 1, {2 * GAMES} of {2 * GAMES} games " in shown.err
    assert main(["resume", "r", "--games", str(4 * GAMES), "--threads", "1"]) == 0
    assert open_run("r").games_played == 4 * GAMES
    assert repr(open_run("r")).endswith(f"generation 3, {4 * GAMES} of {4 * GAMES} games>")
    (row,) = survey("r")
    assert (row["generations"], row["games_played"], row["games"]) == (None, 4 * GAMES, 4 * GAMES)
    capsys.readouterr()
    assert main(["status", "r"]) == 0
    assert f"  {4 * GAMES} of {4 * GAMES}  " in capsys.readouterr().out


def test_a_configuration_by_games_alone_names_no_last_generation(capsys):
    assert main(["config", "--set", "games=500"]) == 0
    given = tomllib.loads(capsys.readouterr().out)
    assert "generations" not in given
    assert from_dict(given) == from_dict({"games": 500})


def test_a_run_that_is_interrupted_names_its_champion(tmp_path, monkeypatch, capsys):
    evolve = runs.run

    def interrupted(request, execution):
        raise evo.Interrupted(evolve(request, execution).path, signal.SIGINT)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(runs, "run", interrupted)
    words = ["--scheme", "round-robin", "--population", "8", "--generations", "2", "--out", "r"]
    assert main(["run", *words, "--threads", "1"]) == 130
    said = capsys.readouterr().out.splitlines()
    champion = open_run("r").champion()["individual"]
    assert said[0] == f"champion of generation 2: individual {champion}"
    assert said[1].startswith("stopped; the run is in r")
