"""The folder of a run names no file, no run and no code, unless it is trusted."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from results_data import as_made_with

import evo
from evo.cli.main import main
from evo.config import toml
from evo.config.config import from_dict, of_run
from evo.evolution import checkpoint, start
from results import ResultsError, RunWriter, open_run, open_runs, open_tournament
from results.folder.tournament import TournamentWriter
from results.format.schema import arrow_schema
from tournaments import TournamentError, games, players
from tournaments.errors import ConfigError
from tournaments.games.capture_the_flag.board import LAYOUTS
from tournaments.named_files import named_by, read_named

BASES = Path(__file__).parents[2] / "data" / "kept-runs"
GAME = games.make("dots-and-boxes", rows=1, cols=1)


@pytest.fixture
def run(tmp_path):
    """A run of networks on 2x2 boxes."""
    return Path(shutil.copytree(BASES / "networks", tmp_path / "run"))


def changed(run: Path, **config: object) -> Path:
    return as_made_with(run, lambda info: info["config"].update(config))


def validated(run: Path, trust: bool = False):
    opened = open_run(run)
    return of_run(opened, trust)


# --- files that a run names -----------------------------------------------------------------------


def test_a_maze_that_a_folder_names_is_read_when_the_folder_is_trusted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("maze.txt").write_text(LAYOUTS["small"].strip())
    config = from_dict({"game": {"name": "capture-the-flag", "maze": "maze.txt"}})
    stored = SimpleNamespace(
        config=config.to_dict(), genome=config.genome_spec(), path=Path("runs/x")
    )
    with pytest.raises(TournamentError, match=r"runs/x names the file 'maze.txt'.*add --trust"):
        of_run(stored)
    assert of_run(stored, trust=True).game == config.game


def test_fixed_opponents_of_a_run_are_made_when_they_are_asked_for(run, tmp_path):
    weights = tmp_path / "best.npy"
    players_file = np.zeros(12 * 4 + 4 + 4 * 12 + 12)
    np.save(weights, players_file)
    direct = {"name": "direct", "opponents": [str(weights)]}
    config = validated(changed(run, scheme=direct))
    assert evo.champion(run).name.endswith("run@8")
    with pytest.raises(TournamentError, match=r"names the file .*best.npy.*add --trust"):
        _ = config.panel
    (player,) = validated(run, trust=True).panel
    assert player.name == str(weights)


def test_a_run_that_lost_its_snapshots_starts_from_another_one_by_trust_alone(run, tmp_path):
    shutil.copytree(run, tmp_path / "other")
    changed(run, start=f"{tmp_path / 'other'}@8")
    config = validated(run)
    with pytest.raises(ConfigError, match=r"starts from the run .*other@8.*add --trust"):
        start.individuals(config, config.populations[0], 2)
    assert start.individuals(validated(run, trust=True), config.populations[0], 2).shape[0] == 2


@pytest.mark.parametrize(
    "command",
    ["analyse", "best-response", "compare", "evaluate", "export", "play", "resume", "watch"],
)
def test_each_command_that_takes_what_a_run_names_can_be_told_to_trust_it(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert "--trust" in capsys.readouterr().out


def test_a_folder_that_names_files_is_told_apart_from_a_user(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert read_named(tmp_path / "a") == b"abc"
    with named_by("runs/x"), named_by(""):
        assert read_named(tmp_path / "a") == b"abc"
    with named_by("runs/x"), pytest.raises(TournamentError, match="runs/x names the file"):
        read_named(tmp_path / "a")


# --- files that a user names ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x93NUMPY\x01\x00\x44\x00"
         b"{'descr': '<f8', 'shape': (10000000000,), 'fortran_order': False, }\n",
         r"no .npy file .*Error.*10000000000"),
        (b"\x93NUMPY\x01\x00\x3c\x00"
         b"{'descr': '<f8', 'shape': (2,), 'fortran_order': False, }  \n" + bytes(8),
         "no .npy file .*expected 16 bytes got 8"),
        (b"\x93NUMPY\x01\x00\x3c\x00"
         b"{'descr': '<f8', 'shape': (2,), 'fortran_order': False, }  \n" + bytes(24),
         r"8 bytes given after an array of shape \(2,\)"),
        (b"\x93NUMPY\x01\x00\x04\x00{'d\n", "no .npy file"),
        (b"\x93NUMPY\x01\x00\x04\x00\x00\x00\x00\x00", "no .npy file"),
        (b"\x80\x04K\x01.", "no .npy file"),
        (b"PK\x03\x04", "no .npy file"),
    ],
)  # fmt: skip
def test_the_file_of_a_player_is_an_array_of_as_many_numbers_as_it_says(tmp_path, content, message):
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(TournamentError, match=message):
        players.make(str(tmp_path / "a.npy"), GAME)


def test_pickled_objects_are_not_loaded(tmp_path):
    np.save(tmp_path / "a.npy", np.array([print], dtype=object), allow_pickle=True)
    with pytest.raises(TournamentError, match=r"no .npy file .*Object arrays cannot be loaded"):
        players.make(str(tmp_path / "a.npy"), GAME)


@pytest.mark.parametrize("name", ["a.npy", "a.json", "a.toml", "a.txt"])
def test_a_pipe_in_place_of_a_file_that_a_user_names_is_refused(tmp_path, name):
    """It was waited for."""
    path = str(tmp_path / name)
    os.mkfifo(path)
    uses = {"a.toml": toml.load, "a.txt": lambda maze: games.make("capture-the-flag", maze=maze)}
    use = uses.get(name, lambda file: players.make(file, GAME))
    with pytest.raises((TournamentError, ConfigError), match="a pipe, a device or a folder given"):
        use(path)


def test_nested_lists_and_long_numbers_are_refused_in_a_line(tmp_path):
    deep, digits = "[" * 100_000, "1" * 5000
    (tmp_path / "a.json").write_text(deep)
    (tmp_path / "a.toml").write_text(f"seed = {digits}")
    (tmp_path / "b.toml").write_text(f"seed = {deep}")
    with pytest.raises(TournamentError, match="lists within lists, too many levels"):
        players.make(str(tmp_path / "a.json"), GAME)
    for name in ("a.toml", "b.toml"):
        with pytest.raises(ConfigError, match=f"{name}: is not TOML"):
            toml.load(tmp_path / name)
    with pytest.raises(ConfigError, match="its value cannot be read"):
        toml.assignment(f"seed={digits}")


@pytest.mark.parametrize("game", games.names())
def test_games_refuse_what_is_too_great_before_they_make_a_board(game):
    for name in games.rules(game).options:
        for value in (10**9, 2**64, 10**5000, "9" * 20_000, "1" * 5000, [10**9], None):
            assert len(refusal_of(game, name, value)) < 12_000


def refusal_of(game: str, name: str, value: object) -> str:
    """Why a game does not take an option; nothing: it does, and has a small board."""
    try:
        board = games.make(game, **{name: value}).board
    except TournamentError as error:
        return str(error)
    assert board.nbytes < 1 << 20
    return ""


# --- what a run says of itself --------------------------------------------------------------------


def test_a_population_that_the_configuration_does_not_make_is_refused(run):
    """It was a StopIteration."""
    with RunWriter.open(run) as writer:
        config = of_run(writer)
        writer.last.columns["population"][:] = "dog"
        with pytest.raises(ConfigError, match="population 'dog' given; this configuration"):
            checkpoint.restored(config, writer.last)


@pytest.mark.parametrize(
    "name",
    [".lock", "snapshots", "snapshots.sha256", "evaluations", "faults", "status.json"],
)
def test_what_is_written_into_a_run_stays_in_its_folder(run, tmp_path, name):
    """A lock that leads to a file was emptied."""
    (tmp_path / "thesis").write_text("years of work")
    if (run / name).is_dir():
        shutil.rmtree(run / name)
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(tmp_path / "thesis")
    for use in (open_run, RunWriter.open):
        with pytest.raises(ResultsError, match=f"{name} is a link"):
            use(run)
    assert (tmp_path / "thesis").read_text() == "years of work"


@pytest.mark.parametrize("cell", ["../other", "/etc", "..", "", 1, None, "a/b", "a\x00b"])
def test_the_cells_of_a_sweep_stand_in_its_folder(tmp_path, cell):
    cells = [{"cell": cell, "variant": "a", "factors": {}}]
    (tmp_path / "experiment.json").write_text(json.dumps({"seeds": [1], "cells": cells}))
    with pytest.raises(ResultsError, match=r"experiment.json has a cell"):
        open_runs(tmp_path)


@pytest.mark.parametrize(
    "content", [[], {"seeds": 1}, {"seeds": [1]}, {"seeds": ["../x"], "cells": []}]
)
def test_what_describes_no_sweep_is_refused(tmp_path, content):
    (tmp_path / "experiment.json").write_text(json.dumps(content))
    with pytest.raises(ResultsError, match=r"experiment.json has "):
        open_runs(tmp_path)


def test_games_of_somebody_who_takes_no_part_are_refused(tmp_path):
    writer = TournamentWriter(tmp_path / "t")
    numbers = dict.fromkeys(arrow_schema("pairs").names, 1)
    writer.write_info(
        {"game": "nim", "seed": 1, "games": 2, "schedule": "all", "players": {"a": 1}}
    )
    writer.add_pairs([{**numbers, "player": "a", "opponent": "\x1b[2J"}])
    writer.close()
    with pytest.raises(ResultsError, match=r"has games of \\x1b\[2J, who is not among"):
        _ = open_tournament(tmp_path / "t").cross_table


def test_what_a_run_says_does_nothing_to_a_terminal(run, capsys):
    changed(run, game={"name": "\x1b[2J\x07"})
    assert main(["watch", str(run)]) == 2
    shown = capsys.readouterr().err
    assert "\x1b" not in shown
    assert r"\x1b[2J" in shown
