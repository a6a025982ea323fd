"""Perfect play: ``optimal``, for every game that can be solved.

The player looks each legal action's successor up in the game's table of exact values
(:mod:`tournaments.oracle`), and plays uniformly among the best.
"""

from __future__ import annotations

import numpy as np

from tournaments.hooks import legal, play, position
from tournaments.kernels import kernel
from tournaments.players.random import begin, watch
from tournaments.rng import below
from tournaments.types import Game, Kind


@kernel
def action_value(board, state, action, values, scratch):
    """What the seat to move gains over the other by this action and best play after it.

    ``scratch`` is overwritten with the successor.
    """
    seat = state[0]
    for index in range(state.size):
        scratch[index] = state[index]
    play(board, scratch, action)
    gain = (scratch[1 + seat] - state[1 + seat]) - (scratch[2 - seat] - state[2 - seat])
    if scratch[0] < 0:
        return gain
    rest = values[position(board, scratch)]
    return gain + rest if scratch[0] == seat else gain - rest


@kernel
def choose(board, state, parameters, row, memory, stream):
    """One of the best actions; ``parameters`` is the table of exact values."""
    size = state.size
    scratch = memory[:size]
    actions = memory[size:]
    count = legal(board, state, actions)
    best = -32768
    ties = 0
    for index in range(count):
        value = action_value(board, state, actions[index], parameters, scratch)
        if value > best:
            best = value
            ties = 0
        if value == best:
            actions[ties] = actions[index]
            ties += 1
    return actions[below(stream, ties)]


def memory(game: Game, parameters: object) -> np.ndarray:
    """Room for a position and a list of actions, int16."""
    return np.zeros(game.state_size + game.num_actions, dtype=np.int16)


KIND = Kind(name="optimal", choose=choose, begin=begin, watch=watch, memory=memory)
