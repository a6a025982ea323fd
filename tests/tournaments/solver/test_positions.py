"""All positions of a game, and their exact values: known numbers, slow recursion, other solvers."""

from __future__ import annotations

from functools import cache, reduce
from operator import xor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.fox_and_hounds import winner_of
from ring import RULES as RING

from tournaments import TournamentError, games, players
from tournaments.game import Game
from tournaments.kernels.positions import number_of
from tournaments.kernels.rng import Stream
from tournaments.rules import HEADER
from tournaments.solver import table
from tournaments.solver.graph import explore
from tournaments.solver.retrograde import (
    Solution,
    has_solution,
    retrograde,
    solution,
)
from tournaments.solver.states import may_have_states


def solved(spec: str) -> Solution:
    return solution(games.parse(spec))


# --- positions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "positions"),
    [
        ("tic-tac-toe", 5_478),
        ("connect-four:rows=4,cols=4", 161_029),  # as counted by Tromp, OEIS A212693
    ],
)
def test_games_have_as_many_positions_as_is_known(spec, positions):
    assert len(solved(spec).leads) == positions


@pytest.mark.parametrize("spec", ["tic-tac-toe", "fox-and-hounds:rows=5,cols=4", "nim:heaps=1-2"])
def test_edges_lead_where_actions_lead(spec):
    game = games.parse(spec)
    graph = explore(game)
    for number in range(0, len(graph.states), 7):
        state = game.start()
        state.array[:] = graph.states[number]
        edges = range(graph.first[number], graph.first[number + 1])
        assert [int(graph.actions[edge]) for edge in edges] == state.legal_actions()
        for edge in edges:
            after = state.clone()
            after.play(int(graph.actions[edge]))
            assert np.array_equal(graph.states[graph.after[edge]], after.array)
    assert len(np.unique(graph.states, axis=0)) == len(graph.states)


def test_a_position_is_found_by_its_state_and_another_is_not():
    graph = explore(games.parse("nim"))
    with np.errstate(over="ignore"):
        for number, state in enumerate(graph.states):
            assert number_of(graph.states, graph.slots, state) == number
        strange = graph.states[0] + np.int16(9)
        assert number_of(graph.states, graph.slots, strange) == -1


def test_too_many_positions_are_refused_and_what_was_counted_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path))
    game = games.parse("connect-four:rows=4,cols=4")
    with pytest.raises(TournamentError, match=r"more than 100,000 positions.* smaller board"):
        explore(game, 100_000)
    assert not has_solution(game, 100_000)
    assert may_have_states(game)  # it was not counted to the end
    assert has_solution(game, 200_000)
    assert has_solution(game)


def test_a_game_that_was_too_large_is_refused_at_once(tmp_path, monkeypatch):
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path))
    game = games.parse("connect-four:rows=4,cols=4")
    assert not has_solution(game, 50_000)
    monkeypatch.setattr("tournaments.solver.retrograde.explore", None)  # what would count again
    with pytest.raises(TournamentError, match="more than 50,000 positions"):
        solution(game, 50_000)
    with pytest.raises(TournamentError, match="more than 20,000 positions"):
        solution(game, 20_000)
    assert not has_solution(game, 50_000)


def test_a_game_that_draws_its_start_is_refused():
    game = games.parse("cat-and-mouse:rows=3,cols=3,cat_start=any,end=move-limit")
    with pytest.raises(TournamentError, match="draws its start"):
        explore(game)
    assert not has_solution(game)
    assert not may_have_states(game)


# --- values --------------------------------------------------------------------------------------


def test_tic_tac_toe_is_drawn():
    assert solved("tic-tac-toe").leads[0] == 0


@settings(max_examples=25)
@given(heaps=st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_nim_is_won_where_the_exclusive_or_of_the_heaps_is_not_zero(heaps):
    game = games.make("nim", heaps="-".join(map(str, heaps)))
    graph, leads, _ = retrograde(explore(game))
    for state, lead in zip(graph.states, leads, strict=True):
        if state[0] >= 0:
            wins = reduce(xor, state[HEADER:].tolist()) != 0
            assert lead == (1 if wins == (state[0] == 0) else -1)


@pytest.mark.parametrize("size", [(1, 1), (1, 2), (2, 2), (1, 4)])
def test_leads_of_dots_and_boxes_are_those_of_its_own_table(size):
    game = games.make("dots-and-boxes", rows=size[0], cols=size[1])
    graph, leads, _ = retrograde(explore(game))
    values, rules = table.values(game), game.rules.solver
    for state, lead in zip(graph.states, leads, strict=True):
        rest = 0 if state[0] < 0 else int(values[rules.position(game.board, state)])
        assert lead == state[1] - state[2] + (rest if state[0] == 0 else -rest)


@pytest.mark.parametrize("rule", ["easier", "standard"])
@pytest.mark.parametrize("size", [(4, 4), (5, 4), (4, 6)])
def test_fox_and_hounds_is_won_by_whom_plain_recursion_names(size, rule):
    lead = solved(f"fox-and-hounds:rows={size[0]},cols={size[1]},rule={rule}").leads[0]
    assert ("hounds", "fox")[int(lead == 1)] == winner_of(*size, rule)


@pytest.mark.parametrize("rule", ["easier", "standard"])
def test_the_hounds_win_in_44_plies_wherever_the_fox_begins(rule):
    graph, leads, plies = solved(f"fox-and-hounds:rule={rule}")
    reached = graph.after[: graph.first[1]]
    assert (leads[reached].tolist(), plies[reached].tolist()) == ([-1] * 4, [44] * 4)


def test_plies_are_those_of_plain_recursion():
    graph, leads, plies = solved("tic-tac-toe")
    order = np.argsort([np.count_nonzero(state[HEADER:]) for state in graph.states])
    worth: dict[int, tuple[int, int]] = {}
    for number in reversed(order.tolist()):
        mover, edges = graph.states[number, 0], slice(graph.first[number], graph.first[number + 1])
        if mover < 0:
            worth[number] = int(graph.states[number, 1] - graph.states[number, 2]), 0
            continue
        sign = 1 if mover == 0 else -1
        found = [worth[after] for after in graph.after[edges].tolist()]
        lead = sign * max(sign * gained for gained, _ in found)
        ends = [moves + 1 for gained, moves in found if gained == lead]
        soonest = min(ends) if lead * sign > 0 else max(ends)
        worth[number] = lead, soonest if lead else 0
    assert [worth[number] for number in range(len(leads))] == list(
        zip(leads.tolist(), plies.tolist(), strict=True)
    )


def test_where_positions_repeat_nobody_wins_who_only_goes_round():
    """On the ring of ``tests/ring.py``: against games that end, drawn, after so many plies."""
    game = Game(RING, {})
    graph, leads, plies = retrograde(explore(game))

    @cache
    def lead_within(number: int, left: int) -> int:
        mover = graph.states[number, 0]
        if mover < 0:
            return int(graph.states[number, 1] - graph.states[number, 2])
        if left == 0:
            return 0
        after = graph.after[graph.first[number] : graph.first[number + 1]].tolist()
        return (max, min)[mover](lead_within(other, left - 1) for other in after)

    for number, (lead, count) in enumerate(zip(leads.tolist(), plies.tolist(), strict=True)):
        within = [lead_within(number, left) for left in range(40)]
        assert within[-1] == lead
        assert within.index(lead) == count
    assert set(leads.tolist()) == {-1, 0, 1}


# --- perfect play --------------------------------------------------------------------------------


def test_perfect_play_wins_as_soon_as_it_can():
    game = games.parse("fox-and-hounds:rows=6,cols=4")
    perfect, stream = players.make("optimal", game), Stream(3)
    lead, plies = (int(column[0]) for column in solution(game)[1:])
    state, count = game.start(), 0
    while not state.is_over:
        state.play(perfect.choose(state, stream))
        count += 1
    assert (state.scores[0] - state.scores[1], count) == (lead, plies)
