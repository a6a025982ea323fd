"""Positions of fox and hounds as numbers, and the tables that have a row for each."""

from __future__ import annotations

import random as python_random
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.fox_and_hounds import state_to_int

from tournaments import TournamentError, games, players
from tournaments.contract.offers import broken_law
from tournaments.game import Game
from tournaments.games.fox_and_hounds.board import FOX, HOUNDS
from tournaments.games.fox_and_hounds.state_index import INDEX, number, position
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import Stream, generator
from tournaments.players.table import TableEncoding
from tournaments.solver.graph import explore

OF_THE_STUDY = 1_006_881
BOARDS = st.tuples(
    st.integers(4, 6), st.sampled_from([4, 6]), st.sampled_from(["easier", "standard"])
)


def make(rows: int = 8, cols: int = 8, rule: str = "easier") -> Game:
    return games.make("fox-and-hounds", rows=rows, cols=cols, rule=rule)


@kernel
def first_that_does_not_come_back(board, state, count):
    """The first number whose position has another number; ``count`` where there is none."""
    for index in range(count):
        position(board, np.int64(index), state)
        if number(board, state) != index:
            return index
    return count


def test_every_number_of_the_study_stands_for_a_position_that_has_it():
    game = make()
    assert INDEX.count(game.board) == OF_THE_STUDY
    state = np.zeros(game.state_size, dtype=np.int16)
    check = build(first_that_does_not_come_back)
    assert check(game.board, state, OF_THE_STUDY) == OF_THE_STUDY
    assert state[FOX] == -1  # the last is the fox off the board


@settings(max_examples=30)
@given(setting=BOARDS, seed=st.integers(0, 2**32))
def test_the_numbers_of_random_play_are_those_of_the_slow_count(setting, seed):
    rng, game = python_random.Random(seed), make(*setting)
    state, squares = game.start(), setting[0] * setting[1] // 2
    while not state.is_over:
        fox = None if state.array[FOX] < 0 else int(state.array[FOX])
        hounds = tuple(state.array[HOUNDS:].tolist())
        found = number(game.board, state.array)
        assert found == state_to_int(fox, hounds, squares)
        again, of_seat = np.zeros_like(state.array), np.zeros_like(state.array)
        position(game.board, found, again)
        assert np.array_equal(again, state.array)
        row = INDEX.seat_number(game.board, state.array)
        assert INDEX.seat_position(game.board, state.seat_to_move, row, of_seat)
        assert np.array_equal(of_seat, state.array)
        state.play(rng.choice(state.legal_actions()))


@pytest.mark.parametrize("setting", [(4, 4, "easier"), (5, 4, "standard")], ids=str)
def test_no_two_positions_of_a_seat_share_a_row(setting):
    game = make(*setting)
    states = explore(game).states
    for seat in range(2):
        rows = [INDEX.seat_number(game.board, state) for state in states[states[:, 0] == seat]]
        assert len(set(rows)) == len(rows) > 10
        assert 0 <= min(rows) <= max(rows) < INDEX.seat_count(game.board)


def test_a_table_of_one_seat_has_about_half_of_the_rows():
    assert INDEX.seat_count(make().board) == 35_960 * 16 + 1
    assert INDEX.most_legal(make().board) == (4, 8)


def test_a_board_of_too_many_positions_has_no_numbers():
    with pytest.raises(TournamentError, match=r"16 rows with 8 hounds have .* are numbered"):
        INDEX.count(make(16, 16).board)
    with pytest.raises(TournamentError, match="at most 16,000,000 are taken"):
        TableEncoding(make(10, 10), "position-table", (0,))


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), seat=st.sampled_from([0, 1]))
def test_a_position_table_plays_the_gene_of_the_position_and_its_alleles_are_legal(seed, seat):
    game = make(5, 4)
    encoding = TableEncoding(game, "position-table", (seat,))
    genome = encoding.random(1, generator(seed, "tables of a test"))[0]
    table, rng = encoding.player(game, [genome.tobytes()], "table"), python_random.Random(seed)
    state = game.start()
    while not state.is_over:
        if state.seat_to_move == seat:
            gene = INDEX.seat_number(game.board, state.array)
            alleles = encoding.alleles[gene, : encoding.counts[gene]]
            assert alleles.tolist() == state.legal_actions()
            assert table.choose(state, Stream(0)) == genome[gene]
        state.play(rng.choice(state.legal_actions()))


def test_a_table_from_a_file_with_an_illegal_action_is_refused_by_its_position(tmp_path):
    encoding = TableEncoding(make(4, 4), "position-table", (0, 1))
    table = encoding.random(1, generator(1, "tables of a test"))[0]
    gene = int(np.flatnonzero(encoding.counts > 1)[0])
    table[gene] = 9  # to begin on a square
    np.save(tmp_path / "t.npy", table)
    with pytest.raises(TournamentError, match=r"with the hounds on squares .* must be one of"):
        players.make(f"table:file={tmp_path}/t.npy", make(4, 4))
    np.save(tmp_path / "small.npy", table[:-1])
    with pytest.raises(TournamentError, match=r"holds 225 actions; 113 \(a position-table for"):
        players.make(f"table:file={tmp_path}/small.npy", make(4, 4))


@pytest.mark.parametrize(
    ("change", "law"),
    [
        ({"count": lambda board: 3}, r"number\(\) must be from 0"),
        ({"seat_count": lambda board: 3}, r"seat_number\(\) must be from 0"),
        ({"position": lambda board, number, state: None}, r"states\.position\(\) of"),
        ({"seat_position": lambda board, seat, number, state: False}, r"seat_position\(\) of"),
        ({"most_legal": lambda board: (1, 1)}, "most_legal"),
    ],
)
def test_an_index_that_does_not_lead_back_breaks_the_contract(change, law):
    game = make(4, 4)
    assert broken_index(game) is None
    broken = replace(game.rules, states=replace(INDEX, **change))
    assert re.search(law, str(broken_index(replace(game, rules=broken))))


def broken_index(game: Game) -> str | None:
    """The law that the first plies break, if any."""
    state = game.start()
    for _ in range(4):
        before, action = state.clone(), state.legal_actions()[0]
        state.play(action)
        if (law := broken_law(before, action, state)) is not None:
            return law
    return None
