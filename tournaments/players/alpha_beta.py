"""``alpha-beta``, for every game: search to a fixed depth, evaluating positions by the scores.

Alpha-beta search with iterative deepening and a transposition table (Knuth and Moore, "An analysis
of alpha-beta pruning", Artificial Intelligence 1975). The value of a position is the difference of
the scores, so the player needs only the rules of a game. A seat may move several times in a row.
Ties at the full depth are broken at random. The table is emptied before each move, so a choice
depends on the position alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.kernels.choices import best_of
from tournaments.kernels.hooks import legal, play
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import MIX_1, mix
from tournaments.player import CompiledPlayer, Kind, can_look_ahead
from tournaments.rules import PlayerOffer, nobody

MOST_DEPTH = 60
FAR = np.int64(1 << 20)
"""A value above every lead."""
SLOTS = 1 << 14
EXACT, AT_LEAST, AT_MOST = 0, 1, 2


class Tree(NamedTuple):
    """The line that is being searched, one row per level.

    Attributes:
        states, actions: int16.
        total: number of actions of each level, int64, as are all that follow.
        place: index of the next action.
        value: best value so far.
        best: best action so far.
        low, high: current search window.
        floor, ceiling: search window at the start of the level.
    """

    states: np.ndarray
    actions: np.ndarray
    total: np.ndarray
    place: np.ndarray
    value: np.ndarray
    best: np.ndarray
    low: np.ndarray
    high: np.ndarray
    floor: np.ndarray
    ceiling: np.ndarray


class Table(NamedTuple):
    """Transposition table, one slot per position.

    Attributes:
        codes: hash of the position, uint64; 0 is an empty slot.
        depths: depth of the search, int32, as are all that follow.
        values: value of the position.
        bounds: ``EXACT``, ``AT_LEAST`` or ``AT_MOST``.
        actions: best action.
    """

    codes: np.ndarray
    depths: np.ndarray
    values: np.ndarray
    bounds: np.ndarray
    actions: np.ndarray


class Memory(NamedTuple):
    """Working memory of one side: the search, and the actions of the root with their values."""

    tree: Tree
    table: Table
    actions: np.ndarray
    worth: np.ndarray


@kernel
def code_of(state):
    """Return the hash of a position, never 0. Two positions share a hash by chance 2^-64."""
    code = np.uint64(0)
    for index in range(state.size):
        code = (code ^ np.uint64(np.uint16(state[index]))) * MIX_1
    code = mix(code)
    return code if code != np.uint64(0) else np.uint64(1)


@kernel
def lead_of(state):
    """Return the lead of seat 0 in a position: its points less those of seat 1."""
    return np.int64(state[1]) - np.int64(state[2])


@kernel
def copy_state(states, level, state):
    """Copy a position into a row (``level``) of the positions of the line that is searched."""
    for index in range(state.size):
        states[level, index] = state[index]


@kernel
def search(board, tree, table, depth, low, high):
    """Return the lead of seat 0 after ``depth`` actions of best play: alpha-beta search.

    The search starts at ``tree.states[0]``. The lead is exact between ``low`` and ``high``. Outside
    it is a bound.
    """
    level = 0
    tree.low[0] = low
    tree.high[0] = high
    value = np.int64(0)
    is_new = True
    while level >= 0:
        if is_new:
            is_new = False
            value, is_known = open_level(board, tree, table, level, depth)
            if is_known:
                level -= 1
                continue
        else:
            take(tree, level, value)
        if tree.place[level] < tree.total[level] and tree.low[level] < tree.high[level]:
            copy_state(tree.states, level + 1, tree.states[level])
            play(board, tree.states[level + 1], tree.actions[level, tree.place[level]])
            tree.place[level] += 1
            tree.low[level + 1] = tree.low[level]
            tree.high[level + 1] = tree.high[level]
            level += 1
            is_new = True
        else:
            value = tree.value[level]
            note(tree, table, level, depth)
            level -= 1
    return value


@kernel
def open_level(board, tree, table, level, depth):
    """Start to search a position of the line, at a level of an alpha-beta search.

    Returns:
        The value of the position, and whether it is known already.
    """
    state = tree.states[level]
    if state[0] < 0 or level == depth:
        return lead_of(state), True
    tree.floor[level] = tree.low[level]
    tree.ceiling[level] = tree.high[level]
    code = code_of(state)
    slot = code & np.uint64(SLOTS - 1)
    favourite = -1
    if table.codes[slot] == code:
        favourite = table.actions[slot]
        if table.depths[slot] == depth - level:
            known = np.int64(table.values[slot])
            if table.bounds[slot] == EXACT:
                return known, True
            if table.bounds[slot] == AT_LEAST:
                tree.low[level] = max(tree.low[level], known)
            else:
                tree.high[level] = min(tree.high[level], known)
            if tree.low[level] >= tree.high[level]:
                return known, True
    tree.total[level] = legal(board, state, tree.actions[level])
    tree.place[level] = 0
    tree.value[level] = -FAR if state[0] == 0 else FAR
    tree.best[level] = tree.actions[level, 0]
    for place in range(tree.total[level]):
        if tree.actions[level, place] == favourite:
            tree.actions[level, place] = tree.actions[level, 0]
            tree.actions[level, 0] = favourite
    return np.int64(0), False


@kernel
def take(tree, level, value):
    """Update a level of an alpha-beta search by the value of the action that was just searched."""
    sign = 1 if tree.states[level, 0] == 0 else -1
    if sign * value > sign * tree.value[level]:
        tree.value[level] = value
        tree.best[level] = tree.actions[level, tree.place[level] - 1]
    if sign > 0:
        tree.low[level] = max(tree.low[level], value)
    else:
        tree.high[level] = min(tree.high[level], value)


@kernel
def note(tree, table, level, depth):
    """Store the result of a level of an alpha-beta search in the transposition table.

    An older entry of its slot is overwritten.
    """
    code = code_of(tree.states[level])
    slot = code & np.uint64(SLOTS - 1)
    value = tree.value[level]
    bound = EXACT
    if value <= tree.floor[level]:
        bound = AT_MOST
    elif value >= tree.ceiling[level]:
        bound = AT_LEAST
    table.codes[slot] = code
    table.depths[slot] = depth - level
    table.values[slot] = value
    table.bounds[slot] = bound
    table.actions[slot] = tree.best[level]


@kernel
def look_ahead(board, state, parameters, row, memory):
    """List the legal actions and their values for the mover by alpha-beta search.

    Values of actions that are worse than the best are upper bounds.

    Returns:
        The number of actions, and the best value.
    """
    tree = memory.tree
    sign = 1 if state[0] == 0 else -1
    memory.table.codes[:] = np.uint64(0)
    count = legal(board, state, memory.actions)
    best = -FAR
    for reach in range(1, parameters[0] + 1):
        best = -FAR
        for index in range(count):
            copy_state(tree.states, 0, state)
            play(board, tree.states[0], memory.actions[index])
            # The window separates a value equal to `best` from a worse one of any size.
            low = best - 1 if sign > 0 else -FAR
            high = FAR if sign > 0 else 1 - best
            worth = sign * search(board, tree, memory.table, reach - 1, low, high)
            memory.worth[index] = worth
            best = max(best, worth)
    return count, best


choose, candidates = best_of(look_ahead)


def memory(game: Game, parameters: np.ndarray) -> Memory:
    """Allocate the memory of an alpha-beta search for one side of a game."""
    levels = int(parameters[0]) + 1
    numbers = [np.zeros(levels, dtype=np.int64) for _ in range(8)]
    states = np.zeros((levels, game.state_size), dtype=np.int16)
    actions = np.zeros((levels, game.num_actions), dtype=np.int16)
    slots = [np.zeros(SLOTS, dtype=np.int32) for _ in range(4)]
    table = Table(np.zeros(SLOTS, dtype=np.uint64), *slots)
    worth = np.zeros(game.num_actions, dtype=np.int64)
    return Memory(Tree(states, actions, *numbers), table, actions[0].copy(), worth)


KIND = Kind("alpha-beta", choose, memory=memory, candidates=candidates)


def player(game: Game, *, depth: int = 4) -> CompiledPlayer:
    """Return a player that searches ``depth`` actions ahead by alpha-beta search.

    Raises:
        TournamentError: the depth is out of range.
    """
    if not isinstance(depth, int) or not 1 <= depth <= MOST_DEPTH:
        raise TournamentError(
            f"alpha-beta: depth={depth!r} given; 1 to {MOST_DEPTH} actions are expected"
        )
    name = f"alpha-beta:depth={depth}"
    parameters = np.array([depth], dtype=np.int64)
    return CompiledPlayer(name, KIND, game, parameters, maker=player, options={"depth": depth})


PLAYER = PlayerOffer("search to a depth; depth=4", player, can_look_ahead, samples=nobody)
