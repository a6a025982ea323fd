"""``evo play``: what a person types, and what is answered."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from processes import ROOT

from evo.cli.commands import play
from evo.cli.main import main
from evo.evaluation.players import at_speed
from evo.play.person import PersonGame
from tournaments import games, players
from tournaments.game import GAMES
from tournaments.kernels.compilation import compilation
from tournaments.kernels.rng import Stream
from tournaments.player import CompiledPlayer

NIM = "nim:heaps=2-3"


@pytest.fixture(autouse=True)
def interpreted(monkeypatch) -> None:
    """Opponents as they are: a compiler for each of them would take the tests' time."""
    monkeypatch.setattr("evo.evaluation.players.at_speed", lambda opponent: opponent)


@pytest.fixture
def sit(monkeypatch, capsys):
    """Play with these lines typed; the exit status and what was printed."""

    def sit(lines: str, *words: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        status = main(["play", *map(str, words)])
        out, err = capsys.readouterr()
        return status, out + err

    return sit


def rows_of(out: str) -> list[dict]:
    return [json.loads(line) for line in out.splitlines()]


def test_a_game_is_played_to_its_end(sit):
    status, out = sit("2 of heap 1\n3 of heap 2\n1 2\n1 2\n", NIM, "random", "--seed", 3)
    assert status == 0
    assert out.startswith(
        "nim:heaps=2-3, type help for help\nfirst: you\nsecond: random\n\n2-3 first to move\n\n"
        "1. first 2 of heap 1\n\n0-3 second to move\n\n2. second "
    )
    assert "first (you) wins after 3 plies" in out or "second (random) wins after" in out


@pytest.mark.parametrize("spec", sorted(GAMES.own()))
def test_every_game_is_played_by_the_numbers_that_it_lists(spec, sit):
    """The first legal move each time, taken from what the command prints."""
    lines = ""
    for _ in range(3):
        status, out = sit(f"{lines}moves\n", spec, "random", "--json")
        assert status == 0
        listed = [row for row in rows_of(out) if "move" in row]
        assert listed
        lines += f"#{listed[0]['action']}\n"
    moves = [row for row in rows_of(out) if "ply" in row]
    assert sum(row["player"] == "you" for row in moves) == 2
    game = games.parse(spec)
    for row in moves:
        is_told = row["player"] == "you" or not game.hides
        assert (row["action"] >= 0) == is_told
        assert row["name"] == (game.rules.describe(game.board, row["action"]) if is_told else "")
        assert str(game.parse(row["board"])) == row["board"]


def test_by_default_the_strongest_yardstick_plays_the_other_seat(sit):
    assert "cross: you\nnought: optimal\n" in sit("", "tic-tac-toe")[1]
    assert "cross: optimal\nnought: you\n" in sit("", "tic-tac-toe", "--as", "nought")[1]


def test_the_opponent_answers_until_it_is_the_persons_turn(sit):
    _, out = sit("quit\n", "fox-and-hounds:rows=4,cols=4", "random", "--as", "hounds", "--json")
    assert [row["seat"] for row in rows_of(out) if "ply" in row] == ["fox", "fox"]


def test_the_same_lines_give_the_same_game(sit):
    lines = "4\nundo\n4\nopponent greedy\n1:1\n1:2\n3:3\n2:1\n"
    first, second, other = (
        sit(lines, "tic-tac-toe", "random", "--seed", seed)[1] for seed in (1, 1, 4)
    )
    assert first == second != other
    assert "2 plies taken back" in first
    assert "the opponent is greedy" in first


def test_a_mistake_is_answered_and_the_game_goes_on(sit):
    lines = "what\n1\nundo\nopponent nobody\nopponent level-9\nedit 1\nboard\nx\nend\n2 1\n"
    status, out = sit(lines, NIM, "random", "--json")
    assert status == 0
    errors = [row["error"] for row in rows_of(out) if "error" in row]
    for said, expected in zip(
        errors,
        [
            "'what' is no move here; 1 of heap 1 or",
            "'1' may be 1 of heap 1 or 1 of heap 2",
            "nothing to take back",
            "unknown player 'nobody'",
            "unknown player 'level-9'",
            "'edit 1' is no move here",  # the game offers no edit
            "'x' given; stones left, such as '2-3 first to move', are expected",
        ],
        strict=True,
    ):
        assert expected in said
    assert [row["name"] for row in rows_of(out) if row.get("player") == "you"] == ["2 of heap 1"]


def test_a_board_is_pasted_up_to_an_empty_line(sit):
    lines = "board\nX X .\nO O .\n. . .\n\ncross to move\n\n1:3\n"
    _, out = sit(lines, "tic-tac-toe", "random", "--json")
    assert rows_of(out)[-1] == {"result": "cross (you) wins after 1 plies"}
    ruled = "board\n   1 2 3\n1  X X .\n2  O O .\n3  . . .\n\ncross to move\n\n1:3\n"
    assert rows_of(sit(ruled, "tic-tac-toe", "random", "--json")[1])[-1] == rows_of(out)[-1]
    _, out = sit("board\n1-1 first to move\n\n1 1\n1 2\n", NIM, "random", "--json")
    assert rows_of(out)[-1] == {"result": "second (random) wins after 2 plies"}
    _, out = sit("board\nX X .", "tic-tac-toe", "random", "--json")
    assert [list(row) for row in rows_of(out)] == [["game", "seed", "players"], ["board"]]


def test_tiles_are_edited_and_nobody_answers(sit):
    words = ("cat-trap:size=3,blocks=none", "random", "--as", "blocker", "--json")
    _, out = sit("edit 0:0 0:0 2:0\nedit 1:1\nquit\n", *words)
    changed = [row for row in rows_of(out) if "change" in row]
    assert [row["board"] for row in changed] == [". . #\n . C .\n. . .\n\nblocker to move"]
    assert "edit" in sit("help\n", *words)[1]
    assert "edit" not in sit("help\n", NIM, "random")[1]


def test_a_hint_says_what_each_move_leads_to(sit):
    _, out = sit("hint\n", NIM, "random")
    assert "1 of heap 2 (perfect play)\n  first wins in 5 plies: 1 of heap 2\n" in out
    rows = [row for row in rows_of(sit("hint\n", NIM, "random", "--json")[1]) if "lead" in row]
    assert rows[0] == {"action": 3, "lead": 1, "plies": 5, "move": "1 of heap 2"}
    assert {row["lead"] for row in rows[1:]} == {-1}


def test_long_lists_are_wrapped_between_moves(sit):
    _, out = sit("moves\nhint\n", "nim:heaps=9-9", "random")
    listed = [line for line in out.splitlines() if "of heap" in line]
    assert max(map(len, listed)) <= play.LINE
    text = " ".join(line.strip() for line in listed)
    for name in (f"{stones} of heap {heap}" for stones in range(1, 10) for heap in (1, 2)):
        assert sum(name in line for line in listed) >= 2, name
    assert "#17 9 of heap 2" in text


# --- games in rounds -----------------------------------------------------------------------------


def test_a_round_says_what_was_hit_and_what_the_opponent_expected(sit):
    lines = "kick\nhistory\nundo\npunch\nhistory\n"
    _, out = sit(lines, "karate:rounds=3", "markov:order=0,beta=best", "--seed", 2)
    name = "markov:order=0,beta=best"
    assert "  kick                     10     10    10           0\n" in out
    assert f"round 1: you kick +10 (hit), {name} kick +10 (hit)\n" in out
    even = "punch 25%, kick 25%, block-punch 25%, block-kick 25%"
    assert f"{name} expected of you: {even}\nand so meant to play: punch 0%, kick 100%, " in out
    assert "kick 40%, block-punch 20%, block-kick 20%" in out  # of counts 1 + 1, 1, 1, 1
    assert "undo takes back a move before the opponent's is shown; this round is over" in out
    assert (
        f"  round                     1\n  you                       kick\n  {name}  kick\n" in out
    )
    assert "kick  punch" in out
    assert "history" not in sit("help\n", NIM, "random")[1]


def test_a_round_is_a_row_of_its_own(sit):
    words = ("karate:rounds=2", "cycle:moves=kick+punch", "--as", "second", "--json")
    rows = [row for row in rows_of(sit("punch\nblock-p\n", *words)[1]) if "round" in row]
    shown = {"expected": {}, "answers": {}}
    assert rows == [
        {
            "round": 1,
            "moves": ["punch", "kick"],
            "gains": [0, 10],
            "results": ["miss", "hit"],
            **shown,
        },
        {
            "round": 2,
            "moves": ["block-punch", "punch"],
            "gains": [5, 0],
            "results": ["block", "miss"],
            **shown,
        },
    ]


@pytest.mark.parametrize(("level", "threshold"), [(1, 0), (2, 0), (3, 0), (1, 2)])
def test_moves_are_drawn_as_the_model_says(level, threshold):
    """What a mind reader meant to play is what it draws from, at each level."""
    game = games.parse("karate")
    name = f"markov:level={level},beta=0.3,threshold={threshold}"
    played = PersonGame(game, 0, players.make(name, game), 3)
    for move in (1, 1, 3, 0, 1, 1, 3, 1):
        played.play(move)
        played.reply()
    played.play(0)
    seated = played.seated(played.opponent, 1)
    expected, answers = seated.foreseen()
    assert sum(expected) == pytest.approx(1.0)
    drawn = [seated.choose(played.state.view(1), Stream(seed)) for seed in range(3000)]
    shares = np.bincount(drawn, minlength=4) / len(drawn)
    assert shares == pytest.approx(answers, abs=0.045)


def test_a_move_is_taken_back_before_the_others_is_shown(monkeypatch):
    screen = Typed()
    monkeypatch.setattr(sys, "stdin", Typed("kick\nundo\npunch\n\nquit\n"))
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("TERM", "xterm")
    assert main(["play", "karate:rounds=3", "cycle:moves=kick"]) == 0
    shown = screen.getvalue()
    assert "1 ply taken back" in shown
    assert "Enter shows the opponent's move, undo takes back yours> " in shown
    assert "round 1: you punch +0 (miss), cycle:moves=kick kick +10 (hit)" in shown


def test_a_line_is_printed_while_kernels_are_compiled(sit, monkeypatch):
    class Slow:
        name = "slow"

        def choose(self, state, rng):
            compilation.begin()
            compilation.end()
            return state.legal_actions()[0]

    monkeypatch.setattr("evo.evaluation.players.at_speed", lambda opponent: Slow())
    _, out = sit("1 1\n1 1\n", NIM, "random")
    assert out.count("compiling kernels (once; they are kept)\n") == 1


def test_a_typing_error_in_set_tells_no_set(sit):
    _, out = sit("moves\n", "set", "random", "--json")
    sets = [row["move"] for row in rows_of(out) if "move" in row]
    assert sets
    cards = sets[0].partition(",")[0].split()
    _, out = sit(f"{cards[0]}\nxyz\n3\n1ROF 1ROS 1RDF\n", "set", "random", "--json")
    errors = [row["error"] for row in rows_of(out) if "error" in row]
    assert len(errors) == 4
    assert not [each for each in sets if each in str(errors)]
    _, out = sit(f"{cards[2]} {cards[0]}\n", "set", "random", "--json")
    assert next(row["name"] for row in rows_of(out) if "name" in row) == sets[0]


# --- records -------------------------------------------------------------------------------------


def test_a_record_is_shown_and_drawn_by_watch(sit, tmp_path, capsys):
    file, picture = tmp_path / "game.json", tmp_path / "game.svg"
    lines = "4\nundo\n1:1\nboard\nX X .\nO O .\n. . .\n\ncross to move\n\n1:3\n"
    _, out = sit(lines, "tic-tac-toe", "random", "--record", file)
    assert out.endswith(f"cross (you) wins after 3 plies\nrecorded: evo watch {file}\n")
    assert main(["watch", str(file), "--save", str(picture)]) == 0
    shown = capsys.readouterr().out
    assert "cross: you\nnought: random" in shown
    assert "another board" in shown
    assert "cross (you) wins after 3 plies" in shown
    assert picture.read_text().startswith("<svg")
    assert main(["watch", str(file), "--json"]) == 0
    rows = rows_of(capsys.readouterr().out)
    assert [row["name"] for row in rows if row["player"] == "you"] == ["1:1", "1:3"]


def test_a_game_that_is_left_is_recorded_too(sit, tmp_path):
    for lines in ("1 1\n", "1 1\nquit\n"):
        file = tmp_path / "left.json"
        assert sit(lines, NIM, "random", "--record", file)[0] == 0
        assert len(json.loads(file.read_text())["moves"]) == 2


def test_an_interruption_ends_quietly_and_is_recorded(sit, monkeypatch, tmp_path):
    typed = iter(["1 1"])

    def interrupted(prompt: str) -> str:
        for line in typed:
            return line
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    status, out = sit("", NIM, "random", "--record", tmp_path / "game.json")
    assert (status, out.splitlines()[-1]) == (
        130,
        f"recorded: evo watch {tmp_path / 'game.json'}",
    )
    assert "Traceback" not in out


def test_an_opponent_that_breaks_down_loses_no_record(sit, monkeypatch, tmp_path):
    class Cheat:
        name = "cheat"

        def choose(self, state, rng):
            return 99

    monkeypatch.setattr("evo.evaluation.players.at_speed", lambda opponent: Cheat())
    status, out = sit("1 1\n", NIM, "random", "--record", tmp_path / "game.json")
    assert status == 2
    assert "player 'cheat' chose 99" in out
    assert len(json.loads((tmp_path / "game.json").read_text())["moves"]) == 1


# --- hints in games of chance ------------------------------------------------------------------


@pytest.fixture
def race(tmp_path, monkeypatch):
    """A race with a die, as a file of somebody's own; its scores are no aim."""
    shutil.copy(ROOT / "tests" / "games_with_secrets.py", tmp_path / "dice.py")
    monkeypatch.chdir(tmp_path)
    return "./dice.py:DICE"


def test_a_hint_in_a_game_of_chance_says_what_may_be_expected(sit, race):
    _, out = sit("hint\n", race, "random", "--seed", 2)
    assert "throw (perfect play)\n  expected result " in out
    for wrong in ("draw", "at once", "net points"):
        assert wrong not in out.split("perfect play")[1]
    rows = rows_of(sit("throw\nhint\n", race, "random", "--json")[1])
    worths = [row for row in rows if "lead" in row]
    assert {row["move"] for row in worths} <= {"throw", "hold"}
    assert all(-1 < row["lead"] < 1 and row["plies"] is None for row in worths)


def test_in_a_lost_position_the_hint_says_which_move_resists_longest(sit):
    _, out = sit("hint\n", "nim:heaps=1-2-3", "random")
    move, _, rest = out.split("\n\n")[2].partition(" (perfect play; lost, this resists longest)\n")
    assert rest.split("\n")[0].startswith("  second wins in 6 plies: ")
    assert move in rest.split("\n")[0]
    assert "lost" not in sit("hint\n", NIM, "random")[1]


# --- how it begins -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        f"{NIM} random --as second --seed 3",
        f"{NIM} --as second random --seed 3",
        f"--seed 3 {NIM} --as second random",
        f"--as second --seed 3 {NIM} -- random",
    ],
)
def test_flags_stand_in_any_order(line, sit):
    out = sit("", *line.split())[1]
    assert "first: random\nsecond: you\n" in out
    assert out == sit("", NIM, "random", "--as", "second", "--seed", 3)[1]


def test_flags_of_watch_stand_in_any_order(capsys, tmp_path):
    picture = tmp_path / "x.svg"
    assert main(["watch", NIM, "--save", str(picture), "random", "--json", "random"]) == 0
    assert picture.exists()
    with pytest.raises(SystemExit) as ended:
        main(["watch", NIM, "--sav", "x", "random", "--jsn", "random"])
    assert ended.value.code == 2
    assert "unrecognized arguments: --jsn" in capsys.readouterr().err


MISTAKES = {
    "no-game": ("nowhere", "unknown game 'nowhere'"),
    "no-player": (f"{NIM} level-9", "unknown player 'level-9'"),
    "no-seat": (f"{NIM} random --as third", "--as third given; first or second is expected"),
    "no-folder": (f"{NIM} random --record none/game.json", "there is no folder none"),
    "a-folder": (f"{NIM} random --record .", "--record . given; the name of a file"),
    "no-run": (". random", "holds no run.json"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line(mistake, sit, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line, expected = MISTAKES[mistake]
    status, out = sit("", *line.split())
    assert (status, out.count("\n")) == (2, 1)
    assert expected in out
    assert list(tmp_path.iterdir()) == []


def test_of_a_record_players_and_runs_are_no_question(sit, tmp_path, capsys):
    file = tmp_path / "game.json"
    sit("", NIM, "random", "--record", file)
    for words, expected in {
        ("random", "random"): "which determines the players",
        ("--opponent", "random"): "--opponent random given, which needs the folder of a run",
    }.items():
        assert main(["watch", str(file), *words]) == 2
        assert expected in capsys.readouterr().err
    file.write_text("{}")
    assert main(["watch", str(file)]) == 2
    assert "is no record of a game" in capsys.readouterr().err


def test_the_champion_of_a_run_is_met_by_its_folder(sit):
    run = ROOT / "tests" / "data" / "kept-runs" / "roles"
    assert f"cat: you\nmouse: {run}@8\n" in sit("", run)[1]
    _, out = sit("", run, "--as", "mouse", "--json")
    assert rows_of(out)[2]["player"] == f"{run}@8"
    status, out = sit("", run, "random")
    assert (status, "random given with the run" in out) == (2, True)


class Typed(io.StringIO):
    """A terminal, to read from or to write to."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_emoji_and_prompts(monkeypatch):
    for flags, board, prompt in (((), "🟫", "fox> "), (("--plain",), "_ 1", "fox> ")):
        screen = Typed()
        monkeypatch.setattr(sys, "stdin", Typed("begin at 1\n"))
        monkeypatch.setattr(sys, "stdout", screen)
        monkeypatch.setenv("TERM", "xterm")
        words = ["play", "fox-and-hounds:rows=4,cols=4", "random", *flags]
        assert main(words) == 0
        assert board in screen.getvalue()
        assert prompt in screen.getvalue()


def test_opponents_answer_as_fast_as_they_can(monkeypatch):
    monkeypatch.undo()
    fast = at_speed(players.make("random", games.parse(NIM)))
    assert isinstance(fast, CompiledPlayer)
    assert fast.at_speed


def test_what_an_opponent_offers_beside_its_moves_is_kept(monkeypatch):
    monkeypatch.undo()

    class Pupil:
        name = "pupil"

        def as_compiled(self):
            return players.make("random", games.parse(NIM))

    pupil = Pupil()
    assert at_speed(pupil) is pupil


def test_the_file_of_a_record_is_whole(sit, tmp_path):
    sit("1 1\n", NIM, "random", "--record", tmp_path / "game.json")
    content = json.loads((tmp_path / "game.json").read_text())
    assert {"version", "game", "seed", "players", "start", "moves"} == set(content)
    assert [path.name for path in Path(tmp_path).iterdir()] == ["game.json"]
