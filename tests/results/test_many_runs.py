"""Many runs as one: which are opened, what tells them apart, how they are compared and drawn."""

from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from results_data import as_made_with, create, described, go_on, role_run, written_run

from evo.cli.main import main
from results import ResultsError, RunWriter, open_run, open_runs
from results.plots.compare import _by_game, labels_of, over_runs, plot_runs
from results.plots.style import _apart
from results.read.below import survey
from results.read.runs import _typed
from results.read.settings import differing, games_apart

GAME = {"name": "nim", "heaps": [3, 4]}


def made(path: Path, seed: int, until: int = 4, **config) -> Path:
    """A run of this configuration."""

    def change(info):
        info["seed"] = seed
        info["config"] |= {"game": GAME, "seed": seed, **config}

    return as_made_with(written_run(path, until), change)


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Path:
    """Five runs of two schemes, which share no option, at two depths."""
    tmp_path = tmp_path_factory.mktemp("template")
    for seed in (1, 2):
        made(tmp_path / "runs" / f"rr-{seed}", seed, scheme={"name": "round-robin", "bonus": 1})
        made(
            tmp_path / "runs" / "deeper" / f"swiss-{seed}",
            seed,
            until=6,
            scheme={"name": "swiss", "rounds": 3},
        )
    made(tmp_path / "runs" / "rr-3", 3, scheme={"name": "round-robin", "bonus": 2})
    return tmp_path / "runs"


@pytest.fixture
def folder(template, tmp_path) -> Path:
    """A copy of them."""
    return Path(shutil.copytree(template, tmp_path / "runs"))


def test_a_folder_a_list_and_a_pattern_open_the_same_runs(folder):
    names = ["deeper/swiss-1", "deeper/swiss-2", "rr-1", "rr-2", "rr-3"]
    runs = open_runs(folder)
    assert [member.keys["run"] for member in runs.members] == names
    assert [run.path for run in runs] == [folder / name for name in names]
    by_pattern = open_runs(f"{folder}/*/swiss-[12]")
    assert [run.path.name for run in by_pattern] == ["swiss-1", "swiss-2"]
    by_list = open_runs([folder / "rr-2", str(folder / "rr-*")])
    assert [run.path.name for run in by_list] == ["rr-2", "rr-1", "rr-3"]  # each once
    assert len(open_runs(folder / "rr-1")) == 1
    assert "5 runs" in repr(runs)


def test_an_address_is_listed_as_a_folder_is():
    for number in (1, 2, 3):
        address = f"memory://many/runs/a-{number}"
        config = {"generations": 0, "snapshot_interval": 1}
        with RunWriter.create(address, described(config, seed=number, genome={"bytes": 22})):
            pass
    assert len(open_runs("memory://many/runs")) == 3
    assert [str(path) for path in open_runs("memory://many/runs/a-[13]").paths] == [
        "memory://many/runs/a-1",
        "memory://many/runs/a-3",
    ]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("none", "none does not exist; give the folder of a run"),
        ("run-*", r"run-\* does not exist"),
        ("empty", "no run is in .*empty, nor below"),
        ("file", "file is a file, not a folder; give the folder"),
    ],
)
def test_where_no_run_is_says_so_in_one_line(where, message, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match=message):
        open_runs(tmp_path / where)
    assert main(["plot", str(tmp_path / where)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(ResultsError, match="an empty list"):
        open_runs([])


def test_the_frame_has_a_row_a_run_and_what_tells_them_apart(folder):
    runs = open_runs(folder)
    assert runs.columns == ["run", "scheme", "bonus", "seed"]
    frame = runs.frame.set_index("run")
    assert frame["scheme"].tolist() == ["swiss", "swiss", *["round-robin"] * 3]
    assert frame.loc["rr-3", ["game", "seed", "generation", "best", "state"]].tolist() == [
        *("nim:heaps=[3, 4]", 3, 4, 9.0, "done"),
    ]
    assert frame["generations"].tolist() == [6, 6, 4, 4, 4]
    assert frame["whole"].all()
    assert frame.loc["rr-3", "path"] == str(folder / "rr-3")
    assert (frame["age_seconds"] < 1000).all()


def test_a_run_that_lacks_a_file_is_not_whole(folder, recwarn):
    next((folder / "rr-1" / "generations").iterdir()).unlink()
    (folder / "rr-2" / "snapshots" / "generation-000002.parquet").unlink()
    next((folder / "rr-3" / "generations").glob("000003*")).write_bytes(b"PAR1")
    rows = {Path(row["run"]).name: row for row in survey(folder)}
    assert [rows[f"rr-{k}"]["whole"] for k in (1, 2, 3)] == [False] * 3
    assert "is damaged" in rows["rr-3"]["error"]
    assert rows["rr-3"]["state"] == "done"
    assert rows["swiss-1"]["whole"]


def test_status_lists_runs_that_are_over_with_what_they_are(folder, capsys):
    role_run(folder / "roles")
    assert main(["status", str(folder), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["seed"] for row in rows] == [1, 2, 1, 1, 2, 3]
    assert rows[1]["best"] == {"main": 11.0}
    assert rows[2]["best"] == {"cat": 7.0, "mouse": 7.0}
    assert main(["status", str(folder)]) == 0
    out = capsys.readouterr().out
    for word in ("swiss", "nim:heaps=[3, 4]", "cat 7, mouse 7", "yes", "6 done"):
        assert word in out


def test_tables_of_all_runs_are_one_with_a_column_a_setting(folder):
    runs = open_runs(folder)
    rows = runs.generations
    assert rows.columns[:4].tolist() == runs.columns
    alone = open_run(folder / "rr-2").generations
    mine = rows[rows["run"] == "rr-2"]
    assert mine["best"].tolist() == alone["best"].tolist()
    assert mine["bonus"].unique().tolist() == [1]
    assert len(rows) == 2 * 7 + 3 * 5
    assert runs.evaluations.empty


def test_a_game_is_called_by_what_tells_it_from_the_others():
    games = [{"name": "nim", "heaps": 3, "most": size} for size in (1, 2)]
    configs = [{"game": game} for game in (*games, games[0], {"name": "go", "size": 9}, "chess")]
    assert games_apart(configs) == {
        "nim:heaps=3,most=1": "nim:most=1",
        "nim:heaps=3,most=2": "nim:most=2",
        "go:size=9": "go",
        "chess": "chess",
    }


def test_whole_numbers_and_truths_stay_such_where_some_runs_have_none(folder):
    made(folder / "more", 4, scheme={"name": "other", "depth": 1, "fair": True})
    made(folder / "most", 5, scheme={"name": "other", "depth": 2, "fair": False})
    runs = open_runs(folder)
    for frame in (runs.frame, runs.generations):
        kinds = frame.dtypes.astype(str)
        assert kinds[["depth", "fair", "scheme"]].tolist() == ["Int64", "boolean", "string"]
        assert kinds["seed"] in ("int64", "Int64")
    assert runs.generations["population"].dtype == "string"


def test_a_damaged_run_is_a_row_of_the_frame_and_hides_no_other(folder):
    (folder / "rr-2" / "run.json").write_text("{")
    frame = open_runs(folder).frame.set_index("run")
    assert frame.loc["rr-2", "state"] == "damaged"
    assert not frame.loc["rr-2", "whole"]
    assert frame["seed"].isna().sum() == frame["scheme"].isna().sum() == 1
    assert frame.loc["rr-3", "best"] == 9.0
    with pytest.raises(ResultsError, match=r"rr-2/run\.json is not readable"):
        _ = open_runs(folder).generations


def test_runs_of_several_games_are_told_apart_within_each(folder):
    other = {"name": "nim", "heaps": [3, 4], "most": 2}
    made(folder / "x", 4, game=other, scheme={"name": "round-robin", "bonus": 1})
    made(folder / "y", 5, game=other, scheme={"name": "swiss", "rounds": 3})
    parts = dict(_by_game(open_runs(folder)))
    assert {name: [run.path.name for run in part] for name, part in parts.items()} == {
        "nim": ["swiss-1", "swiss-2", "rr-1", "rr-2", "rr-3"],
        "nim:most=2": ["x", "y"],
    }
    assert labels_of(parts["nim:most=2"]) == ["round-robin", "swiss"]
    assert list(dict(_by_game(open_runs(folder / "deeper")))) == [""]


def test_settings_differ_by_what_two_runs_have_otherwise():
    one = {"game": "nim", "scheme": {"name": "a", "x": 1}, "population": 4, "generations": 3}
    assert differing([one, {**one, "generations": 9, "keep_last": 3}]) == {}
    other = {**one, "scheme": {"name": "b", "y": 1}, "islands": {"count": 2}}
    assert differing([one, other]) == {"scheme": ["a", "b"], "islands": [None, 2]}
    fewer = {**other, "islands": {"count": 3, "every": 5}, "lineage": True}
    assert differing([other, fewer]) == {"islands": [2, 3]}  # lineage changes nothing
    assert differing([{**one, "islands": 3}, one]) == {"islands": [3, None]}  # of a stranger
    assert differing([one, other, {**one, "scheme": {"name": "a", "x": 2}}])["scheme.x"] == [
        *(1, None, 2),
    ]


def test_runs_are_compared_where_all_have_been():
    """Three straight lines of different slopes and lengths: medians and quartiles by hand."""
    rows = pd.concat(
        pd.DataFrame({"_run": k, "games_played": [0, end], "best": [0.0, k * end]})
        for k, end in ((1, 100), (2, 50), (5, 200))
    )
    table = over_runs(rows, "best")
    assert table["games_played"].iloc[-1] == 50
    assert table["median"].to_numpy() == pytest.approx(2 * table["games_played"].to_numpy())
    assert table["low"].to_numpy() == pytest.approx(1.5 * table["games_played"].to_numpy())
    assert table["high"].to_numpy() == pytest.approx(3.5 * table["games_played"].to_numpy())


@pytest.mark.slow
def test_pictures_compare_runs_by_what_differs(folder, capsys):
    assert labels_of(open_runs(folder)) == [
        *["swiss"] * 2,
        *["round-robin, bonus 1"] * 2,
        "round-robin, bonus 2",
    ]
    files = plot_runs(open_runs(folder / "deeper"))
    assert {path.parent for path in files} == {folder / "deeper" / "plots"}
    assert [path.name for path in files if path.suffix == ".png"] == [
        "compared-fitness.png",
        "compared-diversity.png",
    ]
    assert struct.unpack(">II", files[0].read_bytes()[16:24])[0] > 900
    asked = [str(folder / "rr-1"), str(folder / "deeper" / "*")]
    assert main(["plot", *asked, "--out", str(folder / "p"), "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_a_picture_of_means_says_so_at_its_head_and_at_its_axis(folder, tmp_path, monkeypatch):
    """Runs of 5 and of 7 generations, and room for 3 points: all are means of 3."""
    drawn: dict[str, Figure] = {}

    def keep(pictures, target):
        drawn.update({name: draw() for name, draw in pictures.items()})

    monkeypatch.setattr("results.plots.compare.save_all", keep)
    plot_runs(open_runs(folder))
    assert all("means" not in figure.get_suptitle() for figure in drawn.values())
    monkeypatch.setattr("results.plots.style.MOST_POINTS", 3)
    plot_runs(open_runs(folder))
    for name in ("compared-fitness", "compared-diversity"):
        assert ", means of 3 generations" in drawn[name].get_suptitle()
        assert ", means of 3 generations" in drawn[name].axes[0].get_ylabel()
    (run,) = open_runs(folder / "rr-3")
    best = run.generations["best"].to_numpy()
    labels = [text.get_text() for text in drawn["compared-fitness"].axes[0].texts]
    assert f"round-robin, bonus 2 (1 run)  {np.mean(best[3:]):.4g}" in labels


def test_runs_that_have_not_begun_cannot_be_drawn(tmp_path):
    create(tmp_path / "a").close()
    with create(tmp_path / "b") as writer:
        go_on(writer, 0)
    with pytest.raises(ResultsError, match="no generation to draw yet"):
        plot_runs(open_runs([tmp_path / "a"]))
    assert plot_runs(open_runs(tmp_path))


def test_names_of_ticks_do_not_overlap():
    places = np.array([0.0, 0.02, 0.04, 0.3, 0.95, 1.0])
    names = ["0", "100", "200", "300", "400", "500"]
    shown = _apart(places, names)
    assert shown[-1] == 5  # the last stands always
    assert 4 not in shown
    assert np.diff(places[shown]).min() > 0.04


def test_a_setting_that_no_column_holds_stays_what_it_is():
    assert _typed([1 << 70, None]).tolist() == [1 << 70, None]
    assert _typed([1, None]).dtype == "Int64"
