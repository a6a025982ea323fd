"""The model of a generation on many workers, and how scaling is measured."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import ROOT

from benchmarks.scale import BEGIN, END, write
from benchmarks.scale_model import (
    Costs,
    Generation,
    by_formula,
    by_simulation,
    islands,
    lengths_of,
    limit,
    moved,
    speed_up,
)

FREE = Costs(individual=0.0, match=0.0, call=0.0, trip=0.0, schedule=0.0)
USUAL = Costs(individual=1e-5, match=3e-8, call=4e-4, trip=1e-3, schedule=3e-3, answer=5e-4)
WORKS = st.builds(
    Generation,
    individuals=st.integers(2, 500),
    matches=st.integers(1, 3000),
    seconds=st.sampled_from([1e-5, 1e-4, 1e-3]),
    chunk=st.sampled_from([None, 7, 100]),
    ahead=st.booleans(),
)


@given(WORKS, st.integers(1, 300))
def test_every_match_is_in_one_call_and_no_work_is_lost(work, workers):
    assert sum(lengths_of(work, workers)) == work.matches
    simulated = by_simulation(USUAL, work, workers)
    assert (
        simulated.calls == len(lengths_of(work, workers)) == by_formula(USUAL, work, workers).calls
    )
    assert simulated.driver == pytest.approx(by_formula(USUAL, work, workers).driver)


@given(WORKS, st.integers(1, 300))
def test_the_simulation_takes_what_the_driver_and_the_workers_need_at_least(work, workers):
    simulated = by_simulation(USUAL, work, workers)
    assert simulated.seconds >= simulated.driver - 1e-9
    assert simulated.seconds >= work.alone / workers
    each = USUAL.trip + USUAL.answer
    one_by_one = simulated.driver + work.alone + simulated.calls * each
    assert simulated.seconds <= one_by_one + 1e-9


@given(WORKS)
def test_one_worker_and_the_driver_take_turns(work):
    """So the formula is exact there, where no call waits for the worker."""
    work = replace(work, ahead=False)
    simulated, formula = by_simulation(USUAL, work, 1), by_formula(USUAL, work, 1)
    assert simulated.seconds == pytest.approx(formula.seconds)


def test_a_call_that_waits_for_its_worker_saves_the_trip():
    work = Generation(2, 1000, 0.001, chunk=10)
    slow = replace(FREE, trip=0.01)
    assert by_simulation(slow, replace(work, ahead=False), 2).seconds == pytest.approx(1.0)
    assert by_simulation(slow, work, 2).seconds == pytest.approx(0.51)


def test_workers_that_cost_nothing_scale_as_they_are_many():
    work = Generation(2, 64, 1.0, chunk=1)
    for workers in (1, 2, 8, 64):
        assert by_simulation(FREE, work, workers).seconds == pytest.approx(64 / workers)
    assert speed_up(FREE, work, 8, by_simulation(FREE, work, 8)) == pytest.approx(8)


def test_a_driver_is_the_limit_once_its_calls_take_longer_than_the_games():
    work = Generation(2, 1000, 0.01, chunk=10, ahead=False)
    busy = Costs(individual=0.0, match=0.0, call=0.005, trip=0.0, schedule=0.0)
    assert 1.05 < by_simulation(busy, work, 10).seconds < 1.1
    many = by_simulation(busy, work, 1000)
    assert many.seconds == pytest.approx(many.driver) == pytest.approx(0.5)
    assert limit(busy, work) < limit(USUAL, work)


def test_the_same_seed_draws_the_same_and_spread_takes_longer():
    work = Generation(2, 1000, 0.01)
    first, again, other = (by_simulation(USUAL, work, 9, seed, 0.5) for seed in (1, 1, 2))
    assert first == again != other
    assert first.seconds > by_simulation(USUAL, work, 9).seconds


def test_genomes_travel_once_a_node_and_outcomes_once():
    costs = Costs(0, 0, 0, 0, 0, genome_bytes=100, job_bytes=50, match_bytes=8, call_bytes=20)
    work = Generation(10, 100, 0.01, chunk=50)
    assert moved(costs, work, 17) == 2 * (50 + 1000) + 100 * 8 + 2 * 20


def test_islands_are_one_call_each_and_as_long_as_their_generations():
    of_each = Generation(10, 100, 0.01)
    stretch = islands(of_each, USUAL, every=20, count=30)
    assert lengths_of(stretch, 7) == [1] * 30
    assert stretch.seconds == pytest.approx(20 * (1.0 + 10 * 1e-5 + 100 * 3e-8))


def test_a_page_keeps_what_stands_around_its_tables(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{BEGIN}\n\nold\n\n{END}\n\nafter\n")
    write(page, "new")
    assert page.read_text() == f"before\n\n{BEGIN}\n\nnew\n\n{END}\n\nafter\n"
    assert (ROOT / "docs/scale.md").read_text(encoding="utf-8").count(BEGIN) == 1


@pytest.mark.slow
def test_scaling_prints_threads_and_islands():
    quick = ["--lengths", "0.003", "--rounds", "1", "--no-ray"]
    command = [sys.executable, "-m", "benchmarks.scaling", *quick]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(0 < row["value"] < 2 for row in rows if row["benchmark"] == "apart")
    rows = [row for row in rows if row["benchmark"] == "scaling"]
    assert [(row["threads"], row.get("islands")) for row in rows] == [
        *((1, None), (2, None)),
        *((1, 2), (2, 2)),
    ]
    assert all(
        row["lost"] == pytest.approx(row["threads"] * (1 - row["of_linear"]), abs=0.01)
        for row in rows
    )


@pytest.mark.slow
def test_a_real_driver_with_actors_that_sleep_takes_no_less_than_the_model_says():
    quick = ["--actors", "2", "--rounds", "1", "--population", "60"]
    command = [sys.executable, "-m", "benchmarks.scale", *quick]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    rows = [line for line in done.stdout.splitlines() if line.startswith("| 2 | 1 ms")]
    (cells,) = [line.strip("| ").split(" | ") for line in rows]
    simulated, measured = float(cells[2]), float(cells[4])
    assert measured > simulated / 4  # and more where the machine is busy otherwise
