"""Schedules built from other schedules: chained, repeated, or renumbered to other entrants."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tournaments.kernels.rng import keyed_seeds, stream_key
from tournaments.schedules.base import Groups, Schedule, groups_of, side_by_side
from tournaments.schedules.pairs import EachGroup, EachOther, EachPair

STRETCHES = "stretches"
"""The purpose of :class:`Stretches`."""


class MatchStretch(NamedTuple):
    """A number of matches of one pair, seeded by its own stream from number ``first`` on."""

    a: int
    b: int
    purpose: str
    first: int
    matches: int


@dataclass(frozen=True, eq=False)
class Stretches(Schedule):
    """Stretches of several pairs in one call. Each has the same seeds as if played separately.

    The seeds of a stretch are those of :class:`Listed` for the purpose of the stretch, in
    :class:`Matches` of the same seed and generation 0. The purpose of the combined matches is
    :data:`STRETCHES`.

    Attributes:
        pairs_met: the pair of each stretch, int32 ``[K, 2]``.
        counts: number of matches of each stretch, int64 ``[K]``.
        firsts: number of the first match of each stretch, int64 ``[K]``.
        keys: key of each stretch, uint64 ``[K, 2]``.
    """

    pairs_met: np.ndarray
    counts: np.ndarray
    firsts: np.ndarray
    keys: np.ndarray

    @classmethod
    def of(cls, stretches: Sequence[MatchStretch], seed: int) -> Stretches:
        """Return the schedule of stretches of matches, each with a pair of entrants and own seeds.

        ``seed`` is that of the tournament.
        """
        pairs = np.array([stretch[:2] for stretch in stretches], dtype=np.int32).reshape(-1, 2)
        counts = np.array([stretch.matches for stretch in stretches], dtype=np.int64)
        firsts = np.array([stretch.first for stretch in stretches], dtype=np.int64)
        keys = [stream_key(seed, stretch.purpose) for stretch in stretches]
        return cls(pairs, counts, firsts, np.array(keys, dtype=np.uint64).reshape(-1, 2))

    @cached_property
    def groups(self) -> Groups:
        return groups_of(self.pairs_met)

    @cached_property
    def ends(self) -> np.ndarray:
        """The position after the last match of each stretch of the schedule, int64 ``[K]``."""
        return np.cumsum(self.counts)

    def __len__(self) -> int:
        return int(self.ends[-1]) if len(self.counts) else 0

    def pairs(self, first: int, last: int) -> np.ndarray:
        return self.pairs_met[self._stretches(first, last)]

    def numbers(self, first: int, last: int) -> np.ndarray:
        which = self._stretches(first, last)
        return np.arange(first, last) + (self.firsts + self.counts - self.ends)[which]

    def seeds(self, key: np.ndarray, first: int, last: int) -> np.ndarray:
        """Return the seeds of matches first..last-1. Each stretch uses its own key, not ``key``.

        See :meth:`Schedule.seeds`.
        """
        return keyed_seeds(self.keys[self._stretches(first, last)], self.numbers(first, last))

    def _stretches(self, first: int, last: int) -> np.ndarray:
        return np.searchsorted(self.ends, np.arange(first, last), side="right")


@dataclass(frozen=True, eq=False)
class Repeated(Schedule):
    """A schedule whose matches are each repeated several times in a row with different seeds.

    Attributes:
        once: the schedule to repeat.
        times: number of repetitions, 1 or more.
    """

    once: Schedule
    times: int

    @property
    def groups(self) -> Groups:
        return self.once.groups

    def __len__(self) -> int:
        return len(self.once) * self.times

    def pairs(self, first: int, last: int) -> np.ndarray:
        start = first // self.times
        met = self.once.pairs(start, -(-last // self.times))
        return met[np.arange(first, last) // self.times - start]

    def numbers(self, first: int, last: int) -> np.ndarray:
        """Return the numbers that seed matches first..last-1.

        Matches with the same number in ``once`` have the same numbers in each repetition. See
        :meth:`Schedule.numbers`.
        """
        start = first // self.times
        met, repetition = np.divmod(np.arange(first, last), self.times)
        once = self.once.numbers(start, -(-last // self.times))
        return once[met - start] * self.times + repetition


@dataclass(frozen=True, eq=False)
class ScheduleSlice(Schedule):
    """The matches first..last-1 of another schedule, with the seeds that they have there."""

    whole: Schedule
    first: int
    last: int

    @property
    def groups(self) -> Groups:
        return self.whole.groups

    def __len__(self) -> int:
        return self.last - self.first

    def pairs(self, first: int, last: int) -> np.ndarray:
        return self.whole.pairs(self.first + first, self.first + last)

    def seeds(self, key: np.ndarray, first: int, last: int) -> np.ndarray:
        return self.whole.seeds(key, self.first + first, self.first + last)


@dataclass(frozen=True, eq=False)
class Placed(Schedule):
    """A schedule of population rows, converted to entrants on given sides.

    Attributes:
        rows: the schedule. Its entrant a is a row of one population. Its entrant b is a row of
            another population, or of the panel.
        side: the side of the schedule's entrant a: 0 or 1.
        groups_met: the population of entrant a, and the population of entrant b, if any.
        starts: the first entrant of each of these populations.
    """

    rows: Schedule
    side: int
    groups_met: tuple[int, int]
    starts: tuple[int, int]

    @property
    def groups(self) -> Groups:
        met = [
            (self.groups_met[0], b if b < 0 else self.groups_met[1]) for _, b in self.rows.groups
        ]
        return tuple(pair if self.side == 0 else pair[::-1] for pair in met)

    def __len__(self) -> int:
        return len(self.rows)

    def pairs(self, first: int, last: int) -> np.ndarray:
        rows = self.rows.pairs(first, last)
        a = rows[:, 0] + self.starts[0]
        b = np.where(rows[:, 1] < 0, rows[:, 1], rows[:, 1] + self.starts[1])
        return side_by_side(a, b, self.side)

    def numbers(self, first: int, last: int) -> np.ndarray:
        return self.rows.numbers(first, last)


@dataclass(frozen=True, eq=False)
class Filled(Schedule):
    """A schedule of pairs at tables of S seats. Entrant b of a pair takes all seats but one.

    Attributes:
        once: the schedule of pairs.
        seats: number of seats, S. With two seats, the schedule is that of the pairs.
    """

    once: Schedule
    seats: int

    @property
    def groups(self) -> Groups:
        return self.once.groups

    def __len__(self) -> int:
        return len(self.once)

    def pairs(self, first: int, last: int) -> np.ndarray:
        return self.once.pairs(first, last)[:, [0, *[1] * (self.seats - 1)]]

    def numbers(self, first: int, last: int) -> np.ndarray:
        return self.once.numbers(first, last)


@dataclass(frozen=True, eq=False)
class Chain(Schedule):
    """A chain of schedules, one after another."""

    parts: tuple[Schedule, ...]

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The position of each schedule's first match in the chain, then the number of matches."""
        return (0, *itertools.accumulate(map(len, self.parts)))

    @cached_property
    def groups(self) -> Groups:
        return tuple(dict.fromkeys(pair for part in self.parts for pair in part.groups))

    def __len__(self) -> int:
        return self.starts[-1]

    def stretches(self, first: int, last: int) -> Iterator[tuple[int, int, int]]:
        """Yield each part of a chain of schedules that overlaps the positions first..last-1.

        Each item is the number of the part, and the first and the last position within the part.
        """
        for number, (start, end) in enumerate(itertools.pairwise(self.starts)):
            low, high = max(first, start), min(last, end)
            if low < high:
                yield number, low - start, high - start

    def pairs(self, first: int, last: int) -> np.ndarray:
        pairs = [self.parts[part].pairs(*ends) for part, *ends in self.stretches(first, last)]
        return np.concatenate(pairs) if pairs else np.empty((0, 2), dtype=np.int32)

    def numbers(self, first: int, last: int) -> np.ndarray:
        """Return the numbers that seed matches first..last-1, offset by the parts before.

        See :meth:`Schedule.numbers`.
        """
        numbers = [
            self.starts[part] + self.parts[part].numbers(*ends)
            for part, *ends in self.stretches(first, last)
        ]
        return np.concatenate([np.empty(0, dtype=np.int64), *numbers])


def everybody(sizes: tuple[int, ...], seats: int = 2) -> Schedule:
    """Return the schedule in which each pair, or each group of ``seats`` individuals, meets once.

    With two populations, each individual of the first meets each individual of the second.
    """
    if seats > 2:
        return EachGroup(sizes[0], seats)
    if len(sizes) == 1:
        return EachPair(sizes[0])
    return Placed(EachOther(*sizes), 0, (0, 1), (0, sizes[0]))
