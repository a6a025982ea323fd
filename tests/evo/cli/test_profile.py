"""Where the time of generations goes: that it adds up, and that it is printed."""

from __future__ import annotations

import json
import time

import pytest

import evo
from evo.cli.main import main
from evo.cli.profile import Profile
from evo.evolution.loop import PARTS, Clock, Progress

RUN = ["run", "--scheme", "round-robin", "--population", "8", "--threads", "1", "--out", "run"]


def progress_of(generation: int, seconds: float) -> Progress:
    parts = dict.fromkeys(PARTS, 0.0) | {"play": 3 * seconds, "vary": seconds}
    return Progress(generation, 9, 0, 100, (), parts=parts)


def test_the_first_generation_is_left_out():
    profile = Profile()
    for generation, seconds in enumerate([50.0, 1.0, 3.0]):
        profile.take(progress_of(generation, seconds))
    assert (profile.generations, profile.games, profile.seconds) == (2, 200, 16.0)
    rows = {row["part"]: row for row in profile.rows()}
    assert list(rows) == [*PARTS, "all"]
    assert rows["play"]["milliseconds"] == 6000.0
    assert rows["vary"]["share"] == 0.25
    assert rows["all"]["milliseconds"] == 8000.0
    assert profile.summary() == "0.125 generations/s, 12 games/s"


def test_a_profile_of_nothing_says_so():
    profile = Profile()
    profile.take(progress_of(0, 1.0))
    assert profile.rows() == []
    assert "only the first generation" in profile.summary()


def test_a_clock_books_all_time_on_some_part():
    started = time.perf_counter()
    clock = Clock()
    clock.lap("vary")
    time.sleep(0.01)
    clock.lap("play")
    clock.move("play", "decode", 0.004)
    clock.lap("play")
    parts = clock.turn()
    assert parts["decode"] == 0.004
    assert parts["play"] >= 0.006
    assert 0.01 <= sum(parts.values()) <= time.perf_counter() - started
    assert set(clock.turn().values()) == {0.0}


def test_the_parts_of_a_run_are_the_seconds_of_its_table(tmp_path):
    told: list[Progress] = []
    run = evo.run(tmp_path / "run", population=8, generations=12, threads=1, report=told.append)
    table = run.generations
    for generation in (0, 5, 12):
        parts, row = told[generation].parts, table.iloc[generation]
        assert set(parts) == set(PARTS)
        assert min(parts.values()) >= 0.0
        assert row["vary_seconds"] == parts["vary"]
        evaluated = sum(parts[part] for part in ("schedule", "decode", "play", "score"))
        assert row["evaluate_seconds"] == pytest.approx(evaluated)
        assert told[generation].seconds == pytest.approx(sum(parts.values()))


def test_the_profile_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*RUN, "--generations", "3", "--profile"]) == 0
    printed = capsys.readouterr().out
    assert "generations/s" in printed
    assert "selection, crossover and mutation" in printed
    assert main(["resume", "run", "--generations", "5", "--profile", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    parts = {row["part"]: row for row in rows if "part" in row}
    assert list(parts) == [*PARTS, "all"]
    assert sum(parts[part]["milliseconds"] for part in PARTS) == pytest.approx(
        parts["all"]["milliseconds"], rel=1e-6
    )
