"""The pool of workers in simulated trouble: what it gives, that it ends, and what it counts."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
import simulated_workers
from simulated_workers import Outcomes, Simulated, Trouble

from cluster.evaluator import ClusterError, SpoiledError
from cluster.faults import Limits, MatchLost
from cluster.pace import Cut, Pace
from cluster.pool.assignment import Assignment
from cluster.pool.pool import Pool

SEED = os.environ.get("EVO_SIMULATION_SEED")
"""A seed to be run alone, such as a failing test has printed."""


def seeds(count: int) -> list[int]:
    return [int(SEED)] if SEED else list(range(count))


def test_whatever_happens_every_match_counts_once_and_the_pool_ends():
    met = {"lost", "repeated", "overdue", "checked", "differing", "quarantined"}
    for seed in seeds(400):
        met -= simulated_workers.run(seed).pool.faults.counts().keys()
    assert SEED or not met, f"these courses of events have nothing {met}"


@pytest.mark.slow
def test_ten_thousand_courses_of_events():
    for seed in seeds(10_000):
        simulated_workers.run(seed)


def workers(*nodes: str, trouble: Trouble | None = None, **more) -> Simulated:
    """Two workers a node."""
    return Simulated(random.Random(1), trouble or Trouble(), list(nodes or ["here"]), 2, **more)


def play(transport: Simulated, matches=40, chunk=8, pace=None, deadline=None, **options):
    """Outcomes of a call, the pool that played, and what a person was told."""
    said: list[str] = []
    pool = Pool(transport, None, announce=said.append, **options)
    cut = Cut(matches, pool.target, pace or Pace(0.05), "kind", chunk)
    parts = Assignment(pool, Outcomes(5, matches), cut, deadline).run()
    by_place = sorted(parts, key=lambda part: part.first)
    return np.concatenate([part.outcomes for part in by_place]), pool, said


def right(matches=40) -> np.ndarray:
    return Outcomes(5, matches).here(slice(0, matches))


@pytest.mark.parametrize("place", [0, 13, 39])
@pytest.mark.parametrize("fault", ["deadly", "endless"])
def test_the_very_match_that_costs_its_workers_is_named(fault, place):
    transport = workers("a", "b", **{fault: place})
    with pytest.raises(MatchLost, match=f"match {place} loses every worker") as lost:
        play(transport, limits=Limits(patience=60.0, warm=5.0))
    assert (lost.value.match, lost.value.pair, lost.value.seed) == (place, (place, -1), 5)


def test_a_chunk_that_is_late_is_given_to_another_and_the_first_answer_counts():
    transport = workers(trouble=Trouble(hangs=1.0), harm=1)
    outcomes, pool, _ = play(transport, limits=Limits(patience=30.0, warm=0.0))
    assert np.array_equal(outcomes, right())
    assert pool.faults.counts() == {"overdue": 1, "repeated": 2}  # and what waited for it
    assert transport.time < 60.0


def test_a_worker_that_is_late_for_long_is_taken_down():
    transport = workers(trouble=Trouble(hangs=1.0), harm=1)
    transport.slots = 1
    outcomes, pool, _ = play(transport, limits=Limits(patience=30.0, warm=0.0))
    assert np.array_equal(outcomes, right())
    assert pool.faults.counts() == {"lost": 2, "overdue": 1, "repeated": 2}
    assert transport.time > 60.0


def test_a_deadline_takes_a_worker_down_at_once():
    transport = workers(trouble=Trouble(hangs=1.0), harm=1)
    outcomes, pool, _ = play(transport, deadline=7.0)
    assert np.array_equal(outcomes, right())
    assert pool.faults.lost == 2
    assert transport.time < 10.0


def test_the_chunk_that_waits_for_another_is_not_to_blame_and_its_time_begins_when_its_turn_comes():
    transport = workers(deadly=0)
    transport.slots = 1
    limits = Limits(patience=1.0, warm=0.0, attempts=1, halves=1)
    with pytest.raises(MatchLost, match="match 0 loses"):
        play(transport, matches=16, chunk=8, limits=limits)  # the second is blamed for nothing
    transport = workers()
    transport.slots = 1
    _, pool, _ = play(transport, matches=200, chunk=100, limits=Limits(patience=1.6, warm=0.0))
    assert pool.faults.counts() == {}
    assert transport.waits < 10


def test_pieces_of_work_that_may_be_long_do_not_wait_behind_others():
    transport = workers()
    pool = Pool(transport, None)
    cut = Cut(8, pool.target, Pace(0.05), "kind", 1)
    parts = Assignment(pool, Outcomes(5, 8, is_fine=False), cut).run()
    next(parts)
    assert [len(worker.tasks) for worker in pool.workers.values()].count(2) == 0
    parts.close()


def test_a_node_that_gives_wrong_outcomes_is_named_and_left_and_its_chunks_are_played_again():
    transport = workers("good", "bad", wrong={"bad": 1.0})
    outcomes, pool, said = play(transport, matches=400, check=1)
    assert np.array_equal(outcomes, right(400))
    assert pool.faults.quarantined == 1
    assert transport.avoided == {"bad"}
    assert all(node == "good" for node in transport.open.values())
    (line,) = said
    assert "on node bad" in line
    assert "has played since a simulation" in line


def test_wrong_outcomes_that_were_counted_end_the_call():
    transport = Simulated(random.Random(0), Trouble(), ["good", "bad"], 2, wrong={"bad": 1.0})
    pool = Pool(transport, None, check=5)
    cut = Cut(400, pool.target, Pace(0.05), "kind", 2)
    counted = []
    with pytest.raises(SpoiledError, match=r"wrong outcomes for matches .* played anew"):
        counted += Assignment(pool, Outcomes(5, 400), cut).run()
    assert counted
    cut = Cut(400, pool.target, Pace(0.05), "kind", 2)
    parts = sorted(Assignment(pool, Outcomes(5, 400), cut).run(), key=lambda part: part.first)
    assert np.array_equal(np.concatenate([part.outcomes for part in parts]), right(400))


def test_wrong_results_of_pieces_of_work_are_replaced():
    transport = workers("good", "bad", wrong={"bad": 1.0})
    pool = Pool(transport, None, check=5)
    cut = Cut(400, pool.target, Pace(0.05), "kind", 1)
    job = Outcomes(5, 400, may_change=True)
    results = {part.first: part.outcomes for part in Assignment(pool, job, cut).run()}
    assert np.array_equal(np.concatenate([results[place] for place in range(400)]), right(400))
    assert pool.faults.quarantined == 1


def test_where_one_worker_is_all_there_is_this_process_compares():
    transport = workers()
    transport.slots = 1
    outcomes, pool, _ = play(transport, check=1)
    assert np.array_equal(outcomes, right())
    assert pool.faults.counts() == {"checked": 5}


def test_where_the_only_node_is_wrong_the_work_ends():
    with pytest.raises(ClusterError, match="no other node is left"):
        play(workers(wrong={"here": 1.0}), check=1)


def test_where_nobody_answers_that_is_said_and_it_ends_in_time():
    transport = workers(trouble=Trouble(starts_never=1.0), most_never=1000)
    said: list[str] = []
    pool = Pool(transport, 2, announce=said.append)
    cut = Cut(4, 2, Pace(0.05), "kind", 1)
    with pytest.raises(ClusterError, match=r"answered for 1800 seconds; 0 of 2 .* evo resume"):
        list(Assignment(pool, Outcomes(5, 4), cut).run())
    assert "no worker has answered for 60 seconds" in said[0]
    assert transport.time == pytest.approx(1800, abs=10)


def test_a_pool_without_a_size_follows_the_nodes():
    transport = workers("a")
    _, pool, _ = play(transport)
    assert len(pool.workers) == 2
    transport.nodes.append("b")
    pool.gather()
    assert len(pool.workers) == 4
    transport.nodes.remove("a")
    pool.gather()
    assert len(pool.workers) == 2
