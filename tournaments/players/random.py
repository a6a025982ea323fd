"""Random play: ``level-0``, for every game."""

from __future__ import annotations

import numpy as np

from tournaments.hooks import legal
from tournaments.kernels import kernel
from tournaments.rng import below
from tournaments.types import Game, Kind


@kernel
def begin(board, state, parameters, row, memory):
    """Random play remembers nothing."""


@kernel
def watch(board, state, action, parameters, row, memory):
    """Random play does not watch."""


@kernel
def choose(board, state, parameters, row, memory, stream):
    """Any legal action, each as likely as the others; ``memory`` takes the list of them."""
    return memory[below(stream, legal(board, state, memory))]


def memory(game: Game, parameters: object) -> np.ndarray:
    """Room for a list of actions, int16 [A]."""
    return np.zeros(game.num_actions, dtype=np.int16)


KIND = Kind(name="level-0", choose=choose, begin=begin, watch=watch, memory=memory)
