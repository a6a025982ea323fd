"""``evo.compare``: when it stops, and that this depends on nothing but seed and players."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import evo
from evo.cli.commands.compare import _lines
from evo.cli.main import main
from evo.tournaments import compare as module
from tournaments.analysis.sprt import Sprt
from tournaments.errors import ConfigError, PlayerFault

GAME = "dots-and-boxes"


SEATS = np.array([[40, 0, 0], [0, 0, 40]])
"""Games of one who wins as first and loses as second."""


def record(*players, **options):
    return evo.compare(*players, GAME, **{"elo": (0, 100), **options}).record()


def test_it_stops_at_the_match_that_decides_wherever_that_is_played(monkeypatch):
    usual = record("level-2", "level-1", threads=1)
    assert usual["verdict"] == "stronger"
    assert usual["llr"] >= usual["llr_high"]
    assert usual["elo_low"] < 279 < usual["elo_high"]  # +278.7 in another 446 games
    assert usual["games"] == usual["wins"] + usual["losses"] + usual["draws"]
    assert usual["games"] == 2 * sum(usual[f"halves_{halves}"] for halves in range(5))
    assert record("level-2", "level-1", threads=3) == usual
    monkeypatch.setattr(module, "FIRST_BATCH", 7)
    assert record("level-2", "level-1") == usual
    before = record("level-2", "level-1", most_games=usual["games"] - 2)
    assert before["verdict"] == "undecided"
    assert before["games"] == usual["games"] - 2


def test_the_second_is_compared_as_the_first_is():
    first = record("level-2", "level-1", elo=(0, 100))
    second = record("level-1", "level-2", elo=(-100, 0))
    assert second["verdict"] == "not stronger"
    assert second["llr"] == pytest.approx(-first["llr"])
    assert (second["wins"], second["losses"]) == (first["losses"], first["wins"])
    assert first["draws"] == 0
    assert second["win_rate_first"] == pytest.approx(1 - first["win_rate_second"])
    assert first["win_rate_first"] != first["win_rate_second"]


def test_games_are_those_of_two_halves_of_a_match():
    comparison = evo.compare("level-2", "level-1", GAME, (0, 1), most_games=100)
    halves = np.arange(5)
    assert comparison.counts @ halves == 2 * comparison.wins + comparison.draws
    assert comparison.verdict == "undecided"


def test_the_command_prints_the_answer_and_what_it_rests_on(capsys):
    command = ["compare", "level-2", "level-1", "--game", GAME, "--elo", "0", "100"]
    assert main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "level-2 is stronger than level-1: a lead of 100 Elo points was accepted, against 0"
    )
    assert main([*command, "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row == record("level-2", "level-1")
    assert f"{row['llr']:+.2f}; the test ends at -2.94 or +2.94" in lines[1]
    assert f"games {row['games']}: {row['wins']} won" in lines[3]


def test_players_without_randomness_play_one_match_and_nothing_is_decided(capsys):
    """By the same match again and again the test took the seat for strength."""
    found = evo.compare(lowest, highest, "tic-tac-toe", (0, 400), threads=1)
    assert (found.verdict, found.games, found.repeats) == ("undecided", 2, True)
    assert found.record()["repeats"]
    assert "they play without randomness, the same games in every match" in _lines(found)[0]
    assert not evo.compare(lowest, Random(), "tic-tac-toe", most_games=40, threads=1).repeats


def test_a_comparison_shows_itself():
    alike = module.Comparison(("a", "b"), Sprt(), np.array([0, 0, 40, 0, 0]), SEATS, 0.0, "")
    assert repr(replace(alike, verdict="undecided")).startswith("<a against b: undecided, Elo +0 (")
    row = alike.record()
    assert (row["wins"], row["losses"]) == (40, 40)
    assert (row["win_rate_first"], row["win_rate_second"]) == (1.0, 0.0)


def lowest(state, rng):
    return state.legal_actions()[0]


def highest(state, rng):
    return state.legal_actions()[-1]


def faulty(state, rng):
    if rng.below(4) == 0:
        raise OSError("no network")
    return rng.choice(state.legal_actions())


class Random:
    def choose(self, state, rng):
        return rng.choice(state.legal_actions())


def test_functions_and_objects_are_compared_and_lose_the_games_of_their_faults():
    said = []
    comparison = evo.compare(
        faulty, Random(), "nim:heaps=1-2", (0, 20), threads=1, announce=said.append
    )
    assert comparison.names == ("faulty", "Random")
    assert comparison.verdict == "not stronger"
    assert said[0].startswith("faulty raised OSError: no network")
    assert said[0].endswith("forfeits the game")
    assert "games lost by faults" in said[-1]
    other = evo.compare(Random(), lowest, "nim:heaps=1-2", most_games=20, threads=1)
    assert other.names == ("Random", "lowest")


def test_a_fault_ends_a_comparison_where_that_is_asked_for(tmp_path, monkeypatch, capsys):
    with pytest.raises(PlayerFault, match="'faulty' raised OSError"):
        evo.compare(faulty, Random, "nim:heaps=1-2", threads=1, faults="abort")
    monkeypatch.chdir(tmp_path)
    Path("bots.py").write_text("def wrong(state, rng):\n    return -1\n")
    command = ["compare", "bots.py:wrong", "random", "--game", "nim:heaps=1-2", "--elo", "0", "100"]
    assert main(command) == 0
    assert main([*command, "--faults", "abort"]) == 2
    assert "'bots.py:wrong' chose -1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("level-1", "level-2"), {}, "no game given, and level-1 and level-2 are no runs"),
        ((lowest, "level-2"), {}, "lowest .* and level-2 are no runs; give --game GAME"),
        (("level-1", "level-1", GAME), {}, "'level-1' given twice"),
        (("level-1", "level-2", GAME), {"most_games": 3}, "most_games=3 given; an even number"),
        (("level-1", "level-2", GAME), {"elo": (9, 1)}, "elo 9 1 given"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments, options, message):
    with pytest.raises(ConfigError, match=message):
        evo.compare(*arguments, **options)
