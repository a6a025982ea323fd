"""A hash table of positions, keyed by the whole state array."""

from __future__ import annotations

import numpy as np

from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import MIX_1, mix


@kernel
def slot_of(states, slots, state):
    """Return the slot of a position in a hash table, or the free slot for a new position.

    ``states`` has the known positions, ``slots`` the number of the position in each slot or -1.
    """
    code = np.uint64(0)
    for index in range(state.size):
        code = (code ^ np.uint64(np.uint16(state[index]))) * MIX_1
    last = np.uint64(slots.size - 1)
    slot = mix(code) & last
    while slots[slot] >= 0:
        number = slots[slot]
        is_same = True
        for index in range(state.size):
            if states[number, index] != state[index]:
                is_same = False
                break
        if is_same:
            break
        slot = (slot + np.uint64(1)) & last
    return slot


@kernel
def number_of(states, slots, state):
    """Return the number of a position in a hash table of positions, or -1 if it is unknown."""
    return np.int64(slots[slot_of(states, slots, state)])
