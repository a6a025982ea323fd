"""The search of a planner of the cat trap: kernels of :mod:`tournaments.games.cat_trap.planner`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.games.cat_trap.board import BLOCKED, CAT, SIZE, beside
from tournaments.games.cat_trap.rays import (
    SHUT_IN_LATER,
    ray_reward,
    settle_in_place,
)
from tournaments.games.cat_trap.rules import WAYS, rim_distances
from tournaments.kernels.choices import best_of
from tournaments.kernels.linker import kernel
from tournaments.player import Kind

EQUAL = 1e-9
WORST = -1e300


class Settings(NamedTuple):
    """The parameters of N planners, which differ in their pseudo-rewards.

    Attributes:
        depth, states, beyond: int64 [1].
        numbers: gamma, the largest change that ends the repetition, the worth of an escape and, by
            the authors' program, the worth of a trap.
        free, place: float64 ``[N, h + 1]``, by distance from the rim: the worth of each free tile
            beside the cat, and of the place itself.
        authors: int64 ``[2]``, the version of the authors' program (0: by the text), and the number
            of the reward.
    """

    depth: np.ndarray
    states: np.ndarray
    beyond: np.ndarray
    numbers: np.ndarray
    free: np.ndarray
    place: np.ndarray
    authors: np.ndarray


class Reach(NamedTuple):
    """The M tiles that the cat reaches on a fixed board, by number; tile 0 is the cat's.

    Attributes:
        tiles: int64 ``[T]``; ``number``: int64 ``[T]``, the reverse, -1 elsewhere.
        links: int64 ``[T, 6]``, the numbers beside each, ``degree`` of them.
        gain, utility, value: float64 ``[T]``: R, U and R + gamma U.
    """

    links: np.ndarray
    tiles: np.ndarray
    number: np.ndarray
    degree: np.ndarray
    gain: np.ndarray
    utility: np.ndarray
    value: np.ndarray


class Rounds(NamedTuple):
    """The line of play that the planner looks at, a round per row.

    Attributes:
        cat, after: int64, where the cat stands, and after its step ``direction``.
        blocks: int64 ``[D, T]``, the tiles that count, ``width`` of them; ``taken`` were looked at.
        gain: float64, R after the last of them; ``total`` of all; ``best`` of the steps.
    """

    blocks: np.ndarray
    cat: np.ndarray
    after: np.ndarray
    direction: np.ndarray
    width: np.ndarray
    taken: np.ndarray
    gain: np.ndarray
    total: np.ndarray
    best: np.ndarray


class Memory(NamedTuple):
    """Scratch of one side.

    ``blocked`` int64 ``[T]`` has 1 for each blocked tile, ``open`` the free tiles beside each. Of
    the board are ``around`` ``[T]``, how many tiles are beside each, ``beside`` ``[T, 6]`` and
    ``rim`` ``[T]``. ``left`` is what an action leaves its player, and ``worth`` the same once equal
    ones are alike.
    """

    actions: np.ndarray
    worth: np.ndarray
    left: np.ndarray
    blocked: np.ndarray
    open: np.ndarray
    around: np.ndarray
    beside: np.ndarray
    rim: np.ndarray
    reach: Reach
    rounds: Rounds


# --- rewards -----------------------------------------------------------------------------------


@kernel
def set_block(memory, tile, is_blocked):
    """Block a tile in the memory of a planner of cat trap (1), or free it (0)."""
    memory.blocked[tile] = is_blocked
    for direction in range(WAYS):
        other = memory.beside[tile, direction]
        if other >= 0:
            memory.open[other] += 1 - 2 * is_blocked


@kernel
def reward(parameters, row, memory, tile):
    """Return the pseudo-reward R of a planner of cat trap for the cat on a tile.

    It depends on the blocks in ``memory``.
    """
    if parameters.authors[0] > 0:
        return ray_reward(parameters, memory, tile)
    rim = memory.rim[tile]
    free = memory.open[tile]
    ends = parameters.numbers[2]
    if ends > 0.0 and rim == 0:
        return ends
    if ends > 0.0 and free == 0:
        return -ends
    return parameters.free[row, rim] * np.float64(free) + parameters.place[row, rim]


# --- a board that stays ------------------------------------------------------------------------


@kernel
def explore_reach(parameters, row, memory, cat):
    """List the tiles that the cat of cat trap can reach, with the pseudo-reward of each.

    They are written to ``memory.reach``.

    Returns:
        The number of tiles.
    """
    reach = memory.reach
    for tile in range(memory.rim.size):
        reach.number[tile] = -1
    reach.tiles[0] = cat
    reach.number[cat] = 0
    filled = np.int64(1)
    taken = np.int64(0)
    while taken < filled:
        tile = reach.tiles[taken]
        reach.gain[taken] = reward(parameters, row, memory, tile)
        reach.value[taken] = reach.gain[taken]
        reach.utility[taken] = 0.0
        degree = np.int64(0)
        if memory.rim[tile] > 0:
            for direction in range(WAYS):
                other = memory.beside[tile, direction]
                if memory.blocked[other] == 0:
                    if reach.number[other] < 0:
                        reach.number[other] = filled
                        reach.tiles[filled] = other
                        filled += 1
                    reach.links[taken, degree] = reach.number[other]
                    degree += 1
        reach.degree[taken] = degree
        taken += 1
    return filled


@kernel
def settle(parameters, row, memory, cat):
    """Compute the utilities of the tiles that the cat can reach if no tile is blocked any more.

    The game is cat trap. Value iteration is repeated until the utilities no longer change.

    Returns:
        The utility of the cat's tile.
    """
    gamma = parameters.numbers[0]
    reach = memory.reach
    filled = explore_reach(parameters, row, memory, cat)
    change = np.inf
    while change >= parameters.numbers[1]:
        change = 0.0
        for number in range(filled):
            if reach.degree[number] > 0:
                best = WORST
                for place in range(reach.degree[number]):
                    best = max(best, reach.value[reach.links[number, place]])
                change = max(change, abs(best - reach.utility[number]))
                reach.utility[number] = best
        for number in range(filled):
            reach.value[number] = reach.gain[number] + gamma * reach.utility[number]
        if gamma == 0.0:
            break
    return reach.utility[0]


# --- rounds of step and block ------------------------------------------------------------------


@kernel
def list_blocks(parameters, row, memory, cat, blocks):
    """List the blocks after which the cat of cat trap has the least pseudo-reward.

    Of equal blocks those with lower numbers come first. ``blocks`` is filled with tiles.

    Returns:
        The number of blocks.
    """
    most = parameters.states[0] if parameters.states[0] > 0 else memory.rim.size
    gain, count = memory.reach.gain, np.int64(0)
    for tile in range(memory.rim.size):
        if memory.blocked[tile] == 0 and tile != cat:
            set_block(memory, tile, 1)
            worth = reward(parameters, row, memory, cat)
            set_block(memory, tile, 0)
            place = count
            while place > 0 and gain[place - 1] > worth:
                if place < most:
                    gain[place], blocks[place] = gain[place - 1], blocks[place - 1]
                place -= 1
            if place < most:
                gain[place], blocks[place] = worth, tile
                count = min(count + 1, most)
    return count


@kernel
def look_at_rounds(parameters, row, memory, cat):
    """Return the utility of the cat of cat trap when the next rounds are looked at.

    A round is a step of the cat and a block. After the last round the board stays as it is.
    ``memory.worth`` gets the utility of each direction.
    """
    gamma = parameters.numbers[0]
    rounds = memory.rounds
    depth = parameters.depth[0]
    level = np.int64(0)
    open_round(rounds, 0, cat)
    utility = 0.0
    while level >= 0:
        if level == depth:
            utility = 0.0
            if parameters.beyond[0] > 0 or depth == 0:
                cat_here = rounds.cat[level]
                if parameters.authors[0] > 0:
                    utility = settle_in_place(parameters, memory, cat_here)
                else:
                    utility = settle(parameters, row, memory, cat_here)
            level -= 1
        elif rounds.taken[level] < rounds.width[level]:
            set_block(memory, rounds.blocks[level, rounds.taken[level]], 1)
            after = rounds.after[level]
            rounds.gain[level] = reward(parameters, row, memory, after)
            if memory.open[after] > 0:
                level += 1
                open_round(rounds, level, after)
                continue
            is_among = parameters.authors[0] > 0 and level + 1 < depth
            utility = SHUT_IN_LATER if is_among else 0.0
        elif next_step(parameters, row, memory, level):
            continue
        else:
            utility = rounds.best[level]
            level -= 1
        if level >= 0:
            close_block(memory, level, gamma * utility)
    return utility


@kernel
def open_round(rounds, level, cat):
    """Start a round of the planner's search in cat trap: the cat stands on a tile at this level."""
    rounds.cat[level] = cat
    rounds.direction[level] = -1
    rounds.width[level] = 0
    rounds.taken[level] = 0
    rounds.best[level] = WORST


@kernel
def close_block(memory, level, later):
    """Finish a tried block in the planner's search of cat trap, and free its tile.

    ``later`` is the utility after the block. It is added to the total of the cat's step.
    """
    rounds = memory.rounds
    rounds.total[level] += rounds.gain[level] + later
    set_block(memory, rounds.blocks[level, rounds.taken[level]], 0)
    rounds.taken[level] += 1


@kernel
def next_step(parameters, row, memory, level):
    """Record the worth of the cat's last tried step, and start the next one at this level.

    Returns:
        Whether there is a next step in the planner's search of cat trap.
    """
    rounds = memory.rounds
    if rounds.width[level] > 0:
        note_step(memory, level, rounds.total[level] / np.float64(rounds.width[level]))
    rounds.width[level] = 0
    while rounds.direction[level] + 1 < WAYS:
        rounds.direction[level] += 1
        after = memory.beside[rounds.cat[level], rounds.direction[level]]
        if after >= 0 and memory.blocked[after] == 0:
            rounds.after[level] = after
            if memory.rim[after] > 0 or parameters.authors[0] > 0:
                rounds.total[level] = 0.0
                rounds.taken[level] = 0
                blocks = rounds.blocks[level]
                rounds.width[level] = list_blocks(parameters, row, memory, after, blocks)
                return True
            note_step(memory, level, reward(parameters, row, memory, after))
    return False


@kernel
def note_step(memory, level, worth):
    """Record the worth of a step of the cat in the planner's search of cat trap.

    The best worth of each level is kept. At level 0 the worth is also written to ``memory.worth``.
    """
    rounds = memory.rounds
    rounds.best[level] = max(rounds.best[level], worth)
    if level == 0:
        memory.worth[rounds.direction[0]] = worth


# --- choices -----------------------------------------------------------------------------------


@kernel
def look_ahead(board, state, parameters, row, memory):
    """List the legal actions in cat trap and the worth of each by the planner's search.

    Returns:
        The number of actions, and the highest worth.
    """
    tiles = memory.blocked.size
    for tile in range(tiles):
        memory.blocked[tile] = 0
        memory.open[tile] = memory.around[tile]
    for tile in range(tiles):
        if state[BLOCKED + tile] > 0:
            set_block(memory, tile, 1)
    cat = np.int64(state[CAT])
    is_cat = state[0] == 0
    count = np.int64(0)
    for tile in range(1 if is_cat else tiles):  # the cat looks once, the blocker once a tile
        if is_cat or (memory.blocked[tile] == 0 and tile != cat):
            gain = 0.0
            if not is_cat:
                set_block(memory, tile, 1)
                gain = reward(parameters, row, memory, cat)
            if memory.open[cat] > 0:
                gain += parameters.numbers[0] * look_at_rounds(parameters, row, memory, cat)
            if is_cat:
                count = list_steps(parameters, memory, cat)
            else:
                set_block(memory, tile, 0)
                memory.actions[count] = WAYS + tile
                memory.left[count] = -gain
                count += 1
    is_theirs = parameters.authors[0] > 0  # they take the first of equal actions
    return count, even_out(memory.left, memory.worth, count, is_theirs)


@kernel
def even_out(values, worth, count, is_first_alone):
    """Give all actions within rounding of the best the same highest worth, all others the lowest.

    Args:
        values: the values of the actions.
        worth: the worth of each action, to be filled.
        count: the number of actions.
        is_first_alone: whether only the first of the best actions counts.

    Returns:
        The highest worth.
    """
    best = WORST
    for index in range(count):
        best = max(best, values[index])
    is_taken = False
    for index in range(count):
        is_best = values[index] > best - EQUAL and not is_taken
        worth[index] = best if is_best else WORST
        is_taken |= is_best and is_first_alone
    return best


@kernel
def list_steps(parameters, memory, cat):
    """List the cat's possible steps in cat trap and what each is worth; return their number."""
    reach = memory.reach
    count = np.int64(0)
    for direction in range(WAYS):
        tile = memory.beside[cat, direction]
        if memory.blocked[tile] == 0:
            worth = memory.worth[direction]
            if parameters.depth[0] == 0 and parameters.authors[0] == 0:
                worth = reach.value[reach.number[tile]]
            memory.left[count] = worth
            memory.actions[count] = direction
            count += 1
    return count


choose, candidates = best_of(look_ahead)


def memory(game: Game, parameters: Settings) -> Memory:
    """Allocate the memory of a planner of cat trap for one side."""
    size = int(game.board[SIZE])
    tiles, levels = size * size, 1 + int(parameters.depth[0])
    whole, real = np.zeros((3, tiles), dtype=np.int64), np.zeros((3, tiles))
    reach = Reach(np.zeros((tiles, WAYS), dtype=np.int64), *whole, *real)
    whole, real = np.zeros((5, levels), dtype=np.int64), np.zeros((3, levels))
    rounds = Rounds(np.zeros((levels, tiles), dtype=np.int64), *whole, *real)
    actions = np.zeros(game.num_actions, dtype=np.int16)
    worth, left = np.zeros((2, game.num_actions))
    blocked, free = np.zeros((2, tiles), dtype=np.int64)
    sides = beside(game.board).astype(np.int64)
    around, rim = np.count_nonzero(sides >= 0, axis=1), rim_distances(game.board)
    return Memory(actions, worth, left, blocked, free, around, sides, rim, reach, rounds)


KIND = Kind("planner", choose, memory=memory, candidates=candidates)
