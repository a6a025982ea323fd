"""MaxSolve: an archive of those who solve the most tests, and of the tests that they solve."""

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
    test. The archive keeps the candidates that solve the most tests, one of those that solve the
    same, and the tests that some of them solves. All of them meet again in each generation, the
    candidates beside the individuals. Where the paper keeps all such tests, here their number has a
    limit; and individuals are bred of individuals alone, not of the archive.
    """

    name: ClassVar[str] = "maxsolve"
    opponents_field: ClassVar[str] = "current"
    candidates: int = option(10, "the most candidates in an archive", low=1, high=100_000)
    tests: int = option(20, "the most tests in an archive", low=1, high=100_000)
    current: int = option(
        10, "random opponents of the generation that are new tests", low=1, high=1_000_000
    )

    def num_matches(self, sizes: Sizes) -> int:
        """All candidates against all tests, once the archives are full."""
        itself = self.current if len(sizes) == 1 else 0
        return (
            sum((size + self.candidates) * (self.tests + self.current) for size in sizes) - itself
        )

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Each test's matches in a row, population after population; 1 point a test solved."""
        sheets = [Sheet(self._met(roster, side), solved, roster.total) for side in roster.sides]
        parts = ((sheet.cross, sheet) for sheet in sheets)
        return in_turn(parts, lambda: self._archives(roster, sheets))

    def _met(self, roster: Roster, side: int) -> Cross:
        other = roster.opponents_of(side)
        new = roster.drawn(f"new tests/{side}", roster.living(other), self.current)
        tests = np.concatenate([roster.archived(other, TESTS), new])
        candidates = np.concatenate([roster.living(side), roster.archived(side, CANDIDATES)])
        return Cross(candidates, tests, side, roster.groups)

    def _archives(self, roster: Roster, sheets: Sequence[Sheet]) -> Kept:
        """The candidates of each population, and the tests that it sets the other one."""
        candidates, tests = [], []
        for side, sheet in enumerate(sheets):
            fresh = np.arange(len(sheet.cross.individuals)) < roster.sizes[side]
            best = best_solvers(sheet.beaten, fresh, self.candidates)
            useful = useful_tests(sheet.beaten[:, best], self.tests)
            candidates.append(sheet.cross.individuals[best])
            tests.append(sheet.cross.opponents[useful])
        return tuple((candidates[side], tests[roster.opponents_of(side)]) for side in roster.sides)


def solved(beaten: np.ndarray) -> np.ndarray:
    """Count the tests that each candidate solves, ``[K]``, of bool ``[T, K]``."""
    return np.count_nonzero(beaten, axis=0)


def best_solvers(solved: np.ndarray, fresh: np.ndarray, most: int) -> np.ndarray:
    """Candidates that solve the most tests, no two the same and each some, rising.

    Args:
        solved: bool ``[T, K]``, which tests each candidate solves.
        fresh: bool ``[K]``, who was not in the archive; of equals those that were come first.
        most: how many at most.
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


SCHEME = MaxSolve
