"""Who meets whom, made by number: nobody ever holds all matches of a generation.

A pair is (entrant a, entrant b): ``0..N-1`` are the individuals, population after population,
``-1`` is the first fixed opponent of the panel. A schedule gives any stretch of its matches, so
those who play one make what they play; two that make the same stretch make the same matches.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import GAMMA, MASK, below, generator, mix, seeds_of, stream_key

STRETCHES = "stretches"
"""The purpose of :class:`Stretches`."""
GAMMA_INVERSE = pow(int(GAMMA), -1, 1 << 64)

Groups = tuple[tuple[int, int], ...]
"""Which groups meet, as sides a and b: 0 is the first population, -1 the first of the panel."""


class Schedule(Protocol):
    """The matches of a call, by their places 0..M-1."""

    @property
    def groups(self) -> Groups:
        """Every pair of groups that meet, each once."""
        ...

    def __len__(self) -> int:
        """M, the number of matches."""
        ...

    def pairs(self, first: int, last: int) -> np.ndarray:
        """The matches at places first..last-1, int32 ``[last - first, 2]``."""
        ...

    def numbers(self, first: int, last: int) -> np.ndarray:
        """The numbers from which these matches are seeded; mostly their places."""
        ...


@dataclass(frozen=True)
class Matches:
    """All that decides what is played, but for the players.

    Attributes:
        schedule: who meets whom.
        seed: of the run.
        purpose, generation: what the matches are for, see
            :func:`tournaments.kernels.rng.stream_key`.
        games: games a match, the seats swapped after each.
        measured: whether plies and the game's measure are noted, see
            :mod:`tournaments.arena.outcomes`.
    """

    schedule: Schedule
    seed: int
    purpose: str
    generation: int = 0
    games: int = 2
    measured: bool = False

    def __len__(self) -> int:
        return len(self.schedule)

    def part(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """Pairs int32 ``[m, 2]`` and seeds uint64 ``[m]`` of the matches first..last-1."""
        numbers = self.schedule.numbers(first, last)
        seeds = seeds_of(self.seed, self.purpose, self.generation, numbers)
        return self.schedule.pairs(first, last), seeds


@dataclass(frozen=True, eq=False)
class Listed:
    """Matches that somebody holds in an array, int32 ``[M, 2]``."""

    listed: np.ndarray

    @cached_property
    def groups(self) -> Groups:
        sides = np.unique(np.minimum(self.listed, 0), axis=0)
        return tuple((int(a), int(b)) for a, b in sides)

    def __len__(self) -> int:
        return len(self.listed)

    def pairs(self, first: int, last: int) -> np.ndarray:
        """A stretch of the array, not a copy."""
        return self.listed[first:last]

    def numbers(self, first: int, last: int) -> np.ndarray:
        return np.arange(first, last)


class Stretch(NamedTuple):
    """So many matches of one pair, from number ``first`` of a stream of their own on."""

    a: int
    b: int
    purpose: str
    first: int
    matches: int


@dataclass(frozen=True, eq=False)
class Stretches:
    """Stretches of several pairs in one call, each seeded as if it were played by itself.

    That is as :class:`Listed` would be for the stretch's own purpose, in :class:`Matches` of the
    same seed and generation 0. The purpose of these matches is :data:`STRETCHES`.

    Attributes:
        pairs_met: int32 ``[K, 2]``.
        counts: matches of each, int64 ``[K]``.
        offsets: what is to be added to the place within a stretch for the number, uint64 ``[K]``.
    """

    pairs_met: np.ndarray
    counts: np.ndarray
    offsets: np.ndarray

    @classmethod
    def of(cls, stretches: Sequence[Stretch], seed: int) -> Stretches:
        """The schedule of these stretches in a tournament of that seed."""
        pairs = np.array([one[:2] for one in stretches], dtype=np.int32).reshape(-1, 2)
        counts = np.array([one.matches for one in stretches], dtype=np.int64)
        ours = int(stream_key(seed, STRETCHES)[0])
        # A seed is a mix of base + GAMMA * (number + 1), so another base is another number.
        offsets = [
            ((int(stream_key(seed, one.purpose)[0]) - ours) * GAMMA_INVERSE + one.first) & MASK
            for one in stretches
        ]
        return cls(pairs, counts, np.array(offsets, dtype=np.uint64))

    @cached_property
    def groups(self) -> Groups:
        sides = np.unique(np.minimum(self.pairs_met, 0), axis=0)
        return tuple((int(a), int(b)) for a, b in sides)

    @cached_property
    def ends(self) -> np.ndarray:
        """The place after each stretch, int64 ``[K]``."""
        return np.cumsum(self.counts)

    def __len__(self) -> int:
        return int(self.ends[-1]) if len(self.counts) else 0

    def pairs(self, first: int, last: int) -> np.ndarray:
        """See :meth:`Schedule.pairs`."""
        return self.pairs_met[self._stretches(first, last)]

    def numbers(self, first: int, last: int) -> np.ndarray:
        """See :meth:`Schedule.numbers`; uint64."""
        which = self._stretches(first, last)
        within = np.arange(first, last) - (self.ends - self.counts)[which]
        return within.astype(np.uint64) + self.offsets[which]

    def _stretches(self, first: int, last: int) -> np.ndarray:
        return np.searchsorted(self.ends, np.arange(first, last), side="right")


@dataclass(frozen=True, eq=False)
class AgainstPanel:
    """Individuals, one after another, each against fixed opponents in so many matches.

    Attributes:
        individuals: rows of the population, int64 ``[R]``.
        matches: of an individual against one opponent.
        panel: how many opponents there are, from the first on.

    A match is seeded by its number in the schedule of the whole population, so an individual plays
    the same games whoever else does.
    """

    individuals: np.ndarray
    matches: int
    panel: int = 1

    @classmethod
    def of_all(cls, individuals: int, matches: int, panel: int = 1) -> AgainstPanel:
        """The schedule of a population of that size."""
        return cls(np.arange(individuals), matches, panel)

    @property
    def groups(self) -> Groups:
        return tuple((0, -1 - opponent) for opponent in range(self.panel))

    def __len__(self) -> int:
        return len(self.individuals) * self.panel * self.matches

    def pairs(self, first: int, last: int) -> np.ndarray:
        """See :meth:`Schedule.pairs`."""
        individual, rest = np.divmod(np.arange(first, last), self.panel * self.matches)
        opponents = -1 - rest // self.matches
        return side_by_side(self.individuals[individual], opponents)

    def numbers(self, first: int, last: int) -> np.ndarray:
        """See :meth:`Schedule.numbers`."""
        each = self.panel * self.matches
        individual, rest = np.divmod(np.arange(first, last), each)
        return self.individuals[individual] * each + rest


@dataclass(frozen=True)
class EachPair:
    """Each pair of individuals once: (0, 1), (0, 2), ... (1, 2), ..., N(N-1)/2 matches."""

    individuals: int

    @property
    def groups(self) -> Groups:
        return ((0, 0),)

    def __len__(self) -> int:
        return self.individuals * (self.individuals - 1) // 2

    def pairs(self, first: int, last: int) -> np.ndarray:
        """See :meth:`Schedule.pairs`."""
        if first == last:
            return np.empty((0, 2), dtype=np.int32)
        rows = np.arange(self._row(first), self._row(last - 1) + 1)
        starts = rows * (2 * self.individuals - rows - 1) // 2
        ends = np.minimum(starts + self.individuals - rows - 1, last)
        counts = ends - np.maximum(starts, first)
        row = np.repeat(rows, counts)
        column = np.arange(first, last) - np.repeat(starts, counts) + row + 1
        return side_by_side(row, column)

    def numbers(self, first: int, last: int) -> np.ndarray:
        return np.arange(first, last)

    def _row(self, place: int) -> int:
        """Whose matches, as entrant a, hold a place: the largest r that begins at or before it.

        Those of r and of all after it are the last k(k+1)/2, where k = N - 1 - r.
        """
        left = len(self) - place
        k = (math.isqrt(8 * left - 7) + 1) // 2
        return self.individuals - 1 - k


@dataclass(frozen=True)
class Antibodies:
    """Random antigens, each met by random antibodies other than itself; entrant a is the antibody.

    The antigens are distinct, and so are the antibodies of one antigen. The matches of an antigen
    follow one another. An antigen's antibodies depend on the seed, the generation and its place
    among the antigens alone.

    Attributes:
        individuals: N, the population of the antibodies.
        antigens: how many serve as antigens, up to N, or up to ``hosts``.
        antibodies: how many meet each, up to N - 1, or up to N where antigens are of another.
        seed, generation: of the run.
        hosts: how many individuals another population has, of which the antigens are, whose rows
            entrant b is then; None: antigens are of the same.
        name: of the population of the antibodies, where there are several: a stream of its own.
    """

    individuals: int
    antigens: int
    antibodies: int
    seed: int
    generation: int = 0
    hosts: int | None = None
    name: str = ""

    @property
    def groups(self) -> Groups:
        return ((0, 0 if self.hosts is None else 1),)

    def __len__(self) -> int:
        return self.antigens * self.antibodies

    @cached_property
    def chosen(self) -> np.ndarray:
        """The antigens, int32 ``[antigens]``, in the order of their matches."""
        rng = generator(self.seed, f"antigens{self.name}", self.generation)
        hosts = self.individuals if self.hosts is None else self.hosts
        return rng.permutation(hosts)[: self.antigens].astype(np.int32)

    def pairs(self, first: int, last: int) -> np.ndarray:
        """See :meth:`Schedule.pairs`."""
        pairs = np.empty((last - first, 2), dtype=np.int32)
        order = np.arange(self.individuals, dtype=np.int32)
        swapped = np.empty(self.antibodies, dtype=np.int32)
        key = stream_key(self.seed, f"antibodies{self.name}", self.generation)
        draws = Draws(np.uint64(key[0]), np.zeros(1, dtype=np.uint64), self.hosts is None)
        chosen = np.array(self.chosen)  # never read-only, as what Ray hands over is
        build(draw_antibodies)(draws, chosen, order, swapped, first, pairs)
        return pairs

    def numbers(self, first: int, last: int) -> np.ndarray:
        return np.arange(first, last)


class Draws(NamedTuple):
    """How antibodies are drawn: the base of their streams, a stream (uint64 ``[1]``) to be used,
    and whether the antigen is one of those drawn from and must be left out."""

    base: np.uint64
    stream: np.ndarray
    left_out: bool


@kernel
def draw_antibodies(draws, chosen, order, swapped, first, pairs):
    """Fill ``pairs`` with the matches of :class:`Antibodies` from place ``first`` on.

    The first so many of a shuffle (Fisher and Yates) of all but the antigen. ``order`` holds
    0..N-1, is shuffled for each antigen and put back by undoing its swaps.
    """
    stream = draws.stream
    antibodies = swapped.size
    others = order.size - 1 if draws.left_out else order.size
    last = first + pairs.shape[0]
    place = first - first % antibodies
    while place < last:
        number = place // antibodies
        antigen = chosen[number]
        stream[0] = mix(draws.base + GAMMA * np.uint64(number + 1))
        if draws.left_out:
            order[antigen] = others  # the last takes the antigen's place
        for index in range(antibodies):
            other = index + below(stream, others - index)
            antibody = order[other]
            order[other] = order[index]
            order[index] = antibody
            swapped[index] = other
            if first <= place < last:
                pairs[place - first, 0] = antibody
                pairs[place - first, 1] = antigen
            place += 1
        for index in range(antibodies - 1, -1, -1):
            other = swapped[index]
            antibody = order[index]
            order[index] = order[other]
            order[other] = antibody
        if draws.left_out:
            order[antigen] = antigen


def side_by_side(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Pairs, int32 ``[m, 2]``, of entrants a and b."""
    pairs = np.empty((len(a), 2), dtype=np.int32)
    pairs[:, 0] = a
    pairs[:, 1] = b
    return pairs
