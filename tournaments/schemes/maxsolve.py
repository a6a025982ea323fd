"""MaxSolve: an archive of those who solve the most tests, and of the tests that they solve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tournaments.arena.outcomes import Played, Results
from tournaments.kernels.rng import generator
from tournaments.options import option
from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import Chain
from tournaments.schedules.pairs import Cross
from tournaments.schemes.base import (
    Archives,
    Kept,
    Roster,
    Scoring,
    Sizes,
    best_share_option,
    bonus_option,
    enough_opponents,
)
from tournaments.schemes.scoring import Sheets

CANDIDATES, TESTS = 0, 1
"""The parts of an archive."""


@dataclass(frozen=True)
class MaxSolve:
    """Individuals are judged by tests: opponents worth keeping, and random new ones.

    De Jong, "The MaxSolve algorithm for coevolution" (GECCO 2005): beating an opponent is solving a
    test. The archive keeps the candidates that solve the most tests, one of those that solve the
    same, and the tests that some of them solves. All of them meet again in each generation, the
    candidates beside the individuals. Where the paper keeps all such tests, here their number has a
    limit; and individuals are bred of individuals alone, not of the archive.
    """

    name: ClassVar[str] = "maxsolve"
    candidates: int = option(10, "the most candidates in an archive", low=1, high=100_000)
    tests: int = option(20, "the most tests in an archive", low=1, high=100_000)
    current: int = option(
        10, "random opponents of the generation that are new tests", low=1, high=1_000_000
    )
    bonus: float = bonus_option()
    best_share: float = best_share_option(0.0)

    @property
    def panel(self) -> tuple[str, ...]:
        return ()

    def check(self, sizes: Sizes) -> None:
        """There must be as many others."""
        enough_opponents(sizes, "current", self.current, self.name)

    def num_matches(self, sizes: Sizes) -> int:
        """All candidates against all tests, once the archives are full."""
        itself = self.current if len(sizes) == 1 else 0
        return (
            sum((size + self.candidates) * (self.tests + self.current) for size in sizes) - itself
        )

    def schedule(
        self, sizes: Sizes, seed: int, generation: int, archives: Archives = ()
    ) -> Schedule:
        """Each test's matches in a row, population after population."""
        roster = Roster(sizes, archives)
        return Chain(tuple(self._met(roster, side, seed, generation) for side in roster.sides))

    def _met(self, roster: Roster, side: int, seed: int, generation: int) -> Cross:
        other = roster.opponents_of(side)
        drawn = generator(seed, f"new tests/{side}", generation).permutation(roster.living(other))
        tests = np.concatenate([roster.archived(other, TESTS), np.sort(drawn[: self.current])])
        candidates = np.concatenate([roster.living(side), roster.archived(side, CANDIDATES)])
        return Cross(candidates, tests, side, (0, len(roster.sizes) - 1))

    def scoring(
        self,
        schedule: Schedule,
        sizes: Sizes,
        seed: int = 0,
        generation: int = 0,
        archives: Archives = (),
    ) -> Scoring:
        """1 point for each test solved."""
        return _Solving(self, Sheets(schedule), Roster(sizes, archives))


@dataclass(frozen=True)
class _Solving(Scoring):
    """Points by sheets of verdicts, and what is worth keeping."""

    scheme: MaxSolve
    results: Sheets
    roster: Roster

    def take(self, played: Played, results: Results) -> None:
        self.results.take(played, results)

    def points(self) -> np.ndarray:
        total = np.zeros(self.roster.total)
        for sheet in self.results.sheets:
            total[sheet.cross.individuals] = np.count_nonzero(sheet.beaten, axis=0)
        return total

    def kept(self) -> Kept:
        """The candidates of each population, and the tests that it sets the other one."""
        candidates, tests = [], []
        for side, sheet in enumerate(self.results.sheets):
            fresh = np.arange(len(sheet.cross.individuals)) < self.roster.sizes[side]
            chosen = best_solvers(sheet.beaten, fresh, self.scheme.candidates)
            useful = useful_tests(sheet.beaten[:, chosen], self.scheme.tests)
            candidates.append(sheet.cross.individuals[chosen])
            tests.append(sheet.cross.opponents[useful])
        return tuple(
            (candidates[side], tests[self.roster.opponents_of(side)]) for side in self.roster.sides
        )


def best_solvers(solved: np.ndarray, fresh: np.ndarray, most: int) -> np.ndarray:
    """Candidates that solve the most tests, no two the same and each some, rising.

    Args:
        solved: bool ``[T, K]``, which tests each candidate solves.
        fresh: bool ``[K]``, who was not in the archive; of equals those that were come first.
        most: how many at most.
    """
    numbers = np.count_nonzero(solved, axis=0)
    order = np.lexsort((fresh, -numbers))
    chosen: dict[bytes, int] = {}
    for candidate in order[numbers[order] > 0].tolist():
        if len(chosen) == most:
            break
        chosen.setdefault(solved[:, candidate].tobytes(), candidate)
    return np.sort(np.fromiter(chosen.values(), dtype=np.int64, count=len(chosen)))


def useful_tests(solved: np.ndarray, most: int) -> np.ndarray:
    """Tests that somebody solves, rising: those that few do first, none like another if possible.

    Args:
        solved: bool ``[T, C]``, which tests each candidate of the archive solves.
        most: how many at most.
    """
    numbers = np.count_nonzero(solved, axis=1)
    order = np.argsort(numbers, kind="stable")
    firsts: dict[bytes, int] = {}
    others = []
    for test in order[numbers[order] > 0].tolist():
        if firsts.setdefault(solved[test].tobytes(), test) != test:
            others.append(test)
    return np.sort(np.array([*firsts.values(), *others][:most], dtype=np.int64))
