"""What results depend on, and kept runs that go on to the same bytes."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest

import evo
from evo.cli.main import main
from evo.config.config import from_dict
from evo.versions import RECORDED, differing, versions
from results import open_run
from tests.kept_runs_update import ENDS, FOLDER
from tournaments import games, players


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name == "strategy" else name for name in ENDS],
)
def test_a_kept_run_goes_on_to_the_same_bytes_and_nothing_is_said(name, tmp_path):
    path, said = tmp_path / name, list[str]()
    shutil.copytree(FOLDER / name, path)
    info = json.loads((path / "run.json").read_text(encoding="utf-8"))
    info["versions"] |= {package: versions()[package] for package in RECORDED}
    del info["versions"]["kernels"]  # their text may change
    (path / "run.json").write_text(json.dumps(info), encoding="utf-8")
    evo.resume(path, ENDS[name], threads=1, announce=said.append)
    assert [line for line in said if not line.startswith("compiling")] == []
    for line in (FOLDER / f"{name}.sha256").read_text(encoding="utf-8").splitlines():
        checksum, file = line.split("  ")
        assert hashlib.sha256((path / file).read_bytes()).hexdigest() == checksum, file


def test_a_run_of_other_rules_is_refused_in_a_line(tmp_path, capsys):
    path = tmp_path / "networks"
    shutil.copytree(FOLDER / "networks", path)
    info = json.loads((path / "run.json").read_text(encoding="utf-8"))
    for rules in ("1", None):
        info["versions"] |= {"rules": rules}
        if rules is None:
            del info["versions"]["rules"]
        (path / "run.json").write_text(json.dumps(info), encoding="utf-8")
        assert main(["resume", str(path), "--generations", "9"]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "was made under rules 1, and this release plays by rules 2; start a new run" in line


def test_a_run_says_what_its_results_depend_on(tmp_path):
    options = {"game": "dots-and-boxes:rows=1,cols=1", "population": 4, "generations": 1}
    path = evo.run(tmp_path / "run", options, threads=1).path
    recorded = open_run(path).info["versions"]
    assert recorded["laws"] == "genetic 1, bit-network 1, antibody-antigen 1"
    assert len(recorded["kernels"]) == 12
    assert differing(recorded, {**recorded, "laws": "genetic 2"}) == (
        "laws genetic 1, bit-network 1, antibody-antigen 1 then, genetic 2 now"
    )
    assert differing({}, recorded) == ""


def test_kernels_of_other_rules_boards_and_players_have_other_fingerprints():
    game = games.make("dots-and-boxes")
    kinds = {name: players.make(name, game).kind for name in ("level-0", "level-1")}
    prints = {
        game.fingerprint(),
        games.make("dots-and-boxes", rows=2).fingerprint(),
        games.make("cat-and-mouse").fingerprint(),
        *(game.fingerprint([kind]) for kind in kinds.values()),
        game.fingerprint(kinds.values()),
    }
    assert len(prints) == 6
    assert game.fingerprint() == games.make("dots-and-boxes").fingerprint()


def test_the_fingerprint_of_a_configuration_is_that_of_its_game_and_its_players():
    networks, tables = from_dict({}), from_dict({"game": "cat-and-mouse"})
    assert networks.kernels != tables.kernels
    assert networks.kernels == from_dict({"seed": 2, "scheme": "round-robin"}).kernels
