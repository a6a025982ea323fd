"""Exact values against plain recursion and known results, and perfect play."""

from __future__ import annotations

import dataclasses
import random as python_random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.dots_and_boxes import lines_of_board, perfect_value
from positions import assert_uniform, choices, position

from tournaments import TournamentError, games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.contract.player import registered_players
from tournaments.game import Game
from tournaments.games.dots_and_boxes import RULES
from tournaments.games.dots_and_boxes import rules as dots_and_boxes
from tournaments.kernels import linker as kernels
from tournaments.kernels.rng import Stream, match_seeds
from tournaments.solver import table as oracle


def board(rows: int, cols: int):
    return games.make("dots-and-boxes", rows=rows, cols=cols)


@pytest.mark.parametrize(
    ("rows", "cols", "value"), [(1, 1, -1), (1, 2, 0), (2, 1, 0), (2, 2, 2), (2, 3, -2), (3, 3, -3)]
)
def test_perfect_play_has_the_known_values(rows, cols, value):
    """Net boxes of the first player; 3x3 is lost by 3 to 6."""
    assert oracle.position_value(board(rows, cols).start()) == value


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 2), (1, 3), (2, 2)])
def test_every_position_has_the_value_of_plain_recursion(rows, cols):
    lines, value = lines_of_board(rows, cols), perfect_value(rows, cols)
    expected = [
        value(frozenset(line for edge, line in enumerate(lines) if number >> edge & 1))
        for number in range(1 << len(lines))
    ]
    assert oracle.values(board(rows, cols)).tolist() == expected


@settings(max_examples=20)
@given(plies=st.integers(0, 12), seed=st.integers(0, 2**32))
def test_optimal_plays_evenly_among_the_best_moves_of_plain_recursion(plies, seed):
    state, naive = position(2, 2, plies, seed)
    value = perfect_value(2, 2)
    worth = {}
    for action in naive.legal():
        drawn = frozenset(naive.drawn | {naive.lines[action]})
        won = sum(1 for box in naive.boxes if box <= drawn and not box <= naive.drawn)
        worth[action] = won + value(drawn) if won else -value(drawn)
    best = [action for action, gain in worth.items() if gain == max(worth.values())]
    assert max(worth.values()) == oracle.position_value(state)
    assert_uniform(choices(players.make("optimal", state.game), state, 30 * len(best), seed), best)


@settings(max_examples=40)
@given(plies=st.integers(0, 11), seed=st.integers(0, 2**32))
def test_optimal_takes_one_draw_for_a_place_in_the_best_moves(plies, seed):
    """The best moves in rising order, by the values of successors that are played out."""
    state, _ = position(2, 2, plies, seed)
    worth = {}
    for action in state.legal_actions():
        after = state.clone()
        after.play(action)
        gain = after.scores[state.seat_to_move] - state.scores[state.seat_to_move]
        rest = oracle.position_value(after)
        worth[action] = gain + rest if after.seat_to_move == state.seat_to_move else gain - rest
    best = [action for action, value in worth.items() if value == max(worth.values())]
    chosen = players.make("optimal", state.game).choose(state, Stream(seed))
    assert chosen == Stream(seed).choice(best)


def leads_of_optimal(game, opponent, matches: int) -> np.ndarray:
    """What the perfect player scored more than the other, ``[M, 2]``: first seat, second seat."""
    pairs = np.array([[-1, -2]] * matches, dtype=np.int32)
    entrants = Entrants(game, (players.make("optimal", game), opponent))
    scores = play_pairs(entrants, pairs, match_seeds(2, "games", 0, matches)).astype(int)
    return np.stack([scores[:, 0, 0] - scores[:, 0, 1], scores[:, 1, 1] - scores[:, 1, 0]], axis=1)


def test_perfect_players_end_3_to_6_in_every_game():
    leads = leads_of_optimal(board(3, 3), players.make("optimal", board(3, 3)), 500)
    assert set(leads[:, 0]) == {-3}
    assert set(leads[:, 1]) == {3}


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (2, 2), (1, 2)])
def test_nobody_gets_more_than_the_value_out_of_the_perfect_player(rows, cols):
    game = board(rows, cols)
    value = oracle.position_value(game.start())
    for opponent in registered_players(game):
        leads = leads_of_optimal(game, opponent, 400)
        assert leads[:, 0].min() >= value
        assert leads[:, 1].min() >= -value


def test_values_fall_by_what_the_best_move_gives_away():
    """Along any game the value is that of the best move, on a board too large for recursion."""
    rng, game = python_random.Random(1), board(3, 3)
    for _ in range(20):
        state = game.start()
        while not state.is_over:
            after = []
            for action in state.legal_actions():
                next_state = state.clone()
                next_state.play(action)
                seat = state.seat_to_move
                gain = next_state.scores[seat] - state.scores[seat]
                rest = oracle.position_value(next_state)
                after.append(gain + (rest if next_state.seat_to_move == seat else -rest))
            assert oracle.position_value(state) == max(after)
            state.play(rng.choice(state.legal_actions()))
        assert oracle.position_value(state) == 0


# --- the file ------------------------------------------------------------------------------------


@pytest.fixture
def solved(tmp_path, monkeypatch):
    """The file of a small board, solved in a folder of its own."""
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path))
    oracle._values.cache_clear()
    oracle.values(board(1, 2))
    yield next(tmp_path.glob("solved/*.values"))
    oracle._values.cache_clear()


@pytest.fixture
def solving(monkeypatch):
    """The kernels that were built to solve a game since, one an entry."""
    built: list[object] = []

    def build(entry):
        built.append(entry)
        return kernels.build(entry)

    monkeypatch.setattr(oracle, "build", build)
    return built


def values_read_again() -> list[int]:
    oracle._values.cache_clear()
    return oracle.values(board(1, 2)).tolist()


def test_a_solved_game_is_read_from_its_file(solved, solving):
    assert values_read_again()[0] == 0
    assert solving == []


def test_a_table_is_made_anew_where_the_board_is_numbered_otherwise(solved, solving, monkeypatch):
    def swapped(rows, cols):
        made = dots_and_boxes.make_board(rows=rows, cols=cols)
        made[dots_and_boxes.TABLE :] = made[: dots_and_boxes.TABLE - 1 : -1]
        return made

    rules = dataclasses.replace(RULES, board=swapped)
    oracle.values(Game(rules, {"rows": 1, "cols": 3}))
    assert len(solving) == 1
    oracle._values.cache_clear()
    oracle.values(board(1, 3))
    assert len(solving) == 2


@pytest.mark.parametrize("harm", ["flip", "cut", "empty", "missing", "other board"])
def test_a_damaged_file_is_made_again(solved, solving, harm):
    whole = solved.read_bytes()
    flipped = bytes([*whole[:40], whole[40] ^ 1, *whole[41:]])
    other = whole
    if harm == "other board":
        oracle.values(board(1, 1))
        solving.clear()
        other = next(p for p in solved.parent.glob("*.values") if p != solved).read_bytes()
    damaged = {"flip": flipped, "cut": whole[:-1], "empty": b"", "other board": other}
    if harm == "missing":
        solved.unlink()
    else:
        solved.write_bytes(damaged[harm])
    values = values_read_again()
    assert len(solving) == 1
    assert solved.read_bytes() == whole
    assert values == np.frombuffer(whole[32:], dtype=np.int8).tolist()


def test_a_game_is_solved_where_no_file_can_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path / "file"))
    oracle._values.cache_clear()
    assert oracle.position_value(board(1, 1).start()) == -1
    oracle._values.cache_clear()


def test_tables_are_read_once_a_process():
    assert oracle.values(board(1, 2)) is oracle.values(board(1, 2))


@pytest.mark.parametrize(("rows", "cols", "solvable"), [(3, 3, True), (2, 4, True), (3, 4, False)])
def test_boards_of_up_to_24_edges_can_be_solved(rows, cols, solvable):
    assert oracle.can_solve(board(rows, cols)) == solvable
    if not solvable:
        with pytest.raises(TournamentError, match="31 edges"):
            oracle.values(board(rows, cols))
