"""``evo status``: what can be told of runs by their files, however damaged those are."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import evo
from evo.cli.main import main
from evo.evolution import runs
from evo.evolution.loop import Progress
from results import RunWriter
from results.folder.status import EVERY_SECONDS, STATUS_FILE, StatusFile, read_status
from results.read.below import survey

SMALL = {"scheme": "round-robin", "population": 4, "game": "dots-and-boxes:rows=1,cols=1"}


@pytest.fixture
def run(tmp_path) -> Path:
    """A run that is done."""
    return evo.run(tmp_path / "runs" / "a", SMALL, generations=3, threads=1).path


def rows(folder: Path, **more) -> list[tuple]:
    return [(Path(row["run"]).name, row["state"], row["generation"]) for row in survey(folder)]


def test_runs_are_done_stopped_running_and_those_of_sweeps_waiting(run, tmp_path, capsys):
    folder = run.parent
    evo.run(folder / "b", SMALL, generations=3, threads=1)
    with pytest.raises(evo.Interrupted):
        evo.run(folder / "c", SMALL, generations=9, threads=1, stop=lambda: True)
    cells = [{"cell": "rr", "variant": "rr", "factors": {}}]
    (folder / "s").mkdir()
    (folder / "s" / "experiment.json").write_text(
        json.dumps({"name": "s", "seeds": [1, 2], "cells": cells})
    )
    evo.run(folder / "s" / "rr" / "seed-1", SMALL, generations=1, threads=1)
    with RunWriter.open(folder / "b"):
        assert rows(folder) == [
            ("a", "done", 3),
            ("b", "running", 3),
            ("c", "stopped", 0),
            ("seed-1", "done", 1),
            ("seed-2", "waiting", None),
        ]
        assert main(["status", str(folder)]) == 0
        assert "2 done, 1 running, 1 stopped, 1 waiting" in capsys.readouterr().out
    assert main(["status", str(folder / "a"), str(folder / "s"), "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["state"] for row in told] == ["done", "done", "waiting"]
    assert told[0]["snapshot"] == told[0]["generations"] == 3
    assert 0 <= told[0]["snapshot_seconds"] < 1000


def test_while_it_runs_a_run_says_how_far_it_is_and_then_that_it_ended(tmp_path, monkeypatch):
    """The clock goes on by more than the interval with each generation."""
    seen: list[dict] = []
    clock = iter(range(0, 10**6, 10))
    monkeypatch.setattr(runs, "StatusFile", lambda path: StatusFile(path, lambda: next(clock)))

    def look(progress: Progress) -> None:
        (row,) = survey(tmp_path / "run", lambda: 1000)
        seen.append({**row, "written": read_status(tmp_path / "run")["time"]})

    evo.run(tmp_path / "run", SMALL, generations=3, threads=1, report=look)
    assert [row["generation"] for row in seen] == [0, 1, 2, 3]
    assert {row["generations"] for row in seen} == {3}
    assert [row["games_per_second"] for row in seen] == [12 / 10] * 4
    assert [row["sign_seconds"] for row in seen] == [1000 - row["written"] for row in seen]
    assert {row["state"] for row in seen} == {"stalled"}  # nothing for 940 seconds
    (row,) = survey(tmp_path / "run")
    assert (row["state"], row["games_per_second"], row["games_played"]) == ("done", None, 48)


def test_the_file_is_replaced_now_and_then_and_says_what_came_between(tmp_path):
    times = iter([0.0, 1.0, 2.0, EVERY_SECONDS + 1, EVERY_SECONDS + 2, 3.0, 4.0])
    status = StatusFile(tmp_path, lambda: next(times))
    for games in (10, 10, 10, 10):
        status.say(games, lambda: {"generation": 1})
    written = read_status(tmp_path)
    assert written["time"] == EVERY_SECONDS + 1
    assert written["games_per_second"] == 30 / (EVERY_SECONDS + 1)
    status.say(10, lambda: {"generation": 5})  # the clock was set back
    assert read_status(tmp_path)["generation"] == 1 or read_status(tmp_path)["time"] == 3.0
    assert [path.name for path in tmp_path.iterdir()] == [STATUS_FILE]


def test_a_run_goes_on_where_its_status_cannot_be_written(tmp_path):
    (tmp_path / STATUS_FILE).mkdir()
    StatusFile(tmp_path).say(10, dict)
    assert read_status(tmp_path) == {}


def test_what_an_old_run_does_not_say_is_left_out(run):
    (run / STATUS_FILE).unlink()
    (row,) = survey(run)
    assert (row["state"], row["generation"], row["host"]) == ("done", 3, None)
    assert row["sign_seconds"] == row["snapshot_seconds"]
    with RunWriter.open(run):
        assert rows(run) == [("a", "running", 3)]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
NAMES = [*("time", "pid", "host", "generation", "faults", "interval", "games_per_second")]


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> Iterator[Path]:
    """A run that a process is writing."""
    path = tmp_path_factory.mktemp("running") / "run"
    evo.run(path, SMALL, generations=1, threads=1)
    with RunWriter.open(path):
        yield path


@settings(max_examples=60)
@example(content={"generation": 0.0})
@given(content=st.dictionaries(st.sampled_from(NAMES), VALUES) | VALUES | st.binary(max_size=200))
def test_whatever_stands_in_the_file_does_no_harm(content, running):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    (running / STATUS_FILE).write_bytes(data)
    assert main(["status", str(running)]) == 0
    assert survey(running)[0]["state"] in ("running", "stalled")


@pytest.mark.parametrize("data", [b"[" * 90_000, b"x" * 200_000, b'{"time": 1e999}', b"\xff"])
def test_a_file_that_is_none_of_ours_is_as_if_it_were_not_there(data, run):
    (run / STATUS_FILE).write_bytes(data)
    assert read_status(run) == {}
    assert rows(run) == [("a", "done", 3)]


def test_a_damaged_run_is_told_beside_the_others(run, capsys):
    broken = run.parent / "b"
    broken.mkdir()
    (broken / "run.json").write_text("{")
    assert main(["status", str(run.parent)]) == 0
    out = capsys.readouterr().out
    assert "1 done, 1 damaged" in out
    assert "not readable as JSON" in out


@pytest.mark.parametrize("width", [40, 60, 80, 119])
def test_a_narrow_terminal_has_the_columns_that_matter_most(width, run, monkeypatch, capsys):
    for place in ("b", "a-run-with-a-long-name/the-learning-rate=0.01,the-population=100/seed-7"):
        evo.run(run.parent / place, SMALL, generations=0, threads=1)
    (run.parent / "broken").mkdir()
    (run.parent / "broken" / "run.json").write_text("{")
    assert main(["status", str(run.parent)]) == 0
    whole = capsys.readouterr().out
    assert f"{run.parent}/a-run-with-a-long-name/the-learning-rate=0.01" in whole
    assert "not shown" not in whole
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["status", str(run.parent)]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = lines[: lines.index("")]
    assert (rows[0], len(rows)) == (f"in {run.parent}/:", 6)
    assert max(map(len, rows[1:])) <= width
    assert {"run", "state", "generation"} <= set(rows[1].split())
    assert all(word in rows[1].split() for word in ("best", "whole")[: width // 60])
    assert ([row.split()[1] for row in rows[2:]]) == ["done", "done", "done", "damaged"]
    assert [row.split()[0] for row in rows[2:]][::2] == ["a", "b"]
    assert "0.01,the-population=100/seed-7"[-width // 4 :] in rows[3]
    assert any(line.startswith(f"not shown at {width} columns: ") for line in lines)


def test_words_have_colours_on_a_terminal_alone(run, monkeypatch, capsys):
    def words(*arguments: str) -> tuple[str, str]:
        main(list(arguments))
        shown = capsys.readouterr()
        return shown.out, shown.err.partition(" ")[0]

    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    called = [("status", str(run)), ("verify", str(run)), ("status", "nowhere")]
    plain = [words(*each) for each in called]
    assert not any("\x1b" in text for texts in plain for text in texts)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert [words(*each) for each in called] != plain
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    (status, _), (verify, _), (_, error) = (words(*each) for each in called)
    assert "  \x1b[32mdone\x1b[0m  " in status
    assert " \x1b[32mwhole\x1b[0m" in verify
    assert error == "\x1b[31mevo:\x1b[0m"
    assert "\x1b" not in words("status", str(run), "--json")[0]
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as patched:
            patched.setenv(name, value)
            assert not any("\x1b" in text for each in called for text in words(*each))


def test_folders_without_runs_are_refused(tmp_path, capsys):
    for folder, message in ((tmp_path, "no run is in"), (tmp_path / "none", "is no folder")):
        assert main(["status", str(folder)]) == 2
        err = capsys.readouterr().err
        assert message in err
        assert err.count("\n") == 1


def test_nothing_is_written_by_looking(run):
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*")}
    survey(run)
    assert {path: path.stat().st_mtime_ns for path in run.rglob("*")} == before
