"""What a game alone is evolved by follows from what it offers, and is said."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import game_of_a_stranger as stranger
import numpy as np
import pytest

import evo
from evo.cli.commands import run as run_command
from evo.cli.commands.config import configuration_of
from evo.cli.main import main, parser
from evo.cli.options import read
from evo.config import usual as module
from evo.config.config import from_dict
from evo.config.tables import named_table
from evo.config.usual import opponents_of, usual
from evo.requests.evolution import RunFlags
from tournaments import games, registry
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import Game
from tournaments.kernels.linker import kernel
from tournaments.player import Kind
from tournaments.repeated.game import repeated_game
from tournaments.rules import NetworkRules, VectorForm
from tournaments.solver.retrograde import has_solution


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Nothing is counted: how many positions some games have is known."""
    known = {"nim": 240, "tic-tac-toe": 5478, "connect-four:rows=4,cols=5": 3_945_711}
    monkeypatch.setattr(
        module, "has_solution", lambda game, most: known.get(game.short_spec, most + 1) <= most
    )


def made(*words: str):
    lines: list[str] = []
    return configuration_of(
        read(RunFlags, parser().parse_args(["run", *words])), lines.append
    ), lines


def learner_of(table) -> str:
    return named_table(table, "learner")[0]


@pytest.mark.parametrize(
    ("game", "learner", "scheme", "encoding", "why"),
    [
        ("nim", "q-learning", "direct", "value-table", "since its positions are numbered"),
        ("tic-tac-toe", "q-learning", "direct", "value-table", "since its positions are numbered"),
        ("fox-and-hounds", "q-learning", "direct", "value-table", "its positions are numbered"),
        (
            "connect-four:rows=4,cols=5",
            "q-learning",
            "direct",
            "value-table",
            "too many to be learned by self-play",
        ),
        ("connect-four", "openai-es", "direct", "real-network", "since networks play it"),
        ("dots-and-boxes", "openai-es", "direct", "real-network", "since networks play it"),
        ("iterated-prisoners-dilemma", "genetic", "direct", "memory-one", "since it has two moves"),
        ("karate", "evolution-strategy", "direct", "real-vector", "go by a few numbers"),
        ("capture-the-flag", "evolution-strategy", "direct", "real-vector", "a few numbers"),
        ("set", "evolution-strategy", "direct", "real-vector", "go by a few numbers"),
        ("cat-trap", "genetic", "round-robin", "real-vector", "it names no opponents"),
        ("cat-and-mouse", "genetic", "direct", "position-table", "since its players are tables"),
    ],
)
def test_a_game_alone_is_evolved_by_what_suits_it(game, learner, scheme, encoding, why):
    table, (line,) = made("--game", game)
    config = from_dict(table)
    assert (config.learner.name, config.scheme.name) == (learner, scheme)
    assert config.genome.encoding == encoding
    name = game.partition(":")[0]
    assert line.startswith(f"{name}: {learner}")
    assert why in line
    assert "\n" not in line


def test_a_table_of_few_positions_plays_itself_and_one_of_many_random_play():
    few, many = (made("--game", f"{game}")[0] for game in ("nim", "connect-four:rows=4,cols=5"))
    assert from_dict(few).learner.against == "self"
    assert from_dict(many).learner.against == "random"


def test_numbers_are_evolved_against_the_opponents_that_the_game_names():
    karate = from_dict(made("--game", "karate")[0])
    assert karate.panel_names == games.make("karate").rules.opponents
    assert karate.scheme.two_wins > karate.scheme.score == 0
    dilemma = from_dict(made("--game", "iterated-prisoners-dilemma")[0])
    assert dilemma.scheme.score > dilemma.scheme.two_wins == 0
    assert {"random", "grim", "extort-2"} <= {*dilemma.panel_names}


def test_large_networks_share_weights_where_the_game_declares_a_mirror():
    large, small = (made("--game", name)[0] for name in ("connect-four", "dots-and-boxes"))
    assert from_dict(large).genome.symmetry
    assert not from_dict(small).genome.symmetry


def test_longer_games_are_played_less_often():
    short, long = (made("--game", f"karate:rounds={rounds}")[0] for rounds in (20, 3000))
    assert from_dict(short).scheme.matches > 50 > from_dict(long).scheme.matches > 1


def test_opponents_that_do_not_play_a_variant_are_left_out():
    rules = replace(games.make("karate").rules, opponents=("random", "tit-for-tat", "markov"))
    assert opponents_of(Game(rules, {})) == ["random", "markov"]


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


def test_what_is_printed_as_a_configuration_is_what_would_be_run(capsys):
    assert main(["config", "--game", "connect-four"]) == 0
    shown = capsys.readouterr()
    assert 'name = "openai-es"' in shown.out
    assert shown.err == ""


def test_the_first_line_of_a_configuration_says_where_it_differs_from_that_of_no_game(capsys):
    assert main(["config"]) == 0
    alone = capsys.readouterr().out.splitlines()
    assert main(["config", "--game", "dots-and-boxes"]) == 0
    named = capsys.readouterr().out.splitlines()
    assert alone[0].startswith("# without --game: genetic under antibody-antigen")
    assert named[0].startswith("# dots-and-boxes: openai-es under direct against random")
    assert named[0].endswith("without --game: genetic under antibody-antigen, the published study")
    assert main(["config", "--game", "dots-and-boxes", "--scheme", "antibody-antigen"]) == 0
    assert capsys.readouterr().out.splitlines() == alone[1:]


# --- games of strangers --------------------------------------------------------------------------


@kernel
def whole_view(board, state, seat, seen):
    for place in range(state.size):
        seen[place] = state[place]


@kernel
def show_stones(board, state, inputs):
    inputs[0] = state[stranger.LEFT]


@kernel
def choose_by_number(board, state, parameters, row, memory, stream):
    return np.int64(parameters.first[row, 0] > 0.0 and state[stranger.LEFT] > 1)


HIDDEN = replace(stranger.RULES, solver=None, tables={}, view=whole_view)
TABLES = replace(HIDDEN, tables={stranger.TABLE.name: stranger.TABLE})
NETWORKS = replace(HIDDEN, network=NetworkRules(lambda board: 1, show_stones))
FORM = VectorForm(
    "eager", "one number", lambda game, seat: ("two",), Kind("eager", choose_by_number)
)
NUMBERS = replace(HIDDEN, vectors={FORM.name: FORM})
PAYOFFS = ((3, 0), (5, 1))
STRANGERS = {
    "solver": (stranger.RULES, "q-learning"),
    "positions": (replace(stranger.RULES, solver=None, tables={}), "q-learning"),
    "networks": (NETWORKS, "openai-es"),
    "tables": (TABLES, "genetic"),
    "numbers": (NUMBERS, "genetic"),
    "numbers and opponents": (
        replace(NUMBERS, opponents=("random", "taker")),
        "evolution-strategy",
    ),
    "numbers of roles": (
        replace(NUMBERS, has_roles=True, opponents=("random", "taker")),
        "genetic",
    ),
    "two moves": (repeated_game("chicken", "a game", ("swerve", "stay"), PAYOFFS), "genetic"),
    "three moves": (
        repeated_game("rps", "a game", ("r", "p", "s"), ((0, -1, 1), (1, 0, -1), (-1, 1, 0))),
        "evolution-strategy",
    ),
}


@pytest.fixture
def offered(monkeypatch) -> Callable[[str], dict]:
    """Offer one of the games of strangers; the table that is chosen for it."""
    monkeypatch.setattr(module, "has_solution", has_solution)
    return partial(_chosen, monkeypatch)


def _chosen(monkeypatch, declared: str) -> dict:
    rules, learner = STRANGERS[declared]
    rules = replace(rules, name=declared.replace(" ", "-"))  # what is known of a game goes by it
    points = [EntryPoint(rules.name, "offered:RULES", "tournaments.games")]
    monkeypatch.setitem(sys.modules, "offered", SimpleNamespace(RULES=rules))
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [one for one in points if one.group == group]
    )
    table, line = usual({"game": rules.name})
    assert learner_of(table) == learner
    assert line.startswith(f"{rules.name}: {learner}")
    return table


@pytest.mark.parametrize("declared", STRANGERS)
def test_a_game_of_a_stranger_gets_a_default_by_what_it_declares(declared, offered):
    config = from_dict(offered(declared))
    assert len(config.populations) == 1 + config.game.rules.has_roles


def test_a_single_number_takes_all_covariances(offered):
    table = offered("numbers and opponents")
    assert table["learner"]["method"] == "cma"
    table["learner"]["method"] = "sep-cma"
    with pytest.raises(ConfigError, match=r"two numbers or more, .* have one: take cma"):
        from_dict(table)


@pytest.mark.slow
@pytest.mark.parametrize("declared", STRANGERS)
def test_the_default_of_a_game_of_a_stranger_runs(declared, offered, tmp_path):
    run = evo.run(tmp_path / "run", {**offered(declared), "generations": 1}, threads=1)
    assert run.games_played > 0
    assert run.snapshots[-1] == 1


@pytest.mark.slow
def test_positions_are_counted_and_what_is_learned_of_few_is_perfect(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "has_solution", has_solution)
    assert learner_of(made("--game", "connect-four")[0]) == "openai-es"
    assert main(["run", "--game", "nim", "--threads", "1", "--out", str(tmp_path / "run")]) == 0
    measured = evo.evaluate(tmp_path / "run", ["random", "optimal"], 200, best=1, generations=[60])
    assert measured["wins"].tolist() == [200, 100]  # the first seat wins, and no more can be had


@pytest.mark.slow
def test_the_command_that_a_default_run_names_measures_it(tmp_path, capsys):
    """A table of values of 3.5 million positions; it was refused as too large for a stranger's."""
    options = ["--game", "connect-four:rows=4,cols=5", "--generations", "1", "--threads", "1"]
    assert main(["run", *options, "--out", str(tmp_path / "run")]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("draw it:")]
    words = shlex.split(line.partition("&&")[0])
    assert main([*words[words.index("evaluate") :], "--games", "4"]) == 0


def test_a_number_of_games_alone_ends_the_run():
    """The generations of the default would end it earlier."""
    table, _ = made("--game", "nim", "--games", "30000")
    assert table["games"] == 30_000
    assert "generations" not in table
    table, _ = made("--game", "nim", "--games", "30000", "--generations", "9")
    assert (table["games"], table["generations"]) == (30_000, 9)
    assert made("--game", "nim")[0]["generations"] == 60
