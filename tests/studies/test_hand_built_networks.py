"""The networks of section 3.6: the rules that they implement, their orders, and the study."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import PLIES, SIZES, position

import tournaments
from evo.studies.hand_built_networks import study
from tournaments import TournamentError, games, players
from tournaments.games.dots_and_boxes import hand_built
from tournaments.games.dots_and_boxes.best_response import best_response
from tournaments.kernels import bitset as action_sets
from tournaments.kernels.linker import build

GAME = games.make("dots-and-boxes")
FEW = ("level-0", "level-1")
"""Opponents, in place of all that the study has: each is compiled with each kind of network."""


def candidates(player, state) -> list[int]:
    """The legal actions of the highest output."""
    game, kind = state.game, player.kind
    memory, words = kind.memory(game, player.parameters), action_sets.empty(game.num_actions)
    place = game.board, state.array, player.parameters, player.row, memory
    with np.errstate(over="ignore"):
        build(kind.begin, game.hooks, compiled=False)(*place)
        build(kind.candidates, game.hooks, compiled=False)(*place, words)
    return action_sets.members(words)


@settings(max_examples=60)
@given(size=SIZES, plies=PLIES, seed=st.integers(0, 2**32))
def test_the_third_side_network_holds_equal_what_the_rule_of_level_2_does(size, plies, seed):
    state, naive = position(*size, plies, seed)
    player = players.make("third-side-network", state.game)
    assert candidates(player, state) == naive.level_2_moves()


def test_the_third_side_network_keeps_the_rule_on_a_large_board():
    player = players.make("third-side-network", games.make("dots-and-boxes", rows=6, cols=7))
    kinds = set()
    for seed in range(12):
        state, naive = position(6, 7, 8 * seed, seed)
        moves = naive.level_2_moves()
        assert candidates(player, state) == moves
        kinds.add((naive.completes(moves[0]), naive.draws_third_side(moves[0])))
    assert len(kinds) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["level-0", "level-1"])
def test_the_third_side_network_plays_the_games_of_level_2(opponent):
    made = [players.make(name, GAME) for name in ("third-side-network", "level-2", opponent)]
    one, other = (
        tournaments.play_matches(GAME, player, made[2], matches=200, seed=6).outcomes
        for player in made[:2]
    )
    assert np.array_equal(one, other)


@pytest.mark.slow
def test_what_the_third_side_network_is_guaranteed_is_what_level_2_is():
    """By all edge sets: the two are one mixed strategy."""
    game = games.make("dots-and-boxes", rows=2, cols=2)
    network, level = (players.make(name, game) for name in ("third-side-network", "level-2"))
    assert best_response(network).guaranteed.tolist() == best_response(level).guaranteed.tolist()


@settings(max_examples=30)
@given(
    size=st.tuples(st.integers(1, 3), st.integers(1, 3)), plies=PLIES, seed=st.integers(0, 2**32)
)
def test_one_hidden_layer_is_enough_for_the_rule_of_level_2(size, plies, seed):
    """The additional layer that the paper asks for is not needed where weights may be large."""
    state, naive = position(*size, plies, seed)
    sides = hand_built._sides(state.game)
    boxes, edges = sides.shape
    first = np.column_stack([2e3 * np.vstack([sides, sides]), np.repeat([3e3, 5e3], boxes)])
    second = np.column_stack([-1e3 * sides.T, 3e3 * sides.T, np.zeros(edges)])
    weights = np.concatenate([first.ravel(), second.ravel()])
    player = players.make("network", state.game, weights=weights, hidden=(2 * boxes,))
    assert candidates(player, state) == naive.level_2_moves()


# --- orders of preference ------------------------------------------------------------------------


@settings(max_examples=40)
@given(size=SIZES, plies=PLIES, seed=st.integers(0, 2**32), order=st.integers(0, 99))
def test_an_order_decides_among_what_the_rule_holds_equal(size, plies, seed, order):
    state, naive = position(*size, plies, seed)
    places = hand_built.places(order, state.game.num_actions)
    player = players.make(f"third-side-network:order={order}", state.game)
    moves = naive.level_2_moves()
    assert candidates(player, state) == [min(moves, key=lambda action: places[action])]
    player = players.make("box-completion-network", state.game, order=order)
    assert candidates(player, state) == preferred_when_completing(naive, places)


def test_an_order_decides_on_a_large_board_whatever_boxes_were_completed():
    """Many near-zero weights would add up, were they not the same for all outputs."""
    for seed in range(40):
        state, naive = position(6, 6, 24 + seed, seed)
        while any(naive.completes(action) for action in naive.legal()):
            action = next(action for action in naive.legal() if naive.completes(action))
            state.play(action)
            naive.play(action)
        if state.is_over:
            continue
        player = players.make(f"box-completion-network:order={seed}", state.game)
        expected = preferred_when_completing(naive, hand_built.places(seed, 84))
        assert candidates(player, state) == expected


def preferred_when_completing(naive, places) -> list[int]:
    """Two boxes at once, else the preferred of those that complete one, else of all."""
    completing = [action for action in naive.legal() if naive.completes(action)]
    double = [action for action in completing if boxes_closed(naive, action) == 2]
    return double or [min(completing or naive.legal(), key=lambda action: places[action])]


def boxes_closed(naive, action: int) -> int:
    before = naive.closed()
    naive.drawn.add(naive.lines[action])
    after = naive.closed()
    naive.drawn.remove(naive.lines[action])
    return after - before


def test_an_order_may_be_listed():
    game = games.make("dots-and-boxes", rows=1, cols=1)
    for order in ("2+0+3+1", [2, 0, 3, 1]):
        assert hand_built.places(order, 4).tolist() == [1, 3, 0, 2]
    player = players.make("box-completion-network:order=2+0+3+1", game)
    assert player.name == "box-completion-network:order=2+0+3+1"
    assert candidates(player, game.start()) == [2]
    orders = {tuple(hand_built.places(seed, 24)) for seed in range(50)}
    assert len(orders) == 50


@pytest.mark.parametrize("order", ["1+2", "0+1+2+2", "a+b", -1, 1.5, "", "0+1+2+4"])
def test_what_is_no_order_is_refused(order):
    game = games.make("dots-and-boxes", rows=1, cols=1)
    for name in study.NETWORKS:
        with pytest.raises(TournamentError, match=r"order=.* given; a seed is expected.*0 to 3"):
            players.make(name, game, order=order)


def test_an_ordered_box_completion_network_has_weights_of_the_genome():
    from tournaments.players.network import Encoding, layers_for

    encoding = Encoding(layers_for(GAME))
    weights = players.make("box-completion-network", GAME, order=1).options["numbers"][0]
    assert np.array_equal(encoding.decode(encoding.encode(weights))[0], weights)
    thresholds = weights[225:].reshape(24, 10)[:, -1]
    assert len(set(thresholds)) == 24


# --- strength ------------------------------------------------------------------------------------


def test_orders_make_the_box_completion_network_as_strong_as_known():
    """Against level 1 about half of the games in the mean of orders, in place of a fifth."""
    rates = [
        study.play("box-completion-network", order, "level-1")["win_rate"] for order in range(41)
    ]
    assert 0.15 < rates[0] < 0.24
    assert 0.46 < np.mean(rates[1:]) < 0.55
    assert 0.60 < max(rates[1:]) < 0.70


@pytest.mark.study
def test_the_study_plays_the_games_that_it_says(monkeypatch):
    monkeypatch.setattr(study, "OPPONENTS", FEW)
    made = study.REPORT.reproduce(study.HandBuiltSettings(3, 40, 5))
    rows = made.tables["measured"]
    assert len(rows["wins"]) == 2 * 2 * 4
    place = [*zip(rows["network"], rows["order"], rows["opponent"], strict=True)].index(
        ("box-completion-network", 2, "level-1")
    )
    player = players.make("box-completion-network:order=2", GAME)
    record = tournaments.play_matches(GAME, player, players.make("level-1", GAME), 20, seed=5)
    assert rows["wins"][place] == record.wins
    for summary in made.record["summary"]:
        mine = (np.array(rows["network"]) == summary["network"]) & (
            np.array(rows["opponent"]) == summary["opponent"]
        )
        plain, *ordered = np.array(rows["win_rate"])[mine].tolist()
        assert summary["no_order"] == plain
        assert summary["mean"] == pytest.approx(np.mean(ordered))
        assert summary["best"] == max(ordered) == ordered[summary["best_order"] - 1]
        assert summary["again_low"] <= summary["again"] <= summary["again_high"]
