"""``evo check-bot``: what is wrong with a player is said in words, and the status tells."""

from __future__ import annotations

import json
import re
import time

import pytest

from evo.cli.main import main
from evo.evaluation.bot_check import check_bot
from tournaments import games, players

GAME = games.parse("tic-tac-toe")


class Scripted:
    """Plays the first legal action, unless it is told to do something else."""

    name = "scripted"

    def __init__(self, choose=None) -> None:
        self.wrong, self.asked = choose, 0

    def choose(self, state, rng):
        self.asked += 1
        wrong = None if self.wrong is None else self.wrong(self, state)
        return state.legal_actions()[0] if wrong is None else wrong


def fail(player, state):
    raise KeyError("no such opening")


def change(player, state):
    state.play(state.legal_actions()[0])


WRONG = {
    "raised": (fail, "KeyError: 'no such opening'.*test_bot_check.py, line"),
    "changed state": (change, "changed the position"),
    "no action": (lambda player, state: float("nan"), "returned nan"),
    "illegal": (lambda player, state: 9, "chose 9, which is illegal in tic-tac-toe"),
    "differs": (
        lambda player, state: state.legal_actions()[-1] if player.asked == 1 else None,
        "another game for the same seed: 3:3 at first, 1:1 the second time",
    ),
}


@pytest.mark.parametrize("cause", WRONG)
def test_what_is_wrong_is_told(cause):
    choose, words = WRONG[cause]
    report = check_bot(Scripted(choose), GAME, games=2)
    assert {fault.cause for fault in report.faults} == {cause}
    fault = report.faults[0]
    assert (fault.opponent, fault.seat, fault.ply) == ("random", "cross", 0)
    assert re.search(words, fault.what)


def test_a_player_that_is_slow_is_late():
    report = check_bot(players.make("random", GAME), GAME, games=2, seconds=1e-9)
    assert {fault.cause for fault in report.faults} == {"late"}


def test_a_short_check_ends_with_the_first_fault():
    report = check_bot(Scripted(fail), GAME, games=4, is_short=True)
    assert len(report.faults) == 1
    assert [row["opponent"] for row in check_bot(Scripted(), GAME, 2, is_short=True).rows] == [
        "random",
        "random",
    ]


def test_a_player_that_never_answers_is_stopped_and_told():
    def loops(player, state):
        while player.asked == 2:
            time.sleep(0.01)

    fault, *later = check_bot(Scripted(loops), GAME, games=2, seconds=1.0).faults
    assert (fault.cause, fault.seat, fault.ply) == ("late", "cross", 2)
    assert fault.what == "did not answer within 1 second"
    assert {"still has not answered" in each.what for each in later} == {True}
    assert fault.board.count("X") == fault.board.count("O") == 1


def test_a_sound_player_meets_random_play_in_each_seat_and_itself():
    report = check_bot(Scripted(), GAME, games=6)
    assert report.faults == []
    meetings = [(row["opponent"], row["seat"], row["games"]) for row in report.rows]
    assert meetings == [("random", "cross", 3), ("random", "nought", 3), ("itself", "both", 2)]
    assert report.moves["legal_most"] == 9
    assert len(report.plies) == 8


def test_a_player_of_one_seat_is_asked_for_that_alone():
    player = Scripted()
    player.seats = (1,)
    assert [row["seat"] for row in check_bot(player, GAME, games=1).rows] == ["nought"]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--games", "1"], "--games 1 given; at least 2 are expected, one a seat"),
        (["--seconds", "0"], "--seconds 0 given; a number above 0 and up to 1000000 is expected"),
        (["--seconds", "inf"], "--seconds inf given; a number above 0 and up to 1000000"),
    ],
)
def test_checks_that_check_nothing_are_refused(flags, expected, capsys):
    assert main(["check-bot", "random", "--game", "tic-tac-toe", *flags]) == 2
    assert expected in capsys.readouterr().err


SOUND = """while read -r line; do case $line in '{"type":"move"'*)
    legal=${line#*legal\\":[}; echo "{\\"action\\": ${legal%%[],]*}}";; esac; done"""


def test_the_status_tells_whether_a_program_is_sound(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sound.sh").write_text(SOUND)
    (tmp_path / "broken.sh").write_text("echo no idea >&2; exit 4")
    command = ["check-bot", "--game", "tic-tac-toe", "--games", "2", "--seconds", "9"]
    assert main([*command, "./sound.sh"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("./sound.sh plays tic-tac-toe: 9 seconds a move")
    assert "no fault" in text
    assert main([*command, "./broken.sh", "--json"]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    faults = [row for row in rows if row["table"] == "faults"]
    assert {row["cause"] for row in faults} == {"exited"}
    assert faults[0]["what"] == "ended with status 4 in place of an answer; it wrote: no idea"
    assert main([*command, "./none.sh"]) == 2
    assert "no such program" in capsys.readouterr().err
