"""Direct evolution: everybody against a named opponent, or several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tournaments.arena.outcomes import Points
from tournaments.errors import TournamentError
from tournaments.options import option
from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import Chain, Placed
from tournaments.schedules.pairs import AgainstPanel
from tournaments.schemes.base import (
    Archives,
    Scoring,
    Sizes,
    at_least,
    best_share_option,
    bonus_option,
    points_option,
)
from tournaments.schemes.scoring import ByScore, ByWins, InTurn, Together, by_games


@dataclass(frozen=True)
class Direct:
    """Direct evolution: every individual meets a named opponent in a number of matches."""

    name: ClassVar[str] = "direct"
    opponent: str = option("level-0", "the player to be beaten")
    opponents: tuple[str, ...] = option(
        (), "several in its place, each of which every individual meets in so many matches"
    )
    matches: int = option(
        10, "two-game matches of each individual against each", low=1, high=1_000_000_000
    )
    two_wins: float = points_option(1.0, "points for a match with both games won")
    one_win: float = points_option(0.5, "points for a match with one game won")
    no_wins: float = points_option(0.0, "points for a match with no game won")
    score: float = points_option(
        0.0,
        "points for each point of its score in a game, such as a box: what tells players apart who "
        "win nothing yet",
    )
    bonus: float = bonus_option()
    best_share: float = best_share_option(0.1)

    @property
    def panel(self) -> tuple[str, ...]:
        return self.opponents or (self.opponent,)

    def check(self, sizes: Sizes) -> None:
        """Any population from one individual on can be evaluated; two meet one opponent."""
        at_least(sizes, 1, self.name)
        if self.opponents and self.opponent != type(self).opponent:
            raise TournamentError(
                f"scheme.opponent={self.opponent!r} and opponents={list(self.opponents)} given; "
                "opponents stand in its place: leave scheme.opponent out, or add it to them"
            )
        if len(sizes) > 1 and len(self.panel) > 1:
            raise TournamentError(
                f"scheme.opponents={list(self.opponents)} given; where the seats have roles each "
                "population meets one: set scheme.opponent"
            )

    def num_matches(self, sizes: Sizes) -> int:
        """The same number for each individual."""
        return sum(sizes) * self.matches * len(self.panel)

    def schedule(
        self, sizes: Sizes, seed: int, generation: int, archives: Archives = ()
    ) -> Schedule:
        """Every individual against each member of the panel."""
        if len(sizes) == 1:
            return AgainstPanel.of_all(sizes[0], self.matches, len(self.panel))
        return Chain(
            tuple(
                Placed(AgainstPanel.of_all(size, self.matches), side, (side, -1), (start, 0))
                for side, (size, start) in enumerate(zip(sizes, (0, sizes[0]), strict=True))
            )
        )

    def scoring(
        self,
        schedule: Schedule,
        sizes: Sizes,
        seed: int = 0,
        generation: int = 0,
        archives: Archives = (),
    ) -> Scoring:
        """1, 0.5 or 0 points a match for two, one or no games won, and what the score is worth."""
        if len(sizes) == 1:
            return self._of_side(sizes, 0)
        assert isinstance(schedule, Chain)
        return InTurn(schedule, tuple(self._of_side(sizes, side) for side in (0, 1)))

    def _of_side(self, sizes: Sizes, side: int) -> Scoring:
        worth = by_games(sizes, self.no_wins, self.one_win, self.two_wins)
        wins = ByWins(Points(sum(sizes), worth), side)
        if self.score == 0.0:
            return wins
        return Together((wins, ByScore(np.zeros(sum(sizes), dtype=np.int64), self.score, side)))
