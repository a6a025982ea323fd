"""Schedules in which several groups meet: populations, or challengers and their opponents."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tournaments.schedules.base import EachPair, Groups, Schedule, side_by_side


@dataclass(frozen=True)
class EachOther:
    """Each individual of one population against each of another: (0, 0), (0, 1), ... (1, 0), ..."""

    individuals: int
    others: int

    @property
    def groups(self) -> Groups:
        return ((0, 1),)

    def __len__(self) -> int:
        return self.individuals * self.others

    def pairs(self, first: int, last: int) -> np.ndarray:
        """Rows of the one population and of the other; see :meth:`Schedule.pairs`."""
        return side_by_side(*np.divmod(np.arange(first, last), self.others))

    def numbers(self, first: int, last: int) -> np.ndarray:
        return np.arange(first, last)


@dataclass(frozen=True, eq=False)
class Repeated:
    """Each match of a schedule so many times in a row, each time by a seed of its own.

    Attributes:
        once: the schedule.
        times: 1 or more.
    """

    once: Schedule
    times: int

    @property
    def groups(self) -> Groups:
        return self.once.groups

    def __len__(self) -> int:
        return len(self.once) * self.times

    def pairs(self, first: int, last: int) -> np.ndarray:
        """See :meth:`Schedule.pairs`."""
        start = first // self.times
        met = self.once.pairs(start, -(-last // self.times))
        return met[np.arange(first, last) // self.times - start]

    def numbers(self, first: int, last: int) -> np.ndarray:
        return np.arange(first, last)


@dataclass(frozen=True, eq=False)
class Placed:
    """A schedule of rows as one of entrants: who of it takes which side, and from where rows count.

    Attributes:
        rows: its entrant a is a row of one population, entrant b of another, or of the panel.
        side: the side that its entrant a takes: 0 or 1.
        groups_met: the population of its entrant a, and that of its entrant b where it has one.
        starts: the first entrant of each of these.
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
        """See :meth:`Schedule.pairs`."""
        rows = self.rows.pairs(first, last)
        a = rows[:, 0] + self.starts[0]
        b = np.where(rows[:, 1] < 0, rows[:, 1], rows[:, 1] + self.starts[1])
        return side_by_side(a, b) if self.side == 0 else side_by_side(b, a)

    def numbers(self, first: int, last: int) -> np.ndarray:
        return self.rows.numbers(first, last)


@dataclass(frozen=True, eq=False)
class Chain:
    """Schedules one after another."""

    parts: tuple[Schedule, ...]

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The place at which each part begins, and last the number of all matches."""
        return (0, *itertools.accumulate(map(len, self.parts)))

    @cached_property
    def groups(self) -> Groups:
        return tuple(dict.fromkeys(pair for part in self.parts for pair in part.groups))

    def __len__(self) -> int:
        return self.starts[-1]

    def stretches(self, first: int, last: int) -> Iterator[tuple[int, int, int]]:
        """Each part that the places first..last-1 meet: its number, first and last place in it."""
        for number, (start, end) in enumerate(itertools.pairwise(self.starts)):
            low, high = max(first, start), min(last, end)
            if low < high:
                yield number, low - start, high - start

    def pairs(self, first: int, last: int) -> np.ndarray:
        """See :meth:`Schedule.pairs`."""
        found = [self.parts[part].pairs(*ends) for part, *ends in self.stretches(first, last)]
        return np.concatenate([np.empty((0, 2), dtype=np.int32), *found])

    def numbers(self, first: int, last: int) -> np.ndarray:
        """See :meth:`Schedule.numbers`: those of a part, after the places of the parts before."""
        found = [
            self.starts[part] + self.parts[part].numbers(*ends)
            for part, *ends in self.stretches(first, last)
        ]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])


@dataclass(frozen=True, eq=False)
class Challenges:
    """Each of a stretch of individuals against the same opponents, in the same games.

    A match is seeded by its number among those of its challenger, so all meet the same luck.

    Attributes:
        first, last: the entrants that challenge: ``first`` to ``last - 1``.
        opponents: entrants, int32 ``[O]``, individuals or of the panel.
        matches: against each opponent.
        side: that the challengers take: 0 or 1.
        group_met: the group of the opponents that are individuals.
    """

    first: int
    last: int
    opponents: np.ndarray
    matches: int
    side: int
    group_met: int

    @property
    def each(self) -> int:
        """Matches of a challenger."""
        return len(self.opponents) * self.matches

    @cached_property
    def groups(self) -> Groups:
        met = dict.fromkeys(min(int(one), self.group_met) for one in self.opponents)
        return tuple((self.side, one) if self.side == 0 else (one, self.side) for one in met)

    def __len__(self) -> int:
        return (self.last - self.first) * self.each

    def pairs(self, first: int, last: int) -> np.ndarray:
        """See :meth:`Schedule.pairs`."""
        challenger, rest = np.divmod(np.arange(first, last), self.each)
        opponent = self.opponents[rest // self.matches]
        challenger += self.first
        pair = (challenger, opponent) if self.side == 0 else (opponent, challenger)
        return side_by_side(*pair)

    def numbers(self, first: int, last: int) -> np.ndarray:
        """See :meth:`Schedule.numbers`: those of a challenger are those of each other."""
        return np.arange(first, last) % self.each


@dataclass(frozen=True, eq=False)
class Cross:
    """Each of a list of individuals against each opponent of another list, but never itself.

    The matches of an opponent follow one another, in the order of the individuals.

    Attributes:
        individuals: entrants, int32 ``[K]``, each once.
        opponents: entrants, int32 ``[O]``.
        side: that the individuals take: 0 or 1.
        met: the group of side 0, and that of side 1.
    """

    individuals: np.ndarray
    opponents: np.ndarray
    side: int
    met: tuple[int, int]

    @property
    def groups(self) -> Groups:
        return (self.met,)

    @cached_property
    def left_out(self) -> np.ndarray:
        """Where each opponent stands among the individuals, int64 ``[O]``; K: nowhere."""
        among, count = self.individuals, len(self.individuals)
        if not count:
            return np.zeros(len(self.opponents), dtype=np.int64)
        order = np.argsort(among, kind="stable")
        place = np.minimum(np.searchsorted(among, self.opponents, sorter=order), count - 1)
        return np.where(among[order[place]] == self.opponents, order[place], count)

    @cached_property
    def starts(self) -> np.ndarray:
        """Where each opponent's matches begin, and last the number of all, int64 ``[O + 1]``."""
        counts = len(self.individuals) - (self.left_out < len(self.individuals))
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def __len__(self) -> int:
        return int(self.starts[-1])

    def cells(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """Which opponent and which individual meet, by number in their lists, int64 ``[m]``."""
        places = np.arange(first, last)
        opponent = np.searchsorted(self.starts, places, side="right") - 1
        individual = places - self.starts[opponent]
        return opponent, individual + (individual >= self.left_out[opponent])

    def pairs(self, first: int, last: int) -> np.ndarray:
        """See :meth:`Schedule.pairs`."""
        opponent, individual = self.cells(first, last)
        pair = (self.individuals[individual], self.opponents[opponent])
        return side_by_side(*(pair if self.side == 0 else pair[::-1]))

    def numbers(self, first: int, last: int) -> np.ndarray:
        return np.arange(first, last)


def everybody(sizes: tuple[int, ...]) -> Schedule:
    """Each pair once; of two populations, each individual of the one with each of the other."""
    if len(sizes) == 1:
        return EachPair(sizes[0])
    return Placed(EachOther(*sizes), 0, (0, 1), (0, sizes[0]))
