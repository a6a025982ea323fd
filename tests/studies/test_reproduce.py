"""``evo reproduce``: studies by name, their options, what is printed, kept and drawn."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.study import NaivePursuit

from evo.cli.main import main
from evo.requests.base import sentence_of
from evo.studies import STUDIES
from evo.studies.cat_and_mouse_v1 import study as cat_and_mouse_1
from evo.studies.cat_and_mouse_v2 import study as cat_and_mouse_2
from evo.studies.cat_and_mouse_v2.plot import learning_curve_figure
from evo.studies.cat_and_mouse_v2.study import policy
from tournaments.errors import ConfigError, TournamentError

FIRST, SECOND = "cat-and-mouse-v1", "cat-and-mouse-v2"
SHORT = ["--games", "60", "--patience", "4", "--rounds", "4", "--more-rounds", "4", "--seed", "3"]


STRANGER = """
from dataclasses import dataclass, field
from evo.studies import Study
from evo.studies.report import Reproduction

@dataclass
class settings:
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
    told = "".join(capsys.readouterr().out.split())  # lines break at blanks and hyphens
    settings = STUDIES.load(name).report.settings
    for item in fields(settings):
        assert f"--{item.name.replace('_', '-')}" in told
        assert "".join(sentence_of(settings, item).split()) in told
        quick = item.metadata.get("quick")
        assert quick is None or f"(default:{item.default},quick{quick})" in told


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
    "an-unknown-study": (
        "cat-and-mouse-v3",
        "unknown study 'cat-and-mouse-v3'; did you",
    ),
    "an-option-of-another-study": (
        f"{FIRST} --shown-rows 9",
        f"{FIRST} does not take '--shown-rows 9'; it takes --rows, --cols, --first, --cat, --seed, "
        "--iterations, --out, --json",
    ),
    "one-word-too-many": (f"{FIRST} now", f"{FIRST} does not take 'now'"),
    "text-for-a-number": (f"{FIRST} --rows many", "--rows many given; a whole"),
    "one-row": (f"{FIRST} --rows 1", "--rows 1 given; a value from 2 to 32 is expected"),
    "nobody": (f"{FIRST} --first dog", "--first dog given; one of cat, mouse is expected"),
    "no-such-table": (f"{FIRST} --cat stron --out out", "did you mean 'strong'?"),
    "a-mouse-that-is-safe": (f"{SECOND} --rows 6", "rows=6, cols=5 given; their sum must be even"),
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


# --- the studies of cat and mouse ----------------------------------------------------------------


def test_what_is_kept_of_a_study(here, capsys):
    words = ["--rows", "4", "--cols", "3", "--iterations", "50", "--out", "kept/v1"]
    made = record(capsys, FIRST, *words)
    settings = cat_and_mouse_1.CatAndMouse1Settings(rows=4, cols=3, iterations=50)
    result = cat_and_mouse_1.REPORT.reproduce(settings)
    folder = here / "kept" / "v1"
    names = ["result.json", "cat.npy", "mouse.npy", "states.parquet"]
    assert made.pop("files") == [f"kept/v1/{name}" for name in names]
    assert {path.name for path in folder.iterdir()} == set(names)
    assert json.loads((folder / "result.json").read_text()) == made
    for name, table in result.arrays.items():
        kept = np.load(folder / f"{name}.npy", allow_pickle=False)
        assert (kept.dtype, kept.shape) == (np.int8, (12, 12))
        np.testing.assert_array_equal(kept, table)
    states = pd.read_parquet(folder / "states.parquet")
    assert states["iteration"].tolist() == list(range(51))
    pd.testing.assert_frame_equal(states, pd.DataFrame(result.tables["states"]))


def test_without_a_place_to_keep_them_results_are_printed_alone(here, capsys):
    assert record(capsys, FIRST, "--iterations", "50")["files"] == []
    assert list(here.iterdir()) == []


def test_boards_too_large_for_the_game_are_refused():
    settings = cat_and_mouse_1.CatAndMouse1Settings(rows=30, cols=31, iterations=3)
    with pytest.raises(TournamentError, match="choose a smaller board"):
        cat_and_mouse_1.REPORT.reproduce(settings)
    with pytest.raises(ConfigError, match="rows=40 given; a value from 2 to 32 is expected"):
        cat_and_mouse_1.REPORT.reproduce(replace(settings, rows=40))


@pytest.mark.slow
def test_pictures_are_kept_where_results_are_by_default(here, capsys):
    made = record(capsys, SECOND, *SHORT)
    folder = here / "reproduced" / SECOND
    assert {Path(name) for name in made["files"]} == {
        path.relative_to(here) for path in folder.iterdir()
    }
    curve = pd.read_parquet(folder / "curve.parquet")
    assert [row["rounds"] for row in made["stages"]] == [4, 4, 4]
    assert [row["wins"] for row in made["stages"]] == curve.groupby("stage")["wins"].last().tolist()
    table = np.load(folder / "table.npy", allow_pickle=False)
    for rows, cols in ((5, 5), (15, 15)):
        kept = np.load(folder / f"cat-{rows}x{cols}.npy", allow_pickle=False)
        np.testing.assert_array_equal(kept, policy(table, rows, cols))
    assert (folder / "learning-curve.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / "learning-curve.svg").read_text()


@pytest.mark.study
def test_the_cat_of_a_seed_is_proved_to_catch_every_mouse_on_both_boards(here, capsys):
    """As fast as perfect play: 4n - 6 plies on an n x n board with the mouse first."""
    out = printed(capsys, SECOND, "--seed", "2", "--out", "v2")
    assert "5x5    this cat catches every mouse within 14 plies" in out
    assert "15x15  this cat catches every mouse within 54 plies" in out


@given(rows=st.integers(4, 7), cols=st.integers(4, 7), seed=st.integers(0, 1000))
def test_the_policy_of_a_table_is_what_the_slow_cat_does(rows, cols, seed):
    table = cat_and_mouse_2.first_table(seed)
    letters = {place: "RLUD"[action] for place, action in np.ndenumerate(table.reshape((3,) * 6))}
    made = policy(table, rows, cols)
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
