"""A run is written by a thread: what waits, what fails meanwhile, and the same bytes."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import ROOT
from results_data import (
    INDIVIDUALS,
    SPEC,
    columns,
    create,
    go_on,
    row,
    written_run,
)
from run_checks import snapshot_bytes

from results import ResultsError, RunWriter, open_run
from results.format import tables
from results.storage import local, system
from results.writer import checkpoint

SOON = 120.0


@pytest.fixture
def held(monkeypatch):
    """An event for which the thread waits before each checkpoint; ``begun`` has those begun."""
    event = threading.Event()
    event.begun = []
    write = checkpoint.CheckpointFiles.write

    def wait_and_write(self, last, *given):
        event.begun.append(last.generation)
        event.wait(SOON)
        write(self, last, *given)

    monkeypatch.setattr(checkpoint.CheckpointFiles, "write", wait_and_write)
    yield event
    event.set()


def give(writer, generation):
    writer.generation(row(generation))
    writer.snapshot(columns(generation), generation, 100 * (generation + 1))


def disk_calls(path, flush):
    """What a run does to the disk, in order, temporary names left out."""
    log = []

    def logged(name):
        real = getattr(system, name)

        def call(*arguments, **options):
            if name == "fsync":
                target = os.readlink(f"/proc/self/fd/{arguments[0]}")
            else:
                target = str(arguments[-1] if name == "replace" else arguments[0])
            log.append((name, re.sub(r"\.write-.*", "temporary", target.replace(str(path), ""))))
            return real(*arguments, **options)

        return call

    with pytest.MonkeyPatch.context() as patch, create(path) as writer:
        for name in ("fsync", "replace", "unlink"):
            patch.setattr(system, name, logged(name))
        for generation in range(8):
            writer.generation(row(generation))
            if generation in (0, 2, 3, 4, 6, 7):  # 3 is off the interval and goes after 4
                writer.snapshot(columns(generation), generation, 100 * (generation + 1))
            if flush:
                writer.flush()
        writer.flush()
    return log


def test_nothing_waits_for_the_disk_before_the_fifth_snapshot_does(tmp_path, held):
    expected = snapshot_bytes(written_run_unheld(tmp_path / "straight", held, until=7))
    given, writer = list[int](), create(tmp_path / "run", interval=1)

    def caller():
        for generation in range(8):
            give(writer, generation)
            given.append(generation)

    thread = threading.Thread(target=caller, daemon=True)
    thread.start()
    while len(given) < 5 and thread.is_alive():
        thread.join(0.01)
    thread.join(0.3)
    assert thread.is_alive()
    assert given == [0, 1, 2, 3, 4]  # the first in hand, four that wait
    assert writer.last.generation == 4
    assert open_run(writer.path).snapshots == []
    held.set()
    thread.join(SOON)
    writer.close()
    assert given == list(range(8))
    assert snapshot_bytes(tmp_path / "run") == expected


def written_run_unheld(path, held, until):
    held.set()
    written_run(path, until=until, interval=1)
    held.clear()
    held.begun.clear()
    return path


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="this system has no /proc")
def test_the_order_on_the_disk_is_that_of_a_writer_who_waits_after_each(tmp_path):
    one_by_one = disk_calls(tmp_path / "one by one", flush=True)
    assert disk_calls(tmp_path / "waiting", flush=False) == one_by_one
    assert one_by_one.count(("unlink", "/snapshots/generation-000003.parquet")) == 1
    assert one_by_one.count(("fsync", "/snapshots.sha256")) == 6


def test_what_was_given_is_a_copy_that_nobody_can_change(tmp_path, held):
    expected = snapshot_bytes(written_run_unheld(tmp_path / "straight", held, until=1))
    with create(tmp_path / "run", interval=1) as writer:
        for generation in range(2):
            given, one = columns(generation), row(generation)
            writer.generation(one)
            writer.snapshot(given, generation, 100 * (generation + 1))
            one["best"] = np.nan
            for name in given.keys() - {"population"}:
                given[name][...] = 1
        for column in writer.last.columns.values():
            with pytest.raises(ValueError, match="read-only"):
                column[0] = column[1]
        held.set()
    assert snapshot_bytes(tmp_path / "run") == expected
    assert list(open_run(tmp_path / "run").generations["best"]) == [5.0, 6.0]


def test_the_last_snapshot_is_the_newest_given_and_flush_brings_it_to_the_disk(tmp_path, held):
    with create(tmp_path / "run") as writer:
        give(writer, 0)
        assert (writer.last.generation, writer.last.games_played) == (0, 100)
        assert writer.last.columns["genome"].tolist() == columns(0)["genome"].tolist()
        assert open_run(writer.path).snapshots == []
        held.set()
        writer.flush()
        assert open_run(writer.path).snapshots == [0]
        writer.generation(row(1))
        writer.flush()
        assert len(open_run(writer.path).generations) == 1  # a row waits for its snapshot
        writer.generation(row(1, "other"))


def test_a_snapshot_is_refused_at_once_and_nothing_was_taken(tmp_path):
    with create(tmp_path / "run") as writer:
        give(writer, 0)
        writer.generation(row(1))
        with pytest.raises(ResultsError, match="column wins is float64"):
            writer.snapshot({**columns(1), "wins": np.full(INDIVIDUALS, 0.5)}, 1, 200)
        assert writer.last.generation == 0
        writer.snapshot(columns(1), 1, 200)
    assert list(open_run(tmp_path / "run").generations["generation"]) == [0, 1]
    assert open_run(tmp_path / "run").snapshots == [0, 1]


def failing_after(monkeypatch, generation):
    """The disk is full from the snapshot of ``generation`` on, after its rows were written."""
    write = checkpoint.atomic_write

    def refuse(path, *rest):
        if f"{generation:06d}" in path.name:
            raise ResultsError(f"cannot write {path}: no space is left")
        write(path, *rest)

    monkeypatch.setattr(checkpoint, "atomic_write", refuse)


CALLS = {
    "generation": lambda writer: writer.generation(row(7)),
    "snapshot": lambda writer: writer.snapshot(columns(7), 7, 800),
    "set_generations": lambda writer: writer.set_generations(50),
    "flush": lambda writer: writer.flush(),
    "close": lambda writer: writer.close(),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_refusal_comes_from_the_next_call_and_nothing_after_it_is_written(
    call, tmp_path, held, monkeypatch
):
    failing_after(monkeypatch, 4)
    writer = create(tmp_path / "run")
    for generation in range(7):
        writer.generation(row(generation))
        if generation % 2 == 0:
            writer.snapshot(columns(generation), generation, 100 * (generation + 1))
    held.set()
    with suppress(ResultsError):
        writer._background.flush()
    writer._background._told = False  # only this test has been told
    with pytest.raises(ResultsError, match=r"000004\.parquet: no space is left"):
        CALLS[call](writer)
    writer.close()
    assert held.begun == [0, 2, 4]  # of 6 nothing was begun
    assert open_run(tmp_path / "run").snapshots == [0, 2]
    monkeypatch.undo()
    with RunWriter.open(tmp_path / "run") as writer:  # the lock was released
        assert (writer.last.generation, writer.damaged) == (2, [])
        go_on(writer, 6)
    assert snapshot_bytes(tmp_path / "run") == snapshot_bytes(written_run(tmp_path / "straight"))


def test_a_refusal_that_nobody_saw_ends_the_block_and_one_that_was_seen_is_not_repeated(
    tmp_path, monkeypatch
):
    failing_after(monkeypatch, 0)

    def block(name, error=None):
        with create(tmp_path / name) as writer:
            give(writer, 0)
            if error:
                raise error

    with pytest.raises(ResultsError, match="no space"):
        block("one")
    with pytest.raises(ResultsError, match="no space") as told:
        block("two", KeyError("mine"))
    assert isinstance(told.value.__context__, KeyError)
    with create(tmp_path / "three") as writer:
        give(writer, 0)
        with pytest.raises(ResultsError, match="no space"):
            writer.flush()
    for name in ("one", "two", "three"):
        RunWriter.open(tmp_path / name).close()


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, SystemExit])
def test_what_was_given_is_written_whatever_ends_the_block(tmp_path, error):
    def block():
        with create(tmp_path / "run") as writer:
            go_on(writer, 2)
            writer.generation(row(3))
            raise error

    with pytest.raises(error):
        block()
    assert open_run(tmp_path / "run").snapshots == [0, 2]
    with RunWriter.open(tmp_path / "run") as writer:
        assert (writer.last.generation, writer.damaged) == (2, [])
        go_on(writer, 6)
    assert snapshot_bytes(tmp_path / "run") == snapshot_bytes(written_run(tmp_path / "straight"))


def test_a_writer_who_writes_nothing_starts_no_thread(tmp_path):
    path = written_run(tmp_path / "run")
    before = threading.active_count()
    with RunWriter.open(path) as writer:
        writer.set_generations(9)
        writer.generation(row(7))
        writer.flush()
        assert threading.active_count() == before


def test_an_interrupt_between_two_snapshots_leaves_a_run_that_goes_on(tmp_path, monkeypatch):
    with create(tmp_path / "run") as writer:
        give(writer, 0)
        writer.generation(row(1))
        submit = writer._background.submit

        def submit_and_interrupt(job):
            submit(job)
            raise KeyboardInterrupt

        monkeypatch.setattr(writer._background, "submit", submit_and_interrupt)
        with pytest.raises(KeyboardInterrupt):
            writer.snapshot(columns(1), 1, 200)
    with RunWriter.open(tmp_path / "run") as writer:
        assert (writer.last.generation, writer.damaged) == (1, [])
        go_on(writer, 6)
    assert snapshot_bytes(tmp_path / "run") == snapshot_bytes(written_run(tmp_path / "straight"))


SCRIPT = """
import os, random, signal, sys, threading, time
from pathlib import Path
sys.path.insert(0, "tests")
from results_data import columns, create, go_on, row
from results import ResultsError, RunWriter
path = Path(sys.argv[1])
"""


def script(code, *arguments):
    command = [sys.executable, "-c", SCRIPT + code, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)


INTERRUPTED = """
draw, until, armed, interrupts = random.Random(int(sys.argv[2])), 150, False, 0
sync = os.fsync
os.fsync = lambda descriptor: (time.sleep(0.0005), sync(descriptor))  # so that snapshots wait

def interrupt(number, frame):
    if armed:
        raise KeyboardInterrupt

def storm():
    for _ in range(400):
        time.sleep(draw.random() * 0.004)
        os.kill(os.getpid(), signal.SIGINT)

columns(0)  # what it imports, it imports before the storm
create(path, 2, until).close()
signal.signal(signal.SIGINT, interrupt)
threading.Thread(target=storm, daemon=True).start()
def uninterrupted(call):
    global armed, interrupts
    try:
        armed = True
        call()
        armed = False
        return True
    except KeyboardInterrupt:
        armed = False
        interrupts += 1

done = False
while not done:
    writer = RunWriter.open(path)
    assert writer.damaged == [], writer.damaged
    done = uninterrupted(lambda: go_on(writer, until))
    while not uninterrupted(writer.close):
        pass
print(interrupts)
"""


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_run_interrupted_again_and_again_goes_on_to_the_same_bytes(tmp_path, seed):
    done = script(INTERRUPTED, tmp_path / "run", seed)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 10
    expected = snapshot_bytes(written_run(tmp_path / "straight", until=150))
    assert snapshot_bytes(tmp_path / "run") == expected
    assert list(open_run(tmp_path / "run").generations["generation"]) == list(range(151))


KILLED = """
from results.storage import system
sync, left = system.fsync, int(sys.argv[2])

def slow(descriptor):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.002)  # so that snapshots wait
    sync(descriptor)

writer = RunWriter.open(path)
system.fsync = slow
go_on(writer, 6)
writer.close()
"""


def test_a_process_killed_while_snapshots_wait_goes_on_from_the_last_whole_one(tmp_path):
    expected = snapshot_bytes(written_run(tmp_path / "straight"))
    for calls in range(1, 60, 7):
        path = tmp_path / str(calls)
        create(path).close()
        done = script(KILLED, path, calls)
        whole = open_run(path).snapshots
        with RunWriter.open(path) as writer:
            assert (writer.last.generation if writer.last else None) == max(whole, default=None)
            go_on(writer, 6)
        assert snapshot_bytes(path) == expected
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
    assert calls > 12


def test_a_process_that_ends_without_closing_keeps_what_was_given(tmp_path):
    done = script("writer = create(path); go_on(writer, 6); sys.exit(4)", tmp_path / "run")
    assert (done.returncode, done.stderr) == (4, "")
    straight = written_run(tmp_path / "straight")
    assert snapshot_bytes(tmp_path / "run") == snapshot_bytes(straight)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_list_that_cannot_be_read_when_a_snapshot_goes_is_told_in_one_line(
    number, tmp_path, monkeypatch
):
    def refuse(self, path, *check):
        raise OSError(number, os.strerror(number))

    path = written_run(tmp_path / "run", until=3)
    with RunWriter.open(path) as writer:
        writer.generation(row(4))
        monkeypatch.setattr(local.LocalStorage, "read", refuse)
        writer.snapshot(columns(4), 4, 500)
        with pytest.raises(ResultsError, match=r"cannot read .*snapshots.sha256: "):
            writer.flush()


def test_writing_and_resuming_a_run_load_no_pandas(tmp_path):
    done = script(
        "create(path).close(); writer = RunWriter.open(path); go_on(writer, 6); writer.close(); "
        "RunWriter.open(path).close(); print('pandas' in sys.modules)",
        tmp_path / "run",
    )
    assert done.stdout == "False\n", done.stderr


@given(st.lists(st.one_of(st.none(), st.integers(0, 99)), max_size=30), st.data())
def test_numbers_come_out_of_any_piece_of_a_column_with_its_nulls(values, data):
    cut = data.draw(st.integers(0, len(values)))
    first, rest = pa.array(values[:cut], pa.int64()), pa.array([None, 7, *values[cut:]], pa.int64())
    pieces = pa.chunked_array([first, rest.slice(2)])
    for column in (pieces, pieces.slice(cut // 2), pieces.filter(pc.is_valid(pieces))):
        found = tables.numpy_column(column)
        assert found.dtype == np.int64
        assert found.tolist() == [-1 if value is None else value for value in column.to_pylist()]
    assert tables._numbers(rest.slice(1, 1)).tolist() == [7]  # as a release may hand it over


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=4), min_size=1, max_size=20))
def test_any_text_and_any_parents_make_the_arrays_that_pyarrow_makes(texts):
    count = len(texts)
    given_columns = {**columns(3, count), "population": texts, "generation": np.full(count, 3)}
    table = tables.table_from_columns("snapshots", given_columns, SPEC["bytes"])
    table.validate(full=True)
    assert table["population"].to_pylist() == texts
    for name in ("parent_a", "parent_b"):
        expected = [None if value < 0 else value for value in given_columns[name].tolist()]
        assert table[name].to_pylist() == expected
    assert table["genome"].to_pylist() == [bytes(genome) for genome in given_columns["genome"]]
