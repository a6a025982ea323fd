"""A person's game: moves by name, the same game for the same moves, changes, records, advice."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evo.evaluation.export import check_file
from evo.play import advice as module
from evo.play.advice import advice, outcome
from evo.play.person import PERSON, PersonGame, action_named
from evo.play.record import read_record, write_record
from tournaments import games, players
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import GAMES, State
from tournaments.kernels.rng import Stream
from tournaments.player import CompiledPlayer

ALL = sorted(GAMES.own())
TRAP = "cat-trap:size=5,blocks=1:1+3:3"


@pytest.fixture(autouse=True)
def interpreted(monkeypatch) -> None:
    """Perfect players of games as they are: a compiler for each would take the tests' time."""
    monkeypatch.setattr(module, "at_speed", lambda player: player)


def opened(spec: str, opponent: str = "random", seat: int = 0, seed: int = 1) -> PersonGame:
    game = games.parse(spec)
    return PersonGame(game, seat, players.make(opponent, game), seed)


def played_on(played: PersonGame, picks: list[int]) -> list[str]:
    """Play by these picks among the legal actions, with replies; the boards."""
    left = list(picks)
    while not played.state.is_over:
        if played.state.seat_to_move != played.seat:
            played.reply()
        elif left:
            legal = played.state.legal_actions()
            played.play(legal[left.pop() % len(legal)])
        else:
            break
    return [str(ply.after) for ply in played.plies]


PICKS = st.lists(st.integers(0, 30), max_size=6)


# --- names -------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.sampled_from(ALL), PICKS, st.integers(0, 1))
@pytest.mark.slow
def test_each_legal_action_is_named_by_its_name_and_by_its_number(spec, picks, seat):
    played = opened(spec, seat=seat)
    played_on(played, picks)
    for action, name in played.legal.items():
        assert action_named(played.state, name) == action
        assert action_named(played.state, f"  {name.upper()} ") == action
        assert action_named(played.state, f"#{action}") == action


@pytest.mark.parametrize(
    ("spec", "words", "name"),
    [
        ("nim", "1 3", "1 of heap 3"),
        ("nim", "3 of heap 2", "3 of heap 2"),
        ("connect-four", "4", "column 4"),
        ("connect-four", "c 4", "column 4"),
        ("connect-four", "#4", "column 5"),
        ("connect-four", "0", "column 1"),
        ("connect-four:cols=12", "1", "column 1"),
        ("tic-tac-toe", "2", "1:3"),
        ("tic-tac-toe", "4", "2:2"),
        ("fox-and-hounds", "3", "begin at 3"),
        ("cat-and-mouse", "u", "up"),
        ("dots-and-boxes", "h(0,2", "h(0,2)"),
    ],
)
def test_less_than_the_name_will_do(spec, words, name):
    state = games.parse(spec).start()
    assert state.game.rules.describe(state.game.board, action_named(state, words)) == name


@pytest.mark.parametrize(
    ("spec", "words", "says"),
    [
        ("nim:heaps=3-4", "1", "may be 1 of heap 1 or 1 of heap 2"),
        ("tic-tac-toe", "2:", "may be 2:1 or 2:2 or 2:3"),
        ("tic-tac-toe", "9", "no move here; 1:1 or"),
        ("cat-trap", "left", "type moves to see the"),  # the cat's, and the blocker is to move
        ("connect-four", "8", "column 1 or column 2"),
        ("fox-and-hounds", "-1", "begin at 1 or"),
    ],
)
def test_what_names_no_move_or_several_is_refused(spec, words, says):
    with pytest.raises(ConfigError, match=says):
        action_named(games.parse(spec).start(), words)


def test_a_full_column_is_not_taken_for_the_number_of_another():
    state = games.parse("connect-four:rows=2,cols=5").start()
    state.play(2)
    state.play(2)
    with pytest.raises(ConfigError, match="'3' is no move here"):
        action_named(state, "3")


# --- the course of a game ------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.sampled_from(ALL), PICKS, st.integers(0, 1), st.integers(0, 3))
def test_the_same_moves_give_the_same_game_taken_back_or_not(spec, picks, seat, seed):
    played = opened(spec, seat=seat, seed=seed)
    boards = played_on(played, picks)
    assert boards == played_on(opened(spec, seat=seat, seed=seed), picks)
    own = [ply.action for ply in played.plies if ply.player == PERSON]
    if own:
        count = played.undo()
        assert [str(ply.after) for ply in played.plies] == boards[:-count]
        played.play(own[-1])
        assert played_on(played, []) == boards


def test_each_reply_is_drawn_by_itself():
    played, drawn = opened("nim:heaps=9-9"), set()
    for _ in range(4):
        drawn.add(played.stream("reply").draw())
        played.play(played.state.legal_actions()[0])
        played.reply()
    assert len(drawn) == 4
    assert played.stream("hint").draw() != played.stream("reply").draw()


def test_another_seed_is_another_game():
    boards = {tuple(played_on(opened("tic-tac-toe", seed=seed), [0] * 4)) for seed in range(8)}
    assert len(boards) > 1
    starts = {str(opened("cat-trap", seed=seed).start) for seed in range(8)}
    assert len(starts) > 1


def test_nothing_is_taken_back_before_the_first_move():
    played = opened("tic-tac-toe", seat=1)
    played.reply()
    with pytest.raises(ConfigError, match="nothing to take back"):
        played.undo()


@pytest.mark.slow
def test_an_opponent_that_comes_later_plays_from_then_on():
    played = opened("nim", "random")
    played.play(0)
    played.reply()
    played.meet(players.make("optimal", played.game))
    played.play(played.state.legal_actions()[0])
    played.reply()
    assert [ply.player for ply in played.plies] == [PERSON, "random", PERSON, "optimal"]
    assert played.names == (PERSON, "random, then optimal")


class Mouse:
    """Plays one seat."""

    name = "mouse alone"
    seats = (1,)

    def choose(self, state, rng):
        return state.legal_actions()[0]


def test_an_opponent_of_the_other_seat_alone_is_refused():
    with pytest.raises(ConfigError, match="mouse alone does not play the cat"):
        PersonGame(games.parse("cat-and-mouse"), 1, Mouse())


# --- changed positions ---------------------------------------------------------------------------


def test_tiles_are_blocked_and_freed_and_nobody_moves():
    played = opened(TRAP, seat=1)
    before = str(played.state)
    played.edit("0:0 1:1")
    after = str(played.state)
    assert after.split("\n")[:2] == ["# . . . .", " . . . . ."]
    assert after.endswith("blocker to move")
    played.edit("0:0 1:1")
    assert str(played.state) == before
    assert played.undo() == 1
    assert str(played.state) == after


def test_a_cat_with_no_way_left_is_trapped():
    played = opened("cat-trap:size=3,blocks=none", seat=1)
    played.edit("1:0 0:1 2:1 1:2 2:0 2:2")
    assert played.state.returns() == (-1, 1)
    assert played.game.parse(str(played.state)) == played.state
    assert played.result.startswith("blocker (you) wins")


@pytest.mark.parametrize("words", ["", "2:2", "5:0", "0:-1", "a", "0:0 x"])
def test_an_edit_that_names_no_tile_changes_nothing(words):
    played = opened(TRAP, seat=1)
    before = played.state.clone()
    with pytest.raises(
        TournamentError, match="tiles such as 2:3, or cat=2:3 for the cat, are expected"
    ):
        played.edit(words)
    assert played.state == before
    assert played.plies == []


def test_a_game_without_edits_says_so():
    with pytest.raises(ConfigError, match="nim offers no edit; type board"):
        opened("nim").edit("1")


def test_a_game_goes_on_from_another_board():
    played = opened("tic-tac-toe")
    played.put("X X .\nO O .\n. . .\n\ncross to move")
    played.play(action_named(played.state, "1:3"))
    assert played.result == "cross (you) wins after 1 plies"
    with pytest.raises(TournamentError, match="not a position"):
        played.put("nothing")
    with pytest.raises(ConfigError, match="no legal move"):
        played.put("X O X\nX O O\nO X X\n\ncross to move")


# --- records -------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(st.sampled_from(ALL), PICKS, st.integers(0, 1))
def test_a_record_shows_the_game_again(tmp_path_factory, spec, picks, seat):
    file = tmp_path_factory.mktemp("records") / "game.json"
    played = opened(spec, seat=seat)
    boards = played_on(played, picks)
    write_record(str(file), played)
    record = read_record(str(file))
    assert (record.game, record.names) == (played.game, played.names)
    assert [str(scene.state) for scene in record.scenes()] == [str(played.start), *boards]
    assert list(file.parent.iterdir()) == [file]


def test_a_record_has_changes_and_the_result(tmp_path):
    file = str(tmp_path / "game.json")
    played = opened(TRAP, seat=1)
    played.edit("0:0")
    played.play(action_named(played.state, "4:4"))
    played.edit("1:2 3:2 2:1 2:3 1:3")
    with pytest.raises(ConfigError, match="the game is over"):
        played.edit("1:1")
    write_record(file, played)
    captions = [scene.caption for scene in read_record(file).scenes()]
    assert captions[1:3] == [("edit 0:0",), ("1. blocker 4:4",)]
    assert captions[3] == ("edit 1:2 3:2 2:1 2:3 1:3", "blocker (you) wins after 1 plies")


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"game": "no-such-game"},
        {"players": ["you"]},
        {"start": "1-1 first to move"},
        {"moves": [{"seat": "first", "action": 99}]},
        {"moves": [{"board": "x", "change": "board"}]},
        {"moves": 3},
        {"moves": [{"seat": "first", "action": "1"}]},
    ],
)
def test_a_record_that_was_changed_is_refused_in_one_line(change, tmp_path):
    file = tmp_path / "game.json"
    write_record(str(file), opened("nim"))
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(ConfigError, match=r"game.json is no record") as error:
        read_record(str(file))
    assert "\n" not in str(error.value)


# --- advice --------------------------------------------------------------------------------------


@cache
def lead_and_plies(text: str) -> tuple[int, int]:
    """Of tic-tac-toe, by plain recursion: the lead of crosses, and the plies to it."""
    state = games.parse("tic-tac-toe").parse(text)
    if state.is_over:
        return state.scores[0] - state.scores[1], 0
    sign = 1 if state.seat_to_move == 0 else -1
    results = []
    for action in state.legal_actions():
        after = state.clone()
        after.play(action)
        lead, plies = lead_and_plies(str(after))
        results.append((lead, plies + 1))
    return max(results, key=lambda result: (sign * result[0], -sign * result[0] * result[1]))


def asked(state: State, opponent: str = "random"):
    return advice(state, players.make(opponent, state.game), Stream(1))


def after_plies(spec: str, plies: int, seed: int) -> State:
    state, rng = games.parse(spec).start(seed), Stream(seed)
    for _ in range(plies):
        after = state.clone()
        after.play(rng.choice(state.legal_actions()))
        if after.is_over:
            break
        state = after
    return state


@settings(max_examples=15)
@given(st.integers(0, 8), st.integers(0, 10**6))
def test_advice_is_that_of_plain_recursion(plies, seed):
    state = after_plies("tic-tac-toe", plies, seed)
    told = asked(state)
    assert told.by == "perfect play"
    assert sorted(worth.action for worth in told.worths) == state.legal_actions()
    for worth in told.worths:
        after = state.clone()
        after.play(worth.action)
        lead, plies_left = lead_and_plies(str(after))
        assert (worth.lead, worth.plies) == (lead, plies_left + 1 if lead else None)
    assert told.worths[0].action == told.action
    best, plies_left = lead_and_plies(str(state))
    assert (told.worths[0].lead, told.worths[0].plies or 0) == (best, plies_left if best else 0)


def test_who_loses_is_advised_to_lose_late():
    told = asked(games.parse("nim:heaps=1-2-3").start())
    plies = [worth.plies or 0 for worth in told.worths]
    assert {worth.lead for worth in told.worths} == {-1}
    assert plies == sorted(plies, reverse=True)
    assert plies[0] > plies[-1]


def test_a_position_that_cannot_come_up_has_advice_too():
    board = "# # # # #\n # . # . #\n# # C . #\n # . # . #\n# # # # .\n\ncat to move"
    told = asked(games.parse("cat-trap:size=5").parse(board))
    assert told.by == "perfect play"
    assert {outcome(games.parse("cat-trap"), told, worth) for worth in told.worths} <= {
        f"{seat} wins {when}"
        for seat in ("cat", "blocker")
        for when in ("at once", *(f"in {plies} plies" for plies in range(2, 12)))
    }


def test_a_lost_game_is_played_on_as_long_as_it_goes_where_positions_are_too_many(monkeypatch):
    """Each step is followed by perfect play of the game's own: the longest game goes first."""
    monkeypatch.setattr(module, "MOST_NUMBERS", 0)
    board = "# # # # #\n # . . . #\n# . C . #\n # . . # #\n# # . # #\n\ncat to move"
    state = games.parse("cat-trap:size=5").parse(board)
    told = asked(state)
    assert told.note == "; lost, this resists longest"
    assert told.action == told.worths[0].action
    perfect, lengths = players.make("optimal", state.game), []
    for worth in told.worths:
        after, plies = state.clone(), 1
        after.play(worth.action)
        while not after.is_over:
            after.play(perfect.choose(after, Stream(plies)))
            plies += 1
        lengths.append(plies)
    assert lengths == sorted(lengths, reverse=True)


def test_points_are_told_where_the_game_counts_them():
    state = games.parse("dots-and-boxes:rows=1,cols=2").start()
    for action in (0, 2, 4, 6):  # both boxes lack one edge, the same
        state.play(action)
    told = asked(state)
    words = {outcome(state.game, told, worth) for worth in told.worths}
    assert words & {"first wins by 2", "second wins by 2"}


def test_plies_of_a_pursuit_are_those_of_its_own_solver():
    state = games.parse("cat-and-mouse").start()
    told = asked(state)
    assert outcome(state.game, told, told.worths[0]) == "cat wins in 23 plies"


def test_a_perfect_player_of_the_game_tells_who_wins_where_positions_are_too_many(monkeypatch):
    blocks = "1:2+2:1+1:1+2:3+1:3+0:0+1:0+0:1+0:4+1:4+0:3+0:2"  # one way is left, to the right
    state = games.parse(f"cat-trap:size=5,blocks={blocks}").start()
    exact = asked(state)
    monkeypatch.setattr(module, "MOST_NUMBERS", 0)
    told = asked(state)
    assert {worth.plies for worth in told.worths} == {None}
    assert None not in {worth.plies for worth in exact.worths}
    leads = [{worth.action: worth.lead for worth in each.worths} for each in (told, exact)]
    assert leads[0] == leads[1]
    assert set(leads[0].values()) == {-1, 1}
    assert told.action == exact.action == action_named(state, "3:2")
    assert outcome(state.game, told, told.worths[0]) == "blocker wins"


@pytest.mark.slow
def test_where_nothing_is_known_the_opponent_or_a_yardstick_advises(monkeypatch):
    monkeypatch.setattr(module, "POSITIONS_AHEAD", 2_000)
    state = games.parse("cat-trap:size=9,blocks=none").start()
    assert asked(state, "alpha-beta:depth=1").by == "alpha-beta:depth=1"
    told = asked(state)  # random is a yardstick, and no adviser
    assert (told.by, told.worths) == (players.yardsticks(state.game)[-1], ())
    assert told.action in state.legal_actions()


def test_a_player_at_speed_chooses_the_same():
    game = games.parse("nim:heaps=2-3")
    slow = players.make("greedy", game)
    assert isinstance(slow, CompiledPlayer)
    fast = replace(slow, at_speed=True)
    state = game.start()
    for seed in range(20):
        streams = Stream(seed), Stream(seed)
        assert slow.choose(state, streams[0]) == fast.choose(state, streams[1])
        assert np.array_equal(streams[0].state, streams[1].state)


def test_the_file_of_a_record_is_checked_before_a_game(tmp_path: Path):
    check_file(str(tmp_path / "game.json"))
    for path in (tmp_path, tmp_path / "none" / "game.json"):
        with pytest.raises(ConfigError, match="given"):
            check_file(str(path))
