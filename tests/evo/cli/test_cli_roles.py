"""The command line where a game has roles and players are tables."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import evo
from evo.cli.main import main
from evo.evaluation import players as opponents
from results import open_run
from tournaments import games
from tournaments.arena.match import play_game
from tournaments.game import Game
from tournaments.player import Player

GAME = "cat-and-mouse:rows=4,cols=5,end=move-limit"
RUN = ["run", "--game", GAME, "--scheme", "round-robin", "--population", "6", "--threads", "1"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> dict[str, Path]:
    """Small finished runs; tests read them."""
    folder = tmp_path_factory.mktemp("runs")
    options: dict = {"game": GAME, "scheme": "round-robin", "population": 6, "generations": 11}
    genomes: dict[str, dict] = {
        "roles": {},
        "pairs": {"pairs": True},
        "windows": {"encoding": "window-table", "far": "euclidean"},
        "far": {"encoding": "window-table", "far": "table", "pairs": True},
    }
    for name, genome in genomes.items():
        evo.run(folder / name, options, genome=genome, threads=1)
    return {name: folder / name for name in genomes}


def told(capsys, *arguments: object) -> str:
    assert main([*map(str, arguments)]) == 0
    return capsys.readouterr().out


def rows_of(capsys, *arguments: object) -> list[dict]:
    return [json.loads(line) for line in told(capsys, *arguments, "--json").splitlines()]


# --- runs and evaluations ------------------------------------------------------------------------


def test_a_run_ends_with_the_champions_of_each_role(here, capsys):
    out = told(capsys, *RUN, "--generations", 2, "--out", "run")
    numbers = [open_run("run").champion(None, name)["individual"] for name in ("cat", "mouse")]
    assert f"champions of generation 2 (cat {numbers[0]}, mouse {numbers[1]})" in out
    table = [line.split()[:2] for line in out.splitlines()[3:10]]
    names = [[role, name] for role in ("cat", "mouse") for name in ("random", "greedy", "optimal")]
    assert table == [["population", "opponent"], *names]


def test_a_run_of_pairs_has_one_champion(here, capsys):
    out = told(capsys, *RUN, "--set", "genome.pairs=true", "--generations", 1, "--out", "run")
    assert "champion of generation 1 (individual " in out
    assert "population" not in out.partition("in pandas")[0]


def test_evaluations_are_printed_by_population(runs, here, capsys):
    shutil.copytree(runs["roles"], "run")
    out = told(capsys, "evaluate", "run", "--opponents", "random", "best-response", "--games", 4)
    table = [line.split() for line in out.splitlines() if line.split()[1:2] in (["cat"], ["mouse"])]
    keys = [(line[0], line[1], line[3]) for line in table]
    assert keys == [
        (generation, role, opponent)
        for generation in ("0", "10", "11")
        for role in ("cat", "mouse")
        for opponent in ("random", "best-response")
    ]
    assert out.splitlines()[2].split()[-1] == "exploitability"


def test_tables_meet_in_a_tournament(runs, capsys):
    rows = rows_of(capsys, "tournament", GAME, "greedy", runs["pairs"], runs["roles"])
    assert [row["table"] for row in rows] == ["pairs"] * 6 + ["ratings"] * 3


def test_tables_play_variants_of_their_game(runs, capsys):
    larger = "cat-and-mouse:rows=9,cols=9,first=mouse"
    rows = rows_of(capsys, "tournament", larger, "greedy", runs["windows"], "--games", 2)
    assert len(rows) == 4
    turned = "cat-and-mouse:rows=4,cols=5,first=mouse"
    assert len(rows_of(capsys, "tournament", turned, "greedy", runs["roles"], "--games", 2)) == 4


# --- files of tables -----------------------------------------------------------------------------


def moves(game: Game, cat: Player, mouse: Player) -> list[int]:
    return [action for _, _, action in play_game(game, cat, mouse, seed=3)]


@pytest.mark.parametrize("ending", ["npy", "json"])
@pytest.mark.parametrize("name", ["roles", "pairs", "windows", "far"])
@pytest.mark.slow
def test_an_exported_file_plays_as_the_run_does(name, ending, runs, here, capsys):
    file = f"champion.{ending}"
    spec = told(capsys, "export", runs[name], file).strip().rpartition(" ")[2]
    game = games.parse(GAME)
    by_file, by_run = (opponents.player(text, game) for text in (spec, str(runs[name])))
    assert opponents.identity(by_file) == opponents.identity(by_run)
    for other in ("random", "greedy"):
        met = opponents.player(other, game)
        assert moves(game, by_file, met) == moves(game, by_run, met)
        assert moves(game, met, by_file) == moves(game, met, by_run)
    rows = [
        rows_of(capsys, "tournament", GAME, text, "random", "--games", 40)[0]["wins"]
        for text in (spec, runs[name])
    ]
    assert rows[0] == rows[1]


@pytest.mark.parametrize("name", ["roles", "windows"])
@pytest.mark.parametrize("role", ["cat", "mouse"])
def test_one_role_is_exported_by_its_name(name, role, runs, here, capsys):
    out = told(capsys, "export", runs[name], "one.npy", "--population", role, "--generation", 10)
    spec = out.strip().rpartition(" ")[2]
    individual = open_run(runs[name]).champion(10, role)["individual"]
    assert f" actions of {role} {individual};" in out
    assert np.load("one.npy").shape == ((20, 20) if name == "roles" else (729,))
    game = games.parse(GAME)
    whole, met = opponents.player(f"{runs[name]}@10", game), opponents.player("random", game)
    one = opponents.player(spec, game)
    if role == "cat":
        assert moves(game, one, met) == moves(game, whole, met)
    else:
        assert moves(game, met, one) == moves(game, met, whole)


def test_a_file_holds_the_tables_of_both_seats(runs, here, capsys):
    told(capsys, "export", runs["roles"], "both.npy")
    both = np.load("both.npy")
    run = open_run(runs["roles"])
    assert (both.shape, both.dtype) == ((2, 20, 20), np.int8)
    for seat, role in enumerate(("cat", "mouse")):
        expected = run.policies(None, role)[run.champion(None, role)["individual"]]
        np.testing.assert_array_equal(both[seat].reshape(-1), expected)


def test_a_table_of_one_role_meets_the_other_alone(runs, here, capsys):
    shutil.copytree(runs["roles"], "run")
    told(capsys, "export", "run", "cat.npy", "--population", "cat")
    assert main(["evaluate", "run", "--opponents", "cat.npy", "--best", "1", "--games", "2"]) == 0
    err = capsys.readouterr().err
    assert "plays the cat only, so it meets the population mouse alone" in err
    assert set(open_run("run").evaluations["population"]) == {"mouse"}


# --- watching ------------------------------------------------------------------------------------


def players_watched(capsys, *arguments: object) -> dict[str, str]:
    rows = rows_of(capsys, "watch", *arguments)
    return {row["seat"]: row["player"] for row in rows}


def test_the_champions_of_a_run_play_each_other(runs, capsys):
    path = runs["roles"]
    rows = rows_of(capsys, "watch", path)
    assert {row["player"] for row in rows} == {f"{path}@11"}
    run, cells = open_run(path), 20
    tables = [
        run.policies(None, role)[run.champion(None, role)["individual"]].reshape(cells, cells)
        for role in ("cat", "mouse")
    ]
    state = games.parse(GAME).start()
    for row in rows:
        cat, mouse = state.array[5:7]
        assert row["action"] == tables[state.seat_to_move][cat, mouse]
        state.play(row["action"])
    assert state.is_over


def test_an_opponent_is_the_mouse_unless_it_is_said_or_holds_the_other_seat(runs, here, capsys):
    path = runs["roles"]
    champion = f"{path}@11"
    greedy = (path, "--opponent", "greedy")
    assert players_watched(capsys, *greedy) == {"cat": champion, "mouse": "greedy"}
    as_cat = players_watched(capsys, *greedy, "--as", "cat")
    assert as_cat == {"cat": "greedy", "mouse": champion}
    told(capsys, "export", path, "cat.npy", "--population", "cat")
    by_file = players_watched(capsys, path, "--opponent", "cat.npy")
    assert by_file == {"cat": "cat.npy", "mouse": champion}


# --- mistakes ------------------------------------------------------------------------------------

WALLED_IN = "rows=3,cols=3,obstacles=1:2+2:1"
MISTAKES = {
    # what is wrong: the command line, and what its one line of answer holds
    "one-row": ("run --game cat-and-mouse:rows=1", "rows=1 given"),
    "start-on-obstacle": ("run --game cat-and-mouse:obstacles=0:0", "an obstacle stands on 0:0"),
    "start-off-the-board": ("run --game cat-and-mouse:cat_start=9:9", "9:9 is not on the board"),
    "one-start-for-both": (
        "run --game cat-and-mouse:cat_start=1:1,mouse_start=1:1",
        "must start apart",
    ),
    "unreachable": (f"run --game cat-and-mouse:{WALLED_IN}", "able to reach the others"),
    "drawn-and-unreachable": (
        "run --game cat-and-mouse:rows=2,cols=2,obstacles=0:1+1:0,cat_start=any,mouse_start=any",
        "no placement is left to be drawn",
    ),
    "another-board": ("evaluate ROLES --opponents small.npy", "position-table of 5x5 cells"),
    "another-board-met": (f"tournament {GAME} greedy small.npy", "position-table of 5x5 cells"),
    "another-board-watched": (f"watch {GAME} small.npy greedy", "position-table of 5x5 cells"),
    "another-board-run": (
        "tournament cat-and-mouse:rows=6,cols=6 greedy ROLES",
        "each a position-table of 2x10 or 4x5 or 5x4 or 10x2 cells",
    ),
    "illegal-step": (
        "evaluate ROLES --opponents table:file=bad.npy,seat=cat",
        "action 3 given as gene 64 of a position-table for the cat of "
        f"{GAME}: for the cat with the cat on 3:0 and the mouse on 4:0 it must be one of [0, 1, 2]",
    ),
    "no-numbers": ("evaluate ROLES --opponents real.npy", "holds float64; a table has whole"),
    "one-seat-for-a-pair": (
        "evaluate PAIRS --opponents cat.npy",
        "'cat.npy' plays the cat only; it is to play the cat and the mouse here",
    ),
    "one-seat-in-a-tournament": (
        f"tournament {GAME} greedy random cat.npy",
        "'cat.npy' plays the cat only",
    ),
    "the-wrong-seat-watched": (
        f"watch {GAME} greedy cat.npy",
        "'cat.npy' plays the cat only; it is to play the mouse here",
    ),
    "the-wrong-seat-as": (
        "watch ROLES --opponent cat.npy --as mouse",
        "'cat.npy' plays the cat only; it is to play the mouse here",
    ),
    "no-such-seat": ("watch ROLES --opponent greedy --as dog", "--as dog given"),
    "a-seat-of-nobody": ("watch ROLES --as cat", "the seat of an --opponent, cat or mouse"),
    "a-seat-of-a-game": (
        f"watch {GAME} greedy greedy --as cat",
        "--as cat given, which needs the folder of a run",
    ),
    "no-such-population": ("export ROLES x.npy --population dog", "there are cat, mouse"),
    "unsolved-panel": (
        'run --game cat-and-mouse:cats=2 --learner hill-climbing --set learner.panel=["optimal"]',
        "cat-and-mouse:cats=2 cannot be solved here",
    ),
    "prove-nothing": ("best-response none", "none does not exist"),
    "prove-no-snapshot": ("best-response ROLES --generation 7", "generation 7; the nearest"),
    "prove-nobody": ("best-response ROLES --best 0", "--best 0 given"),
    "prove-no-threads": ("best-response ROLES --threads 0", "--threads 0 given"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line_before_anything_is_played(mistake, runs, here, capsys):
    told(capsys, "export", runs["roles"], "cat.npy", "--population", "cat")
    bad = np.load("cat.npy")
    bad[3, 4] = 3  # down, from the bottom row
    np.save("bad.npy", bad)
    np.save("small.npy", np.zeros((25, 25), dtype=np.int8))
    np.save("real.npy", np.zeros((20, 20)))
    line, expected = MISTAKES[mistake]
    words = [word.replace("ROLES", str(runs["roles"])) for word in line.split()]
    before = sorted(here.iterdir())
    measured = sorted((runs["roles"] / "evaluations").iterdir())
    assert main([word.replace("PAIRS", str(runs["pairs"])) for word in words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert (err[:5], err.count("\n")) == ("evo: ", 1)
    assert expected in err
    assert sorted(here.iterdir()) == before
    assert sorted((runs["roles"] / "evaluations").iterdir()) == measured == []
