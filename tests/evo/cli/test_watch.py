"""``evo watch``: a game move by move, in place on a terminal, and as an animated picture."""

from __future__ import annotations

import io
import json
import re
import time
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest

import evo
from evo.cli.main import main
from evo.play.watched import Watched, of_run
from tournaments import games, players
from tournaments.arena.match import play_match
from tournaments.drawing.scenes import film
from tournaments.drawing.shapes import SEAT_PALES, Polygon, Scene, ShapeGroup
from tournaments.game import Game, State
from tournaments.games.dots_and_boxes import RULES

GAMES = {
    "dots-and-boxes:rows=2,cols=2": ("level-1", "level-2"),
    "cat-and-mouse:rows=4,cols=3": ("optimal", "level-0"),
    "cat-and-mouse:rows=3,cols=4,end=move-limit,cats=2,mice=2": ("level-0", "level-0"),
}
DRAWN_STARTS = "cat-and-mouse:rows=5,cols=5,cat_start=any,mouse_start=any"


@pytest.fixture(scope="module")
def evolved(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("evolved") / "rr"
    evo.run(path, scheme="round-robin", population=6, generations=2, seed=3, threads=1)
    return path


def told(capsys, *arguments: object) -> str:
    assert main(["watch", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def watched(spec: str, seed: int = 5) -> Watched:
    game = games.parse(spec)
    a, b = (players.make(name, game) for name in GAMES.get(spec, ("greedy", "level-0")))
    return Watched(game, (a, b), seed)


# --- the moves -----------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", GAMES)
def test_the_moves_lead_from_the_start_to_the_result(spec, capsys):
    rows = [
        json.loads(line)
        for line in told(capsys, spec, *GAMES[spec], "--json", "--seed", 3).splitlines()
    ]
    game = games.parse(spec)
    state = game.start()
    for ply, row in enumerate(rows, start=1):
        assert (row["ply"], row["seat"]) == (ply, game.seats[state.seat_to_move])
        assert row["player"] == GAMES[spec][state.seat_to_move]
        assert row["name"] == game.rules.describe(game.board, row["action"])
        state.play(row["action"])
        assert game.parse(row["board"]) == state
        assert (tuple(row["scores"]), row["is_over"]) == (state.scores, state.is_over)
    assert rows[-1]["is_over"]


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_game_that_a_match_of_this_seed_begins_with(spec, seed):
    shown = watched(spec, seed)
    *_, last = shown.scenes()
    assert last.state.scores == tuple(play_match(shown.game, *shown.players, seed)[0])


def test_one_seed_one_game(capsys):
    words = ("dots-and-boxes", "level-0", "level-0", "--json", "--seed")
    assert told(capsys, *words, 1) == told(capsys, *words, 1) != told(capsys, *words, 2)


def test_the_champion_of_a_run_meets_itself_or_an_opponent(evolved, capsys):
    def names(*arguments: object) -> set[str]:
        lines = told(capsys, evolved, *arguments, "--json").splitlines()
        return {json.loads(line)["player"] for line in lines}

    assert names() == {f"{evolved}@2"}
    assert names("--generation", 0, "--opponent", "level-1") == {f"{evolved}@0", "level-1"}
    game, pair, *_ = of_run(str(evolved), opponent="level-2")
    assert (game.name, pair[1].name) == ("dots-and-boxes", "level-2")
    assert pair[0].game == game


# --- in the terminal -----------------------------------------------------------------------------


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    def screen(self) -> str:
        """What is seen at the end."""
        lines = [""]
        for piece in re.split(r"(\x1b\[\d*[AJ]|\n)", self.getvalue()):
            if piece == "\n":
                lines.append("")
            elif piece.endswith("A"):
                del lines[len(lines) - 1 - int(piece[2:-1]) :]
                lines.append("")
            elif not piece.endswith("\x1b[J"):
                lines[-1] += piece
        return "\n".join(lines)


@pytest.fixture
def terminal(monkeypatch) -> Terminal:
    made = Terminal()
    for name, value in {"TERM": "xterm", "COLUMNS": "80", "LINES": "40"}.items():
        monkeypatch.setenv(name, value)
    return made


def hunt(terminal: Terminal, *flags: str) -> None:
    with redirect_stdout(terminal):  # not in the fixture: pytest sets its own before each test
        assert main([*HUNT, *flags]) == 0


HUNT = ["watch", "cat-and-mouse:rows=3,cols=4", "optimal", "level-0", "--delay", "0"]


def test_a_terminal_shows_one_board_with_emoji(terminal):
    hunt(terminal)
    screen = terminal.screen().splitlines()
    assert screen[:3] == ["cat-and-mouse:rows=3,cols=4", "cat: optimal", "mouse: level-0"]
    board = [line for line in screen if "⬜" in line]
    assert len(board) == 3
    assert "".join(board).count("🐱") == 1
    assert "🐭" in terminal.getvalue()
    assert re.match(r"cat \(optimal\) wins after \d+ plies", screen[-1])


@pytest.mark.parametrize(
    ("flags", "variables", "encoding"),
    [
        (["--plain"], {}, "utf-8"),
        ([], {"TERM": "dumb"}, "utf-8"),
        ([], {}, "latin-1"),
    ],
)
def test_letters_where_emoji_are_not_wanted_or_not_shown(
    flags, variables, encoding, terminal, monkeypatch
):
    monkeypatch.setattr(terminal, "encoding", encoding, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    hunt(terminal, *flags)
    assert "⬜" not in terminal.getvalue()
    assert ". . . M" in terminal.getvalue()
    assert ("\x1b" in terminal.getvalue()) == ("TERM" not in variables)


def test_a_board_that_does_not_fit_the_terminal_is_not_gone_back_over(terminal, monkeypatch):
    monkeypatch.setenv("LINES", "5")
    hunt(terminal)
    assert "\x1b" not in terminal.getvalue()


def test_elsewhere_boards_follow_each_other(capsys):
    out = told(capsys, "dots-and-boxes:rows=1,cols=1", "level-0", "level-0")
    assert "\x1b" not in out
    assert out.startswith(
        "dots-and-boxes:rows=1,cols=1\nfirst: level-0\nsecond: level-0\n\n. .\n\n. .\n"
    )
    assert [line.split()[:2] for line in out.splitlines() if re.match(r"\d\. ", line)] == [
        [f"{ply}.", ("first", "second")[(ply - 1) % 2]] for ply in range(1, 5)
    ]
    assert out.endswith("\nsecond (level-0) wins after 4 plies\n")


def test_the_placements_that_only_a_parser_reads_are_left_out(capsys):
    assert "seen" not in told(capsys, "cat-and-mouse", "optimal", "optimal")


def test_points_are_told_where_they_are_counted(capsys):
    out = told(capsys, "dots-and-boxes", "level-0", "level-2", "--seed", 2)
    last = re.search(r"over, first (\d), second (\d)\n", out)
    assert last is not None
    low, high = sorted(map(int, last.groups()))
    assert re.search(rf"\(level-\d\) wins {high} to {low} after 24 plies$", out.strip())


def test_a_draw_is_called_so(capsys):
    games_shown = [
        told(capsys, "dots-and-boxes:rows=1,cols=2", "level-0", "level-0", "--seed", seed)
        for seed in range(12)
    ]
    assert any("a draw after 7 plies" in out for out in games_shown)


def test_moves_wait_for_the_delay_and_the_result_does_not(monkeypatch, capsys):
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    told(capsys, "dots-and-boxes:rows=1,cols=1", "level-0", "level-0", "--delay", 1.5)
    assert waited == [1.5] * 4


def test_an_interruption_ends_quietly(monkeypatch, capsys):
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", interrupted)
    assert main(HUNT) == 130
    out, err = capsys.readouterr()
    assert err == ""
    assert out.endswith("\n\n")


MISTAKES = {
    "one-player": ("dots-and-boxes level-0", "1 players given; two are expected"),
    "three-players": ("dots-and-boxes level-0 level-0 level-1", "3 players given"),
    "no-game": ("nowhere", "unknown game 'nowhere'"),
    "no-player": ("dots-and-boxes level-0 level-7", "unknown player 'level-7'"),
    "no-picture": ("dots-and-boxes level-0 level-1 --save game.mp4", "ends in .svg"),
    "no-folder": ("dots-and-boxes level-0 level-1 --save no/game.svg", "there is no folder no"),
    "before-now": ("dots-and-boxes level-0 level-1 --delay -1", "--delay -1 given"),
    "no-time": ("dots-and-boxes level-0 level-1 --delay nan", "--delay nan given"),
    "a-generation-of-a-game": ("dots-and-boxes level-0 level-1 --generation 3", "is none"),
    "players-of-a-run": ("RUN level-1", "use --opponent to name"),
    "no-such-generation": ("RUN --generation 9", "generation 9"),
    "no-run": (". --opponent level-1", "holds no run.json"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line(mistake, evolved, here, capsys):
    line, expected = MISTAKES[mistake]
    assert main(["watch", *line.replace("RUN", str(evolved)).split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert (err[:5], err.count("\n")) == ("evo: ", 1)
    assert expected in err
    assert list(here.iterdir()) == []


def test_the_name_of_a_game_has_the_options_that_were_given():
    for spec in GAMES:
        assert games.parse(games.parse(spec).short_spec) == games.parse(spec)
    assert games.make("cat-and-mouse", cols=7, rows=9).short_spec == "cat-and-mouse:rows=9"


# --- as pictures ---------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["svg", "SVG"])
def test_a_game_is_saved_as_an_animated_picture(ending, here, capsys):
    words = ["dots-and-boxes:rows=1,cols=2", "level-0", "level-1", "--delay", "0"]
    assert "8 positions" in told(capsys, *words, "--save", f"game.{ending}")
    assert "<animate " in Path(f"game.{ending}").read_text()
    assert [path.name for path in here.iterdir()] == [f"game.{ending}"]


def test_with_json_nothing_else_is_printed(here, capsys):
    out = told(capsys, "dots-and-boxes", "level-0", "level-1", "--json", "--save", "game.svg")
    assert [json.loads(line)["ply"] for line in out.splitlines()] == list(range(1, 25))


@pytest.mark.parametrize("seed", range(5))
def test_boxes_have_the_colour_of_who_closed_them(seed):
    shown = watched("dots-and-boxes:rows=2,cols=2", seed)
    scenes = list(shown.scenes())
    for scene, shapes in zip(scenes, film(scenes, ("a", "b"), 1.0).frames, strict=True):
        owned = [shape.colour for shape in shapes if isinstance(shape, Polygon)]
        assert tuple(map(owned.count, SEAT_PALES)) == scene.state.scores


def cells_of(picture: str) -> list[tuple[int, int]]:
    """Column and row from above of each piece in a text board."""
    lines = [line.split() for line in picture.partition("\n\n")[0].splitlines()]
    return sorted(
        (x, y)
        for y, line in enumerate(lines)
        for x, letter in enumerate(line)
        for _ in range({"B": 2, "O": 2}.get(letter, letter.isalpha()))
    )


@pytest.mark.parametrize(
    "spec", [DRAWN_STARTS, *(spec for spec in GAMES if spec.startswith("cat"))]
)
def test_pieces_are_drawn_where_the_text_board_has_them(spec):
    scenes = list(watched(spec).scenes())
    for scene, shapes in zip(scenes, film(scenes, ("a", "b"), 1.0).frames, strict=True):
        heads = [shape.shapes[-1] for shape in shapes if isinstance(shape, ShapeGroup)]
        drawn = sorted((int(head.x - 0.5), int(head.y - 0.5)) for head in heads)
        assert drawn == cells_of(str(scene.state))


def test_of_another_game_the_text_board_is_the_picture():
    game = Game(replace(RULES, name="another", draw=None), {})
    state = game.start()
    before = Scene(State(game, state.array.copy()), -1, -1, ("another",))
    state.play(0)
    scenes = [before, Scene(state, 0, 0, ("1. first h(0,0)",))]
    texts = [[shape.text for shape in shapes] for shapes in film(scenes, ("a", "b"), 1.0).frames]
    assert texts == [
        [*str(scene.state).split("\n"), "first: a", "second: b", *scene.caption] for scene in scenes
    ]
