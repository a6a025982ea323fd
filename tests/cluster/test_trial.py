"""A match that its workers did not survive is tried in a process, which names who had the turn."""

from __future__ import annotations

import fcntl
import threading
import time
from functools import partial

import pytest

from cluster.trial import Blame, Trial, _ended, tried
from tests.bots_with_faults import (
    Faulty,
    divides,
    ends_its_process,
    kills_its_process,
    leaves_a_helper,
    never_answers,
)
from tournaments import games, players
from tournaments.arena.forfeits import Verdict

GAME = games.make("dots-and-boxes", rows=1, cols=1)
RANDOM = players.make("random", GAME)


def blamed(mistake, seconds: float = 30.0):
    return tried(Trial(GAME, RANDOM, Faulty(mistake, every=2), 5, 2), seconds)


def test_who_ends_the_process_is_named_with_the_signal():
    game, verdict = blamed(kills_its_process)
    assert (verdict.cause, verdict.what) == ("crashed", "ended its process by SIGSEGV")
    assert verdict.seat == 1 - game % 2


def test_a_signal_without_a_name_is_told_by_its_number():
    assert _ended(-40, 1, 0, 3) == Blame(
        1, Verdict(0, 3, "crashed", "ended its process by signal 40")
    )


@pytest.mark.slow
def test_who_never_answers_is_late_and_who_exits_has_exited():
    assert blamed(never_answers, 0.5)[1][2:] == ("late", "did not answer within 0.5 seconds")
    assert blamed(ends_its_process)[1][2:] == ("exited", "ended its process with status 4")


@pytest.mark.slow
def test_who_raises_is_named_and_nobody_where_all_is_well():
    assert blamed(divides)[1].cause == "raised"
    assert tried(Trial(GAME, RANDOM, RANDOM, 5, 2)) is None


@pytest.mark.slow
def test_helpers_of_who_ends_the_process_end_too_and_do_not_hide_how_it_ended(tmp_path):
    lock = tmp_path / "lock"
    _, verdict = blamed(partial(leaves_a_helper, str(lock)), 1.0)
    assert verdict.what == "ended its process with status 4"
    with lock.open() as file:
        deadline = time.monotonic() + 30.0
        while not is_free(file) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert is_free(file)


def is_free(file) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def test_what_cannot_travel_is_not_tried():
    assert blamed(threading.Lock().release) is None
