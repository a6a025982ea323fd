"""What a game alone is evolved by follows from what it offers, and is said."""

from __future__ import annotations

import pytest

import evo
from evo.cli.commands import run as run_command
from evo.cli.main import main, parser
from evo.cli.options import configuration_of
from evo.config import usual as module
from evo.config.config import from_dict
from evo.config.tables import named_table
from evo.config.usual import usual
from tournaments.errors import TournamentError
from tournaments.solver.retrograde import has_solution


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Nothing is counted: that nim and tic-tac-toe have few positions is known."""
    names = ("nim", "tic-tac-toe")
    monkeypatch.setattr(module, "has_solution", lambda game, most: game.name in names)


def made(*words: str):
    lines: list[str] = []
    return configuration_of(parser().parse_args(["run", *words]), lines.append), lines


def learner_of(table) -> str:
    return named_table(table, "learner")[0]


def scheme_of(table) -> str:
    return named_table(table, "scheme")[0]


@pytest.mark.parametrize(
    ("game", "learner", "scheme", "why"),
    [
        ("nim", "q-learning", "direct", "since it has so few positions"),
        ("connect-four:rows=4,cols=5", "openai-es", "direct", "since networks play it"),
        ("fox-and-hounds", "openai-es", "direct", "since networks play it"),
        ("cat-and-mouse", "genetic", "direct", "since its players are tables"),
        ("set", "genetic", "antibody-antigen", "since it shows networks nothing"),
        ("karate", "openai-es", "direct", "since networks play it"),
    ],
)
def test_a_game_alone_is_evolved_by_what_suits_it(game, learner, scheme, why):
    table, (line,) = made("--game", game)
    assert (learner_of(table), scheme_of(table)) == (learner, scheme)
    name = game.partition(":")[0]
    assert line.startswith(f"{name}: {learner}")
    assert why in line
    assert "\n" not in line


def test_what_is_said_beside_the_game_is_kept():
    words = ["--population", "11", "--generations", "7", "--seed", "4"]
    table, lines = made("--game", "nim", *words)
    assert [table[name] for name in ("population", "generations", "seed")] == [11, 7, 4]
    assert (learner_of(table), len(lines)) == ("q-learning", 1)


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
    table, lines = made("--game", "tic-tac-toe", *words.split())
    assert lines == []
    assert learner_of(table) == "genetic"


def test_no_game_is_the_study_as_it_was():
    assert made() == ({}, [])


def test_a_game_that_there_is_not_is_refused():
    with pytest.raises(TournamentError, match="unknown game 'nimm'; did you mean 'nim'"):
        usual({"game": "nimm"})


def test_a_run_says_what_it_evolves_by_once_it_begins(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run_command, "evolve", lambda options, out, start: 0)
    (tmp_path / "file").touch()
    assert main(["run", "--game", "connect-four", "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.count("\n") == 1  # the mistake alone
    assert main(["run", "--game", "connect-four", "--out", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().err.startswith("connect-four: openai-es under direct against random")
    assert main(["run", "--out", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().err == ""


def test_what_is_chosen_for_a_game_is_a_configuration():
    config = from_dict(made("--game", "cat-and-mouse")[0])
    assert (config.scheme.panel, config.scheme.matches) == (("random",), 1)
    for game in ("connect-four:rows=4,cols=5", "fox-and-hounds"):
        config = from_dict(made("--game", game)[0])
        assert (config.learner.name, config.scheme.panel) == ("openai-es", ("random",))
        assert config.genome.initial == 0.5


def test_what_is_printed_as_a_configuration_is_what_would_be_run(capsys):
    assert main(["config", "--game", "connect-four"]) == 0
    shown = capsys.readouterr()
    assert 'name = "openai-es"' in shown.out
    assert shown.err == ""


@pytest.mark.slow
def test_positions_are_counted_and_what_is_learned_of_few_is_perfect(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "has_solution", has_solution)
    assert learner_of(made("--game", "connect-four:rows=4,cols=5")[0]) == "openai-es"
    assert main(["run", "--game", "nim", "--threads", "1", "--out", str(tmp_path / "run")]) == 0
    measured = evo.evaluate(tmp_path / "run", ["random", "optimal"], 200, best=1, generations=[20])
    assert measured["wins"].tolist() == [200, 100]  # the first seat wins, and no more can be had
