"""A player that never answers, or too late, loses its game; whoever plays goes on."""

from __future__ import annotations

import math
import threading
import time

import numpy as np
import pytest

import tournaments
from tournaments import games, players
from tournaments.arena import clock
from tournaments.arena.forfeits import LATE_GAMES, Patience
from tournaments.arena.match import play_game
from tournaments.errors import PlayerFault, TournamentError
from tournaments.player import MOVE_SECONDS, seconds_of
from tournaments.players import objects

GAME = games.make("nim")
SHORT = 0.05
"""Seconds: what is late never answers, and nothing else that has so few is played."""
LET_GO = threading.Event()
"""Players that never answer come back once a test is over, for the next one to have its threads."""


def never(*_):
    """Never answer, in whatever is asked."""
    LET_GO.wait()
    return ""


def loops(state, rng):
    while not LET_GO.is_set():
        pass


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
        return never() if call == self.where else None


def first(state, rng):
    return state.legal_actions()[0]


def threads_left():
    return [thread for thread in threading.enumerate() if thread.name == "players"]


def join_threads():
    for thread in threads_left():
        thread.join(30)
    assert not threads_left()


@pytest.fixture(autouse=True)
def _no_thread_stays():
    LET_GO.clear()
    yield
    LET_GO.set()
    join_threads()


def limited(bot, seconds=SHORT):
    return players.objects.limited(players.as_player(bot, GAME), seconds)


@pytest.mark.parametrize("bot", [loops, never])
def test_a_player_that_never_answers_loses_and_is_not_asked_while_it_has_not(bot):
    record = tournaments.play_matches(GAME, limited(bot), "random", 3, faults="forfeit")
    assert (record.losses, {each.cause for each in record.forfeits}) == (6, {"late"})
    assert [each.what for each in record.forfeits] == [
        f"did not answer within {SHORT:g} seconds",
        *["was late in a game before, and still has not answered"] * 5,
    ]
    assert len(threads_left()) == 1


def test_nobody_is_asked_in_a_game_that_was_given_up_once_its_player_comes_back():
    asked = []

    def opponent(state, rng):
        asked.append(state)
        return first(state, rng)

    record = tournaments.play_matches(GAME, limited(never), opponent, 1, faults="forfeit")
    LET_GO.set()
    join_threads()
    assert (record.losses, asked) == (2, [])


@pytest.mark.parametrize("where", ["sit", "watch", "choose"])
def test_any_call_of_a_player_has_the_limit_and_ends_the_work_if_that_is_asked_for(where):
    bot = Slow(where)
    with pytest.raises(PlayerFault, match=r"'slow' did not answer within 0\.5 s.*game 0") as caught:
        tournaments.play_matches(GAME, bot, "random", 2)
    assert (caught.value.cause, bot.asked) == ("late", 1)


def test_who_is_late_is_asked_again_once_it_has_come_back():
    keeper = clock.Timekeeper(Patience())
    bot = Slow("choose")
    player, other = players.as_player(bot, GAME), players.make("random", GAME)

    def play(turns):
        turns.begin(0)
        bot.choose(GAME.start(), None)
        turns.end()

    def words():
        with pytest.raises(PlayerFault) as caught:
            keeper.played(player, other, 0, play)
        return caught.value.what

    assert words() == "did not answer within 0.5 seconds"
    assert "still has not answered" in words()
    assert bot.asked == 1
    LET_GO.set()
    join_threads()
    keeper.played(player, other, 0, play)
    assert bot.asked == 2
    keeper.close()


# --- what a player gives is converted in its turn ------------------------------------------------


def hostile(base, *names, **members):
    """A class of things that never answer if they are asked by these names."""
    return type("Hostile", (base,), dict.fromkeys(names, never) | members)


Number = hostile(int, "__index__", "__int__", "__lt__", "__eq__", "__hash__", "__repr__", "__str__")
Text = hostile(str, "__len__", "__getitem__", "__format__", "__str__", "partition", "encode")


class Gone:
    """A number that runs code as it goes; so does a seat of it."""

    def __init__(self, number=0):
        self.number = number

    def __index__(self):
        return self.number

    def choose(self, state, rng):
        return first(state, rng)

    def watch(self, state, action):
        pass

    def __del__(self):
        never()


def gives(make):
    return lambda state, rng: make(first(state, rng))


def raises(make):
    def bot(state, rng):
        raise make()

    return bot


class Leaves:
    def sit(self, state, seat):
        return Gone()

    choose = staticmethod(first)


class LeavesBroken(Leaves):
    def sit(self, state, seat):
        seated = Gone()
        seated.choose = raises(ValueError)
        return seated


HANGS = {
    "index": gives(lambda action: hostile(object, "__index__")()),
    "float": gives(lambda action: hostile(float, "__float__")(1.0)),
    "class": gives(lambda action: hostile(object, __class__=property(never))()),
    "repr": gives(lambda action: hostile(object, "__repr__")()),
    "del": gives(lambda action: Gone(action)),
    "str of an exception": raises(hostile(Exception, "__str__")),
    "del of an exception": raises(hostile(Exception, "__del__")),
    "status": raises(lambda: SystemExit(hostile(object, "__repr__")())),
    "del of a seat": Leaves(),
    "del of a seat that raises": LeavesBroken(),
}


@pytest.mark.parametrize("what", HANGS)
def test_what_a_player_gives_or_raises_has_the_limit_too(what):
    record = tournaments.play_matches(GAME, limited(HANGS[what]), "random", 1, faults="forfeit")
    assert (record.losses, [each.cause for each in record.forfeits]) == (2, ["late"] * 2)
    assert record.forfeits[0].what == f"did not answer within {SHORT:g} seconds"


def exits(*_):
    raise SystemExit(0)


def of_its_own(fault):
    fault.what = Text("of its own")
    return fault


FAULTS = {
    "index": (gives(lambda action: type("A", (), {"__index__": exits})()), "ended by sys.exit(0)"),
    "repr": (gives(lambda action: type("A", (), {"__repr__": exits})()), "ended by sys.exit(0)"),
    "text": (
        gives(lambda action: type("A", (), {"__repr__": lambda self: Text("odd")})()),
        "retur",
    ),
    "array": (gives(lambda action: np.array([action])), "returned array([0]); choose() must"),
    "number": (gives(lambda action: Number(99)), "chose 99, which is illegal in nim"),
    "str": (raises(type("Odd", (Exception,), {"__str__": exits})), "raised an exception that "),
    "Ctrl-C": (raises(KeyboardInterrupt), "raised KeyboardInterrupt (test_clock.py, line "),
    "ours": (raises(lambda: of_its_own(PlayerFault("x", "illegal", ""))), "of its own"),
}


@pytest.mark.parametrize("what", FAULTS)
def test_what_a_player_gives_or_raises_loses_its_game_in_plain_words(what):
    bot, words = FAULTS[what]
    for seconds in (MOVE_SECONDS, math.inf)[: 1 + (what != "Ctrl-C")]:
        record = tournaments.play_matches(
            GAME, limited(bot, seconds), "random", 1, faults="forfeit"
        )
        assert record.losses == 2
        for fault in record.forfeits:
            assert fault.what.startswith(words)
            assert type(fault.what) is str


def test_any_whole_number_is_an_action_and_reaches_the_game_as_a_plain_one():
    plain = tournaments.play_matches(GAME, first, "random", 5).outcomes.tolist()
    for make in (Number, np.int64, np.float32, np.array, float):
        bot = players.objects.renamed(players.as_player(gives(make), GAME), "first")
        assert tournaments.play_matches(GAME, bot, "random", 5).outcomes.tolist() == plain
    actions = [action for _, _, action in play_game(GAME, bot_of(Number), bot_of(np.int64), 1)]
    assert {type(action) for action in actions} == {int}


def bot_of(make):
    return players.as_player(gives(make), GAME)


@pytest.mark.parametrize("attribute", ["name", "limit_seconds", "identity", "as_player"])
def test_attributes_are_read_once_in_time_and_no_game_asks_for_them(attribute, monkeypatch):
    monkeypatch.setattr(objects, "MOVE_SECONDS", SHORT)
    bot = hostile(object, choose=first, **{attribute: property(never)})()
    with pytest.raises(TournamentError, match=r"Hostile': cannot be made: .* within 0\.05 seconds"):
        players.as_player(bot, GAME)


def test_the_traceback_of_a_player_is_a_note_of_plain_text():
    with pytest.raises(PlayerFault) as caught:
        tournaments.play_matches(GAME, raises(KeyError), "random", 1)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    assert "in bot\n    raise make()" in caught.value.__notes__[0]


# --- whose clock counts when ---------------------------------------------------------------------


def test_who_ends_a_game_in_time_is_waited_for_as_at_first():
    bot, patience = players.as_player(first, GAME), Patience()
    for _ in range(LATE_GAMES):
        assert not patience.lost_with(bot)
        patience.was_late(bot, threading.Thread())
    assert patience.lost_with(bot)
    patience.were_in_time(bot)
    assert not patience.lost_with(bot)


def test_a_player_that_is_late_now_and_then_is_asked_each_time():
    bot, keeper = limited(first), clock.Timekeeper()

    def late(turns):
        turns.begin(0)
        time.sleep(3 * SHORT)

    for _ in range(LATE_GAMES + 1):
        with pytest.raises(PlayerFault, match="did not answer within"):
            keeper.played(bot, bot, 0, late)
        join_threads()
        assert keeper.played(bot, bot, 0, lambda turns: "in time") == "in time"
    keeper.close()


def test_a_limit_changes_no_game():
    free = limited(first, math.inf)
    outcomes = [
        tournaments.play_matches(GAME, bot, "random", 20).outcomes.tolist() for bot in (first, free)
    ]
    assert outcomes[0] == outcomes[1]


def test_players_of_ours_have_none_where_rules_in_plain_python_make_them_slow(monkeypatch):
    monkeypatch.setitem(vars(GAME), "is_interpreted", True)
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


def test_ctrl_c_while_a_player_thinks_gives_the_game_up():
    class Interrupted:
        def get(self, timeout):
            raise KeyboardInterrupt

    keeper, seen = clock.Timekeeper(), []

    def play(turns):
        seen.append(turns)
        never()
        turns.begin(0)

    keeper._thread = clock._Thread()
    results, keeper._thread.results = keeper._thread.results, Interrupted()
    Interrupted.put = results.put
    with pytest.raises(KeyboardInterrupt):
        keeper.played(players.as_player(first, GAME), players.as_player(first, GAME), 0, play)
    LET_GO.set()
    join_threads()
    assert seen[0].is_over
    assert isinstance(results.get_nowait()[1], clock.Overtime)


def test_a_clock_starts_anew_where_the_whole_process_was_stopped():
    turns = clock.Deadline((SHORT, SHORT))
    turns.begin(1)
    assert not turns.is_late(0.0)
    turns.ends = 0.0
    assert not turns.is_late(2 * clock.OVERSLEPT_SECONDS)
    assert turns.ends > time.monotonic()
    turns.ends = 0.0
    assert turns.is_late(0.0)
    with pytest.raises(clock.Overtime):
        turns.end()


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
