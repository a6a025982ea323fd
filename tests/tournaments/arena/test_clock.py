"""A player that never answers, or too late, loses its game; whoever plays goes on."""

from __future__ import annotations

import contextlib
import math
import subprocess
import sys
import threading
import time

import pytest

import tournaments
from tournaments import games, players
from tournaments.arena import clock
from tournaments.arena.forfeits import LATE_GAMES, Patience
from tournaments.errors import PlayerFault, TournamentError
from tournaments.player import MOVE_SECONDS, seconds_of

GAME = games.make("nim")
SHORT = 0.05
"""Seconds: what is late never answers, and nothing else that has so few is played."""


def loops(state, rng):
    while True:
        time.sleep(0.005)


def swallows(state, rng):
    """Takes the first exceptions for its own."""
    for _ in range(2):
        with contextlib.suppress(BaseException):
            loops(state, rng)
    loops(state, rng)


class Stuck:
    """Waits in a library until it is let go."""

    limit_seconds = SHORT

    def __init__(self):
        self.let_go, self.asked = threading.Event(), 0

    def choose(self, state, rng):
        self.asked += 1
        self.let_go.wait()
        return state.legal_actions()[0]


class Slow:
    """Never answers in the calls that it is told."""

    limit_seconds = 0.5
    name = "slow"

    def __init__(self, where):
        self.where, self.asked = where, 0

    def sit(self, state, seat):
        return self.asked_in("sit") or self

    def watch(self, state, action):
        self.asked_in("watch")

    def choose(self, state, rng):
        return self.asked_in("choose") or state.legal_actions()[0]

    def asked_in(self, call):
        self.asked += call == self.where
        return loops(None, None) if call == self.where else None


def first(state, rng):
    return state.legal_actions()[0]


def threads_left():
    return [thread for thread in threading.enumerate() if thread.name == "players"]


@pytest.fixture(autouse=True)
def _no_thread_stays():
    yield
    for thread in threads_left():
        thread.join(30)
    assert not threads_left()


@pytest.mark.parametrize("bot", [loops, swallows])
def test_a_player_that_never_answers_loses_and_is_not_asked_for_ever(bot):
    limited = players.objects.limited(players.as_player(bot, GAME), SHORT)
    record = tournaments.play_matches(GAME, limited, "random", 3, faults="forfeit")
    assert (record.losses, {each.cause for each in record.forfeits}) == (6, {"late"})
    seen = [(each.seat, each.ply) for each in record.forfeits]
    assert seen[:LATE_GAMES] == [(0, 0), (1, 1), (0, 0)]
    what = [each.what for each in record.forfeits]
    assert what[:LATE_GAMES] == [f"did not answer within {SHORT:g} seconds"] * LATE_GAMES
    assert set(what[LATE_GAMES:]) == {"was late in 3 games in a row and is not asked any more"}


def test_nobody_is_asked_in_a_game_that_was_given_up():
    asked = []

    def answers_when_it_is_interrupted(state, rng):
        with contextlib.suppress(BaseException):
            loops(state, rng)
        return first(state, rng)

    def opponent(state, rng):
        asked.append(state)
        return first(state, rng)

    limited = players.objects.limited(
        players.as_player(answers_when_it_is_interrupted, GAME), SHORT
    )
    record = tournaments.play_matches(GAME, limited, opponent, 1, faults="forfeit")
    for thread in threads_left():
        thread.join(30)
    assert (record.losses, len(asked)) == (2, 1)  # it begins the second game


@pytest.mark.parametrize("where", ["sit", "watch", "choose"])
def test_any_call_of_a_player_has_the_limit_and_ends_the_work_if_that_is_asked_for(where):
    bot = Slow(where)
    with pytest.raises(PlayerFault, match=r"'slow' did not answer within 0\.5 s.*game 0") as caught:
        tournaments.play_matches(GAME, bot, "random", 2)
    assert (caught.value.cause, bot.asked) == ("late", 1)


def test_who_waits_in_a_library_is_left_behind_and_asked_again_once_it_has_answered(monkeypatch):
    monkeypatch.setattr(clock, "GRACE_SECONDS", 0.1)
    bot, patience = Stuck(), Patience()
    keeper = clock.Timekeeper(patience)
    player = players.as_player(bot, GAME)
    other = players.make("random", GAME)

    def words():
        with pytest.raises(PlayerFault) as caught:
            keeper.played(
                player, other, 0, lambda a, b, its: a.sit(None, 0).choose(GAME.start(), 0)
            )
        return caught.value.what

    assert "cannot be stopped; it is not asked again while that lasts" in words()
    assert "still has not answered" in words()
    assert bot.asked == 1
    bot.limit_seconds = 60
    bot.let_go.set()
    for thread in threads_left():
        thread.join(30)
    keeper.played(player, other, 0, lambda a, b, its: a.sit(None, 0).choose(GAME.start(), 0))
    assert bot.asked == 2
    keeper.close()


TRACED = """
import sys, threading, time
from tournaments.arena.clock import _Thread
thread, lock = _Thread(), threading.Lock()
lock.acquire()
thread.jobs.put(lock.acquire)
thread.jobs.put(None)
time.sleep(0.2)  # it waits, as a rule
sys.settrace(lambda frame, event, argument: None)
thread.end()
lock.release()
thread.join(60)
print(thread.is_alive())
"""


def test_a_process_that_is_traced_goes_on_beside_a_thread_that_waits_in_a_library():
    """As under a debugger, or where coverage is measured."""
    command = [sys.executable, "-c", TRACED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "False\n"


def test_who_ends_a_game_in_time_is_waited_for_as_at_first():
    bot, patience = players.as_player(first, GAME), Patience()
    for _ in range(LATE_GAMES):
        assert not patience.lost_with(bot)
        patience.was_late(bot, threading.Thread())
    assert patience.lost_with(bot)
    patience.were_in_time(bot)
    assert not patience.lost_with(bot)


def test_a_limit_changes_no_game():
    free = players.objects.limited(players.as_player(first, GAME), float("inf"))
    outcomes = [
        tournaments.play_matches(GAME, bot, "random", 20).outcomes.tolist() for bot in (first, free)
    ]
    assert outcomes[0] == outcomes[1]


def test_players_of_ours_have_none_where_rules_in_plain_python_make_them_slow(monkeypatch):
    monkeypatch.setattr(type(GAME), "is_interpreted", True)
    assert seconds_of(players.make("mcts", GAME)) == math.inf


def test_a_player_without_a_limit_is_asked_in_the_thread_that_plays():
    seen = []

    def asks(state, rng):
        seen.append(threading.current_thread())
        return state.legal_actions()[0]

    asks.limit_seconds = float("inf")
    tournaments.play_matches(GAME, asks, "random", 1)
    assert set(seen) == {threading.current_thread()}
    asks.limit_seconds = 60
    tournaments.play_matches(GAME, asks, "random", 1)
    assert len(set(seen)) == 2


def test_ctrl_c_while_a_player_thinks_ends_its_thread(monkeypatch):
    class Interrupted:
        def get(self, timeout):
            raise KeyboardInterrupt

    keeper = clock.Timekeeper()
    keeper._thread = clock._Thread()
    keeper._thread.results = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        keeper.played(players.as_player(first, GAME), loops, 0, lambda a, b, its: loops(None, None))


def test_a_clock_does_not_count_while_somebody_debugs_or_the_process_was_stopped(monkeypatch):
    asked = iter([True, True])
    monkeypatch.setattr(clock._Thread, "is_at_breakpoint", lambda self: next(asked, False))
    limited = players.objects.limited(players.as_player(loops, GAME), SHORT)
    began = time.monotonic()
    record = tournaments.play_matches(GAME, limited, "random", 1, faults="forfeit")
    assert record.losses == 2
    assert time.monotonic() - began >= 4 * SHORT  # at the least: three waits, and one


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), "2s", None])
def test_what_is_no_number_of_seconds_is_refused_in_a_line(seconds):
    def bot(state, rng):
        return 0

    bot.limit_seconds = seconds
    with pytest.raises(TournamentError, match=r"limit_seconds=.* given; .* more than 0 \(inf"):
        players.as_player(bot, GAME)


def test_players_of_a_file_take_a_limit_behind_their_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "def plain(state, rng):\n    return 0\n\n\n"
        "class Bot:\n"
        "    def __init__(self, depth=1):\n        self.depth = depth\n\n"
        "    def choose(self, state, rng):\n        return self.depth\n"
    )
    for name, seconds in {"plain": 2.0, "Bot:depth=3": 2.0}.items():
        between = "," if ":" in name else ":"
        made = players.make(f"./mine.py:{name}{between}limit_seconds=2", GAME)
        assert seconds_of(made) == seconds
        assert seconds_of(players.make(f"./mine.py:{name}", GAME)) == MOVE_SECONDS
    with pytest.raises(TournamentError, match="limit_seconds"):
        players.make("./mine.py:Bot:limit_second=2", GAME)
