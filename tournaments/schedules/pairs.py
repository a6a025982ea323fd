"""Basic schedules: individuals against a panel, each other, or listed opponents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np

from tournaments.schedules.base import Groups, Schedule, side_by_side


@dataclass(frozen=True)
class EachPair(Schedule):
    """The N(N-1)/2 pairs of individuals, each once: (0, 1), (0, 2), ... (1, 2), ..."""

    groups: ClassVar[Groups] = ((0, 0),)
    individuals: int

    def __len__(self) -> int:
        return self.individuals * (self.individuals - 1) // 2

    def pairs(self, first: int, last: int) -> np.ndarray:
        if first == last:
            return np.empty((0, 2), dtype=np.int32)
        rows = np.arange(self._row(first), self._row(last - 1) + 1)
        starts = rows * (2 * self.individuals - rows - 1) // 2
        ends = np.minimum(starts + self.individuals - rows - 1, last)
        counts = ends - np.maximum(starts, first)
        row = np.repeat(rows, counts)
        column = np.arange(first, last) - np.repeat(starts, counts) + row + 1
        return side_by_side(row, column)

    def _row(self, place: int) -> int:
        """Return the first entrant of the match at a position in the schedule of all pairs.

        It is the largest r whose matches begin by then. The matches of r and of all later
        individuals are the last k(k+1)/2, where k = N - 1 - r.
        """
        left = len(self) - place
        k = (math.isqrt(8 * left - 7) + 1) // 2
        return self.individuals - 1 - k


@dataclass(frozen=True)
class EachGroup(Schedule):
    """The groups of S individuals, each once, in lexicographic order: (0, 1, 2), (0, 1, 3), ...

    Attributes:
        individuals: number of individuals, N.
        seats: number of individuals of a group, S.
    """

    groups: ClassVar[Groups] = ((0, 0),)
    individuals: int
    seats: int

    def __len__(self) -> int:
        return math.comb(self.individuals, self.seats)

    def pairs(self, first: int, last: int) -> np.ndarray:
        """Return groups first..last-1, int32 ``[m, S]``. See :meth:`Schedule.pairs`."""
        rows = np.empty((last - first, self.seats), dtype=np.int32)
        left, least = np.arange(first, last), np.zeros(last - first, dtype=np.int64)
        for seat in range(self.seats):
            rest = self.seats - 1 - seat
            # Number of groups that begin with one of the individuals before each.
            counts = [
                math.comb(self.individuals - 1 - each, rest) for each in range(self.individuals)
            ]
            before = np.concatenate([[0], np.cumsum(counts)])
            chosen = np.searchsorted(before, left + before[least], side="right") - 1
            left = left + before[least] - before[chosen]
            rows[:, seat], least = chosen, chosen + 1
        return rows


@dataclass(frozen=True)
class EachOther(Schedule):
    """Matches between all members of two populations: (0, 0), (0, 1), ... (1, 0), ..."""

    groups: ClassVar[Groups] = ((0, 1),)
    individuals: int
    others: int

    def __len__(self) -> int:
        return self.individuals * self.others

    def pairs(self, first: int, last: int) -> np.ndarray:
        """Return the matches first..last-1 of two populations: a row of each, int32 ``[m, 2]``.

        See :meth:`Schedule.pairs`.
        """
        return side_by_side(*np.divmod(np.arange(first, last), self.others))


@dataclass(frozen=True, eq=False)
class Challenges(Schedule):
    """Matches of several individuals against the same opponents.

    A match is seeded by its number in the schedule of the whole population, so the games of an
    individual do not depend on the other individuals. In the same games, a match is seeded by its
    number among the matches of its individual, so all individuals play with the same random
    numbers.

    Attributes:
        individuals: the challengers, int64 ``[R]``.
        opponents: entrants, int32 ``[O]``: individuals or members of the panel. Of matches of S
            entrants, those of each table, ``[O, S - 1]``.
        matches: number of matches against each opponent.
        side: the side of the challengers: 0 or 1.
        group_met: the group of the opponents that are individuals.
        is_same_games: whether all challengers play the same games.
    """

    individuals: np.ndarray
    opponents: np.ndarray
    matches: int
    side: int = 0
    group_met: int = 0
    is_same_games: bool = True

    @property
    def each(self) -> int:
        """Number of matches of each challenger."""
        return len(self.opponents) * self.matches

    @cached_property
    def groups(self) -> Groups:
        met = dict.fromkeys(min(int(entrant), self.group_met) for entrant in self.opponents.flat)
        return tuple((0, group) if self.side == 0 else (group, 1) for group in met)

    def __len__(self) -> int:
        return len(self.individuals) * self.each

    def pairs(self, first: int, last: int) -> np.ndarray:
        challenger, rest = np.divmod(np.arange(first, last), self.each)
        opponent, own = self.opponents[rest // self.matches], self.individuals[challenger]
        if opponent.ndim > 1:
            return np.column_stack([own, opponent]).astype(np.int32)
        return side_by_side(own, opponent, self.side)

    def numbers(self, first: int, last: int) -> np.ndarray:
        """Return the numbers that seed matches first..last-1.

        In the same games, they are the same for each challenger. See :meth:`Schedule.numbers`.
        """
        challenger, rest = np.divmod(np.arange(first, last), self.each)
        return rest if self.is_same_games else self.individuals[challenger] * self.each + rest


def against_panel(
    individuals: np.ndarray,
    matches: int,
    panel: int = 1,
    seats: int = 2,
    is_same_games: bool = False,
) -> Challenges:
    """Return the matches of individuals, int64 ``[R]``, against the first members of the panel.

    In matches of more than two entrants, each group of different members of the panel fills the
    other seats. If they are too few, all of them in turn do.
    """
    opponents = -1 - np.arange(panel, dtype=np.int32)
    if seats > 2:
        groups = list(combinations(opponents.tolist(), seats - 1))
        short = np.resize(opponents, (1, seats - 1))
        opponents = np.array(groups, dtype=np.int32) if groups else short
    return Challenges(individuals, opponents, matches, is_same_games=is_same_games)


@dataclass(frozen=True, eq=False)
class Cross(Schedule):
    """Matches of each listed individual against each listed opponent, except against itself.

    The matches of an opponent follow one another, in the order of the individuals.

    Attributes:
        individuals: distinct entrants, int32 ``[K]``.
        opponents: entrants, int32 ``[O]``.
        side: the side of the individuals: 0 or 1.
        met: the group of side 0 and the group of side 1.
        is_same_games: whether all individuals play the same games against an opponent.
    """

    individuals: np.ndarray
    opponents: np.ndarray
    side: int
    met: tuple[int, int]
    is_same_games: bool = False

    @property
    def groups(self) -> Groups:
        return (self.met,)

    def numbers(self, first: int, last: int) -> np.ndarray:
        return self.cells(first, last)[0] if self.is_same_games else np.arange(first, last)

    @cached_property
    def left_out(self) -> np.ndarray:
        """Position of each opponent among the individuals, int64 ``[O]``; K if it is not there."""
        places = {entrant: place for place, entrant in enumerate(self.individuals.tolist())}
        found = [places.get(opponent, len(places)) for opponent in self.opponents.tolist()]
        return np.array(found, dtype=np.int64)

    @cached_property
    def starts(self) -> np.ndarray:
        """Position of each opponent's first match, then the number of matches, int64.

        The array is ``[O + 1]``.
        """
        counts = len(self.individuals) - (self.left_out < len(self.individuals))
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def __len__(self) -> int:
        return int(self.starts[-1])

    def cells(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the opponent and the individual of matches first..last-1 as positions in lists.

        They are int64 ``[m]`` each.
        """
        places = np.arange(first, last)
        opponent = np.searchsorted(self.starts, places, side="right") - 1
        individual = places - self.starts[opponent]
        return opponent, individual + (individual >= self.left_out[opponent])

    def pairs(self, first: int, last: int) -> np.ndarray:
        opponent, individual = self.cells(first, last)
        return side_by_side(self.individuals[individual], self.opponents[opponent], self.side)
