"""Runs in a store of objects hold the bytes of runs on a disk, through crashes and lost answers."""

from __future__ import annotations

import re
from itertools import chain, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from results_data import columns, create, evaluation, go_on, row, written_run
from run_checks import snapshot_bytes
from storages import SECONDS, Clock, Crash, MemoryObjects, Watched, contents, folder

from results import ResultsError, RunWriter, open_run
from results.folder.evaluations import write_evaluation
from results.folder.files import names_in
from results.plots.run import plot_run
from results.read.status import status_of

KEY = "runs/x"


def snapshots_of(objects: MemoryObjects) -> dict[str, bytes]:
    """What ``run_checks.snapshot_bytes`` gives of a run on a disk."""
    snapshots = contents(objects, f"{KEY}/snapshots/")
    return snapshots | {"snapshots.sha256": contents(objects)[f"{KEY}/snapshots.sha256"]}


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """The snapshots of a run on a disk that nothing disturbed."""
    return snapshot_bytes(written_run(tmp_path_factory.mktemp("straight") / "run", until=5))


def test_a_run_is_running_as_long_as_its_lease_is_renewed(monkeypatch):
    objects = MemoryObjects()
    run = folder(objects)
    with create(run) as writer:
        go_on(writer, 2)  # of 6
    assert status_of(run)["state"] == "stopped"
    with RunWriter.open(run):
        row = status_of(folder(objects))
        assert (row["state"], row["snapshot"]) == ("running", 2)
        assert row["sign_seconds"] < 60
        age = 2 * SECONDS
        monkeypatch.setattr(objects, "age", lambda key: age)
        assert status_of(folder(objects))["state"] == "stopped"  # its driver died


def test_a_run_holds_the_bytes_of_one_on_a_disk_and_is_read_the_same(tmp_path, straight):
    objects = MemoryObjects()
    run = written_run(folder(objects), until=5)
    on_disk = open_run(written_run(tmp_path / "run", until=5))
    assert snapshots_of(objects) == straight
    opened = open_run(run)
    assert opened.snapshots == on_disk.snapshots
    assert opened.generations.equals(on_disk.generations)
    assert opened.population(4).equals(on_disk.population(4))
    assert repr(opened) == f"<run {run}: a run, seed 1, generation 5 of 5>"
    name = write_evaluation(run, "one", evaluation(4, 0, {"random": 200}))
    assert re.fullmatch(r"memory:///runs/x/evaluations/one-[0-9a-f]{16}.parquet", str(name))
    assert len(opened.evaluations) == 1
    pictures = plot_run(opened)
    assert [str(path) for path in pictures[:2]] == [
        f"{run}/plots/fitness.png",
        f"{run}/plots/fitness.svg",
    ]
    assert names_in(run / "plots") == sorted(path.name for path in pictures)
    with pytest.raises(ResultsError, match=rf"holds a run; go on with: evo resume {run}"):
        create(run)
    with pytest.raises(ResultsError, match="does not exist; give the folder that evo run"):
        open_run(run.parent / "y")
    with pytest.raises(ResultsError, match=r"is not a run: it holds no run.json"):
        open_run(run / "snapshots")


def test_a_snapshot_takes_three_requests():
    """The figure of ``docs/storage.md``: rows, snapshot, and the list with its line."""
    objects = Watched(MemoryObjects())
    with create(folder(objects)) as writer:
        go_on(writer, 2)
        writer.flush()
        objects.log.clear()
        for generation in (3, 4):
            writer.generation(row(generation))
        writer.snapshot(columns(4), 4, 500)
        writer.flush()
        requests = [
            (name, re.sub("-[0-9a-f]{16}", "", key.removeprefix(f"{KEY}/")))
            for name, key in objects.log
        ]
        assert requests[:3] == [  # then the flush looks at the list, once
            ("put", "generations/000003-000004.parquet"),
            ("put", "snapshots/generation-000004.parquet"),
            ("put", "snapshots.sha256"),
        ]


def _run(objects, clock, until: int) -> None:
    """Begin a run, or go on with it, to its end, as ``evo run --or-resume`` would."""
    run = folder(objects, KEY, clock)
    try:
        writer = RunWriter.open(run)
    except ResultsError:
        writer = create(run, generations=until)
    with writer:
        go_on(writer, until)


def _until_done(objects: MemoryObjects, trouble) -> int:
    """Run, crash, and go on after the lease's time in another process, till it is done."""
    crashes = 0
    while True:
        clock = Clock()
        try:
            _run(Watched(objects, trouble), clock, 5)
            return crashes
        except Crash:
            crashes += 1
            trouble = iter(())


@pytest.mark.parametrize("is_after", [False, True])
def test_a_crash_before_or_after_any_change_costs_no_byte(straight, is_after):
    fault = (None, Crash()) if is_after else (Crash(), None)
    for point in range(100):
        objects = MemoryObjects()
        trouble = chain(repeat((None, None), point), [fault])
        crashes = _until_done(objects, trouble)
        _assert_whole(objects, straight)
        if not crashes:
            break
    assert 15 < point < 99


FAULTS = {
    "none": (None, None),
    "lost on the way": (OSError("connection reset"), None),
    "answer lost": (None, OSError("connection reset")),
}


@settings(max_examples=30)
@given(st.lists(st.sampled_from(sorted(FAULTS)), max_size=40))
def test_answers_that_are_lost_cost_nothing(straight, faults):
    objects, clock = MemoryObjects(), Clock()
    in_fours = [name if place % 4 else "none" for place, name in enumerate(faults)]
    _run(Watched(objects, (FAULTS[name] for name in in_fours)), clock, 5)
    assert snapshots_of(objects) == straight


def test_a_driver_that_was_paused_is_stopped_at_its_next_snapshot_and_nothing_is_lost(straight):
    objects, clock = MemoryObjects(), Clock()
    paused = create(folder(objects, KEY, clock), generations=5)
    go_on(paused, 2)
    paused.flush()
    with RunWriter.open(folder(objects, KEY, clock)) as second:
        assert clock.now > 1000 + SECONDS
        go_on(second, 5)
        second.flush()
        clock.now -= 10 * SECONDS  # the paused one takes its lease for fresh
        paused.generation(row(3))
        paused.generation(row(4))
        paused.snapshot(columns(4), 4, 500)
        with pytest.raises(ResultsError, match="another process took the lock"):
            paused.flush()
        with pytest.raises(ResultsError, match="another process took the lock"):
            paused.snapshot(columns(5), 5, 600)
    paused.close()
    _assert_whole(objects, straight)


def test_a_line_that_was_under_way_when_another_took_over_is_noticed(straight):
    objects, clock = MemoryObjects(), Clock()
    paused = create(folder(objects, KEY, clock), generations=5)
    go_on(paused, 2)
    paused.flush()
    with RunWriter.open(folder(objects, KEY, clock)) as second:
        clock.now -= 10 * SECONDS
        for generation in (3, 4):
            paused.generation(row(generation))
        paused.snapshot(columns(4), 4, 500)
        paused.flush()  # nothing was written since, so it counts: it is what the other would write
        with pytest.raises(ResultsError, match=r"snapshots.sha256 was changed by another"):
            _go_on_and_wait(second)
    with pytest.raises(ResultsError, match="another process took the lock"):
        paused._files._lock._lease.renew()
    paused.close()
    _run(objects, Clock(), 5)
    _assert_whole(objects, straight)


def _go_on_and_wait(writer: RunWriter) -> None:
    go_on(writer, 5)
    writer.flush()


def _assert_whole(objects, straight) -> None:
    assert snapshots_of(objects) == straight
    rows = open_run(folder(objects)).generations
    assert rows["generation"].tolist() == list(range(6))


def test_a_driver_is_refused_while_another_writes():
    objects, clock = MemoryObjects(), Clock()
    with create(folder(objects, KEY, clock)) as writer:
        go_on(writer, 2)
        clock.meanwhile = writer._files._lock._lease.renew
        with pytest.raises(ResultsError, match=r"another process is writing this run: memory:///"):
            RunWriter.open(folder(objects, KEY, clock))
        go_on(writer, 4)
    assert open_run(folder(objects)).snapshots == [0, 2, 4]
