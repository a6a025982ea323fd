"""Runs of earlier schema versions, nulls among floats, and exact evaluations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_data import create, evaluation, go_on, role_run, snapshot_bytes, written_run

from results import ResultsError, RunWriter, open_run
from results.folder.evaluations import Measurement, measured_individuals
from results.format import tables
from results.format.schema import BEST_RESPONSE, EVALUATIONS, SCHEMA_VERSION, arrow_schema
from results.writer.writer import write_evaluation

LATER = ["exploitability", "plies"]
COMPUTED = [
    *["draw_rate", "margin", "win_rate_first", "win_rate_second", "margin_first", "margin_second"],
    *["regret", "optimal_share"],
]
COLUMNS_OF_1 = [
    *["generation", "population", "individual", "id", "opponent", "games", "wins", "draws"],
    *["losses", "win_rate", "win_rate_low", "win_rate_high", "seed", "evaluate_seconds"],
]


def run_of_version_1(path: Path, until: int = 6) -> Path:
    """A run as the first release made it."""
    create(path, generations=until).close()
    info = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps({**info, "schema_version": 1}))
    with RunWriter.open(path) as writer:
        go_on(writer, until)
    return path


def proof(generation: int, individual: int, wins: int, games: int = 1, **columns) -> dict:
    """The columns of an exact evaluation."""
    counted = evaluation(generation, individual, {BEST_RESPONSE: wins})
    return {**counted, "games": [games], "losses": [games - wins], **columns}


def metadata_of(file: Path) -> dict[bytes, bytes]:
    return pq.ParquetFile(file).metadata.metadata


def test_a_run_of_version_1_goes_on_to_the_bytes_that_it_would_have_had(tmp_path):
    expected = snapshot_bytes(run_of_version_1(tmp_path / "straight"))
    path = run_of_version_1(tmp_path / "run", until=3)
    with RunWriter.open(path) as writer:
        assert writer.damaged == []
        go_on(writer, 6)
    assert snapshot_bytes(path) == expected
    snapshots = sorted((path / "snapshots").iterdir())
    assert {metadata_of(file)[b"schema_version"] for file in snapshots} == {b"1"}
    assert open_run(path).info["schema_version"] == 1
    assert expected != snapshot_bytes(written_run(tmp_path / "new"))
    assert open_run(tmp_path / "new").info["schema_version"] == SCHEMA_VERSION == 3


def test_evaluations_of_a_run_of_version_1_stay_one_table_for_other_readers(tmp_path):
    path = run_of_version_1(tmp_path / "run")
    for number in range(2):
        file = write_evaluation(path, f"e{number}", evaluation(6, number, {"level-0": 200}))
        assert pq.read_schema(file).names == COLUMNS_OF_1
        assert metadata_of(file) == {b"schema_version": b"1"}
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    folder = path / "evaluations"
    assert polars.read_parquet(folder).shape == pd.read_parquet(folder).shape == (2, 14)
    assert duckdb.sql(f"select * from '{folder}/*.parquet'").shape == (2, 14)


def test_what_a_run_of_version_1_had_no_column_for_is_read_beside_what_it_has(tmp_path):
    path = run_of_version_1(tmp_path / "run")
    played = evaluation(6, 0, {"level-0": 200})
    write_evaluation(path, "a", played)
    exact = proof(6, 1, wins=1, exploitability=[0.0], plies=[23])
    file = write_evaluation(path, "b", exact)
    assert pq.read_schema(file).names == [*COLUMNS_OF_1, *LATER]
    assert metadata_of(file) == {b"schema_version": b"2"}
    write_evaluation(path, "c", played)
    computed = {**played, **{name: [0.5] for name in COMPUTED}, "individual": [2]}
    file = write_evaluation(path, "d", computed)
    assert pq.read_schema(file).names == [*COLUMNS_OF_1, *LATER, *COMPUTED]
    assert metadata_of(file) == {b"schema_version": b"3"}
    frame = open_run(path).evaluations
    assert list(frame.columns) == [column.name for column in EVALUATIONS]
    assert frame["exploitability"].isna().tolist() == [True, True, False, True]
    assert frame["regret"].isna().tolist() == [True, True, True, False]
    assert frame["plies"].tolist()[2] == 23.0
    assert {str(frame[name].dtype) for name in LATER} == {"float64"}
    union = f"select * from read_parquet('{path}/evaluations/*.parquet', union_by_name = true)"
    assert pytest.importorskip("duckdb").sql(union).shape == (4, 24)


def test_a_run_of_version_2_is_gone_on_with(tmp_path):
    path = run_of_version_1(tmp_path / "run", until=3)
    info = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps({**info, "schema_version": 2}))
    with RunWriter.open(path) as writer:
        go_on(writer, 6)
    assert metadata_of(path / "snapshots" / "generation-000006.parquet")[b"schema_version"] == b"2"
    file = write_evaluation(path, "a", proof(6, 1, wins=1, exploitability=[0.0], plies=[23]))
    assert pq.read_schema(file).names == [*COLUMNS_OF_1, *LATER]
    assert open_run(path).evaluations["regret"].isna().all()


def test_a_new_run_has_all_columns_and_nulls_in_those_that_were_not_given(tmp_path):
    path = written_run(tmp_path / "run")
    file = write_evaluation(path, "a", evaluation(6, 0, {"level-0": 200, "level-1": 3}))
    table = pq.read_table(file)
    assert table.schema.names == [*COLUMNS_OF_1, *LATER, *COMPUTED]
    assert {table[name].null_count for name in [*LATER, *COMPUTED]} == {2}
    polars = pytest.importorskip("polars")
    assert polars.read_parquet(path / "evaluations")["plies"].to_list() == [None, None]


FLOATS = st.lists(st.one_of(st.none(), st.floats(allow_nan=False)), max_size=40)


@given(FLOATS, st.booleans())
def test_nan_is_null_among_the_floats_that_may_be_null_and_a_number_elsewhere(values, masked):
    numbers = np.array([np.nan if value is None else value for value in values])
    given = {**proof(0, 0, 0), "win_rate_low": [1.0], "win_rate_high": [1.0]}
    columns = {
        key: np.repeat(np.asarray(value), len(values)) if not isinstance(value, str) else value
        for key, value in {**given, "win_rate": [0.0]}.items()
    }
    missing = np.isnan(numbers)
    plies = np.ma.array(np.where(missing, 7.0, numbers), mask=missing) if masked else numbers
    columns |= {"exploitability": numbers, "plies": plies, "win_rate": numbers}
    columns |= dict.fromkeys(COMPUTED, numbers)
    table = tables.table_from_columns("evaluations", columns)
    table.validate(full=True)
    back = tables.decode(tables.encode(table), arrow_schema("evaluations"), "it")
    for name in [*LATER, *COMPUTED]:
        assert back[name].to_pylist() == values
        np.testing.assert_array_equal(tables.numpy_column(back[name]), numbers)
    assert back["win_rate"].null_count == 0
    np.testing.assert_array_equal(tables.numpy_column(back["win_rate"]), numbers)


def test_a_proof_is_no_sample_and_one_without_a_certain_outcome_has_no_rate(tmp_path):
    path = written_run(tmp_path / "run")
    for wins, games in ((0, 1), (1, 2), (2, 2), (0, 0)):
        columns = proof(6, 0, wins, games, exploitability=[0.25], plies=[np.nan])
        write_evaluation(path, f"{wins}-{games}", columns)
    found = open_run(path).evaluations.sort_values(["games", "wins"])
    rates = found[["win_rate_low", "win_rate", "win_rate_high"]].to_numpy()
    expected = [[0, np.nan, 1], [0, 0, 0], [0.5, 0.5, 0.5], [1, 1, 1]]
    np.testing.assert_array_equal(rates, expected)
    write_evaluation(path, "0-1", evaluation(6, 0, {"level-0": 300}))
    assert open_run(path).evaluations.query("opponent == 'level-0'")["win_rate_low"].item() < 0.99


def test_measurements_of_two_populations_are_told_apart(tmp_path):
    path = role_run(tmp_path / "run")
    cat, mouse = (Measurement(2, "random", 300, 1, "random", name) for name in ("cat", "mouse"))
    both = Measurement(2, "random", 300, 1, "random")
    for asked, individual in ((cat, 0), (cat, 2), (mouse, 1)):
        columns = {**evaluation(2, individual, {"random": 150}), "population": asked.population}
        write_evaluation(path, f"{asked.prefix}{individual}", columns)
    foreign = {**evaluation(2, 3, {"random": 150}), "population": "mouse"}
    write_evaluation(path, f"{cat.prefix}foreign", foreign)  # the columns count, not the name
    assert measured_individuals(path, cat).tolist() == [0, 2]
    assert measured_individuals(path, mouse).tolist() == [1]
    assert measured_individuals(path, both).tolist() == [0, 1, 2, 3]
    frame = open_run(path).evaluations_of([(cat, np.array([0, 1])), (mouse, np.array([0, 1]))])
    assert list(zip(frame["population"], frame["individual"], strict=True)) == [
        ("cat", 0),
        ("mouse", 1),
    ]
    with pytest.raises(ResultsError, match="population 'c__t' of a measurement"):
        Measurement(2, "random", 300, 1, "random", "c__t")


def test_columns_are_read_in_whatever_order_they_stand(tmp_path):
    path = written_run(tmp_path / "run")
    files = [write_evaluation(path, name, evaluation(6, 0, {"level-0": 200})) for name in "ab"]
    table = pq.read_table(files[1])
    pq.write_table(table.select(table.schema.names[::-1]), files[1])
    frame = open_run(path).evaluations
    assert frame.iloc[0].equals(frame.iloc[1])


def test_a_column_that_may_not_be_null_is_missed(tmp_path):
    path = written_run(tmp_path / "run")
    file = write_evaluation(path, "a", evaluation(6, 0, {"level-0": 200}))
    pq.write_table(pq.read_table(file).drop_columns(["wins", "plies"]), file)
    with pytest.raises(ResultsError, match=r"a.parquet is not .*: its columns differ in wins;"):
        _ = open_run(path).evaluations
