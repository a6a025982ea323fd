"""The protocol of schedules: pairs of entrants, computed by match number.

A pair is (entrant a, entrant b). Entrants ``0..N-1`` are the individuals, population after
population. Entrant ``-1`` is the first fixed opponent of the panel. A schedule computes any stretch
of its matches, so a worker computes only the matches that it plays, and the matches of a generation
are never stored together. The same stretch always consists of the same matches.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from tournaments.kernels.rng import keyed_seeds, stream_key

Groups = tuple[tuple[int, int], ...]
"""Pairs of groups that meet, as (side a, side b): 0 is the first population, -1 the first fixed
opponent of the panel."""


class Schedule(Protocol):
    """The pairs of entrants of matches, numbered 0..M-1 by their position."""

    @property
    def groups(self) -> Groups:
        """The distinct pairs of groups of entrants that meet in the schedule."""

    def __len__(self) -> int:
        """Return the number of matches of the schedule."""

    def pairs(self, first: int, last: int) -> np.ndarray:
        """Return the two entrants of matches first..last-1, int32 ``[last - first, 2]``."""

    def numbers(self, first: int, last: int) -> np.ndarray:
        """Return the numbers that seed matches first..last-1 of the schedule.

        By default they are the positions.
        """
        return np.arange(first, last)

    def seeds(self, key: np.ndarray, first: int, last: int) -> np.ndarray:
        """Return the seeds of matches first..last-1 from a key ``[2]``.

        They are uint64 ``[last - first]``.
        """
        return keyed_seeds(key[None], self.numbers(first, last))


@dataclass(frozen=True)
class Matches:
    """The schedule, the seeds and the format of matches, without the players.

    Attributes:
        schedule: the pairs of entrants.
        seed: the seed of the run.
        purpose, generation: the purpose and the generation of the matches, see
            :func:`tournaments.kernels.rng.stream_key`.
        games: games per match. The seats are swapped after each game.
        measured: whether plies and the game's measure are recorded, see
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
        """Return the entrants and the seeds of matches first..last-1 of the schedule.

        They are int32 ``[m, 2]`` and uint64 ``[m]``.
        """
        key = stream_key(self.seed, self.purpose, self.generation)
        return self.schedule.pairs(first, last), self.schedule.seeds(key, first, last)


@dataclass(frozen=True, eq=False)
class Listed(Schedule):
    """A schedule of matches listed in an array, int32 ``[M, 2]``."""

    listed: np.ndarray

    @cached_property
    def groups(self) -> Groups:
        return groups_of(self.listed)

    def __len__(self) -> int:
        return len(self.listed)

    def pairs(self, first: int, last: int) -> np.ndarray:
        """Return the two entrants of matches first..last-1: a view of the array, not a copy."""
        return self.listed[first:last]


def side_by_side(a: np.ndarray, b: np.ndarray, side: int = 0) -> np.ndarray:
    """Return pairs of entrants, int32 ``[m, 2]``, with ``a`` on the given side (0 or 1)."""
    pairs = np.empty((len(a), 2), dtype=np.int32)
    pairs[:, side] = a
    pairs[:, 1 - side] = b
    return pairs


def groups_of(pairs: np.ndarray) -> Groups:
    """Return the pairs of groups that meet in pairs of entrants, ``[M, 2]``.

    The groups are one population, number 0, and each fixed opponent, -1 down.
    """
    below = -np.minimum(pairs, 0).astype(np.int64)
    width = 1 + int(below.max(initial=0))
    met = np.unique(below[:, 0] * width + below[:, 1])[::-1]  # sorting rows takes 20 times as long
    return tuple((-a, -b) for a, b in zip(*np.stack(np.divmod(met, width)).tolist(), strict=True))
