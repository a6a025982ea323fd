"""Who meets whom, made by number: nobody ever holds all matches of a generation.

A pair is (entrant a, entrant b): ``0..N-1`` are the individuals, population after population,
``-1`` is the first fixed opponent of the panel. A schedule gives any stretch of its matches, so
those who play one make what they play; two that make the same stretch make the same matches.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from tournaments.kernels.rng import keyed_seeds, stream_key

Groups = tuple[tuple[int, int], ...]
"""Which groups meet, as sides a and b: 0 is the first population, -1 the first of the panel."""


class Schedule(Protocol):
    """The matches of a call, by their places 0..M-1."""

    @property
    def groups(self) -> Groups:
        """Every pair of groups that meet, each once."""

    def __len__(self) -> int:
        """M, the number of matches."""

    def pairs(self, first: int, last: int) -> np.ndarray:
        """The matches at places first..last-1, int32 ``[last - first, 2]``."""

    def numbers(self, first: int, last: int) -> np.ndarray:
        """The numbers from which these matches are seeded: their places, unless a class differs."""
        return np.arange(first, last)

    def seeds(self, key: np.ndarray, first: int, last: int) -> np.ndarray:
        """Return the seeds of these matches, uint64 ``[last - first]``, from a key, ``[2]``."""
        return keyed_seeds(key[None], self.numbers(first, last))


@dataclass(frozen=True)
class Matches:
    """The schedule, the seeds and the form of matches, without the players.

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
        key = stream_key(self.seed, self.purpose, self.generation)
        return self.schedule.pairs(first, last), self.schedule.seeds(key, first, last)


@dataclass(frozen=True, eq=False)
class Listed(Schedule):
    """Matches that somebody holds in an array, int32 ``[M, 2]``."""

    listed: np.ndarray

    @cached_property
    def groups(self) -> Groups:
        return groups_of(self.listed)

    def __len__(self) -> int:
        return len(self.listed)

    def pairs(self, first: int, last: int) -> np.ndarray:
        """A stretch of the array, not a copy."""
        return self.listed[first:last]


def side_by_side(a: np.ndarray, b: np.ndarray, side: int = 0) -> np.ndarray:
    """Pairs, int32 ``[m, 2]``, of entrants of which the first are on that side."""
    pairs = np.empty((len(a), 2), dtype=np.int32)
    pairs[:, side] = a
    pairs[:, 1 - side] = b
    return pairs


def groups_of(pairs: np.ndarray) -> Groups:
    """The groups that meet in pairs ``[M, 2]`` of one population and members of the panel."""
    below = -np.minimum(pairs, 0).astype(np.int64)
    width = 1 + int(below.max(initial=0))
    met = np.unique(below[:, 0] * width + below[:, 1])[::-1]  # sorting rows takes 20 times as long
    return tuple((-a, -b) for a, b in zip(*np.stack(np.divmod(met, width)).tolist(), strict=True))
