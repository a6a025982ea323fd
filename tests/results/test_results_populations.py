"""Several populations in a run, tables beside networks, and what a learner carries beyond them."""

from __future__ import annotations

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_data import (
    INDIVIDUALS,
    ROLE_LAYOUTS,
    ROLES,
    SIZES,
    SPEC,
    columns,
    create,
    described,
    role_columns,
    role_run,
    row,
    written_run,
)
from run_checks import snapshot_bytes

from results import ResultsError, RunWriter, open_run
from results.format.genomes import decode_genomes, decode_population, evolving, spec_of


@pytest.fixture(scope="module")
def roles(tmp_path_factory):
    return open_run(role_run(tmp_path_factory.mktemp("roles") / "run"))


def test_a_population_is_read_by_its_name_and_all_without_one(roles):
    given = role_columns(1)
    whole = roles.population(1)
    assert list(whole["population"]) == list(given["population"])
    assert [bytes(genome) for genome in given["genome"]] == list(whole["genome"])
    for name, size in SIZES.items():
        part = roles.population(1, name)
        assert list(part.index) == list(part["individual"]) == list(range(size))
        mine = np.asarray(given["population"]) == name
        np.testing.assert_array_equal(part["id"], np.asarray(given["id"])[mine])
        assert part.dtypes.equals(whole.dtypes)
    with pytest.raises(ResultsError, match=r"no population 'dog' in .*; there are cat, mouse"):
        roles.population(1, "dog")


def test_the_populations_of_a_run_are_those_that_evolve(roles, tmp_path):
    assert roles.populations == ["cat", "mouse"]
    assert open_run(written_run(tmp_path / "one", until=0)).populations == ["main"]
    with create(tmp_path / "two") as writer:
        with pytest.raises(ResultsError, match="holds no snapshot yet"):
            _ = open_run(writer.path).populations
        names = ["b-archive", "b", "b", "a", "a", "lost-archive"]
        writer.snapshot({**columns(0), "population": names}, 0, 100)
    run = open_run(tmp_path / "two")
    assert run.populations == ["b", "a", "lost-archive"]  # the archive of nobody is none
    assert run.champion()["population"] == "b"


def test_tables_are_actions_without_the_bytes_that_fill_up(roles):
    given = role_columns(2)
    for name, genes in (("cat", 12), ("mouse", 9), ("cat-archive", 12), ("mouse-archive", 9)):
        policies = roles.policies(2, name)
        assert (policies.dtype, policies.shape) == (np.int8, (SIZES[name], genes))
        expected = np.asarray(given["genome"])[np.asarray(given["population"]) == name]
        assert policies.tolist() == expected[:, :genes].tolist()
    best = roles.champion(2, "mouse")
    row_of_best = roles.policies(2, "mouse")[best["individual"]]
    assert (
        bytes(row_of_best) + bytes(3) == best["genome"] == roles.population(2)["genome"][best.name]
    )


def test_genomes_of_several_lengths_are_asked_for_by_name(roles):
    with pytest.raises(ResultsError, match=r"differ in length \(cat 12, mouse 9, .*'cat'\)$"):
        roles.policies(2)
    with pytest.raises(ResultsError, match="no population 'dog'"):
        roles.policies(2, "dog")


def test_networks_have_weights_and_tables_policies_and_each_names_the_other(roles, tmp_path):
    with pytest.raises(
        ResultsError,
        match=r"population cat have no weights; read them by policies\(generation, 'cat'\)",
    ):
        roles.weights(2)
    with pytest.raises(ResultsError, match="mouse have no weights"):
        roles.weights(2, "mouse")
    networks = open_run(written_run(tmp_path / "run", until=0))
    with pytest.raises(ResultsError, match=r"main have no policies; read them by weights"):
        networks.policies()
    np.testing.assert_array_equal(networks.weights(0, "main"), networks.weights())


@given(st.data())
def test_rows_of_mixed_populations_are_decoded_in_their_order(data):
    names = data.draw(st.lists(st.sampled_from(["a", "b", "b-archive"]), min_size=1, max_size=12))
    genes, width = data.draw(st.integers(1, 6)), data.draw(st.integers(6, 9))
    cells = st.lists(st.integers(0, 127), min_size=width, max_size=width)
    genomes = np.array([data.draw(cells) for _ in names], np.uint8)
    table = {"numbers": "policies", "dtype": "|i1", "shape": [genes]}
    decoded = decode_population(genomes, names, {"a": table, "b": table}, "policies")
    assert decoded.dtype == np.int8
    assert decoded.tolist() == [list(genome[:genes]) for genome in genomes.tolist()]


def test_tables_shorter_than_their_description_are_refused():
    with pytest.raises(ResultsError, match="8 bytes; by their layout they need 9"):
        decode_genomes(np.zeros((2, 8), np.uint8), ROLE_LAYOUTS["mouse"])


def test_an_archive_has_the_genomes_of_its_population_and_one_description_is_for_all():
    assert spec_of(ROLES, "mouse-archive") is spec_of(ROLES, "mouse")
    assert spec_of(ROLES, "cat")["genes"] == 12
    assert spec_of(SPEC, "whoever") is SPEC
    own = {"populations": {"x": {"bytes": 1}, "x-archive": {"bytes": 2}}}
    assert spec_of(own, "x-archive") == {"bytes": 2}
    with pytest.raises(ResultsError, match=r"no population 'archive' .* there are cat, mouse, and"):
        spec_of(ROLES, "archive")
    assert evolving(["m", "c", "m-archive", "c"]) == ["m", "c"]


@pytest.mark.parametrize(
    ("genome", "message"),
    [
        ({"bytes": 12, "populations": []}, "genome.populations; expected is a table of tables"),
        ({"bytes": 12, "populations": {"cat": 3}}, "expected is a table of tables"),
        ({"bytes": 12, "populations": {"cat": {}}}, r"populations.cat.bytes = None; expected is a"),
        ({"bytes": 9, "populations": {"cat": {"bytes": 12}}}, "bytes = 9; .* populations, 12$"),
        ({"populations": {"cat": {"bytes": 12}}}, "genome.bytes = None"),
    ],
)
def test_a_description_that_does_not_hold_together_makes_no_run(tmp_path, genome, message):
    with pytest.raises(ResultsError, match=message):
        RunWriter.create(tmp_path / "run", described({"snapshot_interval": 1}, genome=genome))
    assert not (tmp_path / "run" / "run.json").exists()


def test_populations_may_grow_and_shrink_and_the_last_snapshot_makes_its_bytes_again(tmp_path):
    path = role_run(tmp_path / "run", until=0)
    sizes = [{"cat": 1, "mouse": 6}, {"cat": 2, "mouse": 1, "cat-archive": 9}]
    with RunWriter.open(path) as writer:
        for generation, counts in enumerate(sizes, start=1):
            writer.generation(row(generation, "cat"))
            writer.snapshot(role_columns(generation, counts), generation, 900)
    expected = snapshot_bytes(path)
    for generation, counts in enumerate(sizes, start=1):
        found = open_run(path).population(generation)["population"].value_counts()
        assert found.to_dict() == counts
    with RunWriter.open(path) as writer:
        last = writer.last
        assert list(last.columns["population"]) == list(role_columns(2, sizes[1])["population"])
    (path / "snapshots/generation-000002.parquet").write_bytes(b"")
    with RunWriter.open(path) as writer:
        assert writer.last.generation == 1
        writer.snapshot(last.columns, 2, last.games_played, last.state)
    assert snapshot_bytes(path) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": [0, 1, 2, 9, 4, 5, 6, 7, 8, 9]}, "holds id 9 twice"),
        ({"individual": [0, 1, 2, 0, 1, 1, 2, 0, 1, 0]}, r"individual \('cat', 0\) twice"),
        ({"population": ["cat"] * 9 + ["dog"], "individual": range(10)}, "no population 'dog'"),
    ],
)
def test_a_snapshot_in_which_somebody_stands_twice_is_refused_and_nothing_taken(
    tmp_path, change, message
):
    path = role_run(tmp_path / "run", until=0)
    with RunWriter.open(path) as writer:
        writer.generation(row(1, "cat"))
        with pytest.raises(ResultsError, match=message):
            writer.snapshot({**role_columns(1), **change}, 1, 200)
        writer.snapshot(role_columns(1), 1, 200)
    assert open_run(path).snapshots == [0, 1]


def test_ids_and_individuals_may_stand_in_any_order(tmp_path):
    shuffled = np.random.default_rng(1).permutation(INDIVIDUALS)
    given = {
        key: value if key == "population" else value[shuffled] for key, value in columns(0).items()
    }
    with create(tmp_path / "run") as writer:
        writer.snapshot(given, 0, 100)
    assert list(open_run(tmp_path / "run").population()["id"]) == list(given["id"])


STATE = {"turn": "mouse", "temperature": 0.1 + 0.2, "seen": [2**60, None, True], "deep": {"b": {}}}


def learner_text(path, generation):
    file = pq.ParquetFile(path / f"snapshots/generation-{generation:06d}.parquet")
    return file.metadata.metadata.get(b"learner")


def test_the_state_of_a_learner_comes_back_when_the_run_is_opened(tmp_path):
    path = role_run(tmp_path / "run", state=STATE)
    with RunWriter.open(path) as writer:
        assert writer.last.state == STATE
    text = learner_text(path, 2).decode()
    assert text == json.dumps(STATE, sort_keys=True, separators=(",", ":"))
    assert text.startswith('{"deep":{"b":{}},"seen":[')


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64) | st.text(max_size=3)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)  # fmt: skip


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=4))
def test_any_state_that_is_json_is_taken_as_it_is(tmp_path_factory, state):
    from results.format.metadata import state_of, state_text

    metadata = {"learner": state_text(state)}
    found = state_of(metadata)
    assert found == state
    assert state_text(found) == metadata["learner"]  # so the same bytes are made again


def test_a_learner_without_a_state_leaves_no_trace(tmp_path):
    paths = [
        role_run(tmp_path / str(number), state=state) for number, state in enumerate((None, {}))
    ]
    assert snapshot_bytes(paths[0]) == snapshot_bytes(paths[1])
    assert learner_text(paths[0], 2) is None
    with RunWriter.open(paths[0]) as writer:
        assert writer.last.state == {}


def test_a_state_is_copied_and_its_numbers_become_plain(tmp_path):
    state = {"steps": np.array([1, 2]), "best": np.float64(0.5), "where": (1, 2), "mine": [1]}
    path = role_run(tmp_path / "run", until=0)
    with RunWriter.open(path) as writer:
        writer.generation(row(1, "cat"))
        writer.snapshot(role_columns(1), 1, 200, state)
        state["mine"].append(2)
        expected = {"steps": [1, 2], "best": 0.5, "where": [1, 2], "mine": [1]}
        assert writer.last.state == expected
    with RunWriter.open(path) as writer:
        assert writer.last.state == expected


@pytest.mark.parametrize(
    ("state", "message"),
    [({"a": float("nan")}, "not JSON compliant"), ({"a": {1}}, "is a set"), ({1: 0, "a": 0}, "<")],
)
def test_a_state_that_is_not_json_is_refused_and_nothing_taken(tmp_path, state, message):
    path = role_run(tmp_path / "run", until=0)
    with RunWriter.open(path) as writer:
        with pytest.raises(ResultsError, match=f"cannot hold this state of a learner: .*{message}"):
            writer.snapshot(role_columns(1), 1, 200, state)
        assert writer.last.generation == 0
