"""Direct evolution: everybody against a named opponent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tournaments.fields import option
from tournaments.role_schedules import Chain, Placed
from tournaments.schedules import AgainstPanel, Schedule
from tournaments.schemes.contract import (
    Archives,
    Scoring,
    Sizes,
    at_least,
    best_share_option,
    bonus_option,
    points_option,
)
from tournaments.schemes.scorings import ByWins, InTurn, by_games
from tournaments.scoring import Points


@dataclass(frozen=True)
class Direct:
    """Direct evolution: every individual meets a named opponent in a number of matches."""

    name: ClassVar[str] = "direct"
    opponent: str = option("level-0", "the player to be beaten")
    matches: int = option(10, "two-game matches of each individual", low=1, high=1_000_000_000)
    two_wins: float = points_option(1.0, "points for a match with both games won")
    one_win: float = points_option(0.5, "points for a match with one game won")
    no_wins: float = points_option(0.0, "points for a match with no game won")
    bonus: float = bonus_option()
    best_share: float = best_share_option(0.1)

    @property
    def panel(self) -> tuple[str, ...]:
        return (self.opponent,)

    def check(self, sizes: Sizes) -> None:
        """Any population from one individual on can be evaluated."""
        at_least(sizes, 1, self.name)

    def num_matches(self, sizes: Sizes) -> int:
        """The same number for each individual."""
        return sum(sizes) * self.matches

    def schedule(
        self, sizes: Sizes, seed: int, generation: int, archives: Archives = ()
    ) -> Schedule:
        """Every individual against the panel's only member."""
        if len(sizes) == 1:
            return AgainstPanel.of_all(sizes[0], self.matches)
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
        """1, 0.5 or 0 points a match for two, one or no games won."""
        worth = by_games(sizes, self.no_wins, self.one_win, self.two_wins)
        total = sum(sizes)
        if len(sizes) == 1:
            return ByWins(Points(total, worth))
        assert isinstance(schedule, Chain)
        return InTurn(schedule, tuple(ByWins(Points(total, worth), side) for side in (0, 1)))
