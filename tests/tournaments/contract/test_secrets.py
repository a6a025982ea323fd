"""The contract of games that hide and draw: two that keep it, and what breaks it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from games_with_secrets import (
    HELD,
    LAST_0,
    MATCHING,
    RACE,
    SIDES,
    outcomes_of_race,
    settle_race,
    view_matching,
)

from tournaments import players
from tournaments.contract import ContractError, check_game
from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.kernels.chance import STREAM, chance
from tournaments.kernels.linker import kernel
from tournaments.rules import ChanceRules
from tournaments.solver.every_game import best_responses, meetings


@pytest.mark.parametrize(
    "rules",
    [replace(MATCHING, network=None), RACE, pytest.param(MATCHING, marks=pytest.mark.slow)],
)
def test_the_contract_holds(rules):
    check_game(Game(rules, {}), games=3)


@kernel
def view_with_last(board, state, seat, seen):
    """A view that changes what it has shown before."""
    view_matching(board, state, seat, seen)
    seen[LAST_0] = state[LAST_0] + 1


@kernel
def view_of_nothing(board, state, seat, seen):
    for place in range(state.size):
        seen[place] = 0


@kernel
def legal_by_secret(board, state, actions):
    """Seat 1 may match heads alone."""
    actions[0] = 0
    actions[1] = 1
    return 1 if state[0] == 1 and state[HELD] == 0 else 2


@kernel
def view_of_stream(board, state, seat, seen):
    for place in range(state.size):
        seen[place] = state[place]


@kernel
def play_too_far(board, state, action):
    settle_race(board, state, action, chance(state, SIDES + 1) if action == 1 else 0)


@kernel
def settle_and_draw(board, state, action, outcome):
    settle_race(board, state, action, outcome)
    state[STREAM] = 1


@kernel
def play_and_draw(board, state, action):
    outcome = chance(state, SIDES)
    settle_race(board, state, action, outcome if action == 1 else 0)


@pytest.mark.parametrize(
    ("rules", "changes", "law"),
    [
        (MATCHING, {"view": view_with_last}, "the view of a view"),
        (MATCHING, {"view": view_of_nothing}, "must show the seat to move"),
        (MATCHING, {"legal": legal_by_secret}, "must not change the legal actions"),
        (RACE, {"view": view_of_stream}, "must not show the stream"),
        (
            RACE,
            {"chance": ChanceRules(outcomes_of_race, settle_and_draw)},
            "leave the stream alone",
        ),
        (RACE, {"play": play_and_draw}, "must draw nothing"),
        (RACE, {"play": play_too_far}, "must lead to what"),
    ],
)
def test_what_breaks_the_contract(rules, changes, law):
    with pytest.raises(ContractError, match=law):
        check_game(Game(replace(rules, **changes), {"fields": 40} if rules is RACE else {}), 5)


def test_nobody_looks_ahead_where_something_is_hidden():
    game = Game(MATCHING, {})
    assert players.names(game) == ["bot", "level-0", "network", "random"]
    assert players.yardsticks(game) == ["random"]
    for name in ("greedy", "alpha-beta", "mcts", "optimal"):
        with pytest.raises(TournamentError, match=r"look ahead|it can only be played"):
            players.make(name, game)
    for exact in (best_responses, meetings):
        with pytest.raises(TournamentError, match="hides some of a position"):
            exact(game)


def test_a_game_that_does_not_offer_its_outcomes_is_not_solved():
    game = Game(replace(RACE, chance=ChanceRules()), {})
    assert players.names(game) == ["bot", "level-0", "random"]
    with pytest.raises(TournamentError, match="does not offer the outcomes"):
        meetings(game)
