"""Workers in simulated trouble: what a supervisor gives, that it ends, and what it counts."""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import simulated_workers
from simulated_workers import UNIT, Course, JobCourse, Outcomes, Runs, Simulated, Trouble

from cluster import jobs
from cluster.assignment import Assignment
from cluster.evaluator import ClusterError
from cluster.faults import Limits, MatchLost, WorkerIdentity
from cluster.jobs import ATTEMPTS, Outcome, perform
from cluster.pace import Cut, Pace
from cluster.supervisor import Supervisor

SEED = os.environ.get("EVO_SIMULATION_SEED")
"""A seed to be run alone, such as a failing test has printed."""


def seeds(count: int) -> list[int]:
    return [int(SEED)] if SEED else list(range(count))


def test_whatever_happens_every_match_counts_once_and_the_call_ends():
    met = {"lost", "repeated", "overdue", "checked"}
    for seed in seeds(400):
        met -= simulated_workers.run(seed).supervisor.faults.counts().keys()
    assert SEED or not met, f"these courses of events have nothing {met}"


def test_whatever_happens_no_job_runs_twice_at_a_time():
    """The transport refuses a job that a worker which was not ended has in hand."""
    lost = [simulated_workers.run(seed, JobCourse).lost for seed in seeds(150)]
    assert SEED or any(lost)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Course, JobCourse])
def test_ten_thousand_courses_of_events(kind):
    for seed in seeds(10_000 if kind is Course else 2000):
        simulated_workers.run(seed, kind)


def workers(*nodes: str, slots: int = 2, trouble: Trouble | None = None, **more: Any) -> Simulated:
    """Two workers a node."""
    return Simulated(random.Random(1), trouble or Trouble(), list(nodes or ["here"]), slots, **more)


def play(transport: Simulated, matches=40, chunk=8, pace=None, check=0, is_fine=True, **options):
    """Outcomes of a call, the supervisor, and what a person was told."""
    said: list[str] = []
    supervisor = Supervisor(transport, None, announce=said.append, **options)
    cut = Cut(matches, supervisor.target, pace or Pace(0.05), "kind", chunk)
    work = Outcomes(5, matches, is_fine=is_fine)
    parts = sorted(Assignment(supervisor, work, cut, check).run(), key=lambda part: part.first)
    return np.concatenate([part.outcomes for part in parts]), supervisor, said


def right(matches=40) -> np.ndarray:
    return Outcomes(5, matches).here(slice(0, matches))


def parts_handed(transport: Simulated) -> list[tuple[int, int]]:
    return [(part.start, part.stop) for _, _, part in transport.handed]


# --- chunks ------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 13, 39])
@pytest.mark.parametrize("fault", ["deadly", "endless"])
def test_the_very_match_that_costs_its_workers_is_named(fault, place):
    transport = workers("a", "b", **{fault: place})
    with pytest.raises(MatchLost, match=f"match {place} loses every worker") as lost:
        play(transport, limits=Limits(patience=60.0, warm=5.0))
    assert (lost.value.match, lost.value.pair, lost.value.seed) == (place, (place, -1), 5)


@pytest.mark.parametrize(
    ("slots", "faults", "seconds"),
    [(2, {"overdue": 1, "repeated": 2}, (10, 20)),
     (1, {"lost": 2, "overdue": 1, "repeated": 9}, (60, 70))],
)  # fmt: skip
def test_a_late_chunk_goes_to_another_worker_or_its_own_is_taken_down(slots, faults, seconds):
    """With the chunk that waits for it. Its matches are then handed out one by one."""
    transport = workers(slots=slots, trouble=Trouble(hangs=1.0), harm=1)
    outcomes, supervisor, _ = play(transport, limits=Limits(patience=30.0, warm=0.0))
    assert np.array_equal(outcomes, right())
    assert supervisor.faults.counts() == faults
    assert seconds[0] < transport.time < seconds[1]


def test_a_chunk_that_loses_its_worker_is_checked_all_the_same():
    """Unless no other node has a worker at the end of the call."""
    unchecked = lost = 0
    for seed in range(100):
        transport = workers("a", "b", slots=4, trouble=Trouble(dies_before=0.2))
        transport.rng.seed(seed)
        outcomes, supervisor, _ = play(transport, check=1)
        assert np.array_equal(outcomes, right())
        unchecked += supervisor.faults.checked < 5
        lost += supervisor.faults.lost
    assert unchecked < 12 < lost


@pytest.mark.parametrize(("chunk", "matches"), [(1, 40), (16, 64), (200, 400)])
def test_a_match_is_given_up_after_five_losses_in_chunks_of_any_length(chunk, matches):
    transport = workers(slots=1, deadly=13)
    with pytest.raises(MatchLost, match="match 13 loses"):
        play(transport, matches, chunk)
    held = [part for part in parts_handed(transport) if part[0] <= 13 < part[1]]
    assert len(held) == Limits().attempts == 5
    lengths = [last - first for first, last in held]
    assert lengths == sorted(lengths, reverse=True)
    for harm in range(5):
        outcomes, *_ = play(
            workers(slots=1, trouble=Trouble(dies_before=1.0), harm=harm), matches, chunk
        )
        assert np.array_equal(outcomes, right(matches))


def test_the_limits_of_a_chunk_double_each_time_it_is_handed_out():
    """So a chunk whose pace is unknown ends some day."""
    transport = workers(slots=1, endless=0)
    limits = Limits(patience=10.0, attempts=6)
    with pytest.raises(MatchLost):
        play(transport, matches=1, chunk=1, limits=limits, is_fine=False)
    times = [time for time, _, _ in transport.handed]
    lasted = np.diff(times)
    np.testing.assert_allclose(lasted, [20, 40, 80, 160, 160], atol=3.0)
    assert transport.time - times[-1] == pytest.approx(160, abs=3)


def test_a_chunk_that_waits_is_not_to_blame_and_its_time_begins_when_its_turn_comes():
    transport = workers(slots=1, deadly=0)
    with pytest.raises(MatchLost, match="match 0 loses"):
        play(transport, 32, limits=Limits(patience=1.0, attempts=3))
    assert parts_handed(transport).count((8, 16)) > 1  # with the first, and then whole
    transport = workers(slots=1)
    _, supervisor, _ = play(transport, 200, 100, limits=Limits(patience=1.6, warm=0.0))
    assert supervisor.faults.counts() == {}
    assert transport.waits < 10


def test_pieces_of_work_that_may_be_long_do_not_wait_behind_others():
    transport = workers()
    supervisor = Supervisor(transport, None)
    cut = Cut(8, supervisor.target, Pace(0.05), "kind", 1)
    parts = Assignment(supervisor, Outcomes(5, 8, is_fine=False), cut).run()
    next(parts)
    assert all(len(worker.tasks) < 2 for worker in supervisor.workers.values())
    parts.close()


def test_a_call_that_was_left_in_the_middle_does_not_keep_its_workers():
    transport = workers()
    supervisor = Supervisor(transport, None)
    for matches in (4000, 40):
        cut = Cut(matches, supervisor.target, Pace(0.05), "kind", 8)
        parts = Assignment(supervisor, Outcomes(5, matches), cut).run()
        next(parts)
        parts.close()
    outcomes = [*Assignment(supervisor, Outcomes(5, 8), Cut(8, 2, Pace(1), "kind", 8)).run()]
    assert np.array_equal(outcomes[0].outcomes, right(8))
    assert supervisor.faults.counts() == {}


def test_a_second_answer_comes_from_another_node():
    transport = workers("a", "b")
    supervisor = Supervisor(transport, None)
    while len(supervisor.ready) < 4:
        supervisor.step()
    parts = Assignment(supervisor, Outcomes(5, 80), Cut(80, 4, Pace(0.05), "kind", 8), 1).run()
    assert sum(len(part.outcomes) for part in parts) == 80
    assert supervisor.faults.counts() == {"checked": 10}
    nodes: dict[int, list[str]] = {}
    for _, worker, part in transport.handed:
        nodes.setdefault(part.start, []).append(transport.open[worker])
    assert all(sorted(both) == ["a", "b"] for both in nodes.values())


@pytest.mark.parametrize(("slots", "checked"), [(2, {"checked": 5}), (1, {})])
def test_on_one_node_another_worker_answers_if_there_is_one(slots, checked):
    outcomes, supervisor, _ = play(workers(slots=slots), check=1)
    assert np.array_equal(outcomes, right())
    assert supervisor.faults.counts() == checked


@pytest.mark.parametrize("is_fine", [True, False])
def test_where_two_workers_differ_the_work_ends_and_both_nodes_are_named(is_fine):
    transport = workers("good", "bad", wrong={"bad": 1.0})
    with pytest.raises(ClusterError, match=r"different outcomes for matches .* evo doctor") as ends:
        play(transport, 400, check=5, is_fine=is_fine)
    assert "on node good" in str(ends.value)
    assert "on node bad" in str(ends.value)


# --- workers -----------------------------------------------------------------------------------


def test_where_nobody_answers_that_is_said_and_it_ends_in_time():
    transport = workers(trouble=Trouble(starts_never=1.0), most_never=1000)
    said: list[str] = []
    supervisor = Supervisor(transport, 2, announce=said.append)
    cut = Cut(4, 2, Pace(0.05), "kind", 1)
    with pytest.raises(ClusterError, match=r"answered for 1,8\d\d seconds; 0 of 2 .* evo resume"):
        list(Assignment(supervisor, Outcomes(5, 4), cut).run())
    (line,) = said
    assert "no worker has answered for 60 seconds" in line
    assert transport.time == pytest.approx(1800, abs=10)


def test_silence_does_not_end_the_work_of_a_worker_that_is_still_in_time():
    hours = 2 * 3600
    limits = Limits(patience=3.0 * 3600)
    outcomes, supervisor, said = play(
        workers(), hours * 100, hours * 100, Pace(0.05), is_fine=False, limits=limits
    )
    assert len(outcomes) == hours * 100
    assert supervisor.transport.time > 0.5 * hours * 100 * UNIT > limits.end
    assert said == []


def test_starts_that_fail_in_a_row_end_the_work_and_a_start_between_them_forgets_them():
    attempts = Limits().attempts
    transport = workers(slots=1, failing=set(range(1, 1 + attempts)))
    with pytest.raises(ClusterError, match=f"{attempts} attempts failed in a row: it does not st"):
        play(transport)
    transport = workers(slots=1, failing={1, 2, 3, 4, 6, 7, 8, 9})
    supervisor = Supervisor(transport, None)
    for number in (5, 10):
        while not supervisor.ready:
            supervisor.step()
        assert list(supervisor.ready) == [number]
        supervisor.lost(number, "of a test", blame=False)


def test_workers_are_not_late_by_the_time_for_which_everything_was_suspended():
    """As by Ctrl-Z, and `fg` an hour later."""
    transport = workers(slots=1, freeze=(3.0, 3600.0))
    outcomes, supervisor, _ = play(transport, 1000, 1000, limits=Limits(patience=20.0))
    assert len(outcomes) == 1000
    assert transport.time > 3600
    assert supervisor.faults.counts() == {}


def test_a_supervisor_without_a_size_follows_the_nodes():
    transport = workers("a")
    _, supervisor, _ = play(transport)
    assert len(supervisor.workers) == 2
    transport.nodes.append("b")
    supervisor.gather()
    assert len(supervisor.workers) == 4
    transport.nodes.remove("a")
    supervisor.gather()
    assert len(supervisor.workers) == 2


def test_a_worker_with_other_versions_is_refused():
    transport = workers("old", slots=1, plays_with="python 3.12")
    supervisor = Supervisor(transport, 1)
    with pytest.raises(ClusterError, match=r"plays with python 3\.0, this process with python 3"):
        supervisor.started(1, WorkerIdentity("old", "10.0.0.1", "worker 1", "python 3.0"))
    said: list[str] = []
    transport.nodes, transport.avoided = ["old", "new"], set()
    supervisor = Supervisor(transport, 2, announce=said.append)
    supervisor.started(1, WorkerIdentity("old", "10.0.0.1", "worker 1", "python 3.0"))
    supervisor.started(2, WorkerIdentity("new", "10.0.0.2", "worker 2", "python 3.12"))
    assert "node 10.0.0.1 plays with python 3.0" in said[0]
    assert list(supervisor.ready) == [2]


# --- jobs --------------------------------------------------------------------------------------


def do(
    transport: Simulated,
    *given: list[float],
    stop: Callable[[], bool] = lambda: False,
    **limits: float,
) -> list[Outcome]:
    """Do jobs; see :class:`simulated_workers.Runs`."""
    numbered = [(f"job {number}", pauses) for number, pauses in enumerate(given)]
    limits = {"patience": 4.0, **limits}
    return perform(transport, Runs(), numbered, lambda *_: None, stop, Limits(**limits))


def test_a_job_may_be_silent_for_many_times_its_longest_silence_so_far(monkeypatch):
    """Since its first report; before that it compiles."""
    monkeypatch.setattr(jobs, "SILENCES", 4)
    transport = workers()
    (outcome,) = do(transport, [1, 3, 7])
    assert (outcome.value, len(transport.handed)) == ("job 0", 1)
    transport = workers()
    (outcome,) = do(transport, [3, 0.1, 7])
    expected = f"lost its worker {ATTEMPTS} times (nothing was heard of it for 4 seconds)"
    assert str(outcome.error) == expected
    assert len(transport.handed) == ATTEMPTS


def test_a_job_whose_worker_is_lost_is_begun_again_and_one_that_loses_each_ends_no_other():
    transport = workers(trouble=Trouble(dies_after=1.0), harm=2)
    assert [outcome.value for outcome in do(transport, [1], [1], [1])] == [
        "job 0",
        "job 1",
        "job 2",
    ]
    assert len(transport.handed) == 5
    lost, well = do(workers(slots=1), [-1], [1])
    assert str(lost.error) == f"lost its worker {ATTEMPTS} times (its process was killed)"
    assert well.value == "job 1"


def test_a_worker_that_cannot_be_ended_loses_its_job_but_once():
    transport = workers(slots=1, can_end=False)
    hanging, well = do(transport, [math.inf], [1])
    assert str(hanging.error) == "lost its worker (nothing was heard of it for 4 seconds)"
    assert (well.value, len(transport.handed)) == ("job 1", 2)


def test_a_suspended_process_does_not_take_its_workers_for_hanging():
    transport = workers(freeze=(4.0, 3600.0))
    (outcome,) = do(transport, [0.1, 3.0, 6.0], patience=5.0)
    assert (outcome.value, len(transport.handed)) == ("job 0", 1)
    assert transport.time > 3600


def test_once_stopped_no_job_is_begun_no_worker_started_and_none_waited_for_beyond_the_grace():
    transport = workers(slots=1)
    stops = iter([False] * 20)  # two seconds
    outcomes = do(transport, [10, -1], [1], stop=lambda: next(stops, True), patience=60.0)
    assert (outcomes, transport.stops) == ([Outcome(), Outcome()], 2)
    assert (len(transport.handed), transport.open) == (1, {})
    transport = workers(slots=1)
    do(transport, [math.inf], stop=lambda: transport.time > 2, patience=60.0, grace=7.0)
    assert transport.time == pytest.approx(9, abs=1)


def test_workers_of_which_none_starts_end_the_jobs():
    transport = workers(trouble=Trouble(starts_never=1.0), most_never=1000, slots=1)
    with pytest.raises(ClusterError, match=r"no worker has answered for 30\d seconds; 0 of 1"):
        do(transport, [1])
