"""Who wins a cat trap: a search that leaves out what cannot matter.

A cat that escapes after a block does so over certain tiles, its *support*: it escapes likewise
after any block that is not among them. So the blocker need try but the tiles that stand in the
supports of all its blocks that failed, and when none is left the cat escapes, its support being
those of all of them together. (The same holds of other games of connection, where these tiles are
called a must-play region: R. Hayward and others, "Solving 7x7 Hex with domination, fill-in, and
virtual connections", Theoretical Computer Science 2005.) By the same rule a cat beside two free
tiles of the rim has escaped, and one beside one of them forces a block; a cat without a way to the
rim is trapped, sooner or later, as blocks stay.

Which is tried first is a guess: the step to where the second best way out is shortest, and the
block on a shortest way out. Results are kept in a table with the cat, all blocked tiles and the
support, so that a move draws on the work for those before it; they depend on nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.games.cat_trap import paths
from tournaments.games.cat_trap.board import SIZE
from tournaments.games.cat_trap.paths import FAR
from tournaments.games.cat_trap.rules import WAYS
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import MIX_1, mix

SLOTS = 1 << 17
WORD = 64
U1 = np.uint64(1)
ESCAPES, TRAPPED = 1, 2
NO_BLOCK, NO_WAY, TOO_FAR = -1, -2, -3
FIRST_STEPS, MORE_STEPS = 4, 2
ALL = 32767


class Table(NamedTuple):
    """Positions in which the blocker is to move, a slot each.

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
    """The line that is being searched, a block and a step a row.

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
    """Scratch of one side: ``blocked`` uint64 ``[W]``, ``nodes`` int64 [1], positions opened."""

    actions: np.ndarray
    worth: np.ndarray
    blocked: np.ndarray
    nodes: np.ndarray
    state: np.ndarray
    line: Line
    table: Table
    ways: paths.Memory


# --- sets of tiles -----------------------------------------------------------------------------


@kernel
def has(words, tile):
    """Whether a tile is in a set."""
    return (words[tile >> 6] >> np.uint64(tile & 63)) & U1 != 0


@kernel
def flip(words, tile):
    """Put a tile into a set, or take it out."""
    words[tile >> 6] ^= U1 << np.uint64(tile & 63)


@kernel
def is_empty(words):
    """Whether a set has no tile."""
    all_words = np.uint64(0)
    for index in range(words.size):
        all_words |= words[index]
    return all_words == 0


# --- the search --------------------------------------------------------------------------------


@kernel
def slot_of(memory, cat):
    """The slot of the table in which a position belongs."""
    code = np.uint64(cat + 1)
    for index in range(memory.blocked.size):
        code = mix((code ^ memory.blocked[index]) * MIX_1)
    return np.int64(code & np.uint64(SLOTS - 1))


@kernel
def is_in_slot(memory, cat, slot):
    """Whether a position stands in a slot."""
    is_same = memory.table.result[slot] != 0 and memory.table.cat[slot] == cat
    for index in range(memory.blocked.size):
        is_same &= memory.table.blocked[slot, index] == memory.blocked[index]
    return is_same


@kernel
def open_level(memory, level, cat, limit):
    """Begin with a position in which the blocker is to move; what is known of it, 0: nothing."""
    line = memory.line
    ways = memory.ways
    line.cat[level] = cat
    line.tile[level] = -1
    line.is_cut[level] = 0
    slot = slot_of(memory, cat)
    if is_in_slot(memory, cat, slot):
        reach = memory.table.reach[slot]
        if reach >= limit - level:
            for index in range(memory.blocked.size):
                line.support[level, index] = memory.table.support[slot, index]
            line.is_cut[level] = reach != ALL
            return np.int64(memory.table.result[slot])
    memory.nodes[0] += 1
    for index in range(memory.blocked.size):
        line.open[level, index] = np.uint64(0)
        line.support[level, index] = np.uint64(0)
    out = np.int64(0)
    for direction in range(WAYS):
        other = ways.beside[cat, direction]
        if not has(memory.blocked, other) and ways.rim[other] == 0:
            out += 1
            flip(line.support[level], other)
    if out >= 2:
        return np.int64(ESCAPES)
    if out == 1:
        for index in range(memory.blocked.size):
            line.open[level, index] = line.support[level, index]
        return np.int64(0)
    for tile in range(ways.rim.size):
        if not has(memory.blocked, tile) and tile != cat:
            flip(line.open[level], tile)
    return np.int64(0)


@kernel
def next_block(memory, level, limit):
    """The tile that promises most of those that may matter, or why there is none: the cat escapes
    after all blocks, has no way out, or none of so few steps."""
    line = memory.line
    ways = memory.ways
    if is_empty(line.open[level]):
        return np.int64(NO_BLOCK)
    measure_ways(memory, line.cat[level])
    if ways.out[line.cat[level]] >= FAR:
        return np.int64(NO_WAY)
    if ways.out[line.cat[level]] > limit - level:
        return np.int64(TOO_FAR)
    best = np.int64(-1)
    least = 64 * FAR
    for tile in range(ways.rim.size):
        if has(line.open[level], tile):
            promise = promise_of(ways, tile)
            if promise < least:
                least = promise
                best = np.int64(tile)
    return best


@kernel
def promise_of(ways, tile):
    """The less, the more a block on a tile promises."""
    return 16 * (ways.away[tile] + ways.out[tile]) + ways.out[tile]


@kernel
def measure_ways(memory, cat):
    """Fill in the steps to the rim and from the cat, of ``memory.ways``."""
    ways = memory.ways
    filled = np.int64(0)
    for tile in range(ways.rim.size):
        ways.out[tile] = FAR
        ways.away[tile] = FAR
        if ways.rim[tile] == 0 and not has(memory.blocked, tile):
            ways.out[tile] = 0
            ways.queue[filled] = tile
            filled += 1
    for turn in range(2):
        steps = ways.out if turn == 0 else ways.away
        if turn == 1:
            ways.away[cat] = 0
            ways.queue[0] = cat
            filled = np.int64(1)
        taken = np.int64(0)
        while taken < filled:
            here = ways.queue[taken]
            taken += 1
            for direction in range(WAYS):
                other = ways.beside[here, direction]
                if other >= 0 and steps[other] == FAR and not has(memory.blocked, other):
                    steps[other] = steps[here] + 1
                    ways.queue[filled] = other
                    filled += 1


@kernel
def next_step(memory, level):
    """The most promising tile to which the cat may step after the block that is tried, of those
    that were not tried yet; -1: there is none."""
    line = memory.line
    ways = memory.ways
    measure_second(memory)
    best = np.int64(-1)
    least = np.int64(0)
    for direction in range(WAYS):
        other = ways.beside[line.cat[level], direction]
        is_tried = (line.steps[level] >> direction) & 1 > 0
        is_better = best < 0 or ways.away[other] < least
        if is_better and not is_tried and not has(memory.blocked, other):
            best = np.int64(direction)
            least = ways.away[other]
    if best < 0:
        return best
    line.steps[level] |= 1 << best
    return ways.beside[line.cat[level], best]


@kernel
def measure_second(memory):
    """Fill ``memory.ways.away`` with the steps to the rim by the second best way at each tile."""
    ways = memory.ways
    filled = np.int64(0)
    for tile in range(ways.rim.size):
        ways.away[tile] = FAR
        ways.out[tile] = 0
        if ways.rim[tile] == 0 and not has(memory.blocked, tile):
            ways.away[tile] = 0
            ways.queue[filled] = tile
            filled += 1
    taken = np.int64(0)
    while taken < filled:
        here = ways.queue[taken]
        taken += 1
        for direction in range(WAYS):
            other = ways.beside[here, direction]
            if other >= 0 and ways.away[other] == FAR and not has(memory.blocked, other):
                ways.out[other] += 1
                if ways.out[other] == 2:
                    ways.away[other] = ways.away[here] + 1
                    ways.queue[filled] = other
                    filled += 1


@kernel
def close_level(memory, level, result, limit):
    """Write a result down."""
    line = memory.line
    slot = slot_of(memory, line.cat[level])
    memory.table.result[slot] = result
    memory.table.cat[slot] = line.cat[level]
    memory.table.reach[slot] = limit - level if line.is_cut[level] > 0 else ALL
    for index in range(memory.blocked.size):
        memory.table.blocked[slot, index] = memory.blocked[index]
        memory.table.support[slot, index] = line.support[level, index]


@kernel
def search(memory, cat):
    """Whether a cat escapes where the blocker is to move; its support is in ``line``, level 0.

    It is to escape in few steps first, then in more, until it does or no line was cut off.
    """
    limit = FIRST_STEPS
    result = search_steps(memory, cat, limit)
    while result == TRAPPED and memory.line.is_cut[0] > 0:
        limit += MORE_STEPS
        result = search_steps(memory, cat, limit)
    return result


@kernel
def search_steps(memory, cat, limit):
    """:func:`search`, in so many steps; where lines were cut off, ``line.is_cut`` says so."""
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
                    flip(memory.blocked, tile)
                    continue
                result = np.int64(ESCAPES if tile == NO_BLOCK else TRAPPED)
                line.is_cut[level] = tile == TOO_FAR
            else:
                step = next_step(memory, level)
                if step >= 0:
                    level += 1
                    result = open_level(memory, level, step, limit)
                    continue
                flip(memory.blocked, line.tile[level])
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
    """The cat escapes after the block that is tried, by the support of the level behind."""
    line = memory.line
    flip(memory.blocked, line.tile[level])
    step = line.cat[level + 1]
    if not has(line.support[level + 1], step):
        flip(line.support[level + 1], step)
    for index in range(memory.blocked.size):
        line.support[level, index] |= line.support[level + 1, index]
        line.open[level, index] &= line.support[level + 1, index]
    line.tile[level] = -1
    line.is_cut[level] = 0


def memory(game: Game, parameters: object) -> Memory:
    """One side's memory."""
    tiles = int(game.board[SIZE]) ** 2
    words = -(-tiles // WORD)
    cat, tile, steps, is_cut = (np.zeros(tiles + 1, dtype=np.int64) for _ in range(4))
    open_, support = np.zeros((2, tiles + 1, words), dtype=np.uint64)
    kept = np.zeros((2, SLOTS, words), dtype=np.uint64)
    table = Table(np.zeros(SLOTS, dtype=np.int8), *np.zeros((2, SLOTS), dtype=np.int16), *kept)
    return Memory(
        actions=np.zeros(game.num_actions, dtype=np.int16),
        worth=np.zeros(game.num_actions, dtype=np.int64),
        blocked=np.zeros(words, dtype=np.uint64),
        nodes=np.zeros(1, dtype=np.int64),
        state=np.zeros(game.state_size, dtype=np.int16),
        line=Line(cat, tile, steps, is_cut, open_, support),
        table=table,
        ways=paths.memory(game, None),
    )
