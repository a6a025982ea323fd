"""Competitive fitness sharing: beating whom few others beat is worth more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tournaments.arena.outcomes import Played, Results
from tournaments.kernels.rng import generator
from tournaments.options import one_of, option
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
from tournaments.schemes.scoring import Sheets, in_order

SHARED, RANDOM = "shared", "random"


@dataclass(frozen=True)
class CompetitiveSharing:
    """All individuals meet the same opponents; beating one is worth 1 over how many beat it.

    Rosin and Belew, "New methods for competitive coevolution" (Evolutionary Computation 5(1),
    1997), sections 3.1 (competitive fitness sharing) and 3.2 (shared sampling: the opponents are
    those of the generation before that together beat the most different individuals).
    """

    name: ClassVar[str] = "competitive-sharing"
    opponents: int = option(10, "how many opponents all individuals meet", low=1, high=1_000_000)
    sampling: str = one_of(
        SHARED,
        "which: shared, those of the generation before that together beat the most different "
        "individuals; random, any of the same generation",
        (SHARED, RANDOM),
    )
    bonus: float = bonus_option()
    best_share: float = best_share_option(0.0)

    @property
    def panel(self) -> tuple[str, ...]:
        return ()

    def check(self, sizes: Sizes) -> None:
        """There must be as many others."""
        enough_opponents(sizes, "opponents", self.opponents, self.name)

    def num_matches(self, sizes: Sizes) -> int:
        """So many for each individual; an opponent of the same generation does not meet itself."""
        own = len(sizes) == 1 and self.sampling == RANDOM
        return (sum(sizes) - own) * self.opponents

    def schedule(
        self, sizes: Sizes, seed: int, generation: int, archives: Archives = ()
    ) -> Schedule:
        """Each opponent's matches in a row, population after population."""
        roster = Roster(sizes, archives)
        return Chain(tuple(self._met(roster, side, seed, generation) for side in roster.sides))

    def _met(self, roster: Roster, side: int, seed: int, generation: int) -> Cross:
        other = roster.opponents_of(side)
        opponents = roster.archived(other)
        if not len(opponents):  # nobody was chosen: in generation 0, or by this kind of sampling
            drawn = generator(seed, f"sampled/{side}", generation).permutation(roster.living(other))
            opponents = np.sort(drawn[: self.opponents])
        return Cross(roster.living(side), opponents, side, (0, len(roster.sizes) - 1))

    def scoring(
        self,
        schedule: Schedule,
        sizes: Sizes,
        seed: int = 0,
        generation: int = 0,
        archives: Archives = (),
    ) -> Scoring:
        """1 point for each opponent, shared by those who beat it."""
        keeps = self.opponents if self.sampling == SHARED else 0
        return _Sharing(Sheets(schedule), Roster(sizes, archives), keeps)


@dataclass(frozen=True)
class _Sharing(Scoring):
    """Points by sheets of verdicts, and who is met in the next generation."""

    results: Sheets
    roster: Roster
    keeps: int

    def take(self, played: Played, results: Results) -> None:
        self.results.take(played, results)

    def points(self) -> np.ndarray:
        total = np.zeros(self.roster.total)
        for sheet in self.results.sheets:
            victors = np.count_nonzero(sheet.beaten, axis=1)
            total[sheet.cross.individuals] = in_order(sheet.beaten, 1.0 / np.maximum(victors, 1))
        return total

    def kept(self) -> Kept:
        """Of each population those that are to be met."""
        if not self.keeps:
            return ()
        return tuple(
            (sheet.cross.individuals[shared_sample(sheet.beaten, self.keeps)],)
            for sheet in self.results.sheets
        )


def shared_sample(beaten: np.ndarray, count: int) -> np.ndarray:
    """Individuals that together beat the most different opponents, rising.

    One after another, the one whose victories are worth the most, where beating an opponent is
    worth 1 over one more than those of the sample so far that beat it (Rosin and Belew, 3.2). Of
    equals it is the first.

    Args:
        beaten: bool ``[O, K]``, which opponents each individual beat.
        count: how many, up to K.
    """
    chosen = np.zeros(beaten.shape[1], dtype=bool)
    for _ in range(count):
        before = np.count_nonzero(beaten[:, chosen], axis=1)
        worth = in_order(beaten, 1.0 / (1.0 + before))
        worth[chosen] = -1.0
        chosen[np.argmax(worth)] = True
    return np.flatnonzero(chosen)
