"""The Red Queen: individuals meet champions of all generations, hard ones more often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from tournaments.arena.outcomes import Played, Results, counted_scores
from tournaments.errors import TournamentError
from tournaments.options import option
from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import Chain, Repeated
from tournaments.schedules.pairs import Cross
from tournaments.schemes.base import Kept, Roster, Scheme, Scoring, Sizes, same_games_option
from tournaments.schemes.racing import InRaces
from tournaments.schemes.scoring import in_turn

LEVELS = 10
"""The greatest level of hardness: that of a pool member which gained all points."""


@dataclass(frozen=True)
class RedQueen(Scheme):
    """Individuals meet champions of all earlier generations, the hard ones more often.

    The best individual of each generation joins the pool. All individuals of a population meet the
    same random members of the pool; where the seats have roles, the pool is that of the other
    population. While the pool has fewer than ``opponents`` members, random individuals of the
    generation complete them. The best individuals then play further matches against the same
    opponents. Fitness is the share of the points of all games of an individual. A game won is a
    point, a drawn game half a point.

    The hardness of a member is the share of points that individuals lost against it when it was
    last met, rounded to tenths: a level from 0 to 10. A new member has level 10. Members are drawn
    one after another, each with a probability proportional to its level plus 1. In the archive,
    part 0 is the pool by age, and part k the members of level k.

    Attributes:
        opponents: members of the pool that all individuals meet
        deep: individuals of each population that play further matches: those with the largest
            share of points
        deep_matches: further matches against each opponent
        kept: the most members that the pool has; the easiest member leaves a full pool; 0: all
    """

    name: ClassVar[str] = "red-queen"
    opponents: int = option(10, low=1, high=10_000)
    deep: int = option(10, low=0, high=1_000_000)
    deep_matches: int = option(3, low=0, high=10_000)
    kept: int = option(0, low=0, high=10_000_000)
    same_games: bool = same_games_option()

    def check(self, sizes: Sizes) -> None:
        """Raise if the pool cannot hold all opponents of a generation."""
        super().check(sizes)
        if 0 < self.kept < self.opponents:
            raise TournamentError(
                f"kept={self.kept} and opponents={self.opponents} given; the pool holds fewer "
                f"members than {self.name} draws: set scheme.opponents={self.kept}"
            )

    def num_matches(self, sizes: Sizes) -> int:
        """Return the number of matches of a generation whose opponents all come from the pool.

        It is ``opponents`` for each individual, and ``opponents`` * ``deep_matches`` more for each
        of the best.
        """
        deep = sum(min(size, self.deep) for size in sizes)
        return (sum(sizes) + deep * self.deep_matches) * self.opponents

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return the matches of all individuals against the opponents, and their scoring."""
        tallies = [
            GameTally(roster.living(side), self._opponents(roster, side), side, roster)
            for side in roster.sides
        ]
        first, scoring = in_turn(
            ((self._met(tally, tally.individuals), tally) for tally in tallies),
            lambda points: self._pools(roster, tallies, points),
        )

        def deep() -> Chain:
            best = (tally.best(self.deep) for tally in tallies)
            met = [self._met(*each) for each in zip(tallies, best, strict=True)]
            return Chain(tuple(Repeated(each, self.deep_matches) for each in met))

        rounds = 1 if self.deep and self.deep_matches else 0
        return first, InRaces(first, scoring.parts, scoring.keep, deep, rounds)

    def _opponents(self, roster: Roster, side: int) -> np.ndarray:
        """Return the members of the pool that a population meets, and others if they are few."""
        other = roster.opponents_of(side)
        pool, levels = pool_of(roster, other)
        rng = roster.generator(f"opponents/{side}")
        drawn = pool[weighted_sample(rng, levels + 1, self.opponents)]
        missing = self.opponents - len(drawn)
        others = roster.drawn(f"completes the pool/{side}", roster.living(other), missing)
        return np.concatenate([drawn, others])

    def _met(self, tally: GameTally, individuals: np.ndarray) -> Cross:
        groups = tally.roster.groups
        return Cross(individuals, tally.opponents, tally.side, groups, self.same_games)

    def _pools(self, roster: Roster, tallies: Sequence[GameTally], points: np.ndarray) -> Kept:
        """Return each population's pool with its new champion, the first of the best.

        A full pool loses the oldest of the easiest members.
        """
        pools = []
        for side in roster.sides:
            living, (pool, levels) = roster.living(side), pool_of(roster, side)
            measured = tallies[roster.opponents_of(side)].levels
            before = zip(pool.tolist(), levels.tolist(), strict=True)
            now = np.array([measured.get(*member) for member in before] + [LEVELS])
            pool = np.append(pool, living[np.argmax(points[living])])
            if 0 < self.kept < len(pool):
                easiest = np.argmin(now[:-1])
                pool, now = np.delete(pool, easiest), np.delete(now, easiest)
            pools.append((pool, *(pool[now == level] for level in range(1, LEVELS + 1))))
        return tuple(pools)


def pool_of(roster: Roster, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the pool of a population by age, int32 ``[P]``, and the levels of its members."""
    pool = roster.archived(side)
    levels = np.zeros(len(pool), dtype=np.int64)
    for level in range(1, LEVELS + 1):
        if len(pool):
            levels[np.isin(pool, roster.archived(side, level))] = level
    return pool, levels


def weighted_sample(rng: np.random.Generator, weights: np.ndarray, count: int) -> np.ndarray:
    """Return up to ``count`` random distinct positions, in rising order.

    They are drawn one after another, each with a probability proportional to its weight among those
    that are left.

    Args:
        rng: draws the positions.
        weights: whole numbers above 0, int64 ``[P]``.
        count: the number of positions.
    """
    left = weights.copy()
    for _ in range(min(count, len(left))):
        ends = np.cumsum(left)
        left[np.searchsorted(ends, rng.integers(0, ends[-1]), side="right")] = 0
    return np.flatnonzero(left == 0)


@dataclass(frozen=True, eq=False)
class GameTally(Scoring):
    """The points of all games of individuals against their opponents, in one round or several.

    Points and games are counted in halves, so that sums do not depend on the order of matches.

    Attributes:
        individuals: consecutive entrants, int32 ``[N]``.
        opponents: distinct entrants, int32 ``[O]``.
        side: the side of the individuals.
        roster: the entrants of the generation.
    """

    individuals: np.ndarray
    opponents: np.ndarray
    side: int
    roster: Roster

    @cached_property
    def counts(self) -> np.ndarray:
        """Twice the points and twice the games of each pair, int64 ``[2, N, O]``."""
        return np.zeros((2, len(self.individuals), len(self.opponents)), dtype=np.int64)

    @cached_property
    def _places(self) -> np.ndarray:
        places = np.zeros(self.roster.total, dtype=np.int64)
        places[self.opponents] = np.arange(len(self.opponents))
        return places

    def take(self, played: Played, results: Results) -> None:
        own, other = self.side, 1 - self.side
        _, games = counted_scores(played.outcomes, own, 2)
        lead = results.ahead[own, other] - results.ahead[other, own]
        rows = played.pairs[:, own] - self.individuals[0]
        cells = rows, self._places[played.pairs[:, other]]
        for counts, values in zip(self.counts, (lead + games, 2 * games), strict=True):
            np.add.at(counts, cells, values)

    def shares(self) -> np.ndarray:
        """Return the share of points of each individual, ``[N]``; 0 without a finished game."""
        return ratio(*self.counts.sum(axis=2))

    def best(self, count: int) -> np.ndarray:
        """Return the individuals with the largest shares, the first among equals, by number."""
        return self.individuals[np.sort(np.argsort(-self.shares(), kind="stable")[:count])]

    @property
    def levels(self) -> dict[int, int]:
        """Hardness of each opponent that was met: the mean share lost, in tenths.

        Each individual counts the same, however many games it played.
        """
        met = self.counts[1] > 0
        lost = np.where(met, 1 - ratio(*self.counts), 0.0).sum(axis=0)
        levels = np.rint(LEVELS * ratio(lost, met.sum(axis=0))).astype(int)
        pairs = zip(self.opponents.tolist(), levels.tolist(), met.any(axis=0), strict=True)
        return {opponent: level for opponent, level, is_met in pairs if is_met}

    def points(self) -> np.ndarray:
        points = np.zeros(self.roster.total)
        points[self.individuals] = self.shares()
        return points


def ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Return a part of each whole, float64; 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=whole > 0)


SCHEME = RedQueen
