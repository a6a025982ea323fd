"""Kernels that fill the hooks of a kind of player without memory."""

from __future__ import annotations

import numpy as np

from tournaments.kernels.linker import kernel


@kernel
def begin(board, state, parameters, row, memory):
    """Do nothing when a game begins: the player has no memory."""


@kernel
def watch(board, state, action, parameters, row, memory):
    """Do nothing after an action: the player has no memory."""


def no_memory(game: object, parameters: object) -> np.ndarray:
    """Return an empty array as the memory of a player that has none."""
    return np.zeros(0)


KERNELS = (begin, watch)
