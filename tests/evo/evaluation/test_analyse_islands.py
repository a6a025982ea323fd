"""What ``evo analyse`` says of a run with islands."""

from __future__ import annotations

import pytest

import evo
from evo.evaluation.island_diversity import drift
from results import DataFrame

ROLES = {
    "game": "cat-and-mouse:rows=3,cols=3",
    "population": 6,
    "generations": 6,
    "snapshot_interval": 3,
    "islands": {"count": 3, "every": 2},
}


@pytest.mark.slow
def test_an_analysis_tells_islands_apart_and_says_how_far_apart_they_are(tmp_path):
    there = evo.run(tmp_path / "run", ROLES, threads=1)
    found = evo.analyse(there.path, games=4, threads=1)
    said = {(row["about"], row["population"]) for row in found.records}
    for island in range(3):
        assert ("cycling", f"island-{island}") in said
        assert ("against random", f"cat-island-{island}") in said
    assert found.scores["population"].unique().tolist() == there.populations
    table = found.islands
    assert table["population"].tolist() == ["cat", "mouse"] * 3
    for row in table.to_dict("records"):
        rows = there.generations
        here = rows["generation"] == row["generation"]
        of_role = rows["population"].str.startswith(row["population"])
        assert row["within"] == pytest.approx(rows[here & of_role]["diversity"].mean())
        assert row["together"] >= row["within"] - 0.1
    assert (table["between"].between(0.0, 1.0)).all()
    keys = [(row["about"], row["population"]) for row in found.records]
    cats = found.records[keys.index(("islands", "cat"))]
    assert cats["between"] == table[table["population"] == "cat"]["between"].iloc[-1]


def test_islands_that_are_alike_and_islands_far_apart_are_told_from_each_other():
    def verdict(within, together):
        row = {"generation": 3, "population": "all", "within": within, "together": together}
        (diagnosis,) = drift(DataFrame([row | {"between": 1.0 - within / together}]))
        return diagnosis.verdict

    assert verdict(0.30, 0.30) == "alike"
    assert verdict(0.27, 0.30) == "apart in part"
    assert verdict(0.10, 0.40) == "far apart"
