"""Points made of matches as they come, shared by several schemes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tournaments.arena.outcomes import Played, Points, Results, SharedPoints
from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import Chain
from tournaments.schedules.pairs import Cross
from tournaments.schemes.base import Scoring, Sizes


def by_games(sizes: Sizes, none: float, one: float, both: float) -> tuple[float, ...]:
    """What winning 0, 1... games of a match is worth; of two populations a match is one game."""
    return (none, one, both) if len(sizes) == 1 else (none, both)


@dataclass(frozen=True)
class ByWins(Scoring):
    """The entrant of a side earns by the number of games that it wins of a match."""

    total: Points
    side: int = 0

    def take(self, played: Played, results: Results) -> None:
        self.total.add(played.pairs[:, self.side], results[self.side])

    def points(self) -> np.ndarray:
        return self.total.points


@dataclass(frozen=True)
class ByScore(Scoring):
    """The entrant of a side earns for each point of its own score in each game.

    Attributes:
        scored: int64 ``[N]``, the points scored so far; changed in place, counted in whole numbers.
        worth: of a point.
        side: 0: entrant a earns; 1: entrant b.
    """

    scored: np.ndarray
    worth: float
    side: int = 0

    def take(self, played: Played, results: Results) -> None:
        games = np.arange(played.outcomes.shape[1])
        seats = (games + self.side) % 2  # a holds seat g % 2 in game g
        own = played.outcomes[:, games, seats].sum(axis=1, dtype=np.int64)
        np.add.at(self.scored, played.pairs[:, self.side], own)

    def points(self) -> np.ndarray:
        return self.worth * np.maximum(self.scored, 0)  # a game of one's own may count below 0


@dataclass(frozen=True)
class Together(Scoring):
    """Points of several rules for the same matches, added up in their order."""

    rules: tuple[Scoring, ...]

    def take(self, played: Played, results: Results) -> None:
        for rule in self.rules:
            rule.take(played, results)

    def points(self) -> np.ndarray:
        return sum(rule.points() for rule in self.rules)  # type: ignore[return-value]


@dataclass(frozen=True)
class ByVerdict(Scoring):
    """The entrants of some sides earn by whether they lost (0), drew (1) or won (2) the match."""

    total: Points
    sides: tuple[int, ...] = (0, 1)

    def take(self, played: Played, results: Results) -> None:
        verdict = np.sign(results.won - results.lost)
        for side in self.sides:
            self.total.add(played.pairs[:, side], 1 + (verdict if side == 0 else -verdict))

    def points(self) -> np.ndarray:
        return self.total.points


@dataclass(frozen=True)
class Shared(Scoring):
    """The entrant of a side earns a share of what the other gives."""

    total: SharedPoints
    individuals: int
    side: int = 0

    def take(self, played: Played, results: Results) -> None:
        self.total.add(played.first, results[self.side])

    def points(self) -> np.ndarray:
        return self.total.points(self.individuals)


def by_part(
    schedule: Chain, played: Played, results: Results
) -> Iterator[tuple[int, Played, Results]]:
    """Matches of a chain as those of its parts: the number of each that they meet, and its own."""
    begun = 0
    for number, first, end in schedule.stretches(played.first, played.first + len(played.pairs)):
        here = slice(begun, begun + end - first)
        part = Played(first, played.pairs[here], played.outcomes[here])
        yield number, part, Results(results.won[here], results.lost[here])
        begun = here.stop


@dataclass(frozen=True)
class InTurn(Scoring):
    """Each part of a chain of schedules is scored by itself; points add up."""

    schedule: Chain
    parts: tuple[Scoring, ...]

    def take(self, played: Played, results: Results) -> None:
        for number, part, counted in by_part(self.schedule, played, results):
            self.parts[number].take(part, counted)

    def points(self) -> np.ndarray:
        return sum(part.points() for part in self.parts)  # type: ignore[return-value]


class Sheet:
    """Who beat whom of a :class:`Cross`: the verdict of each individual against each opponent.

    Attributes:
        cross: the matches.
        verdicts: int8 ``[O, K]``: +1 where the individual won, 0 where the match was drawn or there
            was none, -1 where it lost.
    """

    def __init__(self, cross: Cross) -> None:
        self.cross = cross
        self.verdicts = np.zeros((len(cross.opponents), len(cross.individuals)), dtype=np.int8)

    def take(self, played: Played, results: Results) -> None:
        """Take note of matches of the cross."""
        verdicts = np.sign(results.won - results.lost)
        cells = self.cross.cells(played.first, played.first + len(played.pairs))
        self.verdicts[cells] = verdicts if self.cross.side == 0 else -verdicts

    @property
    def beaten(self) -> np.ndarray:
        """Which opponents each individual beat, bool ``[O, K]``."""
        return self.verdicts > 0


class Sheets:
    """The sheets of a chain of crosses, one a population.

    Attributes:
        sheets: in the order of the populations.
    """

    def __init__(self, schedule: Schedule) -> None:
        assert isinstance(schedule, Chain)
        self._schedule = schedule
        self.sheets = [Sheet(part) for part in schedule.parts if isinstance(part, Cross)]

    def take(self, played: Played, results: Results) -> None:
        """Take note of matches of the chain."""
        for number, part, counted in by_part(self._schedule, played, results):
            self.sheets[number].take(part, counted)


def in_order(rows: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """What all opponents together are worth to each individual, added one after another.

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
