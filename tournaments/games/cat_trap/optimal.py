"""``optimal`` of the cat trap: the first action tried that wins.

Which do says :mod:`tournaments.games.cat_trap.search`.

Where all lose, it does as ``shortest-path`` does.
"""

from __future__ import annotations

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.games.cat_trap.board import BLOCKED, CAT, GIVEN, LEAST, SIZE
from tournaments.games.cat_trap.paths import look_for_ways
from tournaments.games.cat_trap.rules import WAYS
from tournaments.games.cat_trap.search import (
    ESCAPES,
    flip,
    has,
    measure_second,
    measure_ways,
    memory,
    promise_of,
    search,
)
from tournaments.kernels.choices import best_of
from tournaments.kernels.linker import kernel
from tournaments.player import CompiledPlayer, Kind, plain_player

NEVER = np.int64(-(1 << 60))


@kernel
def list_options(state, memory):
    """Note the legal actions, each worth the more the sooner it is tried; return how many.

    The cat tries the step first from where the second best way out is shortest, the blocker the
    block that is on the shortest way, of those the nearest to the rim.
    """
    ways = memory.ways
    cat = np.int64(state[CAT])
    count = np.int64(0)
    if state[0] == 0:
        measure_second(memory)
        for direction in range(WAYS):
            tile = ways.beside[cat, direction]
            if not has(memory.blocked, tile):
                memory.actions[count] = direction
                memory.worth[count] = -ways.away[tile]
                count += 1
    else:
        measure_ways(memory, cat)
        for tile in range(ways.rim.size):
            if tile != cat and not has(memory.blocked, tile):
                memory.actions[count] = WAYS + tile
                memory.worth[count] = -promise_of(ways, tile)
                count += 1
    return count


@kernel
def first_win(state, memory):
    """The first action tried that wins, -1: none does."""
    ways = memory.ways
    cat = np.int64(state[CAT])
    is_cat = state[0] == 0
    count = list_options(state, memory)
    # Before it tries any block the blocker sees whether the cat escapes whatever it does.
    for attempt in range(0 if is_cat else -1, count):
        action = np.int64(-1)
        if attempt >= 0:
            best = np.int64(0)
            for index in range(count):
                best = np.int64(index if memory.worth[index] > memory.worth[best] else best)
            memory.worth[best] = NEVER
            action = np.int64(memory.actions[best])
        is_block = not is_cat and attempt >= 0
        if is_block:
            flip(memory.blocked, action - WAYS)
        escapes = False
        for direction in range(WAYS):
            other = ways.beside[cat, direction]
            if not is_cat and attempt < 0:
                other = cat
            is_meant = not is_cat or direction == action
            if is_meant and not escapes and not has(memory.blocked, other):
                escapes = ways.rim[other] == 0 or search(memory, other) == ESCAPES
        if is_block:
            flip(memory.blocked, action - WAYS)
        if attempt >= 0 and escapes == is_cat:
            return action
        if attempt < 0 and escapes:
            return np.int64(-1)
    return np.int64(-1)


@kernel
def look(board, state, parameters, row, memory):
    """Note the actions and what each is worth; return how many, and the best worth."""
    for index in range(memory.blocked.size):
        memory.blocked[index] = np.uint64(0)
    for tile in range(memory.ways.rim.size):
        if state[BLOCKED + tile] > 0:
            flip(memory.blocked, tile)
    action = first_win(state, memory)
    if action >= 0:
        memory.actions[0] = action
        memory.worth[0] = 0
        return np.int64(1), np.int64(0)
    count, best = look_for_ways(board, state, parameters, row, memory.ways)
    for index in range(count):
        memory.actions[index] = memory.ways.actions[index]
        memory.worth[index] = memory.ways.worth[index]
    return count, best


choose, candidates = best_of(look)


KIND = Kind("optimal", choose, memory=memory, candidates=candidates)
MOST_FREE = 49
"""Free tiles at the start of a board on which the search ends soon: 7 x 7."""


def plays(game: Game) -> bool:
    """Whether the search ends soon; an error says where it may not.

    Raises:
        TournamentError: a board of more free tiles.
    """
    tiles = int(game.board[SIZE]) ** 2
    free = tiles - int(game.board[GIVEN : GIVEN + tiles].sum()) - int(game.board[LEAST])
    if free > MOST_FREE:
        raise TournamentError(
            f"optimal: {game.short_spec} has {free} free tiles; perfect play is found on boards of "
            f"up to {MOST_FREE}: choose a smaller one, or give more blocks"
        )
    return True


def player(game: Game) -> CompiledPlayer:
    """The perfect player, of either seat.

    Raises:
        TournamentError: the board is too large.
    """
    plays(game)
    return plain_player(KIND, game)
