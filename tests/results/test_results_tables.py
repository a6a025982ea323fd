"""What is written comes back, by this package and by pandas, polars and duckdb."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from processes import ROOT
from results_data import (
    INDIVIDUALS,
    LAYOUTS,
    SPEC,
    columns,
    create,
    evaluation,
    row,
    type_name,
    written_run,
)

import results
from results import ResultsError, open_run
from results.folder.evaluations import write_evaluation
from results.format import metadata, tables
from results.format.genomes import decode_genomes
from results.format.schema import COLUMNS, OPTIONAL
from results.storage.local import LocalStorage


def test_a_population_comes_back_as_it_was_written(tmp_path):
    run, given = open_run(written_run(tmp_path / "run")), columns(4)
    frame = run.population(4)
    assert [bytes(genome) for genome in given["genome"]] == list(frame["genome"])
    for name in ("individual", "id", "fitness", "raw_fitness", "games", "wins", "losses"):
        np.testing.assert_array_equal(frame[name], given[name])
    assert set(frame["population"]) == {"main"}
    assert set(frame["generation"]) == {4}
    assert list(frame["parent_a"]) == list(given["parent_a"])
    assert list(frame["parent_b"].isna()) == [True, False] * (INDIVIDUALS // 2)


def test_frames_have_the_types_of_the_schema_with_and_without_rows(tmp_path):
    run = open_run(written_run(tmp_path / "run"))
    empty = run.evaluations
    write_evaluation(run.path, "last", evaluation(6, 0, {"level-0": 200}))
    frames = (run.population(), run.generations, empty, run.evaluations)
    assert len(empty) == 0
    names = ("snapshots", "generations", "evaluations", "evaluations")
    for frame, table in zip(frames, names, strict=True):
        assert list(frame.columns) == [column.name for column in COLUMNS[table]]
        for column in COLUMNS[table]:
            expected = {"fixed_size_binary(B)": "object"}.get(type_name(column), type_name(column))
            expected = "Int64" if column.nullable and expected == "int64" else expected
            expected = expected.replace("double", "float64")
            assert str(frame[column.name].dtype) == expected, column.name


@pytest.mark.parametrize("table", ["snapshots", "generations", "evaluations"])
def test_folders_are_read_by_pandas_polars_and_duckdb_while_a_file_is_being_written(
    tmp_path, table, monkeypatch
):
    path = written_run(tmp_path / "run")
    write_evaluation(path, "first", evaluation(2, 0, {"level-0": 200, "level-1": 3}))
    rows = {"snapshots": 4 * INDIVIDUALS, "generations": 7, "evaluations": 2}[table]
    from results.storage import system

    counted = []

    def read_now(temporary: object, _final: object) -> None:
        assert Path(temporary).exists()  # type: ignore[arg-type]
        counted.append(len(pd.read_parquet(path / table)))
        polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
        counted.append(len(polars.read_parquet(path / table)))
        counted.append(len(duckdb.sql(f"select * from '{path / table}/*.parquet'").fetchall()))
        raise OSError(28, "stop here")

    monkeypatch.setattr(system, "replace", read_now)
    with results.RunWriter.open(path) as writer:
        if table == "evaluations":
            with pytest.raises(ResultsError):
                write_evaluation(path, "second", evaluation(4, 0, {"level-0": 1}))
        elif table == "generations":
            writer.generation(row(7))
            writer.snapshot(columns(7), 7, 800)
            with pytest.raises(ResultsError):
                writer.flush()
        else:
            writer.snapshot(columns(7), 7, 800)
            with pytest.raises(ResultsError):
                writer.flush()
    assert counted == [rows] * 3


def test_a_table_is_read_by_one_listing_of_its_folder(tmp_path, monkeypatch):
    path, real, listed = written_run(tmp_path / "run"), LocalStorage.names, []

    def names(storage, folder):
        listed.append(folder.name)
        return real(storage, folder)

    monkeypatch.setattr(LocalStorage, "names", names)
    for table in ("generations", "evaluations", "faults"):
        listed.clear()
        getattr(open_run(path), table)
        assert listed.count(table) == 1


def test_equal_content_gives_equal_bytes_and_last_makes_them_again(tmp_path):
    one, two = written_run(tmp_path / "one"), written_run(tmp_path / "two")
    name = "snapshots/generation-000006.parquet"
    assert (one / name).read_bytes() == (two / name).read_bytes()
    with results.RunWriter.open(one) as writer:
        last, texts = writer.last, metadata.run_metadata(writer.info)
    texts = metadata.snapshot_metadata(6, 700) | texts
    assert (last.generation, last.games_played) == (6, 700)
    assert last.columns["genome"].dtype == np.uint8
    table = tables.table_from_columns("snapshots", last.columns, SPEC["bytes"])
    assert tables.encode(table, texts) == (one / name).read_bytes()
    changed = {**last.columns, "fitness": last.columns["fitness"] + 1e-12}
    table = tables.table_from_columns("snapshots", changed, SPEC["bytes"])
    assert tables.encode(table, texts) != (one / name).read_bytes()


def test_a_snapshot_stands_alone(tmp_path):
    path = written_run(tmp_path / "run") / "snapshots/generation-000004.parquet"
    found = pq.ParquetFile(path).metadata.metadata
    assert found[b"schema_version"] == b"3"
    assert (found[b"generation"], found[b"games_played"]) == (b"4", b"500")
    assert json.loads(found[b"genome"]) == SPEC


def test_weights_are_the_levels_of_the_packed_bits(tmp_path):
    run = open_run(written_run(tmp_path / "run"))
    weights = run.weights(4)
    assert weights.shape == (INDIVIDUALS, 17)
    for genome, decoded in zip(columns(4)["genome"], weights, strict=True):
        digits = "".join(f"{byte:08b}" for byte in genome)
        levels = [int(digits[10 * w : 10 * w + 10], 2) for w in range(17)]
        assert decoded.tolist() == [(-64.0 * (1023 - k) + 64.0 * k) / 1023 for k in levels]


def test_a_network_of_the_study_has_465_weights_between_the_limits():
    layout = {**LAYOUTS["main"], "shape": [465]}
    ends = np.array([[0] * 582, [255] * 582], np.uint8)
    weights = decode_genomes(ends, layout)
    assert weights.shape == (2, 465)
    assert (weights[0] == -64).all()
    assert (weights[1] == 64).all()
    with pytest.raises(ResultsError, match="by their layout they need 582"):
        decode_genomes(ends[:, :581], layout)
    with pytest.raises(ResultsError, match="cannot be decoded by"):
        decode_genomes(ends, {"numbers": "weights"})


def test_the_champion_is_the_fittest_and_the_first_of_equals(tmp_path):
    given = {**columns(0), "fitness": np.array([1.0, 3.0, np.nan, 3.0, 2.0, 3.0])}
    names = ["cat", "cat", "cat", "mouse", "mouse", "mouse"]
    given |= {"population": names, "individual": np.array([0, 1, 2, 2, 1, 0])}
    with create(tmp_path / "run") as writer:
        writer.snapshot(given, 0, 100)
    run = open_run(tmp_path / "run")
    assert run.champion()["individual"] == 1
    assert run.champion(population="mouse").name == 5
    with pytest.raises(ResultsError, match="no population 'dog'"):
        run.champion(population="dog")


def test_two_populations_have_a_row_each_in_every_generation(tmp_path):
    with create(tmp_path / "run") as writer:
        for name in ("mouse", "cat"):
            writer.generation(row(0, name))
        writer.snapshot(columns(0), 0, 100)
    assert list(open_run(tmp_path / "run").generations["population"]) == ["cat", "mouse"]


def test_the_newest_snapshot_is_the_default_and_an_unknown_one_is_refused(tmp_path):
    run = open_run(written_run(tmp_path / "run"))
    assert run.snapshots == [0, 2, 4, 6]
    assert set(run.population()["generation"]) == {6}  # the newest, unless told otherwise
    with pytest.raises(ResultsError, match="generation 5; the nearest are 2, 4, 6"):
        run.population(5)


def test_evaluations_are_written_beside_a_run_that_is_open_and_found_again(tmp_path):
    with create(tmp_path / "run") as writer:
        writer.snapshot(columns(0), 0, 100)
        write_evaluation(writer.path, "a", evaluation(0, 3, {"level-0": 249, "level-1": 0}))
    frame = open_run(tmp_path / "run").evaluations
    assert list(frame["win_rate"]) == [0.83, 0.0]
    assert frame["win_rate_low"].round(4).tolist() == [0.7834, 0.0]
    for name in ("../a", ".a", "a/b", ""):
        with pytest.raises(ResultsError, match="evaluation name"):
            write_evaluation(tmp_path / "run", name, evaluation(0, 3, {"level-0": 1}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"wins": [1, 2]}, "differ in length"),
        ({"wins": np.full(INDIVIDUALS, 0.5)}, "column wins is float64; expected are int32"),
        ({"wins": np.full(INDIVIDUALS, 2**31)}, "beyond int32"),
        ({"fitness": ["a"] * INDIVIDUALS}, "column fitness"),
        ({"population": [1] * INDIVIDUALS}, "expected are strings"),
        ({"genome": np.zeros((INDIVIDUALS, 21), np.uint8)}, r"\[6, 21\]; expected is uint8"),
        ({"genome": np.zeros((INDIVIDUALS, 22), np.int64)}, "int64"),
    ],
)
def test_bad_columns_are_refused_by_name_and_write_nothing(tmp_path, change, message):
    with create(tmp_path / "run") as writer, pytest.raises(ResultsError, match=message):
        writer.snapshot({**columns(0), **change}, 0, 100)
    assert not list((tmp_path / "run" / "snapshots").iterdir())


def test_the_schema_page_names_every_column_with_its_type():
    league = (ROOT / "docs" / "league.md").read_text()
    for column in COLUMNS["history"]:
        kind = column.type
        assert f"| `{column.name}` | {kind} | {column.description} |" in league.splitlines()
    page = (ROOT / "docs" / "schema.md").read_text()
    for name in ("snapshots", "generations", "evaluations", "lineage"):
        section = re.split(r"^## ", page, flags=re.M)
        (part,) = [text for text in section if text.startswith(f"{name}\n")]
        found = re.findall(r"^\| `(\w+)` \| (\S+) \| (yes|no) \| (.+) \|$", part, flags=re.M)
        expected = [
            (column.name, type_name(column), "yes" if column.nullable else "no", column.description)
            for column in COLUMNS[name]
        ]
        assert found == expected
    for column in OPTIONAL.values():
        null = "yes" if column.nullable else "no"
        row = f"| `{column.name}` | {type_name(column)} | {null} | {column.description} |"
        assert row in page.splitlines()


def test_importing_the_package_loads_neither_pandas_nor_matplotlib():
    code = (
        "import sys, results; results.RunWriter; "
        "print([name for name in ('pandas', 'matplotlib') if name in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"
