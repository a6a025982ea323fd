"""Scoring rules that several schemes share."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from tournaments.arena.outcomes import Played, Results, counted_scores
from tournaments.schedules.antibodies import Antibodies
from tournaments.schedules.base import Listed, Schedule
from tournaments.schedules.combined import Chain, Placed
from tournaments.schedules.pairs import Cross
from tournaments.schemes.base import Kept, Roster, Scoring

BLOCK = 1 << 20
"""Number of matches per block when all matches of a schedule are scored a second time."""


def by_games(roster: Roster, none: float, one: float, both: float) -> tuple[float, ...]:
    """Return the points for each number of won games of a match.

    Args:
        roster: the entrants. If seats have roles, a match is one game.
        none: the points for no won game.
        one: the points for one won game of two, or for some won games of more.
        both: the points for all games won.
    """
    return (none, *[one] * (roster.seats - 1), both) if roster.alone else (none, both)


def worth_of(counts: np.ndarray, worth: tuple[float, ...]) -> np.ndarray:
    """Return the total points of each individual, float64 ``[N]``.

    Args:
        counts: int64 ``[N, K]``, the number of matches of each individual with each result.
        worth: the points of each result.
    """
    total = np.zeros(len(counts))
    for count, points in zip(counts.T, worth, strict=True):
        total += count * points
    return total


class ByVerdict(Scoring):
    """Scoring by the result of the match: lost (0), drawn (1) or won (2).

    In a match of more than two entrants each pair of them has a result.
    """

    def __init__(
        self, individuals: int, worth: tuple[float, ...], sides: tuple[int, ...] = ()
    ) -> None:
        """Create a scoring that counts the results of matches of N individuals.

        Args:
            individuals: N.
            worth: points of each result, from result 0 on.
            sides: the sides whose entrants earn points. Empty: all.
        """
        self._worth, self._sides = worth, sides
        self._counts = np.zeros(individuals * len(worth), dtype=np.int64)

    def results_of(self, side: int, other: int, results: Results) -> np.ndarray:
        """Return the result of each match for an entrant of it against another one, int ``[m]``.

        0 is lost, 1 drawn and 2 won.
        """
        return 1 + results.verdicts_of(side, other)

    def take(self, played: Played, results: Results) -> None:
        counted = slice(None) if results.counted is None else results.counted
        for side, other in permutations(range(played.pairs.shape[1]), 2):
            if not self._sides or side in self._sides:
                own = self.results_of(side, other, results)
                self.add(played.pairs[counted, side], own[counted])

    def add(self, who: np.ndarray, results: np.ndarray) -> None:
        """Count the results of matches, int ``[m]``, for the individuals ``who [m]``."""
        keys = who * len(self._worth) + results
        self._counts += np.bincount(keys, minlength=len(self._counts))

    def points(self) -> np.ndarray:
        return worth_of(self._counts.reshape(-1, len(self._worth)), self._worth)


class ByWins(ByVerdict):
    """Scoring by the number of games of a match that the entrant of one side wins.

    In a match of more than two entrants each other one counts as an opponent.
    """

    def results_of(self, side: int, other: int, results: Results) -> np.ndarray:
        return results.ahead[side, other]


class ByScore(ByWins):
    """Scoring by games won, plus a bonus for each point of the entrant's score in each game."""

    def __init__(
        self, individuals: int, worth: tuple[float, ...], side: int, worth_of_a_point: float
    ) -> None:
        super().__init__(individuals, worth, (side,))
        self._side, self._worth_of_a_point = side, worth_of_a_point
        self._scored = np.zeros(individuals, dtype=np.int64)
        self._real: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def take(self, played: Played, results: Results) -> None:
        super().take(played, results)
        own, _ = counted_scores(played.outcomes, self._side, played.pairs.shape[1])
        who = played.pairs[:, self._side]
        if own.dtype.kind == "f":
            self._real[played.first] = who, own
        else:
            np.add.at(self._scored, who, own)

    def points(self) -> np.ndarray:
        scored = self._scored.astype(np.float64)
        for first in sorted(self._real):  # sums of real numbers depend on their order
            np.add.at(scored, *self._real[first])
        scored = np.maximum(scored, 0)  # a user's game may have negative scores
        return super().points() + self._worth_of_a_point * scored


@dataclass(frozen=True, eq=False)
class Shared(Scoring):
    """Scoring in which the entrants that beat an opponent share a fixed number of points.

    The schedule lists the matches of each opponent one after another, the same number for each. One
    byte per match is stored until all matches have been played.

    Attributes:
        schedule: the matches. Entrants on ``schedule.side`` earn points, the others are opponents.
        each: number of matches of each opponent.
        pool: the points that the winners against an opponent share.
        shares: the shares of an entrant that wins 0, 1, 2... games of its match.
        total: number of entrants.
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
        won = results.ahead[self.schedule.side, 1 - self.schedule.side]
        self._won[played.first : played.first + len(won)] = won

    def points(self) -> np.ndarray:
        """Return the raw fitness of each entrant, added up in the order of the schedule.

        See :meth:`Scoring.points`.
        """
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
        """Return the points for 0, 1, 2...

        won games against each opponent, ``[opponents, shares]``.

        The entrants that beat an opponent share a fixed number of points.
        """
        won = self._won.reshape(-1, self.each)
        parts = np.zeros(len(won))
        for games, share in enumerate(self.shares):  # counts do not depend on the match order
            parts += share * np.count_nonzero(won == games, axis=1)
        parts[parts == 0.0] = np.inf  # no entrant earns points
        return self.pool * (np.array(self.shares) / parts[:, None])


# --- several schedules in one generation -------------------------------------------------------


@dataclass(frozen=True)
class InTurn(Scoring):
    """The scoring of a chain of schedules: the sum of the points of its parts.

    Attributes:
        schedule, parts: the chain, and the scoring of each part.
        keep: (points of the entrants) -> the archives of the next generation.
    """

    schedule: Chain
    parts: tuple[Scoring, ...]
    keep: Callable[[np.ndarray], Kept]

    def take(self, played: Played, results: Results) -> None:
        begun, end = 0, played.first + len(played.pairs)
        for number, first, last in self.schedule.stretches(played.first, end):
            here = slice(begun, begun + last - first)
            part = Played(first, played.pairs[here], played.outcomes[here])
            self.parts[number].take(part, results.part(here))
            begun = here.stop

    def points(self) -> np.ndarray:
        return sum(part.points() for part in self.parts)  # type: ignore[return-value]

    def kept(self) -> Kept:
        return self.keep(self.points())


def in_turn(
    parts: Iterable[tuple[Schedule, Scoring]],
    keep: Callable[[np.ndarray], Kept] = lambda points: (),
) -> tuple[Chain, InTurn]:
    """Return a chain of schedules, and the scoring that adds up the points of their scorings.

    Args:
        parts: each schedule with its scoring.
        keep: (points of the entrants) -> the entrants that archives keep.
    """
    schedules, scorings = zip(*parts, strict=True)
    chain = Chain(schedules)
    return chain, InTurn(chain, scorings, keep)


def antibodies_of(
    roster: Roster, side: int, antigens: int, antibodies: int, name: str = ""
) -> Placed:
    """Return the schedule of random antibodies of a population against random antigens.

    Args:
        roster: the entrants of the generation.
        side: the population of the antibodies. Antigens belong to the opposing population.
        antigens: the number of antigens.
        antibodies: the number of antibodies per antigen.
        name: the name of the random streams.
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
    """Return the matches of each individual against random opponents, by population.

    Each schedule has its scoring. Only the evaluated individual earns points, by the verdict. Its
    opponents are antibodies to it, so the evaluated individual is entrant b if there is one
    population. In matches of more than two entrants it is the first one, and each match has other
    random opponents.

    Args:
        roster: the entrants of the generation.
        opponents: the number of opponents of each individual.
        worth: the points of a lost, drawn and won match.
    """
    if roster.seats > 2:
        own = np.repeat(roster.living(0), opponents)
        tables = random_tables(roster.generator("judges"), own, roster.sizes[0], roster.seats)
        return [(Listed(tables), ByVerdict(roster.total, worth, (0,)))]
    parts: list[tuple[Schedule, Scoring]] = []
    for side, individuals in enumerate(roster.sizes):
        other = roster.opponents_of(side)
        name = "/judges" if roster.alone else f"/judges/{side}"
        schedule = antibodies_of(roster, other, individuals, opponents, name)
        parts.append((schedule, ByVerdict(roster.total, worth, (1 - other,))))
    return parts


def random_tables(
    rng: np.random.Generator, own: np.ndarray, individuals: int, seats: int
) -> np.ndarray:
    """Return a table of each listed individual with random different others, int32 ``[m, S]``.

    Args:
        rng: draws the others.
        own: the individuals, ``[m]``, who come first at their tables.
        individuals: the number of individuals, N, that others are drawn from.
        seats: the number of entrants of a table, S.
    """
    tables = own.astype(np.int32)[:, None]
    for seat in range(1, seats):
        drawn = rng.integers(0, individuals - seat, len(own), dtype=np.int32)
        for taken in np.sort(tables, axis=1).T:  # the number of the drawn one among those left
            drawn += drawn >= taken
        tables = np.column_stack([tables, drawn])
    return tables


# --- tables of verdicts ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class VerdictSheet(Scoring):
    """The verdicts of the matches of a :class:`Cross`, individuals against opponents.

    A subclass computes the points of the individuals in :meth:`earned`.

    Attributes:
        cross: the matches.
        total: number of entrants.
    """

    cross: Cross
    total: int

    @cached_property
    def verdicts(self) -> np.ndarray:
        """Verdict of each individual against each opponent, int8 ``[O, K]``.

        It is +1 won, -1 lost, 0 drawn or not scheduled.
        """
        return np.zeros((len(self.cross.opponents), len(self.cross.individuals)), dtype=np.int8)

    def take(self, played: Played, results: Results) -> None:
        cells = self.cross.cells(played.first, played.first + len(played.pairs))
        self.verdicts[cells] = results.verdicts_of(self.cross.side, 1 - self.cross.side)

    @property
    def beaten(self) -> np.ndarray:
        """Which opponents each individual beat, bool ``[O, K]``."""
        return self.verdicts > 0

    def earned(self) -> np.ndarray:
        """Return the points of the individuals, float64 ``[K]``."""
        raise NotImplementedError

    def points(self) -> np.ndarray:
        total = np.zeros(self.total)
        total[self.cross.individuals] = self.earned()
        return total


@dataclass(frozen=True, eq=False)
class Sheet(VerdictSheet):
    """The verdicts of the matches of a :class:`Cross`, with points for wins alone.

    Attributes:
        points_of: computes the points of the individuals, ``[K]``, from their wins, bool
            ``[O, K]``.
    """

    points_of: Callable[[np.ndarray], np.ndarray]

    def earned(self) -> np.ndarray:
        return self.points_of(self.beaten)


def shares(beaten: np.ndarray) -> np.ndarray:
    """Return the points of each individual by competitive fitness sharing, ``[K]``.

    A win is worth 1 / b, where b individuals beat the same opponent.

    Args:
        beaten: bool ``[O, K]``, which opponents each individual beat.
    """
    return in_order(beaten, 1.0 / np.maximum(np.count_nonzero(beaten, axis=1), 1))


def in_order(rows: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """Return the points that each individual earns from all opponents, added in their order.

    Args:
        rows: bool ``[O, K]``, which opponents each individual earns points for.
        worth: float64 ``[O]``, the points for each opponent.

    Returns:
        float64 ``[K]``.
    """
    total = np.zeros(rows.shape[1])
    for row, points in zip(rows, worth.tolist(), strict=True):
        total[row] += points
    return total


# --- rounds ------------------------------------------------------------------------------------

Rounds = Generator[np.ndarray, np.ndarray, np.ndarray]
"""Generator of rounds. It yields the pairs of each round, int32 ``[M, 2]``, receives the verdicts
for entrant a (+1, 0 or -1), int8 ``[M]``, and returns the points, float64 ``[N]``. Of tables of S
entrants, ``[M, S]``, the verdicts are those of each entrant against each other, ``[M, S, S]``."""


class InRounds(Scoring):
    """Scoring in rounds. The pairs of each round depend on the verdicts of earlier rounds.

    Attributes:
        schedule: the matches of the current round.
    """

    def __init__(self, rounds: Rounds) -> None:
        self._rounds = rounds
        self.schedule = self._begun(next(rounds))

    def _begun(self, pairs: np.ndarray) -> Listed:
        seats = pairs.shape[1]
        form = (len(pairs),) if seats == 2 else (len(pairs), seats, seats)
        self._verdicts = np.zeros(form, dtype=np.int8)
        return Listed(pairs)

    def take(self, played: Played, results: Results) -> None:
        here = slice(played.first, played.first + len(played.pairs))
        if self._verdicts.ndim == 1:
            self._verdicts[here] = results.verdicts
        else:
            leads = results.ahead - results.ahead.swapaxes(0, 1)
            self._verdicts[here] = np.sign(leads).transpose(2, 0, 1)

    def next_round(self) -> Schedule | None:
        try:
            self.schedule = self._begun(self._rounds.send(self._verdicts))
        except StopIteration as over:
            self._points = over.value
            return None
        return self.schedule

    def points(self) -> np.ndarray:
        return self._points
