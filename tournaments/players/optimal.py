"""Perfect play: ``optimal``, for every game that can be solved.

The player looks up the successor of each legal action in the game's table of exact values
(:mod:`tournaments.solver.table`). Without a table, it uses the solution over all positions of the
game (:mod:`tournaments.solver.retrograde`). It chooses uniformly among the best actions.

In a solution over all positions, the best actions also win in the fewest plies, or lose in the
most. In games of chance, the best actions have the largest expected gain: net wins, or net points
if the game counts points (``Rules.objective``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.kernels.choices import best_by_playing, best_of
from tournaments.kernels.hooks import action_value, legal, position
from tournaments.kernels.linker import kernel
from tournaments.kernels.positions import number_of
from tournaments.player import CompiledPlayer, Kind
from tournaments.rules import PlayerOffer
from tournaments.solver.graph import play_or_draw
from tournaments.solver.retrograde import solution
from tournaments.solver.states import can_be_solved
from tournaments.solver.table import values

PLIES = np.int64(1 << 16)


class Memory(NamedTuple):
    """Working memory: legal actions, int16 [A], value of each action, int64 [A], and a state."""

    actions: np.ndarray
    worth: np.ndarray
    state: np.ndarray


@kernel
def look_up(board, state, parameters, row, memory):
    """List the legal actions and their exact values in a game with a table of exact values.

    ``parameters`` is the table. No branch depends on a value, so the processor looks up all actions
    side by side and never waits for the table after a wrong guess.

    Returns:
        The number of actions, and the best value.
    """
    actions, worth = memory.actions, memory.worth
    count = legal(board, state, actions)
    number = position(board, state)
    best = -32768
    for index in range(count):
        value = action_value(board, state, number, actions[index], parameters, memory.state)
        worth[index] = value
        best = max(best, value)
    return count, best


choose, candidates = best_of(look_up)


def memory(game: Game, parameters: object) -> Memory:
    """Allocate the memory of perfect play for one side of a game."""
    actions = np.zeros(game.num_actions, dtype=np.int16)
    worth = np.zeros(game.num_actions, dtype=np.int64)
    return Memory(actions, worth, np.zeros(game.state_size, dtype=np.int16))


# --- by all positions ----------------------------------------------------------------------------


@kernel
def exact_worth(board, seat, state, solved):
    """Return the worth of a position for a seat by a solved game: its exact lead.

    Of equal leads, an early win or a late loss is better.
    """
    number = number_of(solved.graph.states, solved.graph.slots, state)
    if number < 0:
        return np.int64(0)
    sign = 1 if seat == 0 else -1
    lead = sign * np.int64(solved.leads[number])
    plies = np.int64(min(solved.plies[number], PLIES - 1))
    return lead * PLIES + (plies if lead < 0 else -plies)


FRACTION = 2.0**30
"""Expected leads are rounded to whole multiples of 1 / FRACTION, so that equal leads are equal."""
choose_by_positions, candidates_by_positions = best_by_playing(exact_worth, "_by_positions")
choose_by_expectation, candidates_by_expectation = best_by_playing(
    exact_worth, "_by_expectation", play_or_draw
)
KIND = Kind(name="optimal", choose=choose, memory=memory, candidates=candidates)
BY_POSITIONS = replace(KIND, choose=choose_by_positions, candidates=candidates_by_positions)
BY_EXPECTATION = replace(KIND, choose=choose_by_expectation, candidates=candidates_by_expectation)
"""The kind for games of chance, which chooses by the expected lead."""


def player(game: Game) -> CompiledPlayer:
    """Return the player of a game that plays perfectly.

    Raises:
        TournamentError: the game cannot be solved, or not at this size.
    """
    if game.rules.solver is not None:
        return CompiledPlayer("optimal", KIND, game, values(game), maker=player, options={})
    solved, kind = solution(game), BY_POSITIONS
    if game.rules.chance is not None:
        leads = np.rint(solved.leads * FRACTION).astype(np.int64)
        solved, kind = solved._replace(leads=leads), BY_EXPECTATION
    return CompiledPlayer("optimal", kind, game, solved, maker=player, options={})


def samples(game: Game) -> list[CompiledPlayer]:
    """Return the perfect player, to be checked, if the game has its own solver."""
    return [player(game)] if game.rules.solver is not None else []


SUMMARY = "perfect play, at random among its best moves"
PLAYER = PlayerOffer(SUMMARY, player, can_be_solved, samples=samples)
