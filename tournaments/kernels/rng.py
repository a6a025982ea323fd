"""Randomness without state: every stream is derived from what it is for.

A stream outside kernels is a numpy generator keyed by (run seed, purpose, generation, index), see
:func:`generator`. A stream inside kernels is splitmix64 (Steele, Lea and Flood, "Fast splittable
pseudorandom number generators", OOPSLA 2014), held in an array of one ``uint64`` and seeded by the
match: never by a thread or a worker.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.random.bit_generator import ISeedSequence

from tournaments.errors import TournamentError
from tournaments.kernels.linker import kernel

Item = TypeVar("Item")

GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
U27 = np.uint64(27)
U30 = np.uint64(30)
U31 = np.uint64(31)
U32 = np.uint64(32)
MASK = (1 << 64) - 1


@kernel
def mix(value):
    """A ``uint64`` scrambled, one to one."""
    value = (value ^ (value >> U30)) * MIX_1
    value = (value ^ (value >> U27)) * MIX_2
    return value ^ (value >> U31)


@kernel
def draw(stream):
    """The next 64 random bits of a stream, which moves on."""
    stream[0] += GAMMA
    return mix(stream[0])


@kernel
def below(stream, limit):
    """A random integer in 0..limit-1 (limit below 2^31; its bias is under limit / 2^32)."""
    return np.int64(((draw(stream) >> U32) * np.uint64(limit)) >> U32)


@kernel
def seed_game(stream, match_seed, game):
    """Set a stream to the start of one game of a match."""
    stream[0] = mix(match_seed + GAMMA * np.uint64(game + 1))


class Stream:
    """The readable form of a kernel's stream: same seed, same numbers.

    ``state`` is the ``uint64[1]`` array that kernels take, so a player written in plain Python and
    a compiled one can share a stream.
    """

    def __init__(self, seed: int) -> None:
        self.state = np.array([int(seed) & MASK], dtype=np.uint64)

    @classmethod
    def for_game(cls, match_seed: int, game: int) -> Stream:
        """The stream of one game of a match, as the arena seeds it."""
        return cls(_mix((int(match_seed) + int(GAMMA) * (game + 1)) & MASK))

    @classmethod
    def of(cls, rng: Stream | np.random.Generator) -> Stream:
        """A stream as it is, or one seeded by the next draw of a numpy generator.

        Raises:
            TournamentError: it is neither.
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
        """The next 64 random bits."""
        after = (int(self.state[0]) + int(GAMMA)) & MASK
        self.state[0] = after
        return _mix(after)

    def below(self, limit: int) -> int:
        """A random integer in 0..limit-1."""
        return ((self.draw() >> 32) * int(limit)) >> 32

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items, each as likely as the others."""
        return items[self.below(len(items))]

    def random(self) -> float:
        """A random number in [0, 1) on a grid of 2^-53."""
        return (self.draw() >> 11) * 2.0**-53


def _mix(value: int) -> int:
    value = ((value ^ (value >> 30)) * int(MIX_1)) & MASK
    value = ((value ^ (value >> 27)) * int(MIX_2)) & MASK
    return value ^ (value >> 31)


def stream_key(seed: int, purpose: str, generation: int = 0, index: int = 0) -> np.ndarray:
    """Two ``uint64`` words that belong to this (seed, purpose, generation, index) alone."""
    text = f"{int(seed)}/{purpose}/{int(generation)}/{int(index)}"
    return np.frombuffer(hashlib.blake2b(text.encode(), digest_size=16).digest(), dtype="<u8")


def generator(seed: int, purpose: str, generation: int = 0, index: int = 0) -> np.random.Generator:
    """A numpy generator (Philox) that depends on its four arguments and on nothing else."""
    key = stream_key(seed, purpose, generation, index)
    seed_sequence = _Key(key.astype(np.uint64))
    return np.random.Generator(np.random.Philox(seed_sequence))  # type: ignore[arg-type]


class _Key(ISeedSequence):
    """Hands Philox its key: given as ``key=``, it would ask the system for a seed as well."""

    def __init__(self, key: np.ndarray) -> None:
        self.key = key

    def generate_state(self, n_words: int, dtype: object = np.uint32) -> np.ndarray:
        """The key; two words of 64 bits are all that Philox asks for."""
        assert (n_words, dtype) == (2, np.uint64)
        return self.key


def seeds_of(seed: int, purpose: str, generation: int, numbers: np.ndarray) -> np.ndarray:
    """Seeds of the matches with these numbers, ``uint64`` of the same length.

    A match's seed depends on its own number, not on what is asked for at once.
    """
    base = stream_key(seed, purpose, generation)[0]
    return mix(base + GAMMA * (numbers.astype(np.uint64) + np.uint64(1)))


def match_seeds(seed: int, purpose: str, generation: int, count: int) -> np.ndarray:
    """Seeds of the first so many matches of a generation, ``uint64 [count]``."""
    return seeds_of(seed, purpose, generation, np.arange(count))
