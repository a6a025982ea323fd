"""What a game alone is evolved by follows from what it offers, and is said."""

from __future__ import annotations

import pytest

from evo.cli.commands import run as run_command
from evo.cli.main import main, parser
from evo.cli.options import configuration_of
from evo.config.config import from_dict
from evo.config.usual import usual
from tournaments.errors import TournamentError


def made(*words: str):
    lines: list[str] = []
    table = configuration_of(parser().parse_args(["run", *words]), lines.append)
    return from_dict(table), lines


@pytest.mark.parametrize(
    ("game", "learner", "scheme", "why"),
    [
        ("connect-four:rows=4,cols=5", "openai-es", "direct", "since networks play it"),
        ("fox-and-hounds", "openai-es", "direct", "since networks play it"),
        ("cat-and-mouse", "genetic", "antibody-antigen", "since it shows networks nothing"),
        ("set", "genetic", "antibody-antigen", "since it shows networks nothing"),
        ("karate", "genetic", "antibody-antigen", "since what beats random play in rounds"),
    ],
)
def test_a_game_alone_is_evolved_by_what_suits_it(game, learner, scheme, why):
    config, (line,) = made("--game", game)
    assert (config.learner.name, config.scheme.name) == (learner, scheme)
    name = game.partition(":")[0]
    assert line.startswith(f"{name}: {learner} under {scheme}")
    assert why in line
    assert "\n" not in line


def test_what_is_said_beside_the_game_is_kept():
    config, lines = made("--game", "nim", "--population", "11", "--seed", "4")
    assert (config.run.population, config.seed, len(lines)) == (11, 4, 1)
    assert config.learner.name == "openai-es"


@pytest.mark.parametrize(
    "words",
    [
        "--scheme round-robin",
        "--learner genetic",
        "--set scheme.points=30",
        "--set genome.bits=8",
        "--islands 2",
    ],
)
def test_whoever_says_how_to_evolve_gets_what_was_always_meant(words):
    config, lines = made("--game", "tic-tac-toe", *words.split())
    assert lines == []
    assert config.learner.name == "genetic"


def test_no_game_is_the_study_as_it_was():
    config, lines = made()
    assert lines == []
    assert config.to_dict() == from_dict({}).to_dict()


def test_a_game_that_there_is_not_is_refused():
    with pytest.raises(TournamentError, match="unknown game 'nimm'; did you mean 'nim'"):
        usual({"game": "nimm"})


def test_a_run_says_what_it_evolves_by_once_it_begins(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run_command, "evolve", lambda options, out, start: 0)
    (tmp_path / "file").touch()
    assert main(["run", "--game", "nim", "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.count("\n") == 1  # the mistake alone
    assert main(["run", "--game", "nim", "--out", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().err.startswith("nim: openai-es under direct against random")
    assert main(["run", "--out", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().err == ""


def test_what_is_printed_as_a_configuration_is_what_would_be_run(capsys):
    assert main(["config", "--game", "nim"]) == 0
    shown = capsys.readouterr()
    assert 'name = "openai-es"' in shown.out
    assert shown.err == ""
