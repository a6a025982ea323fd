"""Points made of matches as they come, shared by several schemes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tournaments.arena.outcomes import Played, Results
from tournaments.schedules.antibodies import Antibodies
from tournaments.schedules.base import Listed, Schedule
from tournaments.schedules.combined import Chain, Placed
from tournaments.schedules.pairs import Cross
from tournaments.schemes.base import Kept, Roster, Scoring

BLOCK = 1 << 20
"""Matches of a schedule that are looked at together where all must be looked at again."""


def by_games(roster: Roster, none: float, one: float, both: float) -> tuple[float, ...]:
    """Return the worth of winning 0, 1... games of a match, which is one game between roles."""
    return (none, one, both) if roster.alone else (none, both)


def worth_of(counts: np.ndarray, worth: tuple[float, ...]) -> np.ndarray:
    """Return the worth of the matches of each individual, float64 ``[N]``.

    Args:
        counts: int64 ``[N, K]``, how often each individual came to each result.
        worth: of each result.
    """
    total = np.zeros(len(counts))
    for count, points in zip(counts.T, worth, strict=True):
        total += count * points
    return total


class ByVerdict(Scoring):
    """Points by the match alone: how often each result, times its worth.

    The results are whether an entrant lost (0), drew (1) or won (2) the match.
    """

    def __init__(
        self, individuals: int, worth: tuple[float, ...], sides: tuple[int, ...] = (0, 1)
    ) -> None:
        """
        Args:
            individuals: N.
            worth: points of each result, 0 and up.
            sides: the sides whose entrants earn.
        """
        self._worth, self._sides = worth, sides
        self._counts = np.zeros(individuals * len(worth), dtype=np.int64)

    def results_of(self, side: int, results: Results) -> np.ndarray:
        """Return the result of each match for the entrant of a side, int ``[m]``."""
        own = results.verdicts if side == 0 else -results.verdicts
        return 1 + own

    def take(self, played: Played, results: Results) -> None:
        for side in self._sides:
            self.add(played.pairs[:, side], self.results_of(side, results))

    def add(self, who: np.ndarray, results: np.ndarray) -> None:
        """Count results, int ``[m]``, for the individuals ``who [m]``."""
        keys = who * len(self._worth) + results
        self._counts += np.bincount(keys, minlength=len(self._counts))

    def points(self) -> np.ndarray:
        return worth_of(self._counts.reshape(-1, len(self._worth)), self._worth)


class ByWins(ByVerdict):
    """Points by the number of games that the entrant of one side wins of a match."""

    def results_of(self, side: int, results: Results) -> np.ndarray:
        return results[side]


class ByScore(ByWins):
    """Points by games won, and for each point of the entrant's own score in each game."""

    def __init__(
        self, individuals: int, worth: tuple[float, ...], side: int, worth_of_a_point: float
    ) -> None:
        super().__init__(individuals, worth, (side,))
        self._side, self._worth_of_a_point = side, worth_of_a_point
        self._scored = np.zeros(individuals, dtype=np.int64)

    def take(self, played: Played, results: Results) -> None:
        super().take(played, results)
        games = np.arange(played.outcomes.shape[1])
        seats = (games + self._side) % 2  # a holds seat g % 2 in game g
        own = played.outcomes[:, games, seats].sum(axis=1, dtype=np.int64)
        np.add.at(self._scored, played.pairs[:, self._side], own)

    def points(self) -> np.ndarray:
        scored = np.maximum(self._scored, 0)  # a game of one's own may count below 0
        return super().points() + self._worth_of_a_point * scored


@dataclass(frozen=True, eq=False)
class Shared(Scoring):
    """A fixed number of points is shared among those who beat each opponent.

    The schedule has the same number of matches for each opponent, one after another. One byte a
    match is kept until all have been played.

    Attributes:
        schedule: the entrant of its side may earn what the other gives.
        each: matches of an opponent.
        pool: what an opponent gives in all, if anybody wins a game against it.
        shares: of who wins 0, 1, 2... games of its match.
        total: how many entrants there are.
    """

    schedule: Placed
    each: int
    pool: float
    shares: tuple[float, ...]
    total: int

    @cached_property
    def _won(self) -> np.ndarray:
        return np.zeros(len(self.schedule), dtype=np.int8)

    def take(self, played: Played, results: Results) -> None:
        won = results[self.schedule.side]
        self._won[played.first : played.first + len(won)] = won

    def points(self) -> np.ndarray:
        """See :meth:`Scoring.points`; added up in the order of the schedule."""
        worth = self._worth()
        total = np.zeros(self.total)
        for first in range(0, len(self._won), BLOCK):
            won = self._won[first : first + BLOCK]
            opponent = np.arange(first, first + len(won)) // self.each
            pairs = self.schedule.pairs(first, first + len(won))
            earned = worth[opponent, won]
            own = pairs[:, self.schedule.side]
            total += np.bincount(own, weights=earned, minlength=self.total)
        return total

    def _worth(self) -> np.ndarray:
        """Return the points of 0, 1, 2... games won, ``[opponents, shares]``."""
        won = self._won.reshape(-1, self.each)
        parts = np.zeros(len(won))
        for games, share in enumerate(self.shares):  # counted first, so in no order
            parts += share * np.count_nonzero(won == games, axis=1)
        parts[parts == 0.0] = np.inf  # nobody earns
        return self.pool * (np.array(self.shares) / parts[:, None])


# --- several schedules in one generation -------------------------------------------------------


@dataclass(frozen=True)
class InTurn(Scoring):
    """Each part of a chain of schedules is scored by itself; points add up.

    Attributes:
        schedule, parts: the chain, and the scoring of each part.
        keep: says who is kept for the next generation, once all points are known.
    """

    schedule: Chain
    parts: tuple[Scoring, ...]
    keep: Callable[[], Kept]

    def take(self, played: Played, results: Results) -> None:
        begun, end = 0, played.first + len(played.pairs)
        for number, first, last in self.schedule.stretches(played.first, end):
            here = slice(begun, begun + last - first)
            part = Played(first, played.pairs[here], played.outcomes[here])
            self.parts[number].take(part, Results(results.won[here], results.lost[here]))
            begun = here.stop

    def points(self) -> np.ndarray:
        return sum(part.points() for part in self.parts)  # type: ignore[return-value]

    def kept(self) -> Kept:
        return self.keep()


def in_turn(
    parts: Iterable[tuple[Schedule, Scoring]], keep: Callable[[], Kept] = tuple
) -> tuple[Chain, InTurn]:
    """Schedules one after another, each scored by itself; see :class:`InTurn`."""
    schedules, scorings = zip(*parts, strict=True)
    chain = Chain(schedules)
    return chain, InTurn(chain, scorings, keep)


def antibodies_of(
    roster: Roster, side: int, antigens: int, antibodies: int, name: str = ""
) -> Placed:
    """Antibodies of a population, on its side, each of so many antigens met by so many of them.

    Args:
        roster: of all who can be met.
        side: the population of the antibodies; their antigens are of its opponents.
        antigens, antibodies: how many.
        name: of the streams.
    """
    other = roster.opponents_of(side)
    hosts = None if roster.alone else roster.sizes[other]
    rows = Antibodies(
        roster.sizes[side], antigens, antibodies, roster.seed, roster.generation, hosts, name
    )
    return Placed(rows, side, (side, other), (roster.start(side), roster.start(other)))


def judged(
    roster: Roster, opponents: int, worth: tuple[float, ...]
) -> list[tuple[Schedule, Scoring]]:
    """For each population its individuals against random ones that they can meet.

    The individual that is judged earns by the verdict. Its opponent is an antibody to it, so it is
    entrant b where there is one population.
    """
    parts: list[tuple[Schedule, Scoring]] = []
    for side, individuals in enumerate(roster.sizes):
        other = roster.opponents_of(side)
        name = "/judges" if roster.alone else f"/judges/{side}"
        schedule = antibodies_of(roster, other, individuals, opponents, name)
        parts.append((schedule, ByVerdict(roster.total, worth, (1 - other,))))
    return parts


# --- who beat whom -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Sheet(Scoring):
    """The verdicts of the matches of a :class:`Cross`.

    Attributes:
        cross: the matches.
        earned: what the individuals earn, ``[K]``, by whom they beat, bool ``[O, K]``.
        total: how many entrants there are.
    """

    cross: Cross
    earned: Callable[[np.ndarray], np.ndarray]
    total: int

    @cached_property
    def verdicts(self) -> np.ndarray:
        """Int8 ``[O, K]``: +1 where the individual won, 0 where the match was drawn or there was
        none, -1 where it lost."""
        return np.zeros((len(self.cross.opponents), len(self.cross.individuals)), dtype=np.int8)

    def take(self, played: Played, results: Results) -> None:
        cells = self.cross.cells(played.first, played.first + len(played.pairs))
        self.verdicts[cells] = results.verdicts if self.cross.side == 0 else -results.verdicts

    @property
    def beaten(self) -> np.ndarray:
        """Which opponents each individual beat, bool ``[O, K]``."""
        return self.verdicts > 0

    def points(self) -> np.ndarray:
        total = np.zeros(self.total)
        total[self.cross.individuals] = self.earned(self.beaten)
        return total


def shares(beaten: np.ndarray) -> np.ndarray:
    """Competitive fitness sharing: an opponent is worth 1 over how many beat it, ``[K]``.

    Args:
        beaten: bool ``[O, K]``, which opponents each individual beat.
    """
    return in_order(beaten, 1.0 / np.maximum(np.count_nonzero(beaten, axis=1), 1))


def in_order(rows: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """Return the total worth of the opponents of each individual, added one after another.

    Args:
        rows: bool ``[O, K]``, which opponents each earns by.
        worth: float64 ``[O]``.

    Returns:
        float64 ``[K]``.
    """
    total = np.zeros(rows.shape[1])
    for row, points in zip(rows, worth.tolist(), strict=True):
        total[row] += points
    return total


# --- rounds ------------------------------------------------------------------------------------

Rounds = Generator[np.ndarray, np.ndarray, np.ndarray]
"""Gives the pairs of each round, int32 ``[M, 2]``, takes their verdicts, +1, 0 or -1 for entrant a,
int8 ``[M]``, and returns the points, float64 ``[N]``."""


class InRounds(Scoring):
    """Matches in rounds, each of them made of the verdicts of those before.

    Attributes:
        schedule: the matches of the round.
    """

    def __init__(self, rounds: Rounds) -> None:
        self._rounds = rounds
        self.schedule = self._begun(next(rounds))

    def _begun(self, pairs: np.ndarray) -> Listed:
        self._verdicts = np.zeros(len(pairs), dtype=np.int8)
        return Listed(pairs)

    def take(self, played: Played, results: Results) -> None:
        self._verdicts[played.first : played.first + len(played.pairs)] = results.verdicts

    def next_round(self) -> Schedule | None:
        try:
            self.schedule = self._begun(self._rounds.send(self._verdicts))
        except StopIteration as over:
            self._points = over.value
            return None
        return self.schedule

    def points(self) -> np.ndarray:
        return self._points
