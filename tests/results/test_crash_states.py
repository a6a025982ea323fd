"""Whatever a crash leaves of a write, the old or the new state is there and can be gone on with.

The model of a file system is :mod:`crash_disk`, what is promised :mod:`crash_promises`.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from crash_disk import Disk, Step, Tree, choices, crash_states, recorded, torn, write_tree
from crash_promises import WORKS, Recording, explore, record

from results.storage import local, system
from results.writer import checkpoint

pytestmark = pytest.mark.usefixtures("quick_disk")


# --- the model ---------------------------------------------------------------------------------


def left_of(before: Tree, *steps: Step) -> list[Tree]:
    """What a crash after these calls may leave."""
    disk = Disk(before)
    for step in steps:
        disk.take(step)
    return list(disk.states())


WRITTEN = (Step("open", "new", 1), Step("write", 1, b"data"))
RENAMED = Step("replace", "new", "file")


def test_until_a_file_is_synced_any_part_of_it_may_be_lost():
    left = {tree.get("new", "no name") for tree in left_of({}, *WRITTEN)}
    assert left == {"no name", b"", b"da", b"dat", b"data", bytes(4), b"da\0\0"}
    assert left_of({}, *WRITTEN, Step("fsync", 1)) == [{}, {"new": b"data"}]


def test_a_rename_may_come_before_its_data_and_its_old_name_back_until_the_folder_is_synced():
    renamed = left_of({"file": b"old"}, *WRITTEN, RENAMED)
    assert {"file": b""} in renamed
    assert {"file": b"old"} in renamed
    synced = left_of({"file": b"old"}, *WRITTEN, Step("fsync", 1), RENAMED)
    assert {tree["file"] for tree in synced} == {b"old", b"data"}
    assert {"file": b"data", "new": b"data"} in synced
    sure = (Step("fsync", 1), RENAMED, Step("fsync folder", "."))
    assert left_of({"file": b"old"}, *WRITTEN, *sure) == [{"file": b"data"}]


def test_a_new_folder_may_be_lost_with_all_that_is_in_it_and_a_removed_file_come_back():
    steps = (Step("mkdir", "sub"), Step("open", "sub/new", 1), Step("fsync", 1))
    assert {} in left_of({}, *steps, Step("fsync folder", "sub"))
    kept = (*steps, Step("fsync folder", "."), Step("fsync folder", "sub"))
    assert left_of({}, *kept) == [{"sub": None, "sub/new": b""}]
    assert left_of({"file": b"old"}, Step("unlink", "file")) == [{"file": b"old"}, {}]


def test_an_append_leaves_what_was_there_and_a_part_a_hole_or_zeros_of_the_rest():
    left = torn([b"a" * 10, b"a" * 10 + b"b" * 1200])
    assert all(content.startswith(b"a" * 10) for content in left)
    assert b"a" * 10 + bytes(512) + b"b" * 688 in left
    assert len(left) == 8


def test_many_pending_changes_are_tried_all_none_each_alone_and_each_left_out():
    few = list(choices([[0, 1]] * 3))
    assert len(few) == len(set(few)) == 8
    many = set(choices([[0, 1]] * 20))
    assert {sum(choice) for choice in many} == {0, 1, 19, 20}
    assert len(many) == 42


# --- what is promised ----------------------------------------------------------------------------

WHOLE = ("a snapshot", "an evaluation", "a sweep")
"""Works whose states are all checked by default; of the others each third one is."""
LINEAGE = tuple(name for name in WORKS if name.startswith("lineage"))
SLOW = ("snapshots that wait", "snapshots that go", "parts that become one")


@pytest.mark.parametrize("name", [name for name in WORKS if name not in SLOW + LINEAGE])
def test_each_state_that_a_crash_may_leave_keeps_what_was_promised(name, tmp_path):
    work = WORKS[name](tmp_path)
    recording = record(work, tmp_path / "recorded")
    explored = explore(work, recording, tmp_path / "states", each=1 if name in WHOLE else 3)
    assert explored.broken == []
    assert explored.states >= 10


@pytest.mark.slow
@pytest.mark.parametrize("name", WORKS)
def test_so_does_every_state_and_those_of_a_crash_while_it_is_gone_on_with(name, tmp_path):
    work = WORKS[name](tmp_path)
    recording = record(work, tmp_path / "recorded")
    assert explore(work, recording, tmp_path / "states").broken == []
    states = list(crash_states(*recording))
    for number in range(0, len(states), len(states) // 8):
        state, folder = states[number], tmp_path / f"second-{number}"
        write_tree(folder / "recorded", state.tree)
        with recorded(folder / "recorded") as recorder:
            WORKS[name](tmp_path).check(folder / "recorded", state.marks)
        second = Recording(state.tree, recorder.steps)
        marks = {**state.marks, "begun": 99}  # by whoever went on
        assert explore(work, second, folder, each=7, marks=marks).broken == [], number


# --- the checks bite -----------------------------------------------------------------------------


def without_syncs_of_files(steps: list[Step]) -> list[Step]:
    return [step for step in steps if step.call != "fsync"]


def without_syncs_of_folders(steps: list[Step]) -> list[Step]:
    return [step for step in steps if step.call != "fsync folder"]


def renamed_before_it_is_synced(steps: list[Step]) -> list[Step]:
    changed = list(steps)
    for place, (first, second) in enumerate(itertools.pairwise(steps)):
        if (first.call, second.call) == ("fsync", "replace"):
            changed[place : place + 2] = [second, first]
    return changed


def without_syncs_of_lines(steps: list[Step]) -> list[Step]:
    lists = {step.more for step in steps if step.call == "open" and ".write-" not in step.what}
    return [step for step in steps if step.call != "fsync" or step.what not in lists]


def the_line_before_its_snapshot(patch: pytest.MonkeyPatch) -> None:
    """The list names a snapshot that is still to be written."""
    late: list[tuple[object, ...]] = []
    append, write = checkpoint.snapshots.append_digest, checkpoint.atomic_write

    def append_then_write(*arguments: object) -> None:
        append(*arguments)
        write(*late.pop())

    patch.setattr(checkpoint, "atomic_write", lambda *arguments: late.append(arguments))
    patch.setattr(checkpoint.snapshots, "append_digest", append_then_write)


def the_line_before_the_rows(patch: pytest.MonkeyPatch) -> None:
    """A snapshot counts before its rows are there."""
    late: list[tuple[object, ...]] = []
    append, write = checkpoint.snapshots.append_digest, checkpoint.generations.write_rows

    def append_then_write(*arguments: object) -> None:
        append(*arguments)
        while late:
            write(*late.pop())

    patch.setattr(checkpoint.generations, "write_rows", lambda *given: late.append(given))
    patch.setattr(checkpoint.snapshots, "append_digest", append_then_write)


def files_written_in_place(patch: pytest.MonkeyPatch) -> None:
    """No temporary file, no rename."""

    def write(self: object, path: Path, data: bytes, beside: Path | None = None) -> None:
        descriptor = system.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
        system.truncate(descriptor, 0)
        system.write(descriptor, data)
        system.fsync(descriptor)
        system.close(descriptor)
        local._sync(path.parent)

    patch.setattr(local.LocalStorage, "write", write)


ALTERED = [
    without_syncs_of_files,
    renamed_before_it_is_synced,
    without_syncs_of_folders,
    pytest.param(without_syncs_of_lines, marks=pytest.mark.slow),
]
REORDERED = [
    the_line_before_its_snapshot,
    pytest.param(the_line_before_the_rows, marks=pytest.mark.slow),
    files_written_in_place,
]
OF_LINES = (without_syncs_of_lines, the_line_before_its_snapshot, the_line_before_the_rows)
WITH_LINES = ("a snapshot", "off the interval", "after damage")
WITHOUT_LINES = ("an evaluation", "a tournament", "a snapshot", "a new run")


@pytest.fixture(scope="module")
def recordings(tmp_path_factory) -> dict[str, Recording]:
    """What works do, recorded once."""
    base = tmp_path_factory.mktemp("recordings")
    names = sorted({*WITH_LINES, *WITHOUT_LINES})
    return {name: record(WORKS[name](base), base / name) for name in names}


@pytest.mark.parametrize("sabotage", ALTERED)
def test_calls_that_are_left_out_or_swapped_break_promises(sabotage, recordings, tmp_path):
    def recording(name: str) -> Recording:
        before, steps = recordings[name]
        return Recording(before, sabotage(steps))

    assert len(broken_works(recording, tmp_path, sabotage)) >= 2


@pytest.mark.parametrize("sabotage", REORDERED)
def test_a_program_that_writes_in_another_way_breaks_promises(sabotage, tmp_path):
    def recording(name: str) -> Recording:
        with pytest.MonkeyPatch.context() as patch:
            sabotage(patch)
            return record(WORKS[name](tmp_path), tmp_path / "recorded" / name)

    assert len(broken_works(recording, tmp_path, sabotage)) >= 2


def broken_works(
    recording: Callable[[str], Recording], folder: Path, sabotage: object
) -> list[str]:
    """Two works, one of whose promises is broken; fewer where there are no two."""
    broken: list[str] = []
    for name in WITH_LINES if sabotage in OF_LINES else WITHOUT_LINES:
        work = WORKS[name](folder)
        if explore(work, recording(name), folder / name, until_broken=True).broken:
            broken.append(name)
        if len(broken) == 2:
            break
    return broken
