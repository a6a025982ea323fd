"""The table of who descends from whom: written with crashes and without, and followed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from results_data import columns, create, described, go_on, row

import evo
from evo.cli.main import main
from results import RunWriter, open_run
from results.folder import generations
from results.plots.lineage import lineage_figure
from results.read.verify import verify
from results.writer.compact import compact

INTERVAL = 2
SMALL = {"scheme": "round-robin", "population": 4, "game": "dots-and-boxes:rows=1,cols=1"}


def written(path: Path, until: int = 6, create_until: int = 100) -> Path:
    config = {"generations": create_until, "snapshot_interval": INTERVAL, "lineage": True}
    with RunWriter.create(path, described(config)) as writer:
        go_on(writer, until)
    return path


def files_of(path: Path) -> dict[str, str]:
    files = [*(path / "lineage").iterdir(), *(path / "snapshots").iterdir()]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_every_generation_has_its_rows_and_few_files(tmp_path):
    path = written(tmp_path / "run", 20)
    frame = pd.read_parquet(path / "lineage")
    assert frame.groupby("generation").size().tolist() == [6] * 21
    assert frame["id"].tolist() == list(range(21 * 6))
    assert [file.name[:13] for file in (path / "lineage").iterdir()] == ["000000-000020"]
    assert {finding.state for finding in verify(path)} == {"whole"}


def test_snapshots_are_the_same_bytes_with_lineage_and_without(tmp_path):
    written(tmp_path / "with")
    with create(tmp_path / "without") as writer:
        for generation in range(7):
            writer.generation(row(generation))
            if generation % INTERVAL == 0:
                writer.snapshot(columns(generation), generation, 100 * (generation + 1))
    assert not (tmp_path / "without" / "lineage").exists()
    plain = files_of_snapshots(tmp_path / "without")
    assert plain == files_of_snapshots(tmp_path / "with")


def files_of_snapshots(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (path / "snapshots").iterdir()}


@pytest.mark.parametrize("stop", [1, 4])
def test_a_run_that_was_stopped_ends_in_the_same_rows(stop, tmp_path):
    whole = written(tmp_path / "whole", 20)
    path = written(tmp_path / "run", stop)
    with RunWriter.open(path) as writer:
        go_on(writer, 20)
    assert files_of(path) == files_of(whole)  # twenty generations are ten intervals, one file


@pytest.mark.parametrize("lost", [0, 2])
def test_a_file_that_is_lost_or_damaged_is_told_and_computed_again(lost, tmp_path):
    whole = written(tmp_path / "whole")
    for name, harm in (("a", Path.unlink), ("b", lambda file: file.write_bytes(b"PAR1"))):
        path = written(tmp_path / name)
        harm(sorted((path / "lineage").iterdir())[lost])
        states = {f.state for f in verify(path) if f.file.startswith("lineage")}
        assert states & {"missing", "damaged"}
        with RunWriter.open(path) as writer:
            assert writer.damaged or writer.last.generation < 6
            go_on(writer, 6)
        assert files_of(path) == files_of(whole)


def test_rows_after_the_last_snapshot_are_dropped(tmp_path):
    path = written(tmp_path / "run", 4)
    name = generations.stretches(path, "lineage")[-1].path.name
    later = (path / "lineage" / name).with_name(name.replace("000003-000004", "000005-000006"))
    later.write_bytes((path / "lineage" / name).read_bytes())
    with RunWriter.open(path):
        pass
    assert later.name not in files_of(path)
    size = compact(path)[0]
    kept = sum(file.stat().st_size for file in (path / "lineage").iterdir())
    assert (size["generations"], size["lineage_bytes"]) == (5, kept)
    assert files_of(path) == files_of(written(tmp_path / "whole", 4))


@settings(max_examples=20, deadline=None)
@given(id=st.integers(0, 7 * 6 - 1))
def test_a_descent_is_what_a_walk_row_by_row_finds(id, run_of_seven):
    run, rows = run_of_seven
    parents = {
        row.id: {int(p) for p in (row.parent_a, row.parent_b) if not np.isnan(p)}
        for row in rows.itertuples()
    }
    wanted, front = set(), {id}
    while front:
        wanted |= front
        front = {parent for child in front for parent in parents.get(child, ())} & parents.keys()
    frame = run.lineage(id)
    assert set(frame["id"]) == wanted
    line, at = [], id
    while at is not None:
        line.append(at)
        own = rows[rows["id"] == at]["parent_a"].item()
        at = None if np.isnan(own) else int(own)
    assert set(frame[frame["is_first_line"]]["id"]) == set(line)
    counts = {"start": 0, "mutation": 1, "crossover": 2}
    for each in frame.itertuples():
        assert counts[each.operator] == 2 - pd.isna(each.parent_a) - pd.isna(each.parent_b)


@pytest.fixture(scope="module")
def run_of_seven(tmp_path_factory):
    path = written(tmp_path_factory.mktemp("lineage") / "run")
    return open_run(path), pd.read_parquet(path / "lineage")


@pytest.mark.slow
def test_a_champion_of_a_real_run_descends_from_generation_0_and_is_drawn(tmp_path, capsys):
    run = evo.run(tmp_path / "run", SMALL, generations=5, lineage=True, threads=1)
    frame = run.lineage()
    assert frame["generation"].tolist()[0] == 0
    assert sorted(frame["generation"].unique()) == list(range(6))
    assert frame["id"].iloc[-1] == run.champion()["id"]
    figure = lineage_figure(frame, run.generations, 23)
    counts = figure.axes[1].lines[0].get_ydata()
    assert counts.tolist() == frame.groupby("generation").size().tolist()
    (density,) = figure.axes[0].collections
    assert np.ma.filled(density.get_array(), 0).sum() == len(frame)
    line = next(each for each in figure.axes[0].lines if each.get_label() == "first parents")
    assert len(line.get_xdata()) == frame["is_first_line"].sum()
    assert run.has_relative_fitness
    assert main(["plot", str(run.path), "--lineage", "--json"]) == 0
    assert (run.path / "plots" / "lineage.png").exists()
    capsys.readouterr()
    plain = evo.run(tmp_path / "plain", SMALL, generations=1, threads=1)
    for arguments, message in (
        ([str(run.path), "--lineage", "99"], "no individual 99 in the lineage"),
        ([str(plain.path), "--lineage"], "keeps no lineage"),
        ([str(tmp_path), "--lineage"], "it needs the folder of a single run"),
    ):
        assert main(["plot", *arguments]) == 2
        err = capsys.readouterr().err
        assert message in err
        assert err.count("\n") == 1


def test_lineage_of_islands_goes_over_to_others(tmp_path):
    islands = {"count": 2, "topology": "ring", "every": 2}
    run = evo.run(tmp_path / "run", SMALL, generations=6, lineage=True, threads=1, islands=islands)
    rows = pd.read_parquet(run.path / "lineage")
    assert rows.groupby("generation").size().tolist() == [8] * 7
    assert (rows["id"] % 2 == rows["island"]).all()
    descents = [run.lineage(int(id))["island"].nunique() for id in rows["id"].tail(8)]
    assert max(descents) == 2
    more = {"lineage": True, "threads": 2, "islands": islands, "generations": 6}
    with pytest.raises(evo.Interrupted):
        evo.run(tmp_path / "again", SMALL, stop=lambda: True, **more)
    again = evo.resume(tmp_path / "again", threads=2)
    pd.testing.assert_frame_equal(rows, pd.read_parquet(again.path / "lineage"))
