"""``evo new game``: what it writes works at once, as the game of a package."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from evo.cli.commands import new
from evo.cli.main import main
from tournaments.game import Game

HERE = Path(new.__file__).parent
FLAGS = [["--roles", "hare", "tortoise"], ["--dice"], ["--dice", "--roles", "hare", "tortoise"]]


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys) -> Path:
    """The files of a new game, and of nothing else."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", "game", "seven-stones"]) == 0
    return tmp_path / "seven-stones"


def rules_of(folder: Path):
    spec = spec_from_file_location("seven_stones", folder / "seven_stones.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.RULES


def test_a_new_game_has_rules_a_test_and_an_entry_point_of_its_name(folder: Path):
    files = ["pyproject.toml", "seven_stones.py", "test_seven_stones.py"]
    assert sorted(path.name for path in folder.iterdir()) == files
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["tournaments.games"] == {"seven-stones": "seven_stones:RULES"}
    for file in files[1:]:
        text = (folder / file).read_text(encoding="utf-8")
        assert "CHANGE" in text
        assert "take-away" not in text
        assert "take_away" not in text
    assert "from seven_stones import RULES" in (folder / files[2]).read_text(encoding="utf-8")


def test_the_rules_of_a_new_game_play(folder: Path):
    game = Game(rules_of(folder), {"stones": 4})
    state = game.start()
    assert (game.name, state.legal_actions(), str(state)) == (
        "seven-stones", [0, 1, 2], "4 left, first to move"
    )  # fmt: skip
    state.play(2)
    state.play(0)
    assert (state.is_over, state.returns(), str(state)) == (True, (-1, 1), "0 left, second won")


def test_each_change_of_the_template_has_its_place():
    texts = "".join((HERE / name).read_text(encoding="utf-8") for name in new.TEMPLATES["game"])
    for of_flag in tomllib.loads((HERE / new.OPTIONS).read_text(encoding="utf-8")).values():
        assert [change["old"] for change in of_flag if texts.count(change["old"]) != 1] == []


@pytest.mark.parametrize("flags", FLAGS)
def test_a_new_game_may_have_roles_and_dice(flags, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "game", "seven-stones", *flags]) == 0
    rules = rules_of(tmp_path / "seven-stones")
    seats = ("hare", "tortoise") if "--roles" in flags else ("first", "second")
    has = "--roles" in flags, "--dice" in flags
    assert (rules.seats, rules.has_roles, rules.chance is not None) == (seats, *has)
    game = Game(rules, {"stones": 9})
    throws = set()
    for seed in range(8):
        state = game.start(seed=seed)
        while not state.is_over:
            assert (game.parse(str(state)).array == state.array).all()
            legal = state.legal_actions()
            assert legal == list(range(len(legal)))
            throws.add(len(legal))
            state.play(legal[-1])
        left = int(str(state).split()[0])
        winner = left if "--roles" in flags else int(state.array[2])
        assert (state.returns()[winner], str(state).split()[2]) == (1, seats[winner])
        assert left in ((0, 1) if "--roles" in flags else (0,))
    assert throws >= {1, 2, 3} if "--dice" in flags else throws == {3}
    shown = "".join(path.read_text() for path in (tmp_path / "seven-stones").iterdir())
    assert not any(word in shown for word in ("_ROLE", "take-away", "take_away"))
    assert max(map(len, shown.splitlines())) <= 100


@pytest.mark.slow
@pytest.mark.parametrize("flags", FLAGS)
def test_the_written_test_of_roles_and_dice_passes(flags, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "game", "seven-stones", *flags]) == 0
    folder = tmp_path / "seven-stones"
    run = {"cwd": folder, "env": {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}}
    words = ["-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "."]
    subprocess.run([sys.executable, *words], check=True, **run)


def test_three_commands_to_go_on_with_are_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "game", "seven-stones", "--out", "here/x"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()[1:]]
    assert lines == [
        "pip install -e here/x/", "python -m pytest here/x", "evo run --game seven-stones"
    ]  # fmt: skip
    assert (tmp_path / "here/x/seven_stones.py").is_file()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("game Seven", "name 'Seven' given; small letters, digits and single hyphens"),
        ("game ../x", "name '../x' given; small letters"),
        ("game nim", "a game has this name already; choose another"),
        ("game json", "its file json.py would conflict with a Python keyword or module"),
        ("game class", "choose another name, such as class-game"),
        ("game x-y --roles cat cat", "--roles cat cat given; two different names"),
        ("game x-y --roles cat M", "--roles cat M given; two different names"),
        ("game x-y --roles cat", "argument --roles: expected 2 arguments"),
        ("scheme x", "WHAT scheme given; one of game, contest is expected"),
        ("game x-y --out file", "file cannot be written (File exists); choose another folder"),
        ("game x-y --out taken", "taken/x_y.py exists already; choose another folder"),
    ],
)
def test_what_cannot_be_begun_is_told_in_a_line(words, expected, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "x_y.py").write_text("mine")
    try:
        status: object = main(["new", *words.split()])
    except SystemExit as ended:
        status = ended.code
    err = capsys.readouterr().err
    assert (status, err.count("\n")) == (2, 1)
    assert expected in err
    assert len(list(tmp_path.rglob("*"))) == 3
    assert (tmp_path / "taken" / "x_y.py").read_text() == "mine"


@pytest.mark.slow
def test_a_new_game_passes_its_test_meets_everybody_and_evolves(folder: Path):
    """Installed as far as Python can tell: a folder of its path with its entry point."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (folder / "seven_stones.egg-info").mkdir()
    (folder / "seven_stones.egg-info" / "PKG-INFO").write_text("Name: seven-stones\nVersion: 0\n")
    (folder / "seven_stones.egg-info" / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
            for group, points in project["entry-points"].items()
        )
    )
    paths = [str(folder), *sys.path]
    run = {"cwd": folder, "env": {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}}
    python = [sys.executable, "-m"]
    subprocess.run([*python, "pytest", "-q", "-p", "no:cacheprovider", "."], check=True, **run)
    evolve = ["run", "--game", "seven-stones", "--generations", "2", "--out", "run"]
    subprocess.run([*python, "evo", *evolve, "--population", "8"], check=True, **run)
    for opponent in ("random", "greedy", "alpha-beta", "mcts:playouts=20", "optimal"):
        meet = ["evaluate", "run", "--opponents", opponent, "--games", "4", "--best", "1"]
        subprocess.run([*python, "evo", *meet], check=True, **run)


@pytest.mark.parametrize("flags", [[], ["--roles", "red", "blue"]])
def test_a_new_contest_passes_its_test_and_is_played(flags, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "contest", "arm-wrestling", *flags]) == 0
    said = capsys.readouterr().out
    folder = tmp_path / "arm-wrestling"
    assert sorted(path.name for path in folder.iterdir()) == [
        *("arm_wrestling.py", "test_arm_wrestling.py")
    ]
    text = "".join(path.read_text() for path in folder.iterdir())
    assert "duel" not in text
    assert ('seats=("red", "blue")' in text) == bool(flags)
    command = said.splitlines()[-1].split()[1:]
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "0", str(folder)])
    assert done.returncode == 0
    assert main([*command, "--games", "10"]) == 0
    assert main(["new", "contest", "other", "--dice"]) == 2
    assert "random numbers come from its seed" in capsys.readouterr().err
