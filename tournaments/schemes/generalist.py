"""Generalist: an archive of individuals that beat many opponents, and not all the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tournaments.options import option
from tournaments.schedules.base import Schedule
from tournaments.schedules.pairs import Cross
from tournaments.schemes.base import Kept, Roster, Scheme, Scoring, Sizes
from tournaments.schemes.scoring import VerdictSheet, in_turn


@dataclass(frozen=True)
class Generalist(Scheme):
    """Individuals meet an archive of strong opponents that differ from one another.

    After Nolfi and Pagliuca, "Global progress in competitive co-evolution: a systematic comparison
    of alternative methods" (Frontiers in Robotics and AI 11, 2025): opponents are chosen to differ
    in their results, and individuals are kept that do well against many opponents. The paper's
    method evolves a few individuals at a time for several steps; here it is a scheme, which leaves
    breeding to the learner.

    All individuals of a population and its archive meet the same opponents: the archive of the
    opposing population, and ``current`` random individuals of this generation. While an archive is
    not full, further random individuals complete it. Fitness is the share of these opponents that
    an individual beats. A draw counts half. :func:`varied_best` chooses the next archive from the
    individuals and then the archive, by the matches of this generation.

    Without individuals of the generation, an archive may become so strong that the individuals
    lose all their matches, and nothing tells them apart.

    Attributes:
        kept: the most members of an archive
        current: random opponents of the generation that all individuals meet as well
    """

    name: ClassVar[str] = "generalist"
    kept: int = option(20, low=1, high=1_000)
    current: int = option(5, low=0, high=1_000)

    def num_matches(self, sizes: Sizes) -> int:
        """Return the number of matches of a generation with full archives.

        No opponent meets itself.
        """
        opponents = self.kept + self.current
        itself = opponents if len(sizes) == 1 else 0
        return sum((size + self.kept) * opponents for size in sizes) - itself

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return the matches, grouped by population and opponent, and their scoring."""
        sheets = [ShareSheet(self._met(roster, side), roster.total) for side in roster.sides]
        parts = ((sheet.cross, sheet) for sheet in sheets)
        return in_turn(parts, lambda points: self._archives(sheets))

    def _met(self, roster: Roster, side: int) -> Cross:
        other = roster.opponents_of(side)
        archive = roster.archived(other)
        missing = self.kept + self.current - len(archive)
        others = roster.drawn(f"opponents/{side}", roster.living(other), missing)
        opponents = np.concatenate([archive, others])
        candidates = np.concatenate([roster.living(side), roster.archived(side)])
        return Cross(candidates, opponents, side, roster.groups)

    def _archives(self, sheets: Sequence[ShareSheet]) -> Kept:
        """Return the next archive of each population."""
        chosen = (varied_best(sheet.verdicts, self.kept) for sheet in sheets)
        pairs = zip(sheets, chosen, strict=True)
        return tuple((sheet.cross.individuals[best],) for sheet, best in pairs)


class ShareSheet(VerdictSheet):
    """Scoring by the share of opponents that an individual beats. A draw counts half."""

    def earned(self) -> np.ndarray:
        """Return the share of each individual, ``[K]``; 0 without a match."""
        individuals = self.verdicts.shape[1]
        itself = np.bincount(self.cross.left_out, minlength=individuals + 1)[:individuals]
        met = len(self.verdicts) - itself
        halves = self.verdicts.sum(axis=0, dtype=np.int64) + met
        return halves / np.maximum(2 * met, 1)


def varied_best(verdicts: np.ndarray, most: int) -> np.ndarray:
    """Return candidates that beat many opponents and differ in their results, in rising order.

    The candidates are chosen one after another. The strength of a candidate is the number of
    opponents that it beats, a draw counted half. Its distance from another candidate is the sum of
    the differences of their verdicts over all opponents. The strongest candidate is chosen first.
    Each step then adds the candidate with the greatest product of its strength and its distance
    from the nearest chosen candidate. Among equals the stronger one is taken, and then the first.

    Args:
        verdicts: int8 ``[O, K]``: +1 won, -1 lost, 0 drawn or not met.
        most: the maximum number of candidates.
    """
    rows = verdicts.T.astype(np.int64)
    strength = rows.sum(axis=1) + rows.shape[1]  # twice the strength
    distance = np.ones(len(rows), dtype=np.int64)
    is_chosen = np.zeros(len(rows), dtype=bool)
    for step in range(min(most, len(rows))):
        worth = strength * distance * (1 + strength.max()) + strength
        worth[is_chosen] = -1
        best = np.argmax(worth)
        is_chosen[best] = True
        apart = np.abs(rows - rows[best]).sum(axis=1)
        distance = np.minimum(distance, apart) if step else apart
    return np.flatnonzero(is_chosen)


SCHEME = Generalist
