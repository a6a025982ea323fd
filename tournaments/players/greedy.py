"""``greedy``, for every game: what gains most at once.

An action is worth what the mover then has more than the other, and a game that is won by it more
than anything else; equal ones are drawn from. A game may offer a greedy player of its own, which
then has the name.
"""

from __future__ import annotations

import numpy as np

from tournaments.game import Game
from tournaments.kernels.choices import best_of
from tournaments.kernels.hooks import legal, play
from tournaments.kernels.linker import kernel
from tournaments.player import Kind, can_look_ahead
from tournaments.players.optimal import Memory
from tournaments.rules import PlayerOffer, nobody

WIN = np.int64(1 << 20)
"""Worth more than any lead."""


@kernel
def look_ahead(board, state, parameters, row, memory):
    """Note the legal actions and what each is worth; return how many, and the best worth."""
    seat = state[0]
    count = legal(board, state, memory.actions)
    best = -2 * WIN
    for index in range(count):
        for place in range(state.size):
            memory.state[place] = state[place]
        play(board, memory.state, memory.actions[index])
        lead = np.int64(memory.state[1 + seat]) - np.int64(memory.state[2 - seat])
        worth = lead
        if memory.state[0] < 0 and lead != 0:
            worth = lead + (WIN if lead > 0 else -WIN)
        memory.worth[index] = worth
        best = max(best, worth)
    return count, best


choose, candidates = best_of(look_ahead)


def memory(game: Game, parameters: object) -> Memory:
    """One side's memory."""
    actions, worth = np.zeros((2, game.num_actions), dtype=np.int64)
    return Memory(actions.astype(np.int16), worth, np.zeros(game.state_size, dtype=np.int16))


KIND = Kind("greedy", choose, memory=memory, candidates=candidates)
PLAYER = PlayerOffer("what gains most at once", KIND.player, can_look_ahead, samples=nobody)
