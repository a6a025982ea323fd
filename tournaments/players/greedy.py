"""``greedy``, for every game: the action with the largest immediate gain.

The value of an action is the mover's lead after it. An action that wins the game is worth more than
any lead. Ties are broken at random. A game may offer its own greedy player, which takes precedence.
"""

from __future__ import annotations

import numpy as np

from tournaments.kernels.choices import best_by_playing
from tournaments.kernels.linker import kernel
from tournaments.player import Kind, can_look_ahead
from tournaments.players.optimal import memory
from tournaments.rules import PlayerOffer, nobody

WIN = np.int64(1 << 20)
"""A value above every lead."""


@kernel
def lead_after(board, seat, state, parameters):
    """Return the worth of a position for the seat that has moved: its lead.

    A won game is worth more than any lead, a lost game less.
    """
    lead = np.int64(state[1 + seat]) - np.int64(state[2 - seat])
    if state[0] < 0 and lead != 0:
        return lead + (WIN if lead > 0 else -WIN)
    return lead


choose, candidates = best_by_playing(lead_after)


KIND = Kind("greedy", choose, memory=memory, candidates=candidates)
PLAYER = PlayerOffer("what gains most at once", KIND.player, can_look_ahead, samples=nobody)
