"""Q-learning of fox and hounds by a straight C loop, 8x8 squares: the yardstick for one core.

It draws and numbers as the package does, so every value comes out the same. Needs `gcc`.
"""

import ctypes
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.c_loop import compiled


class Rates(NamedTuple):
    """Exploration, learning rate, and what a reward is worth a turn later."""

    epsilon: float = 0.1
    eta: float = 0.5
    gamma: float = 0.99


class Tables(NamedTuple):
    """The values of the fox and of the hounds, float32; NaN: never tried."""

    fox: NDArray[np.float32]
    hounds: NDArray[np.float32]


def learn(tables: Tables, rates: Rates, seed: int, turns: int) -> NDArray[np.int64]:
    """Learn into the tables until so many turns are over, with the game in hand.

    Returns turns, games, games won by the fox and by the hounds, positions seen by each.
    """
    counts = np.zeros(6, dtype=np.int64)
    compiled("q_learning_loop.c", "-ffp-contract=off").q_learn(
        *(ctypes.c_void_p(table.ctypes.data) for table in tables),
        *map(ctypes.c_double, rates),
        ctypes.c_uint64(seed),
        ctypes.c_int64(turns),
        ctypes.c_void_p(counts.ctypes.data),
    )
    return counts
