"""The planner of the authors' program: rewards by straight rays, and utilities updated in place.

Sources: github.com/zhuf11/CatTrapGameMDP, commit a0365f8, ``CatGame.py`` and ``ps_reward_1.py`` to
``ps_reward_4.py``. The program decides what the text of Chawla, Zertucheserna and Zhu (2021) leaves
open:

* Let f be the free tiles beside the cat, and d the shortest of the straight rays to the outside
  that begin on a free tile. A ray that ends at a block counts five times its steps; without a ray d
  is 100. Reward 1 is 2 f, reward 2 is 2 N - d, reward 3 half of reward 2 and reward 1, reward 4
  gives reward 2 the weight 1 / d and the rest to reward 1.
* The three versions of the program differ in what the ends are worth: 100 and -100, where one way
  left is a trap; 1000 and -2500; 500000 and -2500, where only the top and the left rim pay.
* On a board that stays (``max_depth=0``) utilities are updated in place, the cat's tile first,
  until no change is larger than epsilon (1 - gamma) / gamma. A tile on the rim has ways on, and one
  without ways has the utility -100.
* With rounds, a board is worth its reward and gamma times its utility if it is among the boards
  that ``max_depth`` rounds reach; such a board without ways has the utility -1000. So one round
  more is looked at than ``max_depth`` says, and with ``max_depth=-1`` one round alone.
* Of equal steps the first is taken, in the order right, left, up-right, up-left, down-right,
  down-left.
"""

from __future__ import annotations

import numpy as np

from tournaments.games.cat_trap.rules import WAYS
from tournaments.kernels.linker import kernel

ESCAPES, TRAPS = (100.0, 1000.0, 500_000.0), (-100.0, -2500.0, -2500.0)
"""Worth of the ends, by the version of the program."""
SHUT_IN, SHUT_IN_LATER = -100.0, -1000.0
"""Utilities of the cat without ways, on a board that stays and after rounds."""
FARTHEST, AT_BLOCK, MOST_SWEEPS = 100, 5, 1000
WORST = -1e300


@kernel
def shortest_ray(memory, tile):
    """Return the number of steps of the shortest straight line from a tile to the rim of cat trap.

    Lines that end at a block count five times.
    """
    least = np.int64(FARTHEST)
    for direction in range(WAYS):
        place = memory.beside[tile, direction]
        if place >= 0 and memory.blocked[place] == 0:
            steps = np.int64(1)
            while place >= 0 and memory.blocked[place] == 0:
                place = memory.beside[place, direction]
                steps += 1
            least = min(least, steps if place < 0 else AT_BLOCK * steps)
    return least


@kernel
def ray_reward(parameters, memory, tile):
    """Return the pseudo-reward of the authors' planner for the cat on a tile of cat trap.

    It depends on the blocks in ``memory`` and on the straight lines to the rim.
    """
    version, kind = parameters.authors[0], parameters.authors[1]
    size = np.int64(np.sqrt(np.float64(memory.rim.size)))
    free = memory.open[tile]
    is_out = tile < size or tile % size == 0 if version == 3 else memory.rim[tile] == 0
    if is_out:
        return parameters.numbers[2]
    if free == 0 or (version == 1 and free == 1):
        return parameters.numbers[3]
    ways = 2.0 * np.float64(free)
    if kind == 1:
        return ways
    ray = np.float64(shortest_ray(memory, tile))
    near = 2.0 * np.float64(size) - ray
    if kind == 2:
        return near
    if kind == 3:
        return near / 2.0 + ways
    return near / ray + (1.0 - 1.0 / ray) * ways


@kernel
def settle_in_place(parameters, memory, cat):
    """Compute the utilities of all tiles of cat trap if no tile is blocked any more.

    Utilities are updated in place, as in the authors' program. ``memory.worth`` is filled with the
    utilities of the cat's steps.
    """
    gamma = parameters.numbers[0]
    gain, utility = memory.reach.gain, memory.reach.utility
    tiles = memory.rim.size
    for tile in range(tiles):
        gain[tile] = ray_reward(parameters, memory, tile)
        utility[tile] = 0.0
    change = np.inf
    sweeps = np.int64(0)
    while change > parameters.numbers[1] and sweeps < MOST_SWEEPS:
        change = 0.0
        for place in range(-1, tiles):
            here = np.int64(cat if place < 0 else place)
            if memory.blocked[here] > 0 or place == cat:
                continue
            best = WORST
            for direction in range(WAYS):
                other = memory.beside[here, direction]
                if other >= 0 and memory.blocked[other] == 0:
                    worth = gain[other] + gamma * utility[other]
                    best = max(best, worth)
                    if place < 0:
                        memory.worth[direction] = worth
            best = best if best > WORST else SHUT_IN
            change = max(change, abs(best - utility[here]))
            utility[here] = best
        sweeps += 1
    return utility[cat]
