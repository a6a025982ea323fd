"""Players in files that cannot be loaded, or never are."""

from __future__ import annotations

import numpy as np
import pytest

from tournaments import Competition
from tournaments.errors import PlayerFault, TournamentError
from tournaments.players import loading

GAME = "tic-tac-toe"
GOOD = """print("loud")


class Bot:
    def choose(self, state, rng):
        return state.legal_actions()[0]
"""
FILES = {
    "good.py": GOOD,
    "syntax.py": "def (:",
    "raises.py": "raise ValueError('not yet')",
    "ends.py": "import sys\nsys.exit(2)",
    "kills.py": "import os\nos._exit(3)",
    "loops.py": "while True:\n    pass",
    "makes.py": "import time\n\n\nclass Bot:\n    def __init__(self):\n        time.sleep(1000)\n",
}
CAUSES = {
    "syntax.py:Bot": ("raised", "'syntax.py' cannot be loaded: SyntaxError"),
    "raises.py:Bot": ("raised", "'raises.py' cannot be loaded: ValueError: not yet (line 1)"),
    "good.py:Nobody": ("raised", "player 'good.py:Nobody': good.py has no Nobody"),
    "ends.py:Bot": ("exited", "'ends.py' cannot be loaded: SystemExit: 2"),
    "kills.py:Bot": ("exited", "cannot be loaded: it ended with status 3 in place of an answer; m"),
    "loops.py:Bot:limit_seconds=0.5": ("late", "cannot be loaded: it did not end within 0.5 sec"),
    "makes.py:Bot:limit_seconds=0.5": ("late", "cannot be loaded: it did not end within 0.5 sec"),
    "few.npy": ("raised", "3 weights given; a 18-9-9 network for tic-tac-toe has 261"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    np.save("few.npy", np.zeros(3))


def test_a_player_that_cannot_be_loaded_loses_all_its_games():
    fixed = ["random", "optimal"]
    competition = Competition(GAME, "direct:matches=1", opponents=fixed, faults="forfeit")
    result = competition.evaluate({"good": "good.py:Bot", **{text: text for text in CAUSES}})
    assert not result.fitness[1:].any()
    assert result.tally.losses[1:].tolist() == [4] * len(CAUSES)
    assert result.tally.games[0] == 4
    assert not result.faults["ply"].any()
    faults = result.faults.drop_duplicates("player").set_index("player")
    assert {*faults.index} == {*CAUSES}
    for text, (cause, what) in CAUSES.items():
        assert faults.loc[text, "cause"] == cause
        assert what in faults.loc[text, "what"]


def test_files_are_loaded_once_for_each_content(tmp_path, monkeypatch):
    competition = Competition(GAME, faults="forfeit")
    (tmp_path / "a.py").write_text(FILES["raises.py"])
    players = ["a.py:Bot", "good.py:Bot"]
    assert {*competition.evaluate(players).faults["player"]} == {"a.py:Bot"}
    with monkeypatch.context() as patched:
        patched.setattr(loading, "_started", None)
        competition.evaluate(players)
    (tmp_path / "a.py").write_text(FILES["good.py"])
    assert "a.py:Bot" not in set(competition.evaluate(players).faults["player"])


def test_what_never_ends_is_ended_where_faults_abort(tmp_path):
    (tmp_path / "loops.py").write_text("while 1: pass")
    for players in (["random", "loops.py:Bot:limit_seconds=0.5"], ["random", "kills.py:Bot"]):
        with pytest.raises(PlayerFault, match="cannot be loaded: it"):
            Competition(GAME).evaluate(players)
        with pytest.raises(PlayerFault, match="cannot be loaded: it"):
            Competition(GAME, "direct", opponents=players[1:], faults="forfeit")
    with pytest.raises(TournamentError, match="ValueError: not yet"):
        Competition(GAME).evaluate(["random", "raises.py:Bot"])


@pytest.mark.parametrize("text", ["none.py:Bot", "none.npy", "levl-1"])
def test_a_name_without_a_file_is_no_fault(text):
    with pytest.raises(TournamentError, match=text.partition(":")[0]):
        Competition(GAME, faults="forfeit").evaluate(["random", text])


def test_an_archive_may_hold_a_player_that_cannot_be_loaded(tmp_path):
    competition = Competition(GAME, "hall-of-fame:current=1", faults="forfeit")
    players = ["raises.py:Bot", "syntax.py:Bot"]
    competition.evaluate(players)
    competition.save("saved.json")
    again = Competition.open("saved.json")
    results = [each.evaluate(players) for each in (competition, again)]
    np.testing.assert_array_equal(results[0].fitness, results[1].fitness)
    assert results[0].faults.equals(results[1].faults)
    assert "all-archive" in set(results[0].faults["population"])


def test_a_program_that_ends_is_a_fault_of_its_games():
    result = Competition(GAME, faults="forfeit").evaluate({"a": "raises.py", "b": "random"})
    assert result.fitness.tolist() == [0.0, 1.0]
    assert set(result.faults["cause"]) == {"exited"}
