"""Every storage keeps the same promises: on a disk, in memory, in object stores."""

from __future__ import annotations

import hashlib
import json
import pickle
import sys
from pathlib import Path

import pytest
from storages import Clock, MemoryObjects, Watched, folder, storage

from results import ResultsError
from results.folder import files
from results.storage.address import place_of
from results.storage.objects import Conflict, ObjectState
from results.storage.remote import RemotePath


@pytest.fixture(params=["disk", "objects"])
def top(request, tmp_path):
    """A folder of each storage, with nothing in it."""
    return tmp_path if request.param == "disk" else folder(MemoryObjects(), "runs/a b")


@pytest.fixture
def objects():
    return MemoryObjects()


def test_what_is_written_is_read_whole_and_replaced_whole(top):
    path = top / "a" / "file-1=x,y:+.json"
    files.make_folder(path.parent)
    for content in (b"first", b"", b"a" * 100_000):
        files.atomic_write(path, memoryview(content), top)
        assert files.read_file(path) == content
        assert files.digest_of(path) == hashlib.sha256(content).hexdigest()
        assert files.storage_of(path).size(path) == len(content)
    assert files.names_in(path.parent) == ["file-1=x,y:+.json"]


def test_whoever_looks_sees_how_old_a_file_is_and_whether_a_folder_is_locked(top):
    files.make_folder(top)
    assert files.is_locked(top) is False
    files.atomic_write(top / "file", b"x")
    assert files.age_of(top / "file") == pytest.approx(0, abs=60)
    assert files.age_of(top / "none") is None
    lock = files.lock_run(top)
    assert files.is_locked(top)
    lock.release()
    assert not files.is_locked(top)


def test_a_size_is_told_before_a_file_is_read(top):
    path = top / "file"
    files.make_folder(top)
    files.atomic_write(path, b"x" * 1000)

    def refuse(size):
        assert size == 1000
        raise ResultsError("too much")

    with pytest.raises(ResultsError, match="too much"):
        files.storage_of(path).read(path, refuse)


def test_lines_are_appended_to_a_file_that_is_made(top):
    for line in (b"one\n", b"two\n", b"three\n"):
        assert files.append_line(top / "list", line) == (line == b"one\n")
    assert files.read_file(top / "list") == b"one\ntwo\nthree\n"
    lock = files.lock_run(top)
    assert files.append_line(top / "other", b"one\n")
    assert not files.append_line(top / "other", b"two\n")
    assert not files.append_line(top / "list", b"four\n")
    lock.release()


def test_names_ascend_and_a_folder_that_is_not_there_holds_none(top):
    for name in ("b/2", "b/10", "c", "a.txt"):
        path = top / name
        files.make_folder(path.parent)
        files.atomic_write(path, b"x")
    assert files.names_in(top) == ["a.txt", "b", "c"]
    assert files.names_in(top / "b") == ["10", "2"]
    assert files.names_in(top / "none") == []


def test_files_and_folders_are_told_apart(top):
    files.make_folder(top / "folder")
    files.atomic_write(top / "folder" / "file", b"x")
    kinds = {
        name: (files.exists(top / name), files.is_folder(top / name))
        for name in ("folder", "folder/file", "fold", "folder/none")
    }
    assert kinds == {
        "folder": (True, True),
        "folder/file": (True, False),
        "fold": (False, False),
        "folder/none": (False, False),
    }


def test_removed_files_are_gone_and_twice_is_no_error(top):
    files.make_folder(top / "a")
    paths = [top / "a" / name for name in ("1", "2", "3")]
    for path in paths:
        files.atomic_write(path, b"x")
    files.remove(paths[:2])
    files.remove(paths[:2])
    assert files.names_in(top / "a") == ["3"]
    with pytest.raises(FileNotFoundError):
        files.read_file(paths[0])
    with pytest.raises(FileNotFoundError):
        files.storage_of(top).size(paths[0])


def test_a_lock_is_held_by_one_and_given_back(top):
    files.make_folder(top)
    files.atomic_write(top / "file", b"x")
    lock = files.lock_run(top)
    lock.check()
    with pytest.raises(ResultsError, match=r"this run") as told:
        files.lock_run(top)
    assert "\n" not in str(told.value)
    lock.release()
    lock.release()
    again = files.lock_run(top)
    files.atomic_write(top / "file", b"y")
    files.append_line(top / "file", b"z")
    again.release()
    assert files.read_file(top / "file") == b"yz"


def test_a_lock_that_was_removed_is_noticed_before_the_next_write(top):
    files.make_folder(top)
    lock = files.lock_run(top)
    files.storage_of(top).remove([top / files.LOCK_NAME])
    if isinstance(top, Path):
        with pytest.raises(ResultsError, match="removed"):
            lock.check()
        return
    with pytest.raises(ResultsError, match="removed it"):
        lock._lease.renew()
    for write in (files.atomic_write, files.append_line):
        with pytest.raises(ResultsError, match="nothing more was written"):
            write(top / "file", b"x")
    lock.release()
    assert files.names_in(top) == []


def test_an_object_is_written_in_the_state_that_is_asked_for_alone(objects):
    with pytest.raises(FileNotFoundError):
        objects.get("a/b")
    first = objects.put("a/b", b"1", ObjectState.ABSENT)
    with pytest.raises(Conflict):
        objects.put("a/b", b"2", ObjectState.ABSENT)
    second = objects.put("a/b", b"2", first)
    with pytest.raises(Conflict):
        objects.put("a/b", b"3", first)
    assert objects.get("a/b") == (b"2", second)
    objects.delete("a/b")
    with pytest.raises(Conflict):
        objects.put("a/b", b"3", second)
    assert objects.put("a/b", b"4", ObjectState.ANY) == objects.get("a/b").tag
    assert objects.names("a/") == ["b"]
    assert objects.names("a/b/") == []


# --- paths and addresses ------------------------------------------------------------------------


def test_a_path_goes_as_paths_of_this_machine_do():
    path = place_of("memory://bucket/runs//x/run-1.tar.json/")
    assert str(path) == "memory://bucket/runs/x/run-1.tar.json"
    assert (path.name, path.suffix) == ("run-1.tar.json", ".json")
    assert str(path.parent) == "memory://bucket/runs/x"
    assert path.parent / "run-1.tar.json" == path
    assert path.with_name("y") == path.parent / "y" == place_of("memory://bucket/runs/x/y")
    assert len({path, path.parent / path.name, path / "."}) == 1
    assert path.absolute() is path
    assert place_of(path) is path
    assert pickle.loads(pickle.dumps(path)) == path
    assert repr(path) == f"RemotePath('{path}')"


def test_a_path_without_a_scheme_is_of_this_machine():
    assert place_of("runs/x") == Path("runs/x")
    assert place_of(Path("runs/x")) == Path("runs/x")
    assert place_of("file:///data/a%20b/x") == Path("/data/a b/x")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("file://host/x", "file:///FOLDER is expected"),
        ("s3:///x", "s3://BUCKET/FOLDER is expected"),
        ("s3://bucket/../x", "without .. is expected"),
        ("nothing-such://a/b", r"file://, s3://, .*, is expected"),
    ],
)
def test_a_wrong_address_is_told_in_a_line(address, expected):
    with pytest.raises(ResultsError, match=expected) as told:
        place_of(address)
    assert "\n" not in str(told.value)


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    names = [name for name in sys.modules if name.partition(".")[0] == "obstore"]
    for name in ["obstore", *names]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ResultsError, match=r"pip install 'evo-tournaments\[storage\]'"):
        place_of("s3://a-bucket/x")


def test_credentials_in_an_address_are_refused_and_not_shown():
    for address in ("s3://KEY:SECRET@bucket/x", "s3://KEY@bucket/x", "sftp://me:SECRET@host/x"):
        with pytest.raises(ResultsError, match="environment variables") as told:
            place_of(address)
        assert "SECRET" not in str(told.value)
        assert "KEY" not in str(told.value)


def test_a_time_that_is_none_is_told(monkeypatch):
    monkeypatch.setenv("EVO_STORAGE_LEASE", "soon")
    with pytest.raises(ResultsError, match="EVO_STORAGE_LEASE=soon is set; seconds from 1 to"):
        place_of("memory://a-bucket-of-this-test/x")


# --- what a lock writes -------------------------------------------------------------------------


def test_a_writer_that_was_paused_overwrites_nothing_of_the_one_that_took_over():
    bucket, clock = MemoryObjects(), Clock()
    paused, second = folder(bucket, clock=clock), folder(bucket, clock=clock)
    lock = files.lock_run(paused)
    files.append_line(paused / "list", b"1\n")
    files.atomic_write(paused / "run.json", b"paused")
    other = files.lock_run(second)
    files.append_line(second / "list", b"2\n")
    files.atomic_write(second / "run.json", b"second")
    clock.now -= 1000  # so that the paused one does not even know that time went by
    for write in (
        lambda: files.append_line(paused / "list", b"3\n"),
        lambda: files.atomic_write(paused / "run.json", b"paused again"),
        lambda: files.remove([paused / "run.json"]),
    ):
        with pytest.raises(ResultsError, match="another process"):
            write()
    other.check()
    assert files.read_file(second / "list") == b"1\n2\n"
    assert files.read_file(second / "run.json") == b"second"
    lock.release()
    other.check()


def test_what_others_change_in_a_run_that_is_written_is_left_alone():
    bucket = MemoryObjects()
    run = folder(bucket)
    files.lock_run(run)
    files.append_line(run / "list", b"1\n")
    files.atomic_write(run / "run.json", b"ours")
    for name in ("list", "run.json"):
        bucket.put(f"runs/x/{name}", b"theirs", ObjectState.ANY)
    with pytest.raises(ResultsError, match=r"list was changed by another process"):
        files.append_line(run / "list", b"2\n")
    with pytest.raises(ResultsError, match=r"run.json was changed by another process"):
        files.atomic_write(run / "run.json", b"ours again")
    assert files.read_file(run / "list") == files.read_file(run / "run.json") == b"theirs"


def test_what_a_writer_that_is_gone_left_is_replaced():
    bucket = MemoryObjects()
    bucket.put("runs/x/snapshots/1", b"half of a run", ObjectState.ANY)
    run = folder(bucket)
    files.lock_run(run)
    files.atomic_write(run / "snapshots" / "1", b"whole")
    assert files.read_file(run / "snapshots" / "1") == b"whole"


@pytest.mark.parametrize("answer_is_lost", [False, True])
def test_an_answer_that_is_lost_is_told_from_a_refusal(answer_is_lost):
    bucket = Watched(MemoryObjects())
    run = folder(bucket)
    files.lock_run(run)
    files.append_line(run / "list", b"1\n")
    fault = OSError("connection reset")
    bucket.trouble = iter([(None, fault) if answer_is_lost else (fault, None)])
    files.append_line(run / "list", b"2\n")
    bucket.trouble = iter([(None, fault) if answer_is_lost else (fault, None)])
    files.atomic_write(run / "new", b"x")
    files.append_line(run / "list", b"3\n")
    assert files.read_file(run / "list") == b"1\n2\n3\n"
    assert files.read_file(run / "new") == b"x"


def test_a_store_that_refuses_is_one_line():
    bucket = Watched(MemoryObjects())
    path = RemotePath(storage(bucket), "runs/x") / "file"
    bucket.trouble = iter([(PermissionError("access was denied"), None)])
    with pytest.raises(ResultsError, match=r"cannot write .*x/file: access was denied"):
        files.atomic_write(path, b"x")
    bucket.trouble = iter([(PermissionError("access was denied"), None)])
    with pytest.raises(ResultsError, match=r"cannot write in memory:///runs/x: access was denied"):
        files.lock_run(path.parent)


def test_a_lock_says_who_holds_it_and_no_secret():
    bucket = MemoryObjects()
    files.lock_run(folder(bucket))
    content = json.loads(bucket.get("runs/x/.lock").data)
    assert set(content) == {"owner", "count", "seconds", "host", "process"}


def test_the_benchmark_counts_what_a_snapshot_asks_for():
    from benchmarks import storage as benchmark

    rows = {row["what"]: row for row in benchmark.measured(place_of("memory://benchmark/run"))}
    assert 3 <= rows["a snapshot"]["requests"] < 6
    assert rows["a snapshot"]["bytes"] > benchmark.INDIVIDUALS * benchmark.BYTES
