"""Vectors of the cat trap: numbers by which a planning cat and a weighing blocker go.

The *cat* plans (:mod:`tournaments.games.cat_trap.planner`) by a pseudo-reward of its own: at each
distance from the rim, ``free-D`` is what the share of free tiles beside it counts there, and
``place-D`` what it is worth to be there. The four rewards are such vectors, too. An escape stays
worth 100, a trap -100. The form ``plan-0`` takes the board as it is; ``plan-1`` looks one round
ahead at the five worst blocks and no further.

A cat of the form ``ways`` (:mod:`tournaments.games.cat_trap.ways`) does not plan.

The *blocker* weighs the features of each free tile, and blocks one of those of largest sum:

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

Steps to or from a tile that cannot be reached are without end, and the feature is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.games.cat_trap import paths, planning
from tournaments.games.cat_trap.board import BLOCKED, CAT, SIZE
from tournaments.games.cat_trap.paths import FAR, steps_away, steps_out
from tournaments.games.cat_trap.planner import Options, settings_of
from tournaments.games.cat_trap.planning import EQUAL, WORST, look_ahead
from tournaments.games.cat_trap.rules import WAYS
from tournaments.kernels.choices import best_of
from tournaments.kernels.linker import kernel
from tournaments.player import Kind
from tournaments.rules import VectorForm

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


class Memory(NamedTuple):
    """Scratch of one side: ``settings`` of a planner whose rewards are those of the row that plays,
    the planner's own, and that for ways; ``actions`` and ``worth`` of a position."""

    settings: planning.Settings
    plan: planning.Memory
    ways: paths.Memory
    actions: np.ndarray
    worth: np.ndarray


@kernel
def closeness(steps):
    """1 at no steps, less the more there are, 0 where there is no way."""
    return 1.0 / np.float64(1 + steps) if steps < FAR else 0.0


@kernel
def weigh_tile(state, weights, row, ways, tile):
    """The weighted sum of the features of a tile."""
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
    """Note the free tiles and the sum of each; return how many, and the largest."""
    ways = memory.ways
    steps_out(state, ways)
    steps_away(state, ways)
    count = np.int64(0)
    best = WORST
    for tile in range(ways.rim.size):
        if state[BLOCKED + tile] == 0 and tile != state[CAT]:
            memory.actions[count] = WAYS + tile
            memory.worth[count] = weigh_tile(state, weights, row, ways, tile)
            best = max(best, memory.worth[count])
            count += 1
    for index in range(count):
        memory.worth[index] = best if memory.worth[index] > best - EQUAL else WORST
    return count, best


@kernel
def plan_steps(board, state, weights, row, memory):
    """Note the cat's steps and what each is worth; return how many, and the best worth."""
    settings = memory.settings
    half = settings.free.shape[1] - 1
    for distance in range(1, half + 1):
        settings.free[0, distance] = weights[row, distance - 1] / 6.0
        settings.place[0, distance] = weights[row, half + distance - 1]
    count, best = look_ahead(board, state, settings, 0, memory.plan)
    for index in range(count):
        memory.actions[index] = memory.plan.actions[index]
        memory.worth[index] = memory.plan.worth[index]
    return count, best


@kernel
def look(board, state, parameters, row, memory):
    """Note the actions and what each is worth; return how many, and the best worth."""
    if state[0] == 0:
        return plan_steps(board, state, parameters.first, row, memory)
    return weigh_blocks(board, state, parameters.second, row, memory)


choose, candidates = best_of(look)


def memory_of(chosen: Options) -> Callable[[Game, object], Memory]:
    """What makes one side's memory, with the options of its planner."""

    def memory(game: Game, parameters: object) -> Memory:
        none = np.zeros((1, int(game.board[SIZE]) // 2 + 1))
        settings = settings_of(chosen, none, none.copy())
        plan = planning.memory(game, settings)
        return Memory(
            settings,
            plan,
            paths.memory(game, None),
            np.zeros(game.num_actions, dtype=np.int16),
            np.zeros(game.num_actions),
        )

    return memory


def names(game: Game, seat: int) -> tuple[str, ...]:
    """What the numbers of a seat are called."""
    if seat == 1:
        return FEATURES
    distances = range(1, int(game.board[SIZE]) // 2 + 1)
    return tuple(f"{what}-{distance}" for what in ("free", "place") for distance in distances)


def form(name: str, summary: str, chosen: Options) -> VectorForm:
    """A form whose cats plan with these options."""
    kind = Kind(
        name, choose, memory=memory_of(chosen), candidates=candidates, by_row=("first", "second")
    )
    return VectorForm(name, summary, names, kind, spread=1.0, limit=100.0)


FORMS = (
    form("plan-0", "a cat that plans on the board as it is, a blocker of weights", Options()),
    form(
        "plan-1",
        "a cat that plans a round ahead, a blocker of weights",
        Options(max_depth=1, num_states=5, beyond="nothing"),
    ),
)
