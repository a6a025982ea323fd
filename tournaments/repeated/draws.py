"""A move drawn by the chances of all."""

from __future__ import annotations

import numpy as np

from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import draw

U11 = np.uint64(11)
GRID = 2.0**-53


@kernel
def random_share(stream):
    """Return a random number in [0, 1) on a grid of 2^-53."""
    return np.float64(draw(stream) >> U11) * GRID


@kernel
def drawn(weights, total, stream):
    """Return a random index in proportion to ``weights``, float64, never one of weight 0.

    ``total`` is the sum of the weights.
    """
    left = random_share(stream)
    last = np.int64(0)
    for place in range(weights.size):
        chance = weights[place] / total
        if chance > 0.0:
            last = np.int64(place)
            if left < chance:
                return last
            left -= chance
    return last
