"""The system refuses any call, once or for good: it is told, and nothing that was promised is lost.

As SQLite's tests do it: call 1 fails, then call 2, and so on until the work meets no fault.
"""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from crash_disk import read_tree, write_tree
from crash_promises import WORKS
from refusals import FAULTS, refusing
from results_data import columns, create, go_on, row, written_run
from run_checks import snapshot_bytes

from results import ResultsError, RunWriter, open_run
from results.folder.files import append_line, atomic_write
from results.storage import system

pytestmark = pytest.mark.usefixtures("quick_disk")


def refusal(act: Callable[[], object], first: int, number: int, for_good: bool) -> tuple[str, int]:
    """Do something whose call ``first`` fails; what was told, and how many calls there were."""
    with refusing(first, number, for_good) as system_calls:
        try:
            act()
        except ResultsError as error:
            return str(error), system_calls.calls
        return "", system_calls.calls


def check_all(name: str, base: Path, faults: list[tuple[int, bool]]) -> int:
    """Let call after call fail, each in the next of these ways; how many there were."""
    work = WORKS[name](base)
    work.prepare(base / "before")
    before = read_tree(base / "before")
    for first in itertools.count(1):
        folder, marks = base / str(first), {}
        write_tree(folder, before)
        act = partial(work.act, folder, marks.__setitem__)
        told, calls = refusal(act, first, *faults[first % len(faults)])
        assert "\n" not in told
        assert not told or str(folder) in told
        work.check(folder, marks)  # where nothing was told, all that there is to promise was
        if calls < first:
            return calls
    raise AssertionError


@pytest.mark.parametrize("name", ["a snapshot", "an evaluation"])
def test_a_refusal_of_any_call_is_told_and_leaves_what_was_promised(name, tmp_path):
    assert check_all(name, tmp_path, FAULTS) > 9


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault", FAULTS, ids=lambda fault: f"{errno.errorcode[fault[0]]}{fault[1]}"
)
@pytest.mark.parametrize("name", WORKS)
def test_so_does_each_refusal_of_any_call(name, fault, tmp_path):
    assert check_all(name, tmp_path, [fault]) > 9


@pytest.mark.parametrize("most", [1, 7, 1000])
def test_short_writes_are_gone_on_with(most, tmp_path, monkeypatch):
    expected = snapshot_bytes(written_run(tmp_path / "straight", 2))
    monkeypatch.setattr(system, "write", lambda descriptor, data: os.write(descriptor, data[:most]))
    assert snapshot_bytes(written_run(tmp_path / "run", 2)) == expected


@pytest.mark.parametrize("write", [atomic_write, append_line])
def test_a_system_that_writes_nothing_is_a_fault_and_not_waited_for(write, tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(system, "write", lambda descriptor, data: 0)
    with pytest.raises(ResultsError, match="input/output error"):
        write(path, b"new")
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


# --- the list of digests -------------------------------------------------------------------------


@pytest.mark.parametrize("text", [None, b"", b"another\n"], ids=["removed", "emptied", "another"])
def test_a_list_that_is_removed_or_changed_in_mid_run_is_written_again(text, tmp_path):
    expected = snapshot_bytes(written_run(tmp_path / "straight"))
    path = tmp_path / "run"
    with create(path) as writer:
        go_on(writer, 4)
        writer.flush()
        lose(path / "snapshots.sha256", text)
        go_on(writer, 6)
        writer.flush()
        assert snapshot_bytes(path) == expected
        lose(path / "snapshots.sha256", text)
        writer.flush()
    assert snapshot_bytes(path) == expected
    assert open_run(path).snapshots == [0, 2, 4, 6]


def test_a_run_that_is_killed_after_its_list_was_removed_has_a_whole_list(tmp_path):
    path = tmp_path / "run"
    with create(path) as writer:
        go_on(writer, 4)
        writer.flush()
        lose(path / "snapshots.sha256", None)
        for generation in (5, 6):
            writer.generation(row(generation))
        writer.snapshot(columns(6), 6, 700)  # and no flush
    with RunWriter.open(path) as writer:
        assert (writer.last.generation, writer.damaged) == (6, [])


def test_a_damaged_run_that_is_only_opened_and_flushed_keeps_its_list(tmp_path):
    path = written_run(tmp_path / "run")
    (path / "snapshots/generation-000004.parquet").unlink()
    before = snapshot_bytes(path)
    with RunWriter.open(path) as writer:
        assert writer.damaged
        writer.flush()
    assert snapshot_bytes(path) == before


def lose(path: Path, text: bytes | None) -> None:
    path.unlink()
    if text is not None:
        path.write_bytes(text)
