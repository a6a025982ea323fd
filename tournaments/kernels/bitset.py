"""Sets of actions as bits, counted and drawn from without a list.

A set is a ``uint64`` array in which word ``w`` holds the actions 32 w..32 w + 31, the lowest bit
the first. The upper halves stay empty: five halvings then find an action within its word.
"""

from __future__ import annotations

import numpy as np

from tournaments.kernels.linker import kernel

WORD = 32
"""Actions a word."""

PAIRS = np.uint64(0x5555555555555555)
FOURS = np.uint64(0x3333333333333333)
BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
ADD_BYTES = np.uint64(0x0101010101010101)
U0 = np.uint64(0)
U1 = np.uint64(1)
U2 = np.uint64(2)
U4 = np.uint64(4)
U16 = np.uint64(16)
U56 = np.uint64(56)


def empty(actions: int) -> np.ndarray:
    """Return an empty set (bits of words) with room for a number of actions, ``uint64 [words]``."""
    return np.zeros(-(-actions // WORD), dtype=np.uint64)


def members(words: np.ndarray) -> list[int]:
    """Return the actions of a set that is given as bits of words, in rising order."""
    actions = range(WORD * len(words))
    return [action for action in actions if int(words[action // WORD]) >> action % WORD & 1]


@kernel
def bit(action):
    """Return a word in which only the bit of an action is set."""
    return U1 << np.uint64(action & 31)


@kernel
def size_of_word(word):
    """Return the number of bits of a word that are set.

    Compilers turn this code into one instruction.
    """
    word = word - ((word >> U1) & PAIRS)
    word = (word & FOURS) + ((word >> U2) & FOURS)
    word = (word + (word >> U4)) & BYTES
    return (word * ADD_BYTES) >> U56


@kernel
def size(words):
    """Return the number of actions in a set that is given as bits of words."""
    total = U0
    for index in range(words.size):
        total += size_of_word(words[index])
    return np.int64(total)


@kernel
def nth(words, number):
    """Return the action of rank ``number`` in a set of bits, counted from 0.

    The set must have that many members. No branch depends on the set, because a processor could not
    predict it.
    """
    rest = np.uint64(number)
    before = U0
    chosen = 0
    for index in range(words.size - 1):
        before += size_of_word(words[index])
        past = before <= np.uint64(number)
        chosen = index + 1 if past else chosen
        rest = np.uint64(number) - before if past else rest
    word = words[chosen]
    place = U0
    for step in range(5):
        width = U16 >> np.uint64(step)
        low = size_of_word(word & ((U1 << width) - U1))
        high = low <= rest
        rest = rest - low if high else rest
        word = word >> width if high else word
        place += width if high else U0
    return 32 * chosen + np.int64(place)
