"""How a schedule is cut into calls, and that whoever gives it away in parts gives all of it."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster import ClusterError, Entrants, LocalEvaluator
from cluster.evaluator import all_outcomes
from cluster.pace import LONGEST, Pace
from cluster.ray_matches import RayEvaluator
from cluster.threads import AHEAD, _Call
from tournaments import TournamentError, games, players
from tournaments.schedules.base import Listed, Matches

GAME = games.make("dots-and-boxes", rows=2, cols=2)
PANEL = tuple(players.make(name, GAME) for name in ("level-0", "level-1"))
ENTRANTS = Entrants(GAME, PANEL)


def matches_of(count: int) -> Matches:
    return Matches(Listed(np.full((count, 2), (-1, -2), dtype=np.int32)), 1, "test")


def lengths(pace: Pace, total: int, workers: int) -> list[int]:
    cut, left = [], total
    while left > 0:
        cut.append(min(pace.length("kind", left, total, workers), left))
        left -= cut[-1]
    return cut


def measured(speed: float, shortest: float = 0.05) -> Pace:
    pace = Pace(shortest)
    pace.measured("kind", 1000, 1000 / speed)
    return pace


@given(
    total=st.integers(1, 10**6), workers=st.integers(1, 64), speed=st.floats(1e3, 1e8) | st.none()
)
def test_calls_make_up_the_schedule(total, workers, speed):
    cut = lengths(measured(speed) if speed else Pace(0.05), total, workers)
    assert sum(cut) == total
    assert min(cut) >= 1


@given(workers=st.integers(1, 64), speed=st.floats(1e4, 1e6), seconds=st.floats(1.0, 20.0))
def test_a_call_lasts_from_the_shortest_to_the_longest_time(workers, speed, seconds):
    cut = lengths(measured(speed), int(speed * seconds * workers), workers)
    assert max(cut) <= LONGEST * speed * 1.001
    assert min(cut[:-1]) >= 0.05 * speed * 0.99  # the last is what is left
    assert len(cut) >= 2 * workers


def test_a_short_schedule_is_one_call_for_each_worker():
    assert lengths(measured(10_000), 825, 2) == [413, 412]
    assert lengths(measured(10_000), 3, 8) == [1, 1, 1]


@given(workers=st.integers(100, 10_000), seconds=st.floats(0.01, 100.0))
def test_no_number_of_workers_makes_a_schedule_slower(workers, seconds):
    """Handing out is one after another; then the longest call is played."""

    def taken(workers):
        pace = Pace(0.05, handing=0.0004)
        pace.measured("kind", 10_000, 1.0)
        cut = lengths(pace, math.ceil(10_000 * seconds), workers)
        return len(cut) * 0.0004 + max(cut) / 10_000

    assert taken(workers) <= 1.5 * min(taken(workers // 2), taken(workers // 10)) + 0.001


def test_calls_grow_shorter_towards_the_end():
    cut = lengths(measured(1000), 3000, 2)
    assert cut == sorted(cut, reverse=True)
    assert cut[0] == 500
    assert cut[-1] <= 50


def test_the_first_calls_of_a_kind_are_short():
    pace = measured(1e6)
    assert pace.length("another", 10**6, 10**6, 2) == 16


def test_a_call_that_had_to_wait_does_not_make_the_next_tiny():
    pace = measured(1000)
    pace.measured("kind", 16, 0.4)
    assert pace.length("kind", 10**6, 10**6, 1) >= 100
    pace.measured("kind", 16, 0.001)
    assert pace.length("kind", 10**6, 10**6, 1) == 8000


def test_a_call_that_lasted_too_long_is_believed():
    pace = measured(1e7)
    pace.measured("kind", 5_000_000, 5000.0)
    assert pace.length("kind", 10**6, 10**6, 1) == 500


@pytest.mark.parametrize("make", [LocalEvaluator, RayEvaluator], ids=["threads", "actors"])
def test_calls_of_no_match_are_refused(make):
    with pytest.raises(ClusterError, match="chunk=0 given; at least 1"):
        make(1, chunk=0)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_each_match_comes_once(threads):
    evaluator = LocalEvaluator(threads, chunk=7)
    came = [
        place
        for played in evaluator.play(ENTRANTS, matches_of(100))
        for place in range(played.first, played.first + len(played.outcomes))
    ]
    evaluator.close()
    assert sorted(came) == list(range(100))


def test_who_wants_no_more_stops_the_threads():
    evaluator = LocalEvaluator(3, chunk=10)
    parts = evaluator.play(ENTRANTS, matches_of(2_000_000))
    next(parts)
    parts.close()
    assert len(all_outcomes(evaluator, ENTRANTS, matches_of(50))) == 50
    left = evaluator.play(ENTRANTS, matches_of(2_000_000))
    next(left)
    evaluator.close()
    with pytest.raises(ClusterError, match="closed while its matches were played"):
        list(left)
    with pytest.raises(ClusterError, match="closed"):
        evaluator.play(ENTRANTS, matches_of(3))
    assert not [one for one in threading.enumerate() if one.name.startswith("matches")]


def test_threads_do_not_run_far_ahead_of_a_slow_taker():
    evaluator = LocalEvaluator(2, chunk=10)
    parts = evaluator.play(ENTRANTS, matches_of(10_000))
    taken = [next(parts)]
    time.sleep(0.3)  # a thread could play them all in a tenth of that
    call = parts.gi_frame.f_locals["self"]
    assert call.cut.place <= 10 * (2 + 2 * AHEAD)
    taken += parts
    assert sorted(part.first for part in taken) == list(range(0, 10_000, 10))
    evaluator.close()


OPEN = """
import sys
import numpy as np
from cluster import Entrants, LocalEvaluator
from tournaments import games, players
from tournaments.schedules.base import Listed, Matches

game = games.make("dots-and-boxes", rows=2, cols=2)
entrants = Entrants(game, (players.make("level-0", game), players.make("level-1", game)))
matches = Matches(Listed(np.full((10**7, 2), (-1, -2), dtype=np.int32)), 1, "test")
parts = LocalEvaluator(3, chunk=10).play(entrants, matches)
for played in parts:
    raise SystemExit("left open")
"""


@pytest.mark.slow
def test_a_program_that_leaves_a_call_open_ends():
    ended = subprocess.run([sys.executable, "-c", OPEN], capture_output=True, timeout=300)
    assert b"left open" in ended.stderr


def test_another_call_beside_an_open_one_has_all_threads():
    evaluator = LocalEvaluator(2, chunk=10)
    left = evaluator.play(ENTRANTS, matches_of(10**6))
    next(left)
    both, play, met = threading.Barrier(2), _Call._play, threading.local()

    def meeting(call, part):
        if not hasattr(met, "other"):
            met.other = both.wait(300) >= 0
        return play(call, part)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Call, "_play", meeting)
        assert len(all_outcomes(evaluator, ENTRANTS, matches_of(5000))) == 5000
    evaluator.close()


def test_the_speed_of_a_kind_of_matches_is_learnt():
    evaluator = LocalEvaluator(1)
    sizes = [
        len(played.outcomes)
        for _ in range(2)
        for played in evaluator.play(ENTRANTS, matches_of(100_000))
    ]
    assert sizes[0] == 16
    assert max(sizes) > 1000


class Forgetful:
    def __init__(self, chunk: int) -> None:
        self.inner = LocalEvaluator(1, chunk)

    def play(self, entrants, matches):
        parts = list(self.inner.play(entrants, matches))
        yield from parts[1:]

    def close(self) -> None:
        self.inner.close()


def test_an_evaluator_that_forgets_matches_is_refused():
    with pytest.raises(TournamentError, match="Forgetful played 6 of 10 matches"):
        all_outcomes(Forgetful(4), ENTRANTS, matches_of(10))


def test_opponents_who_do_not_exist_are_refused():
    matches = Matches(Listed(np.full((3, 2), (-1, -3), dtype=np.int32)), 1, "test")
    with pytest.raises(TournamentError, match="2 fixed opponents"):
        all_outcomes(LocalEvaluator(2), ENTRANTS, matches)
