"""Vectors of the cat trap: the parameters of a planning cat and of a weighing blocker.

The *cat* plans (:mod:`tournaments.games.cat_trap.planner`) by a pseudo-reward of its own. At each
distance D from the rim, ``free-D`` is the weight of the share of free tiles beside the cat, and
``place-D`` the worth of the distance itself. The four rewards are such vectors, too. An escape
always counts 100, a trap -100. The form ``plan-0`` plans on the present board; ``plan-1`` looks one
round ahead, at the five worst blocks only.

A cat of the form ``ways`` does not plan. The cat weighs the features of each free tile beside it,
and goes to a tile of largest sum. A feature counted in steps is 1 / (1 + steps):

===============  ==================================================================================
``place``        steps to the rim on the empty board
``way-out``      steps to the rim over free tiles
``after-block``  the same once the best tile beside it is blocked: a round ahead
``second-way``   steps to the rim where the best next tile is always blocked in time (two-distance)
``ways``         share of the six tiles beside it that lead nearer to the rim
``free``         share of the six tiles beside it that are free
===============  ==================================================================================

The *blocker* weighs the features of each free tile, and blocks a tile of largest sum:

=================  ====================================================================
``beside-cat``     1 beside the cat
``escape``         1 beside the cat and on the rim
``on-way``         1 on a shortest way out over free tiles
``near-way``       1 / (1 + how many steps longer than that a way over this tile is)
``near-cat``       1 / (1 + steps from the cat)
``near-rim``       1 / (1 + steps to the rim over free tiles)
``on-rim``         1 on the rim
``blocked-beside`` share of the six tiles beside it that are blocked or beyond the rim
=================  ====================================================================

The number of steps to or from an unreachable tile is infinite, and the feature is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.games.cat_trap import paths, planning
from tournaments.games.cat_trap.board import BLOCKED, CAT, SIZE
from tournaments.games.cat_trap.paths import FAR, steps_away, steps_to_rim
from tournaments.games.cat_trap.planner import Options, settings_of
from tournaments.games.cat_trap.planning import even_out, look_ahead
from tournaments.games.cat_trap.rules import WAYS
from tournaments.kernels.choices import best_of
from tournaments.kernels.linker import kernel
from tournaments.player import Kind
from tournaments.rules import Kernel, VectorForm

FEATURES = (
    "beside-cat",
    "escape",
    "on-way",
    "near-way",
    "near-cat",
    "near-rim",
    "on-rim",
    "blocked-beside",
)


OF_STEPS = ("place", "way-out", "after-block", "second-way", "ways", "free")


class Memory(NamedTuple):
    """Scratch of one side.

    ``settings`` are those of a planner with the rewards of the playing row; ``plan`` is the scratch
    of the planner, and ``ways`` that of ways. ``actions`` and ``worth`` are the planner's.
    """

    settings: planning.Settings
    plan: planning.Memory
    ways: paths.Memory
    actions: np.ndarray
    worth: np.ndarray


@kernel
def closeness(steps):
    """Return 1 / (1 + steps) for a number of steps, or 0 if there is no way."""
    return 1.0 / np.float64(1 + steps) if steps < FAR else 0.0


@kernel
def weigh_tile(state, weights, row, ways, tile):
    """Return the worth of blocking a tile of cat trap: the weighted sum of the tile's features.

    Args:
        state: the position.
        weights: the weights of N blockers, ``[N, features]``.
        row: the blocker's row.
        ways: the distances to the rim and from the cat.
        tile: the tile.
    """
    shortest = ways.out[state[CAT]]
    over = ways.away[tile] + ways.out[tile]
    is_beside = ways.away[tile] == 1
    blocked = np.int64(0)
    for direction in range(WAYS):
        other = ways.beside[tile, direction]
        blocked += other < 0 or state[BLOCKED + other] > 0
    total = 0.0
    total += weights[row, 0] if is_beside else 0.0
    total += weights[row, 1] if is_beside and ways.rim[tile] == 0 else 0.0
    total += weights[row, 2] if over == shortest else 0.0
    total += weights[row, 3] * closeness(over - shortest) if over < FAR else 0.0
    total += weights[row, 4] * closeness(ways.away[tile])
    total += weights[row, 5] * closeness(ways.out[tile])
    total += weights[row, 6] if ways.rim[tile] == 0 else 0.0
    total += weights[row, 7] * (np.float64(blocked) / 6.0)
    return total


@kernel
def weigh_blocks(board, state, weights, row, memory):
    """List the tiles that a weighing blocker of cat trap may block, and the worth of each.

    Returns:
        The number of tiles, and the highest worth.
    """
    ways = memory.ways
    steps_to_rim(ways, state[BLOCKED:], ways.out, 1)
    steps_away(ways, state[BLOCKED:], np.int64(state[CAT]))
    count = np.int64(0)
    for tile in range(ways.rim.size):
        if state[BLOCKED + tile] == 0 and tile != state[CAT]:
            memory.actions[count] = WAYS + tile
            memory.worth[count] = weigh_tile(state, weights, row, ways, tile)
            count += 1
    return count, even_out(memory.worth, memory.worth, count, False)


@kernel
def plan_steps(board, state, weights, row, memory):
    """List the steps of a planning cat of cat trap and the worth of each.

    Row ``row`` of ``weights`` has its pseudo-rewards.

    Returns:
        The number of steps, and the highest worth.
    """
    settings = memory.settings
    half = settings.free.shape[1] - 1
    for distance in range(1, half + 1):
        settings.free[0, distance] = weights[row, distance - 1] / 6.0
        settings.place[0, distance] = weights[row, half + distance - 1]
    return look_ahead(board, state, settings, 0, memory.plan)


@kernel
def weigh_steps(state, weights, row, memory):
    """List the steps of a cat of cat trap that weighs features of tiles, and the worth of each.

    Returns:
        The number of steps, and the highest worth.
    """
    ways = memory.ways
    blocked = state[BLOCKED:]
    steps_to_rim(ways, blocked, ways.out, 1)
    steps_to_rim(ways, blocked, ways.away, 2)
    count = np.int64(0)
    for direction in range(WAYS):
        tile = ways.beside[state[CAT], direction]
        if tile >= 0 and blocked[tile] == 0:
            least = second = FAR
            nearer = np.int64(0)
            free = np.int64(0)
            for way in range(WAYS):
                other = ways.beside[tile, way]
                if other >= 0 and blocked[other] == 0:
                    second = min(second, max(least, ways.out[other]))
                    least = min(least, ways.out[other])
                    free += 1
                    nearer += ways.out[other] < ways.out[tile]
            after = np.int64(0) if ways.rim[tile] == 0 else second + 1
            total = weights[row, 0] * closeness(ways.rim[tile])
            total += weights[row, 1] * closeness(ways.out[tile])
            total += weights[row, 2] * closeness(after)
            total += weights[row, 3] * closeness(ways.away[tile])
            total += weights[row, 4] * (np.float64(nearer) / 6.0)
            total += weights[row, 5] * (np.float64(free) / 6.0)
            memory.actions[count] = direction
            memory.worth[count] = total
            count += 1
    return count, even_out(memory.worth, memory.worth, count, False)


@kernel
def look_by_plan(board, state, parameters, row, memory):
    """Write the actions of an evolved player of cat trap and their worth into ``memory``.

    The cat plans by its pseudo-rewards. The blocker weighs features of tiles. Row ``row`` of
    ``parameters.first`` has the rewards, that of ``parameters.second`` the weights.

    Returns:
        The number of actions, and the highest worth.
    """
    if state[0] == 0:
        return plan_steps(board, state, parameters.first, row, memory)
    return weigh_blocks(board, state, parameters.second, row, memory)


@kernel
def look_by_ways(board, state, parameters, row, memory):
    """List the actions in cat trap of a weighing cat or a weighing blocker, with their worth.

    Returns:
        The number of actions, and the highest worth.
    """
    if state[0] == 0:
        return weigh_steps(state, parameters.first, row, memory)
    return weigh_blocks(board, state, parameters.second, row, memory)


choose_by_plan, candidates_by_plan = best_of(look_by_plan, "_by_plan")


choose_by_ways, candidates_by_ways = best_of(look_by_ways, "_by_ways")


def memory_of(chosen: Options, game: Game, parameters: object) -> Memory:
    """Allocate the memory of one side of cat trap for evolved vectors, with a planner's options."""
    none = np.zeros((1, int(game.board[SIZE]) // 2 + 1))
    settings = settings_of(chosen, none, none.copy())
    plan = planning.memory(game, settings)
    return Memory(settings, plan, paths.memory(game, None), plan.actions, plan.worth)


def names(game: Game, seat: int) -> tuple[str, ...]:
    """Return the names of the numbers of a vector of cat trap for a seat (0 cat, 1 blocker)."""
    if seat == 1:
        return FEATURES
    distances = range(1, int(game.board[SIZE]) // 2 + 1)
    return tuple(f"{what}-{distance}" for what in ("free", "place") for distance in distances)


def form(
    name: str,
    summary: str,
    names_of: Callable[[Game, int], tuple[str, ...]],
    kernels: Sequence[Kernel],
    chosen: Options,
) -> VectorForm:
    """Return a form of vectors of cat trap by its kernels and the options of its planner.

    The kernels are ``choose`` and ``candidates``.
    """
    choose, candidates = kernels
    memory, by_row = partial(memory_of, chosen), ("first", "second")
    kind = Kind(name, choose, memory=memory, candidates=candidates, by_row=by_row)
    return VectorForm(name, f"{summary}, a blocker of weights", names_of, kind, limit=100.0)


BY_PLAN = choose_by_plan, candidates_by_plan
AHEAD = Options(max_depth=1, num_states=5, beyond="nothing")
FORMS = (
    form("plan-0", "a cat that plans on the board as it is", names, BY_PLAN, Options()),
    form("plan-1", "a cat that plans a round ahead", names, BY_PLAN, AHEAD),
    form(
        "ways",
        "a cat that weighs the ways out",
        lambda game, seat: FEATURES if seat == 1 else OF_STEPS,
        (choose_by_ways, candidates_by_ways),
        Options(),
    ),
)
