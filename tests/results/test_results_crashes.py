"""A run survives a crash at any system call, and damage to any byte of a snapshot is noticed."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from processes import ROOT
from results_data import columns, create, evaluation, go_on, row, written_run
from run_checks import snapshot_bytes

from results import ResultsError, RunWriter, open_run
from results.errors import MissingWarning
from results.folder import snapshots
from results.folder.evaluations import write_evaluation
from results.folder.files import append_line, atomic_write, make_folder, remove
from results.storage import local, system

_CALLS = ("open", "write", "fsync", "replace", "unlink", "mkdir", "truncate")


class Crash(BaseException):
    """The process is gone: nothing after it reaches the disk."""


pytestmark = pytest.mark.usefixtures("quick_disk")


class Calls:
    """Counts the calls that change the disk, and from call ``crash_at`` on lets none through."""

    def __init__(self, crash_at: int | None, error: OSError | None = None) -> None:
        self.crash_at, self.error, self.done = crash_at, error, 0
        self.log: list[tuple[str, str]] = []

    def wrap(self, name: str):
        real = getattr(system, name)

        def call(*arguments, **options):
            self.done += 1
            if self.crash_at is not None and self.done >= self.crash_at:
                if name == "write" and self.done == self.crash_at and len(arguments[1]) > 1:
                    real(arguments[0], arguments[1][: len(arguments[1]) // 2])  # half of it
                raise self.error or Crash
            self.log.append((name, _target(name, arguments)))
            return real(*arguments, **options)

        return call


def _target(name, arguments):
    if name == "fsync":
        return (
            os.readlink(f"/proc/self/fd/{arguments[0]}") if os.path.exists("/proc/self/fd") else ""
        )
    return str(arguments[-1]) if name == "replace" else str(arguments[0])


@contextmanager
def counted(crash_at=None, error=None):
    calls = Calls(crash_at, error)
    with pytest.MonkeyPatch.context() as patch:
        for name in _CALLS:
            patch.setattr(system, name, calls.wrap(name))
        yield calls


def crash_points(work) -> int:
    with counted() as calls:
        work()
    return calls.done


def assert_no_row_twice(path):
    rows = open_run(path).generations[["generation", "population"]]
    import pandas as pd

    raw = pd.read_parquet(path / "generations") if any((path / "generations").iterdir()) else rows
    assert not raw.duplicated(["generation", "population"]).any()
    assert list(rows["generation"]) == list(range(len(rows)))


@pytest.mark.slow
def test_a_crash_at_any_call_of_a_run_costs_no_whole_snapshot_and_no_byte(tmp_path):
    expected = snapshot_bytes(written_run(tmp_path / "straight", until=5))
    total = 0

    def work(path):
        with create(path) as writer:
            go_on(writer, 3)  # ends off the interval
        with RunWriter.open(path) as writer:
            writer.set_generations(5)
            go_on(writer, 5)

    total = crash_points(lambda: work(tmp_path / "count"))
    assert total > 50
    assert snapshot_bytes(tmp_path / "count") == expected
    for point in range(1, total + 1):
        path = tmp_path / f"run{point}"
        with pytest.raises(Crash), counted(point):
            work(path)
        if not (path / "run.json").exists():
            create(path).close()  # a folder left half made is no obstacle
        whole = open_run(path).snapshots
        assert_no_row_twice(path)
        with RunWriter.open(path) as writer:
            last = writer.last
            assert (last.generation if last else None) == (whole[-1] if whole else None)
            go_on(writer, 5)
        assert_no_row_twice(path)
        assert snapshot_bytes(path) == expected, point
        assert list(open_run(path).generations["generation"]) == list(range(6))
        assert not list(path.rglob("*.tmp"))


@pytest.mark.parametrize(("generation", "back_to"), [(2, 0), (0, None)])
@pytest.mark.slow
def test_a_crash_while_damage_is_being_cleared_is_no_harm_either(tmp_path, generation, back_to):
    expected = snapshot_bytes(written_run(tmp_path / "straight"))

    def damaged(name):
        path = written_run(tmp_path / name)
        snapshot = path / f"snapshots/generation-{generation:06d}.parquet"
        snapshot.write_bytes(snapshot.read_bytes()[:-1])
        return path

    def work(path):
        with RunWriter.open(path) as writer:
            assert (writer.last.generation if writer.last else None) == back_to
            go_on(writer, 6)

    counting = damaged("count")
    for point in range(1, crash_points(lambda: work(counting)) + 1):
        path = damaged(f"run{point}")
        with pytest.raises(Crash), counted(point):
            work(path)
        assert_no_row_twice(path)
        with RunWriter.open(path) as writer:
            go_on(writer, 6)
        assert snapshot_bytes(path) == expected, point
        assert list(open_run(path).generations["generation"]) == list(range(7))


def test_each_file_is_on_the_disk_before_its_name_and_its_name_before_its_line(tmp_path):
    with create(tmp_path / "run") as writer:
        writer.generation(row(0))
        with counted() as calls:
            writer.snapshot(columns(0), 0, 100)
            writer.flush()
    steps = [(name, Path(target).name.split("-")[0]) for name, target in calls.log]
    assert steps == [
        *[("open", ".write"), ("write", steps[1][1]), ("fsync", ".write")],
        *[("replace", "000000"), ("fsync", "generations")],
        *[("open", ".write"), ("write", steps[6][1]), ("fsync", ".write")],
        *[("replace", "generation"), ("fsync", "snapshots")],
        *[("open", "snapshots.sha256"), ("write", steps[11][1]), ("fsync", "snapshots.sha256")],
    ]


@pytest.mark.parametrize(
    "number", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO, errno.EDQUOT, errno.ENOTDIR]
)
def test_a_refusal_of_the_system_at_any_call_is_one_line_and_leaves_what_was_there(
    tmp_path, number
):
    path = written_run(tmp_path / "run", until=4)
    error = OSError(number, os.strerror(number))
    before = snapshot_bytes(path)
    for point in range(2, 14):
        with RunWriter.open(path) as writer:
            writer.generation(row(5))
            with counted(point, error):
                writer.snapshot(columns(5), 5, 600)
                with pytest.raises(ResultsError, match=r"cannot write .*: ") as told:
                    writer.flush()
            assert "\n" not in str(told.value)
            assert str(path) in str(told.value)
        for name, data in before.items():
            kept = snapshot_bytes(path)[name]
            assert kept == data or (name == "snapshots.sha256" and kept.startswith(data))
    with RunWriter.open(path) as writer:
        go_on(writer, 6)
    assert snapshot_bytes(path) == snapshot_bytes(written_run(tmp_path / "straight"))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_device_leaves_the_old_content_and_no_temporary(tmp_path, monkeypatch):
    target = tmp_path / "run.json"
    atomic_write(target, b"old")
    full, real = os.open("/dev/full", os.O_WRONLY), os.write
    monkeypatch.setattr(system, "write", lambda _descriptor, data: real(full, data))
    with pytest.raises(ResultsError, match="no space is left on the device; free some"):
        atomic_write(target, b"new")
    os.close(full)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    assert target.read_bytes() == b"old"


def test_an_append_that_fails_is_taken_back_and_the_run_goes_on_before_it(tmp_path, monkeypatch):
    with create(tmp_path / "run") as writer:
        go_on(writer, 0)
        writer.flush()
        with monkeypatch.context() as patch:
            patch.setattr(local, "_write_all", _only_whole_files)
            for generation in (1, 2):
                writer.generation(row(generation))
            writer.snapshot(columns(2), 2, 300)
            with pytest.raises(ResultsError, match="no space is left"):
                writer.flush()
        assert (tmp_path / "run/snapshots.sha256").read_bytes().count(b"\n") == 1
    with RunWriter.open(tmp_path / "run") as writer:
        assert writer.last.generation == 0
        go_on(writer, 2)
    with RunWriter.open(tmp_path / "run") as writer:
        assert (writer.last.generation, writer.damaged) == (2, [])


def test_a_line_that_fails_halfway_leaves_the_bytes_that_were_there(tmp_path, monkeypatch):
    path = tmp_path / "lines"
    append_line(path, b"the first\n")
    real = os.write

    def half(descriptor, data):
        real(descriptor, bytes(data)[: len(data) // 2])
        raise OSError(errno.ENOSPC, "no space")

    with monkeypatch.context() as patch:
        patch.setattr(system, "write", half)
        with pytest.raises(ResultsError, match="no space is left"):
            append_line(path, b"the second\n")
    assert path.read_bytes() == b"the first\n"


def test_removed_files_and_new_folders_are_seen_to_the_disk_in_their_folder(tmp_path):
    with counted() as calls:
        make_folder(tmp_path / "a" / "b")
    (tmp_path / "a" / "file").touch()
    (tmp_path / "a" / "b" / "file").touch()
    with counted() as later:
        remove([tmp_path / "a" / "b" / "file", tmp_path / "a" / "file", tmp_path / "a" / "none"])
    a, b, top = str(tmp_path / "a"), str(tmp_path / "a" / "b"), str(tmp_path)
    assert calls.log == [("mkdir", a), ("fsync", top), ("mkdir", b), ("fsync", a)]
    removed = [("unlink", f"{b}/file"), ("unlink", f"{a}/file"), ("unlink", f"{a}/none")]
    assert later.log == [*removed, ("fsync", a), ("fsync", b)]


def _only_whole_files(descriptor, data):
    rest = memoryview(data)
    lines = bytes(rest[:200]).count(b"\n") == 1 and b"snapshots/" in bytes(rest)
    while rest:
        rest = rest[os.write(descriptor, rest[: 9 if lines else None]) :]
        if lines:
            raise OSError(errno.ENOSPC, "no space")


_RUN: dict[str, Path] = {}


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7), cut=st.booleans())
def test_a_cut_or_a_flipped_bit_anywhere_in_a_snapshot_is_noticed(
    tmp_path_factory, place, bit, cut
):
    path = _RUN.setdefault(
        "run", written_run(tmp_path_factory.mktemp("flip") / "run") if "run" not in _RUN else None
    )
    snapshot = path / "snapshots/generation-000004.parquet"
    whole = snapshot.read_bytes()
    at = int(place * len(whole))
    damaged = whole[:at] if cut else whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :]
    try:
        snapshot.write_bytes(damaged)
        with pytest.raises(ResultsError, match=r"generation-000004.parquet is damaged"):
            open_run(path).population(4)
        with RunWriter.open(path) as writer:
            assert writer.last.generation == 2
            assert "generation-000004.parquet is damaged" in writer.damaged[0]
            assert "goes on from generation 2" in writer.damaged[-1]
        assert open_run(path).snapshots == [0, 2, 4, 6]  # nothing removed before writing goes on
    finally:
        snapshot.write_bytes(whole)


@pytest.mark.parametrize(
    ("lost", "last", "message"),
    [
        (
            "snapshots/generation-000000.parquet",
            None,
            "starts over from generation 0, .*: 4 whole snapshots after it .* are removed",
        ),
        ("snapshots/generation-000002.parquet", 0, "000002.parquet is missing"),
        ("snapshots/generation-000007.parquet", 6, "000007.parquet is missing"),
    ],
)
def test_a_missing_file_is_reported_and_the_run_goes_on_before_it(tmp_path, lost, last, message):
    path = written_run(tmp_path / "run", until=7)
    expected = snapshot_bytes(path)
    (path / lost).unlink()
    left = sorted(path.rglob("*.parquet"))
    with RunWriter.open(path) as writer:
        assert (writer.last.generation if writer.last else None) == last
        assert re.search(message, "\n".join(writer.damaged))
        assert sorted(path.rglob("*.parquet")) == left  # it is said before anything is removed
        go_on(writer, 7)
    assert snapshot_bytes(path) == expected
    assert list(open_run(path).generations["generation"]) == list(range(8))


def test_a_snapshot_that_left_neither_file_nor_line_is_missed(tmp_path):
    path = written_run(tmp_path / "run", until=7)
    expected, manifest = snapshot_bytes(path), path / "snapshots.sha256"
    (path / "snapshots/generation-000002.parquet").unlink()
    lines = manifest.read_text().splitlines(keepends=True)
    manifest.write_text("".join(line for line in lines if "000002" not in line))
    with RunWriter.open(path) as writer:
        assert writer.last.generation == 0
        assert "000002.parquet is missing" in writer.damaged[0]
        go_on(writer, 7)
    assert snapshot_bytes(path) == expected


def test_a_torn_last_line_is_not_believed(tmp_path):
    path = written_run(tmp_path / "run")
    manifest = path / "snapshots.sha256"
    expected = manifest.read_bytes()
    manifest.write_bytes(expected[:-1])
    assert open_run(path).snapshots == [0, 2, 4]
    with RunWriter.open(path) as writer:
        assert writer.last.generation == 4
        go_on(writer, 6)
    assert manifest.read_bytes() == expected


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (None, "is missing"),
        ("", "has no line that can be read"),
        ("\0" * 400, "has no line that can be read"),
        ("deadbeef  snapshots/generation-000000.parquet\n", "has no line that can be read"),
    ],
    ids=["missing", "empty", "zeros", "garbled"],
)
def test_without_a_readable_list_going_on_is_refused_with_the_command_that_mends_it(
    tmp_path, text, state
):
    path = written_run(tmp_path / "my run", until=7)
    expected, manifest = snapshot_bytes(path), path / "snapshots.sha256"
    manifest.unlink()
    if text is not None:
        manifest.write_text(text)
    files_there = [file for file in path.rglob("*") if file.is_file() and file.name != ".lock"]
    before = {file: file.read_bytes() for file in files_there}
    with pytest.raises(ResultsError, match=rf"snapshots.sha256 {state}, so none of the 5") as told:
        RunWriter.open(path)
    assert {file: file.read_bytes() for file in before} == before
    command = re.search(r"\(cd .* > snapshots\.sha256\)", str(told.value))
    assert command is not None
    subprocess.run(command[0], shell=True, check=True)
    assert snapshot_bytes(path) == expected
    with RunWriter.open(path) as writer:
        assert (writer.last.generation, writer.damaged) == (7, [])


def test_without_list_and_snapshots_the_run_starts_over_and_may_crash_again(tmp_path):
    path = written_run(tmp_path / "run")
    expected = snapshot_bytes(path)
    (path / "snapshots.sha256").unlink()
    for file in (path / "snapshots").iterdir():
        file.unlink()
    with RunWriter.open(path) as writer, pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshots, "append_digest", _crash)
        go_on(writer, 0)
        with pytest.raises(Crash):
            writer.flush()
    assert [file.name for file in (path / "snapshots").iterdir()] == ["generation-000000.parquet"]
    with RunWriter.open(path) as writer:
        go_on(writer, 6)
    assert snapshot_bytes(path) == expected


def _crash(*arguments):
    raise Crash


def test_without_the_list_a_reader_still_reads(tmp_path):
    path = written_run(tmp_path / "run")
    (path / "snapshots.sha256").unlink()
    with pytest.warns(
        MissingWarning, match=r"sha256: it is missing, so no snapshot can be checked"
    ):
        assert open_run(path).snapshots == [0, 2, 4, 6]
    with pytest.warns(MissingWarning):
        assert len(open_run(path).population()) == 6


def test_sha256sum_checks_the_list(tmp_path):
    path = written_run(tmp_path / "run", until=7)
    try:
        command = ["sha256sum", "--strict", "-c", "snapshots.sha256"]
        found = subprocess.run(command, cwd=path, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("this system has no sha256sum")
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("OK") == 5


def test_a_snapshot_off_the_interval_goes_when_a_newer_one_is_whole(tmp_path):
    path = written_run(tmp_path / "run", until=3)
    assert open_run(path).snapshots == [0, 2, 3]
    with RunWriter.open(path) as writer:
        go_on(writer, 5)
    assert open_run(path).snapshots == [0, 2, 4, 5]
    assert snapshot_bytes(path) == snapshot_bytes(written_run(tmp_path / "straight", until=5))


def test_an_outlived_snapshot_that_a_crash_left_goes_at_open_without_a_word(tmp_path):
    path = written_run(tmp_path / "run", until=3)
    kept = (path / "snapshots/generation-000003.parquet").read_bytes()
    with RunWriter.open(path) as writer:
        go_on(writer, 4)
    (path / "snapshots/generation-000003.parquet").write_bytes(kept)
    with RunWriter.open(path) as writer:
        assert (writer.damaged, writer.last.generation) == ([], 4)
    assert sorted(file.name[-9:-8] for file in (path / "snapshots").iterdir()) == ["0", "2", "4"]


def test_rows_across_the_last_snapshot_are_cut_without_appearing_twice(tmp_path):
    path = written_run(tmp_path / "run")
    from results.folder import generations as parts

    for file in (path / "generations").iterdir():
        file.unlink()
    parts.write_rows(path, [row(generation) for generation in range(8)])
    with RunWriter.open(path) as writer:
        assert list(open_run(path).generations["generation"]) == list(range(7))
        go_on(writer, 8)
    assert_no_row_twice(path)
    assert len(open_run(path).generations) == 9


def test_another_process_may_not_write_the_run_and_its_death_frees_it(begin, tmp_path):
    path = written_run(tmp_path / "run")
    code = "import sys; from results import RunWriter; w = RunWriter.open(sys.argv[1]); "
    code += "print(1, flush=True); sys.stdin.read()"
    command, pipe = [sys.executable, "-c", code, str(path)], subprocess.PIPE
    other = begin(command, cwd=ROOT, stdin=pipe, stdout=pipe)
    assert other.stdout.read(1) == "1"
    with pytest.raises(ResultsError, match=rf"another process \(number {other.pid}\) is writing"):
        RunWriter.open(path)
    write_evaluation(path, "meanwhile", evaluation(2, 1, {"level-0": 100}))
    assert len(open_run(path).evaluations) == 1
    other.kill()
    other.wait()
    RunWriter.open(path).close()


def test_clearing_leftovers_spares_a_file_that_is_being_written(tmp_path, monkeypatch):
    path = written_run(tmp_path / "run")
    (path / ".write-1-dead.tmp").write_bytes(b"left by a crash")
    real = os.replace

    def open_the_run_first(temporary, final):
        monkeypatch.setattr(system, "replace", real)
        RunWriter.open(path).close()
        assert not (path / ".write-1-dead.tmp").exists()
        real(temporary, final)

    monkeypatch.setattr(system, "replace", open_the_run_first)
    write_evaluation(path, "meanwhile", evaluation(2, 1, {"level-0": 100}))
    assert len(open_run(path).evaluations) == 1


def test_a_leftover_is_locked_until_it_is_gone_so_that_no_writer_takes_its_name(
    tmp_path, monkeypatch
):
    (tmp_path / ".write-1-dead.tmp").write_bytes(b"left by a crash")
    real, states = os.unlink, []

    def unlink(path):
        with open(path) as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        states.append(path.name)
        real(path)

    monkeypatch.setattr(system, "unlink", unlink)
    local.LOCAL.clear(tmp_path)
    assert states == [".write-1-dead.tmp"]


def test_who_looks_whether_a_run_is_written_keeps_no_writer_out(tmp_path, monkeypatch):
    lock, looks = system.flock, []

    def flock(descriptor, how):
        with open(tmp_path / local.LOCK_NAME) as reader:
            if not looks:
                fcntl.flock(reader, fcntl.LOCK_SH)  # as a reader does for the moment of a question
                looks.append(how)
            lock(descriptor, how)

    monkeypatch.setattr(system, "flock", flock)
    held = local.LOCAL.lock(tmp_path)
    assert looks
    with pytest.raises(ResultsError, match="is writing this run"):
        local.LOCAL.lock(tmp_path)
    held.release()
