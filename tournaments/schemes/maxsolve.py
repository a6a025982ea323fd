"""MaxSolve: an archive of the individuals that solve the most tests, and of these tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tournaments.options import option
from tournaments.schedules.base import Schedule
from tournaments.schedules.pairs import Cross
from tournaments.schemes.base import Kept, Roster, Scheme, Scoring, Sizes
from tournaments.schemes.scoring import Sheet, in_turn

CANDIDATES, TESTS = 0, 1
"""The parts of an archive."""


@dataclass(frozen=True)
class MaxSolve(Scheme):
    """Individuals are judged by tests: opponents worth keeping, and random new ones.

    De Jong, "The MaxSolve algorithm for coevolution" (GECCO 2005): beating an opponent is solving a
    test. The archive keeps the candidates that solve the most tests, one candidate for each set of
    solved tests, and the tests that at least one of these candidates solves. Candidates and tests
    meet again in each generation, the candidates beside the individuals. The paper keeps all such
    tests; here their number has a limit. Individuals are bred of individuals alone, not of the
    archive.

    Attributes:
        candidates: the most candidates in an archive
        tests: the most tests in an archive
        current: random opponents of the generation that are new tests
    """

    name: ClassVar[str] = "maxsolve"
    opponents_field: ClassVar[str] = "current"
    candidates: int = option(10, low=1, high=100_000)
    tests: int = option(20, low=1, high=100_000)
    current: int = option(10, low=1, high=1_000_000)

    def num_matches(self, sizes: Sizes) -> int:
        """Return the number of matches of all candidates against all tests, with full archives."""
        itself = self.current if len(sizes) == 1 else 0
        return (
            sum((size + self.candidates) * (self.tests + self.current) for size in sizes) - itself
        )

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return the matches, grouped by population and test, and a scoring of a point per test."""
        sheets = [Sheet(self._met(roster, side), roster.total, solved) for side in roster.sides]
        parts = ((sheet.cross, sheet) for sheet in sheets)
        return in_turn(parts, lambda points: self._archives(roster, sheets))

    def _met(self, roster: Roster, side: int) -> Cross:
        other = roster.opponents_of(side)
        new = roster.drawn(f"new tests/{side}", roster.living(other), self.current)
        tests = np.concatenate([roster.archived(other, TESTS), new])
        candidates = np.concatenate([roster.living(side), roster.archived(side, CANDIDATES)])
        return Cross(candidates, tests, side, roster.groups)

    def _archives(self, roster: Roster, sheets: Sequence[Sheet]) -> Kept:
        """Return the next archives: each population's candidates, and tests of its opponents."""
        candidates, tests = [], []
        for side, sheet in enumerate(sheets):
            fresh = np.arange(len(sheet.cross.individuals)) < roster.sizes[side]
            best = best_solvers(sheet.beaten, fresh, self.candidates)
            useful = useful_tests(sheet.beaten[:, best], self.tests)
            candidates.append(sheet.cross.individuals[best])
            tests.append(sheet.cross.opponents[useful])
        return tuple((candidates[side], tests[roster.opponents_of(side)]) for side in roster.sides)


def solved(beaten: np.ndarray) -> np.ndarray:
    """Return the number of tests that each candidate solves: bool ``[T, K]`` to ``[K]``."""
    return np.count_nonzero(beaten, axis=0)


def best_solvers(solved: np.ndarray, fresh: np.ndarray, most: int) -> np.ndarray:
    """Return the candidates that solve the most tests, in rising order.

    Each returned candidate solves at least one test, and no two solve the same set of tests.

    Args:
        solved: bool ``[T, K]``, which tests each candidate solves.
        fresh: bool ``[K]``, which candidates are new. Among equals, archived candidates come first.
        most: the maximum number of candidates.
    """
    numbers = np.count_nonzero(solved, axis=0)
    order = np.lexsort((fresh, -numbers))
    best: dict[bytes, int] = {}
    for candidate in order[numbers[order] > 0].tolist():
        if len(best) == most:
            break
        best.setdefault(solved[:, candidate].tobytes(), candidate)
    return np.sort(np.fromiter(best.values(), dtype=np.int64, count=len(best)))


def useful_tests(solved: np.ndarray, most: int) -> np.ndarray:
    """Return tests that at least one candidate solves, in rising order.

    Tests with different sets of solvers are preferred, then tests with few solvers.

    Args:
        solved: bool ``[T, C]``, which tests each candidate of the archive solves.
        most: the maximum number of tests.
    """
    numbers = np.count_nonzero(solved, axis=1)
    order = np.argsort(numbers, kind="stable")
    firsts: dict[bytes, int] = {}
    others = []
    for test in order[numbers[order] > 0].tolist():
        if firsts.setdefault(solved[test].tobytes(), test) != test:
            others.append(test)
    return np.sort(np.array([*firsts.values(), *others][:most], dtype=np.int64))


SCHEME = MaxSolve
