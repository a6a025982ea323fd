"""Random streams, each derived from its purpose.

A stream outside kernels is a numpy generator keyed by (run seed, purpose, generation, index), see
:func:`generator`. A stream inside kernels is splitmix64 (Steele, Lea and Flood, "Fast splittable
pseudorandom number generators", OOPSLA 2014), held in an array of one ``uint64``.

Streams of games form a tree, and each step down the tree is a one-way function, so that a player
that knows its own stream cannot compute any other one:

1. The seed of a run or tournament and a purpose give a key of 128 bits (BLAKE2b,
   :func:`stream_key`).
2. The key and the number of a match give the seed of the match (SipHash, :func:`seeds_of`).
3. The seed of the match and the number of a game give the seed of the opening and the stream of
   each seat (SipHash, :func:`seed_game`).
4. The seed of the opening gives the stream of chance, for games that have one
   (:func:`tournaments.kernels.chance.seed_chance`). The stream of a seat gives the seed of a
   program that plays there (:meth:`Stream.program_seed`).

SipHash is from Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from tournaments.errors import TournamentError
from tournaments.kernels.linker import build, kernel

Item = TypeVar("Item")

GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
U27 = np.uint64(27)
U30 = np.uint64(30)
U31 = np.uint64(31)
U32 = np.uint64(32)
U8 = np.uint64(8)
ZERO = np.uint64(0)
MASK = (1 << 64) - 1
# Complements of the constants of SipHash: above 2^63, so that numba takes them for unsigned.
SIP_A = MASK ^ 0x736F6D6570736575
SIP_B = MASK ^ 0x646F72616E646F6D
SIP_C = MASK ^ 0x6C7967656E657261
SIP_D = MASK ^ 0x7465646279746573
LENGTH = MASK ^ (7 << 56)
"""The length of a message in bytes, as SipHash encodes it, complemented likewise."""
OPENING, CHANCE, PROGRAM = 2, 3, 4
"""Purposes of what is derived for a game; 0 and 1 are the streams of the seats."""


@kernel
def rotated(word, bits):
    """Return a 64-bit word rotated to the left by a number of bits."""
    return ((word << bits) & MASK) | (word >> (64 - bits))


@kernel
def sip_round(a, b, c, d):
    """Return the four words of the state of SipHash after one round."""
    a = (a + b) & MASK
    c = (c + d) & MASK
    b = rotated(b, 13) ^ a
    d = rotated(d, 16) ^ c
    a = (rotated(a, 32) + d) & MASK
    c = (c + b) & MASK
    return a, rotated(b, 17) ^ c, rotated(c, 32), rotated(d, 21) ^ a


@kernel
def one_way(key_0, key_1, number):
    """Return the SipHash-2-4 of a number: 64 bits that do not reveal the number or the key.

    The number is hashed as a message of 7 bytes. Runs on ``uint64`` values inside kernels, and on
    Python integers and numpy arrays outside.

    Args:
        key_0: the first word of the key.
        key_1: the second word of the key.
        number: below 2^56.
    """
    word = number ^ LENGTH ^ MASK
    a, b = key_0 ^ SIP_A ^ MASK, key_1 ^ SIP_B ^ MASK
    c, d = key_0 ^ SIP_C ^ MASK, key_1 ^ SIP_D ^ MASK ^ word
    a, b, c, d = sip_round(a, b, c, d)
    a, b, c, d = sip_round(a, b, c, d)
    a, c = a ^ word, c ^ (MASK >> 56)
    a, b, c, d = sip_round(a, b, c, d)
    a, b, c, d = sip_round(a, b, c, d)
    a, b, c, d = sip_round(a, b, c, d)
    a, b, c, d = sip_round(a, b, c, d)
    return a ^ b ^ c ^ d


@kernel
def mix(value):
    """Return a scrambled ``uint64``; different values have different results."""
    value = (value ^ (value >> U30)) * MIX_1
    value = (value ^ (value >> U27)) * MIX_2
    return value ^ (value >> U31)


@kernel
def draw(stream):
    """Return the next 64 random bits of a stream, and advance it."""
    stream[0] += GAMMA
    return mix(stream[0])


@kernel
def below(stream, limit):
    """Return a random integer in 0..limit-1 from a stream.

    ``limit`` is below 2^31; the bias is under limit / 2^32.
    """
    return np.int64(((draw(stream) >> U32) * np.uint64(limit)) >> U32)


@kernel
def derived(match_seed, game, purpose):
    """Return the seed, ``uint64``, for one purpose in one game of a match."""
    return one_way(match_seed, ZERO, (np.uint64(game) << U8) | np.uint64(purpose))


@kernel
def seed_game(streams, match_seed, game):
    """Fill ``streams`` (uint64 ``[2, 1]``), the random stream of each seat, for a game of a match.

    Returns:
        The seed of the game's opening.
    """
    streams[0, 0] = derived(match_seed, game, 0)
    streams[1, 0] = derived(match_seed, game, 1)
    return derived(match_seed, game, OPENING)


def opening_seed(match_seed: int, game: int) -> int:
    """Return the seed of the opening of one game of a match."""
    return _derived(match_seed, game, OPENING)


def _derived(match_seed: int, game: int, purpose: int) -> int:
    """Return the seed that :func:`derived` returns, computed on Python integers."""
    return one_way(int(match_seed) & MASK, 0, int(game) << 8 | purpose)


class Stream:
    """A random stream in plain Python, with the same numbers as a kernel's stream.

    ``state`` is the ``uint64[1]`` array that kernels take, so a player written in plain Python and
    a compiled one can share a stream.
    """

    def __init__(self, seed: int) -> None:
        self.state = np.array([int(seed) & MASK], dtype=np.uint64)

    @classmethod
    def for_seat(cls, match_seed: int, game: int, seat: int) -> Stream:
        """Return the random stream of a seat in one game of a match, as the arena seeds it."""
        return cls(_derived(match_seed, game, seat))

    @classmethod
    def of(cls, rng: Stream | np.random.Generator) -> Stream:
        """Return a stream unchanged, or a new stream seeded by the next draw of a numpy generator.

        Raises:
            TournamentError: ``rng`` is neither.
        """
        if isinstance(rng, np.random.Generator):
            return cls(int(rng.integers(2**64, dtype=np.uint64)))
        if not isinstance(rng, cls):
            raise TournamentError(
                f"rng={type(rng).__name__} given; a tournaments.kernels.rng.Stream, such as "
                "Stream(1), or a numpy Generator is expected"
            )
        return rng

    def draw(self) -> int:
        """Return the next 64 random bits of the stream."""
        after = (int(self.state[0]) + int(GAMMA)) & MASK
        self.state[0] = after
        return _mix(after)

    def below(self, limit: int) -> int:
        """Return a random integer in 0..limit-1 from the stream."""
        return ((self.draw() >> 32) * int(limit)) >> 32

    def choice(self, items: Sequence[Item]) -> Item:
        """Return a random item of a sequence, each with the same probability."""
        return items[self.below(len(items))]

    def random(self) -> float:
        """Return a random number in [0, 1) on a grid of 2^-53."""
        return (self.draw() >> 11) * 2.0**-53

    def program_seed(self) -> int:
        """Return a seed of 53 bits for an external program that plays this seat.

        It does not reveal the stream.
        """
        return one_way(int(self.state[0]), 0, PROGRAM) >> 11


def _mix(value: int) -> int:
    value = ((value ^ (value >> 30)) * int(MIX_1)) & MASK
    value = ((value ^ (value >> 27)) * int(MIX_2)) & MASK
    return value ^ (value >> 31)


def stream_key(seed: int, purpose: str, generation: int = 0, index: int = 0) -> np.ndarray:
    """Return the key, two ``uint64`` words, of the random numbers for a purpose.

    It depends on the run's seed, the purpose, the generation and an index.
    """
    text = f"{int(seed)}/{purpose}/{int(generation)}/{int(index)}"
    return np.frombuffer(hashlib.blake2b(text.encode(), digest_size=16).digest(), dtype="<u8")


def generator(seed: int, purpose: str, generation: int = 0, index: int = 0) -> np.random.Generator:
    """Return a numpy random generator (Philox) that depends only on the four arguments."""
    key = stream_key(seed, purpose, generation, index)
    return np.random.Generator(np.random.Philox(key=key))


def seeds_of(seed: int, purpose: str, generation: int, numbers: np.ndarray) -> np.ndarray:
    """Return the seeds of the matches with these numbers, ``uint64`` of the same length.

    A match's seed depends on the run's seed, the purpose, the generation and its own number, not on
    the other matches.
    """
    return keyed_seeds(stream_key(seed, purpose, generation)[None], numbers)


def keyed_seeds(keys: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return the seeds of matches under several keys.

    Args:
        keys: uint64 ``[m, 2]``, the key of each match; or ``[1, 2]``, the key of all.
        numbers: the numbers of the matches, each below 2^56, ``[m]``.

    Returns:
        uint64 ``[m]``.
    """
    numbers = numbers.astype(np.uint64)
    if len(numbers) < FEW_MATCHES:
        return one_way(keys[:, 0], keys[:, 1], numbers)
    seeds = np.empty_like(numbers)
    build(fill_seeds)(np.array(keys), numbers, seeds)  # a copy: never read-only
    return seeds


FEW_MATCHES = 1000
"""Below so many matches numpy derives seeds faster than the compiled kernel is loaded."""


@kernel
def fill_seeds(keys, numbers, seeds):
    """Fill ``seeds`` with the seeds of matches, given their keys and numbers.

    See :func:`keyed_seeds`.
    """
    step = 0 if len(keys) == 1 else 1
    for index in range(numbers.size):
        key = keys[index * step]
        seeds[index] = one_way(key[0], key[1], numbers[index])


def match_seeds(seed: int, purpose: str, generation: int, count: int) -> np.ndarray:
    """Return the seeds of the first ``count`` matches of a generation, ``uint64 [count]``."""
    return seeds_of(seed, purpose, generation, np.arange(count))
