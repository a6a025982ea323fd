"""``evo reproduce``: studies by name, their options, what is printed, kept and drawn."""

from __future__ import annotations

import hashlib
import io
import json
import re
from contextlib import redirect_stdout
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from naive.study import NaivePursuit

from evo.cli.main import main
from evo.studies import STUDIES
from evo.studies.cat_and_mouse_v1 import study as cat_and_mouse_1
from evo.studies.cat_and_mouse_v2 import study as cat_and_mouse_2
from evo.studies.cat_and_mouse_v2.plot import learning_curve_figure
from evo.studies.cat_and_mouse_v2.report import policy
from tournaments import games
from tournaments.games.cat_and_mouse.solver import best_response

FIRST, SECOND = "cat-and-mouse-v1", "cat-and-mouse-v2"
SHORT = ["--games", "60", "--patience", "4", "--rounds", "4", "--more-rounds", "4", "--seed", "3"]


STRANGER = """
from dataclasses import dataclass, field
from evo.studies import Study
from evo.studies.reproduction import Reproduction

@dataclass
class Settings:
    last: "int" = field(default=2, metadata={"doc": "the last number"})

def reproduce(settings, announce):
    return Reproduction({"counted": list(range(settings.last + 1))}, ["counted"])

STUDY = Study("counts", __name__)
"""


def printed(capsys, *arguments: str) -> str:
    assert main(["reproduce", *arguments]) == 0
    return capsys.readouterr().out


def record(capsys, *arguments: str) -> dict:
    (line,) = printed(capsys, *arguments, "--json").splitlines()
    return json.loads(line)


# --- the list ------------------------------------------------------------------------------------


def test_without_a_name_the_studies_are_listed(capsys):
    lines = printed(capsys).splitlines()
    assert [line.split()[0] for line in lines] == ["study", *STUDIES.names()]
    rows = [json.loads(line) for line in printed(capsys, "--json").splitlines()]
    assert [(row["study"], row["about"]) for row in rows] == [
        (name, STUDIES.load(name).summary) for name in STUDIES.names()
    ]


def test_the_help_names_every_study(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", "--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    named = {line.split()[0] for line in told.splitlines() if line.startswith("    ")}
    assert set(STUDIES.names()) <= named


@pytest.mark.parametrize("name", STUDIES.names())
def test_the_help_of_a_study_documents_every_setting(name, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", name, "--help"])
    assert ended.value.code == 0
    told = " ".join(capsys.readouterr().out.split())
    settings = STUDIES.load(name).report.Settings
    for item in fields(settings):
        assert f"--{item.name.replace('_', '-')} " in told
        assert f"{item.metadata['doc']} (default: {item.default})" in told


def test_a_study_of_another_package_is_listed_and_runs(here, monkeypatch, capsys):
    (here / "elsewhere.py").write_text(STRANGER)
    installed = here / "elsewhere-1.dist-info"
    installed.mkdir()
    (installed / "entry_points.txt").write_text(
        "[evo.studies]\ncounting = elsewhere:STUDY\nbroken = elsewhere:NOTHING\n"
    )
    monkeypatch.syspath_prepend(here)
    listed = printed(capsys)
    assert re.search(r"^counting +counts$", listed, re.MULTILINE)
    assert re.search(r"^broken +study 'broken' of .* cannot be loaded", listed, re.MULTILINE)
    assert record(capsys, "counting", "--last", "3")["counted"] == [0, 1, 2, 3]
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", "broken"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("evo: study 'broken' of ")


MISTAKES = {
    "an-unknown-study": ("cat-and-mouse-v3", "choose from 'cat-and-mouse-beaten'"),
    "an-option-of-another-study": (
        f"{FIRST} --shown-rows 9",
        f"{FIRST} does not take '--shown-rows 9'; it takes --rows, --cols, --first, --cat, --seed, "
        "--iterations, --out, --json",
    ),
    "one-word-too-many": (f"{FIRST} now", f"{FIRST} does not take 'now'"),
    "text-for-a-number": (f"{FIRST} --rows many", "'many'"),
    "one-row": (f"{FIRST} --rows 1", "rows=1 given; a value from 2 to 64 is expected"),
    "nobody": (f"{FIRST} --first dog", "first='dog' given; 'cat' or 'mouse' is expected"),
    "no-such-table": (f"{FIRST} --cat stron --out out", "did you mean 'strong'?"),
    "a-mouse-that-is-safe": (f"{SECOND} --rows 6", "rows=6, cols=5 given; an even sum"),
    "out-is-a-file": (f"{SECOND} --out file", "--out file given, which is a file"),
    "out-below-a-file": (f"{FIRST} --iterations 1 --out file/v1", "file/v1"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line_and_leaves_nothing(mistake, here, capsys):
    (here / "file").write_text("text")
    line, expected = MISTAKES[mistake]
    status: object
    try:
        status = main(["reproduce", *line.split()])
    except SystemExit as ended:
        status = ended.code
    out, err = capsys.readouterr()
    told = [line for line in err.splitlines() if line.startswith("evo: ")]
    assert (status, out, len(told)) == (2, "", 1)
    assert expected in told[0]
    assert [path.name for path in here.iterdir()] == ["file"]


# --- the first study ---------------------------------------------------------------------------


def test_the_first_study_as_one_object(here, capsys):
    made = record(capsys, FIRST)
    assert list(made)[:7] == [
        *("mouse", "cat", "winner", "moves", "distance", "progress_lines", "winner_changes")
    ]
    assert (made["mouse"], made["cat"], made["winner_changes"]) == (54_760, 45_240, 185)
    assert (made["winner"], made["moves"], made["distance"]) == ("cat", 10, 0)
    assert len(made["progress_lines"]) == 376
    digest = hashlib.sha256("\n".join(made["progress_lines"]).encode()).hexdigest()
    assert made["progress_lines_sha256"] == digest
    assert (digest[:8], digest[-7:]) == ("5657df0d", "c0be081")
    assert made["proof"]["cat"]["plies"] is None
    assert "escapes this cat for ever" in made["proof"]["cat"]["statement"]
    assert made["settings"]["iterations"] == 100_000
    assert made["files"] == []
    assert list(here.iterdir()) == []


def test_the_first_study_for_people(capsys):
    lines = printed(capsys, FIRST).splitlines()
    assert list(cat_and_mouse_1.run().progress_lines) == lines[:376]
    told = "\n".join(lines[376:])
    assert "the mouse was winning 54,760 times, the cat 45,240 times" in told
    assert "\nThe cat wins in 10 moves.\n" in told
    assert "\n  cat    a mouse escapes this cat for ever" in told
    assert "\n  mouse  the best cat catches this mouse within 17 plies" in told


@examples(max_examples=15)
@given(
    rows=st.integers(2, 5),
    cols=st.integers(2, 5),
    first=st.sampled_from(["cat", "mouse"]),
    cat=st.sampled_from(["weak", "strong"]),
    seed=st.integers(0, 2**32 - 1),
    iterations=st.integers(0, 300),
)
def test_options_are_the_settings_of_the_study(rows, cols, first, cat, seed, iterations):
    settings = cat_and_mouse_1.Settings(rows, cols, first, cat, seed, iterations)
    words = [f"--{name}={value}" for name, value in vars(settings).items()]
    with redirect_stdout(io.StringIO()) as out:
        assert main(["reproduce", "--json", FIRST, *words]) == 0
    made = json.loads(out.getvalue().splitlines()[-1])
    result = cat_and_mouse_1.run(settings)
    for name in ("mouse", "cat", "winner", "moves", "distance", "winner_changes", "candidates"):
        assert made[name] == getattr(result, name)
    assert made["progress_lines"] == list(result.progress_lines)
    assert made["settings"] == vars(settings)
    game = games.make("cat-and-mouse", rows=rows, cols=cols, first=first)
    for seat, table in (("cat", result.cat_policy), ("mouse", result.mouse_policy)):
        proof = best_response(game, table, seat)
        assert made["proof"][seat] == {"plies": proof.plies, "statement": str(proof)}


def test_what_is_kept_of_the_first_study(here, capsys):
    words = ["--rows", "4", "--cols", "3", "--iterations", "50", "--out", "kept/v1"]
    made = record(capsys, FIRST, *words)
    result = cat_and_mouse_1.run(cat_and_mouse_1.Settings(rows=4, cols=3, iterations=50))
    folder = here / "kept" / "v1"
    names = ["result.json", "cat.npy", "mouse.npy", "states.parquet"]
    assert made.pop("files") == [f"kept/v1/{name}" for name in names]
    assert {path.name for path in folder.iterdir()} == set(names)
    assert json.loads((folder / "result.json").read_text()) == made
    for name, table in (("cat", result.cat_policy), ("mouse", result.mouse_policy)):
        kept = np.load(folder / f"{name}.npy", allow_pickle=False)
        assert (kept.dtype, kept.shape) == (np.int8, (12, 12))
        np.testing.assert_array_equal(kept, table)
    states = pd.read_parquet(folder / "states.parquet")
    assert states["iteration"].tolist() == list(range(51))
    assert states["winner"].tolist() == [("cat", "mouse")[w] for w in result.states[:, 0]]
    np.testing.assert_array_equal(states[["moves", "distance"]], result.states[:, 1:])


def test_on_boards_too_large_for_the_game_there_is_no_proof(capsys):
    words = ["--rows", "40", "--cols", "41", "--iterations", "3"]
    assert record(capsys, FIRST, *words)["proof"] is None
    assert "40x41 cells are too many" in printed(capsys, FIRST, *words)


# --- the second study --------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_kept_of_the_second_study_by_default(here, capsys):
    made = record(capsys, SECOND, *SHORT)
    result = cat_and_mouse_2.run(
        cat_and_mouse_2.Settings(seed=3, games=60, patience=4, rounds=4, more_rounds=4)
    )
    folder = here / "reproduced" / SECOND
    assert {Path(name) for name in made["files"]} == {
        path.relative_to(here) for path in folder.iterdir()
    }
    curve = pd.read_parquet(folder / "curve.parquet")
    assert list(map(tuple, curve.to_numpy())) == [
        (row.round, row.stage, row.wins, row.mean_moves, row.mean_distance) for row in result.curve
    ]
    assert [row["rounds"] for row in made["stages"]] == [4, 4, 4]
    assert [row["wins"] for row in made["stages"]] == [
        [row.wins for row in result.curve if row.stage == stage][-1] for stage in (1, 2, 3)
    ]
    assert [row["wins"] for row in made["shown"]] == [row.wins for row in result.shown]
    assert np.load(folder / "table.npy", allow_pickle=False).tolist() == result.table.tolist()
    for rows, cols in ((5, 5), (15, 15)):
        kept = np.load(folder / f"cat-{rows}x{cols}.npy", allow_pickle=False)
        np.testing.assert_array_equal(kept, policy(result.table, rows, cols))
    assert (folder / "learning-curve.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / "learning-curve.svg").read_text()


@pytest.mark.study
def test_the_cat_of_a_seed_is_proved_to_catch_every_mouse_on_both_boards(here, capsys):
    """As fast as perfect play: 4n - 6 plies on an n x n board with the mouse first."""
    out = printed(capsys, SECOND, "--seed", "2", "--out", "v2")
    assert "5x5    this cat catches every mouse within 14 plies" in out
    assert "15x15  this cat catches every mouse within 54 plies" in out
    kept = json.loads(Path("v2/result.json").read_text())
    assert [kept["proof"][board]["plies"] for board in ("5x5", "15x15")] == [14, 54]
    stages = [line.split() for line in out.splitlines() if line[:5].strip() in ("1", "2", "3")]
    assert [words[0] for words in stages] == [*"123", *"2222", *"3333"]
    assert out.splitlines()[-1] == "v2/learning-curve.svg"


@given(rows=st.integers(4, 7), cols=st.integers(4, 7), seed=st.integers(0, 1000))
def test_the_policy_of_a_table_is_what_the_slow_cat_does(rows, cols, seed):
    table = cat_and_mouse_2._first_table(seed)
    letters = {place: "RLUD"[action] for place, action in np.ndenumerate(table.reshape((3,) * 6))}
    made = policy(table.reshape((3,) * 6), rows, cols)
    slow = NaivePursuit(rows, cols, letters, lambda n: 0)
    for cat, mouse in np.ndindex(made.shape):
        if cat != mouse:
            slow.cat, slow.mouse = (cat % cols, cat // cols), (mouse % cols, mouse // cols)
            assert "RLUD"[made[cat, mouse]] == slow.cat_letter()


def test_the_learning_curve_has_a_column_a_stage_and_keeps_its_numbers():
    curve = {
        "round": np.array([0, 1, 2, 2, 3]),
        "stage": np.array([1, 1, 1, 2, 2]),
        "wins": np.array([5, 7, 10, 8, 9]),
        "mean_moves": np.array([9.0, 8.0, 7.0, 8.5, 8.0]),
    }
    figure = learning_curve_figure(curve, {1: "one", 2: "two"}, 10)
    wins, moves = figure.axes[:2], figure.axes[2:]
    assert [axes.get_title("left") for axes in wins] == ["one", "two"]
    shown = [axes.lines[1].get_xydata().tolist() for axes in wins]
    assert shown == [[[0, 5], [1, 7], [2, 10]], [[0, 8], [1, 9]]]
    assert [axes.lines[0].get_ydata().tolist() for axes in moves] == [[9, 8, 7], [8.5, 8]]
    low, high = wins[0].get_ylim()
    assert low < 5
    assert high > 10


def test_a_curve_without_a_loss_has_a_scale_too():
    curve = {"round": [0], "stage": [1], "wins": [10], "mean_moves": [7.0]}
    columns = {name: np.array(column) for name, column in curve.items()}
    low, high = learning_curve_figure(columns, {1: "one"}, 10).axes[0].get_ylim()
    assert low < 10 < high
