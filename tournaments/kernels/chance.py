"""The stream of a game that draws: four numbers of its state, right behind the header.

A game of chance seeds it as it starts (:func:`seed_chance`) and draws from it (:func:`chance`)
wherever its rules leave something to chance. The stream is part of the position: a clone draws what
its original draws. No player sees it, see :func:`hide_chance`.

The generator is xorshift with 64 bits (Marsaglia, "Xorshift RNGs", Journal of Statistical Software
2003), whose halves are mixed by the finalizer of MurmurHash3: nothing overflows on the way, so that
a game's own overflows are seen by :func:`tournaments.contract.check.check_game`.
"""

from __future__ import annotations

import re

import numpy as np

from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import CHANCE, ZERO, one_way

STREAM = 3
"""The place of the stream's first number."""
STREAM_SIZE = 4
"""Numbers of a state that the stream takes; what is the game's own begins behind them."""
THIRTY_TWO_BITS = np.uint64(0xFFFFFFFF)
U7, U13, U14, U16, U17 = (np.uint64(bits) for bits in (7, 13, 14, 16, 17))
U26, U28, U32, U34, U52, U56 = (np.uint64(bits) for bits in (26, 28, 32, 34, 52, 56))
MURMUR_1, MURMUR_2 = np.uint64(0x85EBCA6B), np.uint64(0xC2B2AE35)


@kernel
def seed_chance(state, seed):
    """Start the random stream inside a game's state from the seed of the opening.

    The stream does not reveal the seed.
    """
    write_stream(state, one_way(np.uint64(seed), ZERO, np.uint64(CHANCE)) | np.uint64(1))


@kernel
def write_stream(state, word):
    """Write the 64 bits of a game's random stream into its state, the low bits first."""
    for place in range(STREAM_SIZE):
        state[STREAM + place] = np.int16(word >> np.uint64(16 * place))


@kernel
def read_stream(state):
    """Return the 64 bits of the random stream inside a game's state, or 0 in a seat's view."""
    word = np.uint64(0)
    for place in range(STREAM_SIZE):
        bits = np.uint64(np.int64(state[STREAM + place]) & 65535)
        word |= bits << np.uint64(16 * place)
    return word


@kernel
def after(word):
    """Return the 64 bits of a game's random stream after these bits."""
    word ^= word << U13
    word ^= word >> U7
    return word ^ (word << U17)


@kernel
def before(word):
    """Return the 64 bits of a game's random stream before these bits."""
    word ^= word << U17
    word ^= word << U34
    word ^= word >> U7
    word ^= word >> U14
    word ^= word >> U28
    word ^= word >> U56
    word ^= word << U13
    word ^= word << U26
    return word ^ (word << U52)


@kernel
def drawn_by(word, n):
    """Return the integer in 0..n-1 that :func:`chance` draws from these bits of the stream."""
    bits = (word ^ (word >> U32)) & THIRTY_TWO_BITS
    bits = ((bits ^ (bits >> U16)) * MURMUR_1) & THIRTY_TWO_BITS
    bits = ((bits ^ (bits >> U13)) * MURMUR_2) & THIRTY_TWO_BITS
    bits ^= bits >> U16
    return np.int64((bits * np.uint64(n)) >> U32)


@kernel
def chance(state, n):
    """Draw a random integer in 0..n-1 for a game, and advance the random stream in its state.

    The result is 0 in a seat's view, which has no stream. n must be below 2^31. The bias is under n
    / 2^32.
    """
    word = after(read_stream(state))
    write_stream(state, word)
    return drawn_by(word, n)


@kernel
def hide_chance(board, state, seat, seen):
    """Write a seat's view of a position: a copy of the state without its random stream.

    It fills :func:`tournaments.kernels.hooks.view` for games that hide nothing else.
    """
    for place in range(state.size):
        seen[place] = state[place]
    for place in range(STREAM_SIZE):
        seen[STREAM + place] = 0


# --- in text boards ------------------------------------------------------------------------------


def stream_line(state: np.ndarray, label: str = "stream ") -> str:
    """Return the line of a text board that holds the game's random stream; empty in a seat's view.

    The stream is part of the position: a text board without it is another position.
    """
    word = int(read_stream(state))
    return f"{label}{word:016x}" if word else ""


def take_stream_line(picture: str, state: np.ndarray, label: str = "stream ") -> str:
    """Read a game's random stream from a text board into ``state``; return the text without it."""
    line = rf"^[ \t]*{re.escape(label)}([0-9a-f]{{16}})[ \t]*$\n?"
    shown = re.search(line, picture, re.MULTILINE)
    if shown is None:
        return picture
    write_stream(state, np.uint64(int(shown[1], 16)))
    return picture[: shown.start()] + picture[shown.end() :]
