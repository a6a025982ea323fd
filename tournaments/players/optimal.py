"""Perfect play: ``optimal``, for every game that can be solved.

The player looks each legal action's successor up in the game's table of exact values
(:mod:`tournaments.solver.table`) or, where the game offers none, among all its positions
(:mod:`tournaments.solver.retrograde`), and plays uniformly among the best. By positions, the best
are those that also win in the fewest plies, or lose in the most; where the game draws, those that
gain most in expectation: net wins, and so the greatest chance of winning, or net points where the
game counts these (``Rules.objective``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.kernels.choices import best_of
from tournaments.kernels.hooks import action_value, legal, play, position
from tournaments.kernels.linker import kernel
from tournaments.kernels.positions import number_of
from tournaments.player import CompiledPlayer, Kind
from tournaments.rules import PlayerOffer
from tournaments.solver.graph import play_or_draw
from tournaments.solver.retrograde import solution
from tournaments.solver.states import can_be_solved
from tournaments.solver.table import values

PLIES = np.int64(1 << 16)
FAR_BEHIND = np.int64(-(1 << 40))


class Memory(NamedTuple):
    """Scratch: the legal actions and what each is worth, int16 [A], and a state."""

    actions: np.ndarray
    worth: np.ndarray
    state: np.ndarray


@kernel
def look_up(board, state, parameters, row, memory):
    """Note the legal actions and what each is worth; return how many, and the best worth.

    ``parameters`` is the table of exact values. No branch depends on a value: so the processor
    looks all actions up side by side, while a branch that it guessed wrong would wait for the table
    each time.
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
    """One side's memory."""
    actions, worth = np.zeros((2, game.num_actions), dtype=np.int16)
    return Memory(actions, worth, np.zeros(game.state_size, dtype=np.int16))


# --- by all positions ----------------------------------------------------------------------------


class Solved(NamedTuple):
    """The positions of a game as the kernel looks them up, with their leads and plies."""

    states: np.ndarray
    slots: np.ndarray
    leads: np.ndarray
    plies: np.ndarray


@kernel
def look_around(board, state, solved, row, memory):
    """:func:`look_up` by positions: a lead counts for more than any number of plies."""
    sign = 1 if state[0] == 0 else -1
    count = legal(board, state, memory.actions)
    best = FAR_BEHIND
    for index in range(count):
        for place in range(state.size):
            memory.state[place] = state[place]
        play(board, memory.state, memory.actions[index])
        number = number_of(solved.states, solved.slots, memory.state)
        worth = np.int64(0)
        if number >= 0:
            lead = sign * np.int64(solved.leads[number])
            plies = np.int64(min(solved.plies[number], PLIES - 1))
            worth = lead * PLIES + (plies if lead < 0 else -plies)
        memory.worth[index] = worth
        best = max(best, worth)
    return count, best


choose_by_positions, candidates_by_positions = best_of(look_around, "_by_positions")


# --- by all positions, with chance ---------------------------------------------------------------

FRACTION = 2.0**30
"""Expected leads are rounded to whole numbers of this part of one, so that equal ones are told."""


@kernel
def expect_around(board, state, solved, row, memory):
    """:func:`look_around` of a game that draws: by the lead to be expected of each action."""
    sign = 1 if state[0] == 0 else -1
    count = legal(board, state, memory.actions)
    best = FAR_BEHIND * PLIES
    for index in range(count):
        for place in range(state.size):
            memory.state[place] = state[place]
        play_or_draw(board, memory.state, memory.actions[index])
        number = number_of(solved.states, solved.slots, memory.state)
        memory.worth[index] = sign * solved.leads[number] if number >= 0 else 0
        best = max(best, memory.worth[index])
    return count, best


choose_by_expectation, candidates_by_expectation = best_of(expect_around, "_by_expectation")


def memory_by_positions(game: Game, parameters: object) -> Memory:
    """One side's memory; worths are int64."""
    return memory(game, parameters)._replace(worth=np.zeros(game.num_actions, dtype=np.int64))


BY_POSITIONS = Kind(
    name="optimal",
    choose=choose_by_positions,
    memory=memory_by_positions,
    candidates=candidates_by_positions,
)
BY_EXPECTATION = Kind(
    name="optimal",
    choose=choose_by_expectation,
    memory=memory_by_positions,
    candidates=candidates_by_expectation,
)
KIND = Kind(name="optimal", choose=choose, memory=memory, candidates=candidates)


def player(game: Game) -> CompiledPlayer:
    """The perfect player.

    Raises:
        TournamentError: the game cannot be solved, or not at this size.
    """
    if game.rules.solver is not None:
        return CompiledPlayer("optimal", KIND, game, values(game), maker=player, options={})
    graph, leads, plies = solution(game)
    if game.rules.chance is not None:
        leads = np.rint(leads * FRACTION).astype(np.int64)
    kind = BY_EXPECTATION if game.rules.chance else BY_POSITIONS
    solved = Solved(graph.states, graph.slots, leads, plies)
    return CompiledPlayer("optimal", kind, game, solved, maker=player, options={})


def samples(game: Game) -> list[CompiledPlayer]:
    """The player where the game offers a solver, which may offer kernels of its own."""
    return [player(game)] if game.rules.solver is not None else []


SUMMARY = "perfect play, at random among its best moves"
PLAYER = PlayerOffer(SUMMARY, player, can_be_solved, samples=samples)
