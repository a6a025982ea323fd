"""Positions by compiled rules: the same as by interpreted ones, once that pays."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import othello_of_a_stranger as othello
import pytest

from tournaments import games
from tournaments.arena.clock import Turns
from tournaments.arena.match import answer_of
from tournaments.contract import check_game
from tournaments.game import Game, IllegalAction, State
from tournaments.kernels import moves
from tournaments.kernels.linker import kernel
from tournaments.kernels.moves import Moves
from tournaments.kernels.rng import Stream

SPECS = ["othello", "set", "tic-tac-toe", "karate:rounds=3", "cat-and-mouse:cat_start=any"]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have rules compiled after their first call."""
    for name in ("LOAD_SECONDS", "COMPILE_SECONDS", "COMPILE_CALLS"):
        monkeypatch.setattr(moves, name, 0)


def game_of(spec: str, **rules: object) -> Game:
    """A game with moves of its own, which no other test has used."""
    game = Game(othello.RULES, {}) if spec == "othello" else games.parse(spec)
    game = replace(game, rules=replace(game.rules, **rules))
    game.__dict__["moves"] = Moves(game.moves.rules)
    return game


def play_at_random(game: Game, seed: int, plies: int = 200) -> list[object]:
    """All that positions of a random game say."""
    stream, seen = Stream(seed), list[object]()
    state = game.start(stream.draw())
    while not state.is_over and len(seen) < plies:
        legal = state.legal_actions()
        views = [state.view(seat).array.tolist() for seat in range(2)]
        seen.append((state.array.tolist(), legal, views))
        assert {type(action) for action in legal} == {int}
        for action in (-1, game.num_actions, None, "1"):
            with pytest.raises(IllegalAction) as refused:
                state.play(action)  # type: ignore[arg-type]
            seen.append(str(refused.value))
        state.play(stream.choice(legal))
    return [*seen, state.array.tolist(), state.returns()]


@pytest.mark.parametrize("spec", SPECS)
def test_compiled_rules_give_what_interpreted_ones_do(spec, at_once):
    game = game_of(spec)
    readable = replace(game, at_speed=False)
    for seed in (1, 2**63 + 1, 2**64 - 1):
        assert play_at_random(game, seed) == play_at_random(readable, seed)
    assert game.moves.compiled is not None
    assert readable.moves.compiled is None


def test_a_program_that_makes_ten_moves_compiles_nothing(monkeypatch):
    game = game_of("othello")
    monkeypatch.setattr(moves, "build", lambda *given: pytest.fail("rules were linked"))
    monkeypatch.setattr(moves.time, "perf_counter", lambda: 0.0)  # on whatever machine
    play_at_random(game, 1, plies=10)


def test_rules_are_compiled_once_they_were_called_for_long_enough(tmp_path, monkeypatch):
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path))  # or a session before has compiled them
    game = game_of("othello", legal=legal_apart)
    game.moves.seconds = moves.COMPILE_SECONDS + 1
    state = game.start()
    for _ in range(moves.COMPILE_CALLS - 2):
        state.legal_actions()
    assert game.moves.compiled is None  # ten slow moves are not enough
    for _ in range(3):
        state.legal_actions()
    assert game.moves.compiled is not None
    again = game_of("othello", legal=legal_apart)  # as another process finds it
    again.moves.seconds = moves.LOAD_SECONDS + 1
    again.start().legal_actions()
    assert again.moves.compiled is not None


def test_a_players_turn_pays_for_no_compiling(tmp_path, monkeypatch):
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path))
    game = game_of("othello", legal=legal_apart)
    state = game.start()
    game.moves.seconds, game.moves.calls = moves.COMPILE_SECONDS + 1, moves.COMPILE_CALLS + 1
    seen = answer_of(0, "x", Turns(), lambda: (state.legal_actions(), game.moves.compiled))
    assert seen[1] is None
    state.legal_actions()
    assert game.moves.compiled is not None


def test_rules_that_the_compiler_cannot_read_stay_interpreted():
    def start(board, state, seed):
        first, *_ = 1, 2, 3
        state[3] = first + len(f"{seed}")

    game = game_of("othello", start=start)
    game.moves.seconds, game.moves.calls = moves.COMPILE_SECONDS + 1, moves.COMPILE_CALLS + 1
    state = np.zeros(game.state_size, dtype=np.int16)
    for _ in range(3):
        game.moves.call(moves.START, game.board, state, np.uint64(7), number=7)
        assert state[3] == 2
    assert game.moves.compiled is None


@kernel
def legal_apart(board, state, actions):
    """Legal moves as linked text that no other test has compiled."""
    passes = 17
    return min(passes + othello.legal(board, state, actions) - passes, 36)


@kernel
def play_beyond(board, state, action):
    state[3] += 1
    state[3 + action * (action == 2) * 1000] = 7  # leaves the array


@kernel
def play_by_zero(board, state, action):
    state[0] = 1 - state[0]
    state[1] += 7 // (action - int(board[0] + 2))


@pytest.mark.parametrize(
    ("play", "error", "line"),
    [(play_beyond, IndexError, "state[3 + action"), (play_by_zero, ZeroDivisionError, "7 //")],
)
def test_an_error_of_compiled_rules_is_the_interpreters_and_names_the_line(
    play, error, line, at_once
):
    game = game_of("othello", play=play)
    found = []
    for each in (game, replace(game, at_speed=False)):
        state = each.start()
        state.play_legal(1)
        state.play_legal(3)
        with pytest.raises(error) as raised:
            state.play_legal(2)
        found.append((str(raised.value), state.array.tolist()))
        assert line in str(raised.traceback[-1].statement)
    assert found[0] == found[1]
    assert game.moves.compiled is not None


@kernel
def legal_by_lists(board, state, actions):
    listed = sorted({7: 1}.keys())
    actions[0] = listed[0]
    return 1


def test_rules_that_do_not_fit_the_compiler_stay_interpreted(at_once):
    game = game_of("othello", legal=legal_by_lists)
    for _ in range(3):
        assert game.start().legal_actions() == [7]
    assert game.moves.compiled is None


def test_a_position_that_is_laid_out_otherwise_is_played_all_the_same(at_once):
    game = game_of("othello")
    game.start().legal_actions()
    apart = np.zeros((game.state_size, 2), dtype=np.int16)
    apart[:, 0] = game.start().array
    wide = State(game, game.start().array.astype(np.int64))
    for state in (State(game, apart[:, 0]), wide):
        state.play(state.legal_actions()[0])
        expected = game.start()
        expected.play(expected.legal_actions()[0])
        assert state.array.tolist() == expected.array.tolist()


def test_threads_share_the_rules_of_a_game(at_once):
    game = game_of("othello", legal=legal_of_threads)
    expected = play_at_random(replace(game, at_speed=False), 5)
    found: list[list[object]] = [[] for _ in range(4)]

    def play(number: int) -> None:
        found[number] = play_at_random(game, 5)

    threads = [threading.Thread(target=play, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@kernel
def legal_of_threads(board, state, actions):
    """Legal moves that the test of threads alone compiles."""
    nothing = 0
    return othello.legal(board, state, actions) + nothing


def test_games_of_the_same_rules_warm_up_together():
    one, other = (games.make("nim", heaps=heaps) for heaps in ("3-5-7", "2-2"))
    assert one.moves is other.moves
    assert replace(one, at_speed=False).moves is not one.moves


def test_a_check_reads_interpreted_rules(at_once):
    game = game_of("othello", legal=othello.legal)
    game.start().legal_actions()
    assert game.moves.compiled is not None
    game.moves.compiled = lambda *given: pytest.fail("compiled rules were called")
    assert check_game(game, games=2).games == 2
