"""Which snapshots stay: the same however often a run was interrupted, and none too few."""

from __future__ import annotations

import json
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_data import columns, described, go_on, row
from run_checks import snapshot_bytes
from test_results_crashes import Crash, counted, crash_points

from evo.cli.main import main
from results import ResultsError, RunWriter, open_run
from results.folder.retention import Retention
from results.read.verify import verify
from results.writer.compact import compact

RULES = st.builds(Retention, st.integers(1, 4), st.integers(0, 5), st.integers(0, 5))


pytestmark = pytest.mark.usefixtures("quick_disk")


def create(path, until, **keep):
    config = {"generations": until, "snapshot_interval": 1, **keep}
    return RunWriter.create(path, described(config))


def kept_run(path, until, stops=(), **keep):
    """A run to its end, which stopped at some generations on the way."""
    with create(path, until, **keep) as writer:
        go_on(writer, min([*stops, until]))
    for stop in [*stops[1:], until]:
        with RunWriter.open(path) as writer:
            go_on(writer, stop)
    return path


def faults(path):
    return [finding for finding in verify(path) if finding.state != "whole"]


@given(rule=RULES, newest=st.integers(0, 100), later=st.integers(0, 100))
def test_no_snapshot_that_stays_later_goes_earlier(rule, newest, later):
    for generation in range(newest + 1):
        on_interval = generation % rule.interval == 0
        if on_interval and rule.stays(generation, newest + later):
            assert rule.stays(generation, newest)
    assert all(rule.stays(generation, newest) for generation in rule.for_good(newest))
    assert {0, newest} <= {g for g in range(newest + 1) if rule.stays(g, newest)}


@given(rule=RULES, ends=st.lists(st.integers(0, 60), min_size=1, max_size=4))
def test_what_one_snapshot_outlives_adds_up_to_what_stays(rule, ends):
    there, before = set(), None
    for end in sorted({*ends, 60}):  # a run that stops, and goes on, at any generation
        for generation in range(0 if before is None else before + 1, end + 1):
            if generation % rule.interval == 0 or generation == end:
                there = (there | {generation}) - rule.outlived(generation, before)
                before = generation
    assert there == {g for g in range(61) if _is_there(rule, g, 60)}


def _is_there(rule, generation, newest):
    if generation in (0, newest):
        return True
    number = generation // rule.interval
    if generation % rule.interval:
        return False
    numbers = list(range(newest // rule.interval + 1))
    last = numbers[-rule.last :] if rule.last else []
    every = numbers[:: rule.every] if rule.every else [] if rule.last else numbers
    return number in last or number in every


@pytest.mark.parametrize(
    ("keep", "there"),
    [
        ({"keep_every": 4, "keep_last": 2}, [0, 4, 8, 10, 11]),
        ({"keep_every": 5}, [0, 5, 10, 11]),
        ({"keep_last": 3}, [0, 9, 10, 11]),
        ({}, list(range(12))),
    ],
)
def test_the_rule_keeps_the_same_bytes_interrupted_or_not(tmp_path, keep, there):
    path = kept_run(tmp_path / "run", 11, **keep)
    assert open_run(path).snapshots == there
    assert faults(path) == []
    assert snapshot_bytes(kept_run(tmp_path / "stopped", 11, (2, 5, 9), **keep)) == (
        snapshot_bytes(path)
    )
    whole = snapshot_bytes(kept_run(tmp_path / "whole", 11))
    for file in (path / "snapshots").iterdir():  # the rule is no part of a snapshot
        assert whole[file.name] == file.read_bytes()


@pytest.mark.slow
def test_a_crash_at_any_call_keeps_the_rule(tmp_path):
    keep = {"keep_every": 4, "keep_last": 2}
    expected = snapshot_bytes(kept_run(tmp_path / "straight", 6, **keep))
    begun = kept_run(tmp_path / "begun", 4, **keep)

    def work(path):
        with RunWriter.open(path) as writer:
            go_on(writer, 5)

    total = crash_points(lambda: work(shutil.copytree(begun, tmp_path / "count")))
    for point in range(1, total + 1):
        path = shutil.copytree(begun, tmp_path / f"run{point}")
        with pytest.raises(Crash), counted(point):
            work(path)
        assert not any(finding.is_fault for finding in verify(path)), point
        with RunWriter.open(path) as writer:
            assert writer.last.generation >= 4
            go_on(writer, 6)
        assert snapshot_bytes(path) == expected, point
        assert faults(path) == []


def test_a_run_that_lost_its_newest_snapshots_goes_on_from_one_before_and_may_stop(tmp_path):
    keep = {"keep_every": 4, "keep_last": 3}
    path = kept_run(tmp_path / "run", 11, **keep)
    (path / "snapshots/generation-000011.parquet").unlink()
    (path / "snapshots/generation-000010.parquet").unlink()
    assert {finding.state for finding in faults(path)} == {"missing"}
    with RunWriter.open(path) as writer:
        assert writer.last.generation == 9
        go_on(writer, 10)
    with RunWriter.open(path) as writer:
        assert (writer.last.generation, writer.damaged) == (10, [])
        go_on(writer, 11)
    assert snapshot_bytes(path) == snapshot_bytes(kept_run(tmp_path / "straight", 11, **keep))


def test_a_run_that_is_there_is_compacted_at_any_crash_and_once(tmp_path):
    begun = kept_run(tmp_path / "begun", 6)
    straight = snapshot_bytes(kept_run(tmp_path / "straight", 7, keep_every=3, keep_last=2))
    counting = shutil.copytree(begun, tmp_path / "count")
    total = crash_points(lambda: compact(counting, 3, 2))
    assert open_run(counting).snapshots == [0, 3, 5, 6]
    assert open_run(counting).config["keep_every"] == 3
    files = {file: file.stat().st_mtime_ns for file in counting.rglob("*") if file.name != ".lock"}
    before, after = compact(counting, 3, 2)
    assert before == after
    assert files == {file: file.stat().st_mtime_ns for file in files}
    for point in range(1, total + 1):
        path = shutil.copytree(begun, tmp_path / f"run{point}")
        with pytest.raises(Crash), counted(point):
            compact(path, 3, 2)
        assert not any(finding.is_fault for finding in verify(path)), point
        compact(path, 3, 2)
        assert snapshot_bytes(path) == snapshot_bytes(counting)
    with RunWriter.open(counting) as writer:
        go_on(writer, 7)
    assert snapshot_bytes(counting) == straight


def test_what_was_removed_cannot_be_asked_to_stay(tmp_path, capsys):
    path = kept_run(tmp_path / "run", 12, keep_every=4)
    with pytest.raises(ResultsError, match="snapshot of generation 2, but it was removed"):
        compact(path, 2, 0)
    assert compact(path, 8)[1]["snapshots"] == 3
    assert main(["compact", str(path), "--keep-every", "-1"]) == 2
    assert "keep_every = -1; expected is a whole number from 0" in capsys.readouterr().err
    (path / "snapshots/generation-000008.parquet").unlink()
    assert main(["compact", str(path)]) == 2
    assert "nothing was changed: mend it by evo resume" in capsys.readouterr().err


def test_the_command_prints_the_sizes(tmp_path, capsys):
    path = kept_run(tmp_path / "run", 10)
    assert main(["compact", str(path), "--keep-last", "2", "--json"]) == 0
    before, after = map(json.loads, capsys.readouterr().out.splitlines())
    assert (before["snapshots"], after["snapshots"]) == (11, 3)
    assert before["generations"] == after["generations"] == 11
    assert after["bytes_a_generation"] == after["part_bytes"] / 11


def test_a_list_of_digests_that_is_removed_in_mid_run_is_written_again(tmp_path):
    expected = snapshot_bytes(kept_run(tmp_path / "straight", 4))
    with create(tmp_path / "run", 4) as writer:
        go_on(writer, 2)
        writer.flush()
        (tmp_path / "run/snapshots.sha256").unlink()
        writer.generation(row(3))
        writer.snapshot(columns(3), 3, 400)
        go_on(writer, 4)
    assert snapshot_bytes(tmp_path / "run") == expected
