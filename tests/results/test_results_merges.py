"""A long run has few files, and no row is lost or read twice while they are made."""

from __future__ import annotations

import shutil

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from results_data import create, go_on, row, written_run
from run_checks import snapshot_bytes
from test_results_crashes import Crash, counted, crash_points

from results import RunWriter, open_run
from results.folder import generations
from results.folder.parquet import write_part
from results.format import tables

pytestmark = pytest.mark.usefixtures("quick_disk")


def spans(path):
    return [(part.first, part.last) for part in generations.stretches(path)]


def numbers(path):
    return open_run(path).generations["generation"].tolist()


def files_after(snapshots: int) -> int:
    """One a decimal digit's worth, and that of generation 0 as long as it stands alone."""
    return sum(int(digit) for digit in str(snapshots)) + (snapshots < 10)


def merge_if_due(path, generation, interval=1):
    """What a writer does after the snapshot of a generation."""
    if generations.is_merge_due(generation, interval):
        generations.merge(path, generation, interval)


def test_ten_files_become_one_and_ten_of_those_another(tmp_path):
    path = written_run(tmp_path / "run", until=0)
    for generation in range(1, 124):
        generations.write_rows(path, [row(generation)])
        merge_if_due(path, generation)
    assert spans(path) == [(0, 100), (101, 110), (111, 120), *((n, n) for n in (121, 122, 123))]
    assert len(spans(path)) == files_after(123)
    raw = pd.read_parquet(path / "generations")["generation"]
    assert raw.tolist() == list(range(124))


def test_populations_keep_their_order_in_a_merged_file(tmp_path):
    path = written_run(tmp_path / "run", until=0)
    for part in generations.stretches(path):
        part.path.unlink()
    for generation in range(11):
        rows = [row(generation, name) for name in ("mouse", "cat")]
        generations.write_rows(path, rows)
    merge_if_due(path, 10)
    assert spans(path) == [(0, 10)]
    raw = pd.read_parquet(path / "generations")
    assert raw["population"].tolist() == ["mouse", "cat"] * 11
    assert raw["generation"].tolist() == sorted([*range(11)] * 2)


@pytest.fixture(scope="module")
def nine(tmp_path_factory):
    return written_run(tmp_path_factory.mktemp("nine") / "run", until=9, interval=1)


def test_a_crash_at_any_call_of_a_merge_costs_no_row_and_doubles_none(tmp_path, nine):
    expected = snapshot_bytes(written_run(tmp_path / "straight", until=11, interval=1))

    def work(path):
        with RunWriter.open(path) as writer:
            go_on(writer, 10)

    def copy(name):
        return shutil.copytree(nine, tmp_path / name)

    counting = copy("count")
    total = crash_points(lambda: work(counting))
    assert spans(counting) == [(0, 10)]
    for point in range(1, total + 1):
        path = copy(f"run{point}")
        with pytest.raises(Crash), counted(point):
            work(path)
        there = numbers(path)
        assert there == list(range(len(there)))
        assert len(there) >= 10
        with RunWriter.open(path) as writer:
            go_on(writer, 11)
        assert spans(path) == [(0, 10), (11, 11)], point
        assert snapshot_bytes(path) == expected
        assert pd.read_parquet(path / "generations")["generation"].tolist() == list(range(12))


def test_rows_after_the_snapshot_to_go_on_from_leave_merged_files_too(tmp_path, nine):
    path = shutil.copytree(nine, tmp_path / "run")
    with RunWriter.open(path) as writer:
        go_on(writer, 10)
    expected = snapshot_bytes(path)
    (path / "snapshots/generation-000007.parquet").unlink()
    with RunWriter.open(path) as writer:
        assert writer.last.generation == 6
        writer.generation(row(7))
        assert spans(path) == [(0, 6)]
        go_on_from_seven(writer)
    assert spans(path) == [(0, 10)]
    assert snapshot_bytes(path) == expected


def go_on_from_seven(writer):
    from results_data import columns

    writer.snapshot(columns(7), 7, 800)
    go_on(writer, 10)


@pytest.mark.parametrize("hurt", ["merged", "part"])
def test_of_a_merged_file_and_its_parts_one_may_be_damaged(tmp_path, nine, hurt):
    path = shutil.copytree(nine, tmp_path / "run")
    parts = [part.path for part in generations.stretches(path)]
    kept = {part: part.read_bytes() for part in parts}
    with RunWriter.open(path) as writer:
        go_on(writer, 10)
    (merged,) = (part.path for part in generations.stretches(path))
    for part, data in kept.items():  # as a crash just before their removal leaves them
        part.write_bytes(data)
    damaged = merged if hurt == "merged" else parts[3]
    damaged.write_bytes(damaged.read_bytes()[:-1])
    with RunWriter.open(path) as writer:
        # Generation 10 was in the merged file alone.
        assert writer.last.generation == (9 if hurt == "merged" else 10)
        go_on(writer, 11)
    assert spans(path) == [(0, 10), (11, 11)]
    assert numbers(path) == list(range(12))


def replaced(run, part):
    """Put a row of another generation into a part, under the generation of its name."""
    part.path.unlink()
    data = tables.encode(tables.table_of_rows("generations", [row(part.first - 1)]))
    write_part(part.path.parent, f"{part.first:06d}-{part.last:06d}", data)


@pytest.mark.parametrize("harm", [lambda run, part: part.path.unlink(), replaced])
def test_a_stretch_without_the_rows_of_its_names_is_left_as_it_is(tmp_path, nine, harm):
    path = shutil.copytree(nine, tmp_path / "run")
    harm(path, generations.stretches(path)[4])
    before = spans(path)
    generations.write_rows(path, [row(10)])
    merge_if_due(path, 10)
    assert spans(path) == [*before, (10, 10)]


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    snapshots=st.integers(0, 130),
    interval=st.integers(1, 3),
    stops=st.sets(st.integers(0, 390), max_size=4),
)
def test_however_often_it_stopped_a_run_has_few_files_with_each_row_once(
    tmp_path_factory, snapshots, interval, stops
):
    path, end = tmp_path_factory.mktemp("merged") / "run", snapshots * interval
    with create(path, interval, end):
        pass
    reached = -1
    for stop in sorted({*(stop for stop in stops if stop < end), end}):
        generations.drop_after(path, reached)
        while reached < stop:
            until = 0 if reached < 0 else min(stop, (reached // interval + 1) * interval)
            generations.write_rows(path, [row(n) for n in range(reached + 1, until + 1)])
            merge_if_due(path, until, interval)
            reached = until
    generations.merge(path, end, interval)
    stretches = spans(path)
    assert [first for first, _ in stretches] == [0, *(last + 1 for _, last in stretches[:-1])]
    assert stretches[-1][1] == end
    assert len(stretches) <= files_after(snapshots) + len(stops)
    before = {part.path: part.path.read_bytes() for part in generations.stretches(path)}
    generations.merge(path, end, interval)
    assert {part.path: part.path.read_bytes() for part in generations.stretches(path)} == before
