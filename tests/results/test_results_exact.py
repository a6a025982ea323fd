"""Columns of evaluations that may be null, exact evaluations, and how measurements are found."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_data import evaluation, role_run, written_run

from results import ResultsError, open_run
from results.folder.evaluations import Measurement, measured_individuals, write_evaluation
from results.format import tables
from results.format.schema import BEST_RESPONSE, COLUMNS, arrow_schema

PROVED = ["exploitability", "plies"]
COMPUTED = [
    *["draw_rate", "margin", "win_rate_first", "win_rate_second", "margin_first", "margin_second"],
    *["regret", "optimal_share"],
]


def proof(generation: int, individual: int, wins: int, games: int = 1, **columns) -> dict:
    """The columns of an exact evaluation."""
    counted = evaluation(generation, individual, {BEST_RESPONSE: wins})
    return {**counted, "games": [games], "losses": [games - wins], **columns}


def test_a_file_has_all_columns_and_nulls_in_those_that_were_not_given(tmp_path):
    path = written_run(tmp_path / "run")
    file = write_evaluation(path, "a", evaluation(6, 0, {"level-0": 200, "level-1": 3}))
    table = pq.read_table(file)
    assert table.schema.names == [column.name for column in COLUMNS["evaluations"]]
    assert {table[name].null_count for name in [*PROVED, *COMPUTED]} == {2}
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
    for name in [*PROVED, *COMPUTED]:
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
    files = [
        write_evaluation(path, "a", evaluation(6, 0, {"level-0": 200}, seed)) for seed in (1, 2)
    ]
    table = pq.read_table(files[1])
    pq.write_table(table.select(table.schema.names[::-1]), files[1].with_name("b.parquet"))
    files[1].unlink()
    frame = open_run(path).evaluations.drop(columns="seed")
    assert frame.iloc[0].equals(frame.iloc[1])


def test_a_column_that_is_not_there_is_missed(tmp_path):
    path = written_run(tmp_path / "run")
    file = write_evaluation(path, "a", evaluation(6, 0, {"level-0": 200}))
    pq.write_table(pq.read_table(file).drop_columns(["wins", "plies"]), file.with_name("a.parquet"))
    file.unlink()
    with pytest.raises(
        ResultsError, match=r"a.parquet is not .*: its columns differ in plies, wins;"
    ):
        _ = open_run(path).evaluations
