"""The pictures of runs with islands, their names, and the column of their number."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from results import DataFrame
from results.format import tables
from results.format.islands import on_island, role_and_island
from results.format.schema import COLUMNS, arrow_schema
from results.format.tables import joined
from results.plots.run import fitness_figure
from results.plots.style import panels


@given(st.sampled_from(["all", "cat", "fox-cub", "island"]), st.integers(0, 10**6), st.booleans())
def test_a_name_on_an_island_tells_role_and_number(role, island, is_archive):
    name = role + "-archive" * is_archive
    assert role_and_island(on_island(name, island)) == (name, island)
    assert role_and_island(name) == (name, None)
    assert on_island(name, island).endswith("-archive") == is_archive


def rows(**more):
    columns = {column.name: [0, 1] for column in COLUMNS["generations"]}
    floats = [column.name for column in COLUMNS["generations"] if column.type == pa.float64()]
    return {**columns, **{key: [0.5, 1.5] for key in floats}, "population": ["a", "b"], **more}


def test_the_island_stands_after_the_population_where_there_is_any():
    plain = tables.table_from_columns("generations", rows())
    with_islands = tables.table_from_columns("generations", rows(island=[3, 4]))
    assert plain.schema.names == [column.name for column in COLUMNS["generations"]]
    names = with_islands.schema.names
    assert names[names.index("population") + 1] == "island"
    assert [name for name in names if name != "island"] == plain.schema.names
    for table in (plain, with_islands):
        back = tables.decode(tables.encode(table), arrow_schema("generations"), "it")
        assert back.schema.names == table.schema.names
        assert tables.columns_of(back).keys() == tables.columns_of(table).keys()
    assert np.array_equal(tables.columns_of(with_islands)["island"], [3, 4])
    assert joined("evaluations", [], islands=True).schema.names[2] == "island"
    both = joined("generations", [plain, with_islands])
    assert both.column("island").to_pylist() == [None, None, 3, 4]


@pytest.mark.parametrize(("count", "labels"), [(3, 3), (14, 1)])
def test_pictures_have_a_line_an_island_and_of_many_the_mean_by_name(count, labels):
    rows = DataFrame(
        {
            "generation": generation,
            "population": f"{role}-island-{island}",
            "games_played": 10 * generation,
            "best": island + generation,
        }
        for generation in range(4)
        for island in range(count)
        for role in ("cat", "mouse")
    )
    figure = fitness_figure(rows, "points")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["cat", "mouse"]
    for axes in figure.axes:
        assert len(axes.lines) == count + (labels == 1)
        assert len(axes.texts) == labels
        drawn = [line.get_ydata().tolist() for line in axes.lines[:count]]
        assert drawn == [[float(island + n) for n in range(4)] for island in range(count)]


def test_a_picture_of_means_on_islands_says_so(monkeypatch):
    monkeypatch.setattr("results.plots.style.MOST_POINTS", 2)
    rows = DataFrame(
        {"generation": n, "population": f"all-island-{island}", "games_played": n, "best": n * n}
        for n in range(4)
        for island in range(2)
    )
    figure = fitness_figure(rows, "points")
    assert figure.get_suptitle() == "The best on each island, means of 2 generations"
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.texts] == ["island 0  6.5", "island 1  6.5"]


def test_many_panels_stand_in_rows():
    rows = DataFrame({"generation": [0, 1], "games_played": [1, 2]})
    figure, axes = panels("title", [str(number) for number in range(6)], rows)
    assert len(axes) == len(figure.axes) == 6
    assert len({round(each.get_position().y0, 3) for each in axes}) == 2
