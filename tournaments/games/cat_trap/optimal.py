"""``optimal`` of the cat trap: the first winning action that the search finds.

If all actions lose, the player plays like ``shortest-path``. The search skips irrelevant actions.

A cat that escapes after a block needs certain tiles, its *support*: the cat also escapes after any
block outside its support. The blocker therefore need try only the tiles in the supports of all its
failed blocks. When no such tile is left the cat escapes, and its support is the union of these
supports. (The same holds for other connection games, where these tiles are
called a must-play region: R. Hayward and others, "Solving 7x7 Hex with domination, fill-in, and
virtual connections", Theoretical Computer Science 2005.) By the same rule a cat beside two free
tiles of the rim has escaped, and a cat beside a single free tile of the rim forces a block. A cat
without a way to the rim is trapped sooner or later, since blocks are permanent.

The order of the search is a heuristic: first the step to the tile with the shortest second best way
out, or the block on a shortest way out. A table keeps each result with the cat, all blocked tiles
and the support, so that a move reuses the work of earlier moves. Results depend on nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.games.cat_trap import paths
from tournaments.games.cat_trap.board import BLOCKED, CAT, GIVEN, LEAST, SIZE
from tournaments.games.cat_trap.paths import FAR, look_for_ways, steps_away, steps_to_rim
from tournaments.games.cat_trap.rules import WAYS
from tournaments.kernels.choices import best_of
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import MIX_1, mix
from tournaments.player import Kind

SLOTS = 1 << 17
WORD = 64
U1 = np.uint64(1)
ESCAPES, TRAPPED = 1, 2
NO_BLOCK, NO_WAY, TOO_FAR = -1, -2, -3
FIRST_STEPS, MORE_STEPS = 4, 2
ALL = 32767


class Table(NamedTuple):
    """Results of searched positions in which the blocker is to move, a slot each.

    Attributes:
        result: int8, 0 for an empty slot.
        cat: int16.
        reach: int16, the steps in which a cat that is trapped was looked at; :data:`ALL`: in all.
        blocked, support: uint64 ``[slots, W]``.
    """

    result: np.ndarray
    cat: np.ndarray
    reach: np.ndarray
    blocked: np.ndarray
    support: np.ndarray


class Line(NamedTuple):
    """The line of play that is searched, a block and a step per row.

    Attributes:
        cat: int64, where it stands as the blocker is to move.
        tile: int64, the block that is being tried, -1: none yet.
        steps: int64, a bit for each direction that was tried after it.
        is_cut: int64, 1 where lines behind were cut off that may matter.
        open, support: uint64 ``[L, W]``, the tiles that may matter, and the support so far.
    """

    cat: np.ndarray
    tile: np.ndarray
    steps: np.ndarray
    is_cut: np.ndarray
    open: np.ndarray
    support: np.ndarray


class Memory(NamedTuple):
    """Scratch of one side; ``actions`` and ``worth`` are those of ``ways``.

    Attributes:
        blocked: int16 ``[T]``, 1 for each blocked tile.
        words: uint64 ``[W]``, the set of the blocked tiles.
    """

    actions: np.ndarray
    worth: np.ndarray
    blocked: np.ndarray
    words: np.ndarray
    line: Line
    table: Table
    ways: paths.Memory


# --- sets of tiles -----------------------------------------------------------------------------


@kernel
def has(words, tile):
    """Return whether a tile is in a set of tiles, given as bits of words."""
    return (words[tile >> 6] >> np.uint64(tile & 63)) & U1 != 0


@kernel
def flip(words, tile):
    """Add a tile to a set of tiles, or remove it if the set has it. Sets are bits of words."""
    words[tile >> 6] ^= U1 << np.uint64(tile & 63)


@kernel
def copy(words, target):
    """Copy a set of tiles, given as bits of words, into ``target``."""
    for index in range(words.size):
        target[index] = words[index]


@kernel
def turn_block(memory, tile):
    """Block a tile in the memory of a search in cat trap, or free it if it is blocked."""
    memory.blocked[tile] ^= 1
    flip(memory.words, tile)


@kernel
def is_empty(words):
    """Return whether a set of tiles, given as bits of words, is empty."""
    all_words = np.uint64(0)
    for index in range(words.size):
        all_words |= words[index]
    return all_words == 0


# --- the search --------------------------------------------------------------------------------


@kernel
def slot_of(memory, cat):
    """Return the slot of a position of cat trap in the table of results.

    It is a hash of the cat's tile and of the blocked tiles in ``memory``.
    """
    code = np.uint64(cat + 1)
    for index in range(memory.words.size):
        code = mix((code ^ memory.words[index]) * MIX_1)
    return np.int64(code & np.uint64(SLOTS - 1))


@kernel
def is_in_slot(memory, cat, slot):
    """Return whether a slot of the table holds the result of this position of cat trap.

    The position is the cat's tile and the blocked tiles in ``memory``.
    """
    is_same = memory.table.result[slot] != 0 and memory.table.cat[slot] == cat
    for index in range(memory.words.size):
        is_same &= memory.table.blocked[slot, index] == memory.words[index]
    return is_same


@kernel
def open_level(memory, level, cat, limit):
    """Start to search a position of cat trap in which the blocker is to move.

    The first position of a search is not looked up in the table, since its winning block is wanted.

    Args:
        memory: the memory of the search.
        level: the depth of the position in the line that is searched.
        cat: the cat's tile.
        limit: the number of steps within which the cat is to escape.

    Returns:
        The result of the position, or 0 if it is not known yet.
    """
    line, ways, table = memory.line, memory.ways, memory.table
    line.cat[level] = cat
    line.tile[level] = -1
    line.is_cut[level] = 0
    slot = slot_of(memory, cat)
    if level > 0 and is_in_slot(memory, cat, slot) and table.reach[slot] >= limit - level:
        copy(table.support[slot], line.support[level])
        line.is_cut[level] = table.reach[slot] != ALL
        return np.int64(table.result[slot])
    line.open[level, :] = 0
    line.support[level, :] = 0
    out = np.int64(0)
    for direction in range(WAYS):
        other = ways.beside[cat, direction]
        if memory.blocked[other] == 0 and ways.rim[other] == 0:
            out += 1
            flip(line.support[level], other)
    if out >= 2:
        return np.int64(ESCAPES)
    if out == 1:
        copy(line.support[level], line.open[level])
        return np.int64(0)
    for tile in range(ways.rim.size):
        if memory.blocked[tile] == 0 and tile != cat:
            flip(line.open[level], tile)
    return np.int64(0)


@kernel
def next_block(memory, level, limit):
    """Return the next tile that the search of cat trap blocks, or a code that says why it stops.

    NO_BLOCK: the cat escapes after all blocks. NO_WAY: the cat has no way out. TOO_FAR: the cat's
    shortest way out is longer than ``limit`` allows. ``level`` is the depth of the position in the
    line that is searched.
    """
    line, ways = memory.line, memory.ways
    if is_empty(line.open[level]):
        return np.int64(NO_BLOCK)
    measure_ways(memory, line.cat[level])
    if ways.out[line.cat[level]] >= FAR:
        return np.int64(NO_WAY)
    if ways.out[line.cat[level]] > limit - level:
        return np.int64(TOO_FAR)
    return most_promising(memory, level)


@kernel
def most_promising(memory, level):
    """Return the most promising of the tiles whose block may stop the cat in cat trap.

    It is the tile on the shortest way out, by the distances in ``memory.ways``. The first of equal
    tiles counts. ``level`` is the depth in the line that is searched.
    """
    line, ways = memory.line, memory.ways
    best = np.int64(-1)
    least = 64 * FAR
    for tile in range(ways.rim.size):
        if has(line.open[level], tile):
            promise = 16 * (ways.away[tile] + ways.out[tile]) + ways.out[tile]
            if promise < least:
                least = promise
                best = np.int64(tile)
    return best


@kernel
def measure_ways(memory, cat):
    """Fill in the number of steps from each tile of cat trap to the rim and from the cat.

    They are written to ``memory.ways``.
    """
    steps_to_rim(memory.ways, memory.blocked, memory.ways.out, 1)
    steps_away(memory.ways, memory.blocked, cat)


@kernel
def next_step(memory, level):
    """Return the direction of the cat's most promising untried step; -1 if none is left.

    That is the step to the tile from which the second best way out is shortest. ``level`` is the
    depth in the line that the search of cat trap follows.
    """
    line, ways = memory.line, memory.ways
    steps_to_rim(ways, memory.blocked, ways.away, 2)
    best = np.int64(-1)
    least = np.int64(0)
    for direction in range(WAYS):
        other = ways.beside[line.cat[level], direction]
        is_tried = (line.steps[level] >> direction) & 1 > 0
        is_better = best < 0 or ways.away[other] < least
        if is_better and not is_tried and memory.blocked[other] == 0:
            best = np.int64(direction)
            least = ways.away[other]
    if best >= 0:
        line.steps[level] |= 1 << best
    return best


@kernel
def close_level(memory, level, result, limit):
    """Write the result of a searched position of cat trap into the table.

    ``level`` is its depth in the line, ``limit`` the number of steps that the search allows.
    """
    line = memory.line
    slot = slot_of(memory, line.cat[level])
    memory.table.result[slot] = result
    memory.table.cat[slot] = line.cat[level]
    memory.table.reach[slot] = limit - level if line.is_cut[level] > 0 else ALL
    copy(memory.words, memory.table.blocked[slot])
    copy(line.support[level], memory.table.support[slot])


@kernel
def search(memory, cat):
    """Search whether the cat of cat trap escapes when the blocker is to move.

    The search allows few steps first, then more, until the cat escapes or no line was cut off. The
    tiles on which the result depends are in ``memory.line``, level 0.

    Returns:
        ESCAPES or TRAPPED.
    """
    limit = FIRST_STEPS
    result = search_steps(memory, cat, limit)
    while result == TRAPPED and memory.line.is_cut[0] > 0:
        limit += MORE_STEPS
        result = search_steps(memory, cat, limit)
    return result


@kernel
def search_steps(memory, cat, limit):
    """Search whether the cat of cat trap escapes within ``limit`` steps; the blocker is to move.

    ``memory.line.is_cut`` marks lines that were cut off at the limit.

    Returns:
        ESCAPES or TRAPPED.
    """
    line = memory.line
    level = np.int64(0)
    result = open_level(memory, 0, cat, limit)
    while True:
        if result == 0:
            if line.tile[level] < 0:
                tile = next_block(memory, level, limit)
                if tile >= 0:
                    line.tile[level] = tile
                    line.steps[level] = 0
                    turn_block(memory, tile)
                    continue
                result = np.int64(ESCAPES if tile == NO_BLOCK else TRAPPED)
                line.is_cut[level] = tile == TOO_FAR
            else:
                direction = next_step(memory, level)
                if direction >= 0:
                    step = memory.ways.beside[line.cat[level], direction]
                    level += 1
                    result = open_level(memory, level, step, limit)
                    continue
                turn_block(memory, line.tile[level])
                result = np.int64(TRAPPED)
            close_level(memory, level, result, limit)
        if level == 0:
            return result
        level -= 1
        if result == ESCAPES:
            refute_block(memory, level)
        else:
            line.is_cut[level] |= line.is_cut[level + 1]
        result = np.int64(0)


@kernel
def refute_block(memory, level):
    """Note in a search of cat trap that the cat escapes after the tried block.

    The tiles on which this escape depends are added to those of the position at ``level``. Only
    blocks among them remain to be tried.
    """
    line = memory.line
    turn_block(memory, line.tile[level])
    step = line.cat[level + 1]
    if not has(line.support[level + 1], step):
        flip(line.support[level + 1], step)
    for index in range(memory.words.size):
        line.support[level, index] |= line.support[level + 1, index]
        line.open[level, index] &= line.support[level + 1, index]
    line.tile[level] = -1
    line.is_cut[level] = 0


# --- the choice --------------------------------------------------------------------------------


@kernel
def winning_step(memory, cat):
    """Return the direction of the first tried step with which the cat escapes in cat trap.

    -1 means that the cat does not escape with any step.
    """
    line, ways = memory.line, memory.ways
    aside = line.cat.size - 1  # a row that no search comes to
    line.cat[aside] = cat
    line.steps[aside] = 0
    direction = next_step(memory, aside)
    while direction >= 0:
        tile = ways.beside[cat, direction]
        if ways.rim[tile] == 0 or search(memory, tile) == ESCAPES:
            return direction
        direction = next_step(memory, aside)
    return direction


@kernel
def winning_block(memory, cat):
    """Return the first tried tile whose block traps the cat of cat trap, or -1."""
    if search(memory, cat) == ESCAPES:
        return np.int64(-1)
    if memory.line.tile[0] >= 0:
        return memory.line.tile[0]
    measure_ways(memory, cat)
    return most_promising(memory, 0)  # the cat has no way out, so any tile will do


@kernel
def look(board, state, parameters, row, memory):
    """List the actions of ``optimal`` in cat trap and the worth of each.

    They are the first winning action, or without one those on the shortest ways to the rim.

    Returns:
        The number of actions, and the highest worth.
    """
    memory.words[:] = 0
    for tile in range(memory.blocked.size):
        memory.blocked[tile] = 0
        if state[BLOCKED + tile] > 0:
            turn_block(memory, tile)
    is_cat = state[0] == 0
    cat = np.int64(state[CAT])
    winning = winning_step(memory, cat) if is_cat else winning_block(memory, cat)
    if winning < 0:
        return look_for_ways(board, state, parameters, row, memory.ways)
    memory.actions[0] = winning if is_cat else WAYS + winning
    memory.worth[0] = 0
    return np.int64(1), np.int64(0)


choose, candidates = best_of(look)


def memory(game: Game, parameters: object) -> Memory:
    """Allocate the memory of ``optimal`` for one side of cat trap."""
    tiles = int(game.board[SIZE]) ** 2
    width = -(-tiles // WORD)
    blocked, words = np.zeros(tiles, dtype=np.int16), np.zeros(width, dtype=np.uint64)
    sets = np.zeros((2, tiles + 1, width), dtype=np.uint64)
    line = Line(*np.zeros((4, tiles + 1), dtype=np.int64), *sets)
    kept = np.zeros((2, SLOTS, width), dtype=np.uint64)
    table = Table(np.zeros(SLOTS, dtype=np.int8), *np.zeros((2, SLOTS), dtype=np.int16), *kept)
    ways = paths.memory(game, None)
    return Memory(ways.actions, ways.worth, blocked, words, line, table, ways)


KIND = Kind("optimal", choose, memory=memory, candidates=candidates)
MOST_FREE = 49
"""Free tiles at the start of a board on which the search ends soon: 7 x 7."""


def plays(game: Game) -> bool:
    """Return true if ``optimal`` can search this board of cat trap in acceptable time, else raise.

    Raises:
        TournamentError: a board with too many free tiles.
    """
    tiles = int(game.board[SIZE]) ** 2
    free = tiles - int(game.board[GIVEN : GIVEN + tiles].sum()) - int(game.board[LEAST])
    if free > MOST_FREE:
        raise TournamentError(
            f"optimal: {game.short_spec} has {free} free tiles; perfect play is found on boards of "
            f"up to {MOST_FREE}: choose a smaller one, or give more blocks"
        )
    return True
