"""Antibodies and antigens: those that beat an individual share its points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tournaments.arena.outcomes import SharedPoints
from tournaments.errors import TournamentError
from tournaments.schedules.antibodies import Antibodies
from tournaments.schedules.base import Schedule
from tournaments.schedules.combined import Chain, Placed
from tournaments.schemes.base import (
    Archives,
    Scoring,
    Sizes,
    best_share_option,
    bonus_option,
    points_option,
)
from tournaments.schemes.scoring import InTurn, Shared, by_games


@dataclass(frozen=True)
class AntibodyAntigen:
    """Coevolution by antibodies and antigens with implicit fitness sharing.

    Some individuals, the antigens, are each met by a random part of the population, the antibodies;
    those that win share a fixed number of points. Only antibodies earn. An antigen may be an
    antibody to other antigens.
    """

    name: ClassVar[str] = "antibody-antigen"
    antigens: float = points_option(
        0.25, "share of the population that serves as antigens", high=1.0
    )
    antibodies: float = points_option(
        0.33, "share of the population that meets each antigen", high=1.0
    )
    points: float = points_option(33.0, "points that an antigen's victors share")
    two_wins: float = points_option(4.0, "shares of an antibody that wins both games")
    one_win: float = points_option(1.0, "shares of an antibody that wins one game")
    bonus: float = bonus_option()
    best_share: float = best_share_option(0.0)

    @property
    def panel(self) -> tuple[str, ...]:
        return ()

    def numbers(self, individuals: int) -> tuple[int, int]:
        """How many antigens there are, and how many antibodies meet each."""
        return round(self.antigens * individuals), round(self.antibodies * individuals)

    def check(self, sizes: Sizes) -> None:
        """There must be an antigen, and enough others to meet it."""
        for individuals in dict.fromkeys(sizes):
            antigens, antibodies = self.numbers(individuals)
            if antigens < 1 or antibodies < 1:
                raise TournamentError(
                    f"population={individuals} given; {self.name} with antigens={self.antigens} "
                    f"and antibodies={self.antibodies} makes {antigens} antigens met by "
                    f"{antibodies} antibodies each, and needs one of both: enlarge the population "
                    "or the shares"
                )
            if len(sizes) == 1 and antibodies > individuals - 1:
                raise TournamentError(
                    f"antibodies={self.antibodies} given; {antibodies} of {individuals} "
                    f"individuals cannot meet an antigen among them, at most {individuals - 1} "
                    "can: lower the share"
                )

    def num_matches(self, sizes: Sizes) -> int:
        """One for each antigen and antibody of it."""
        return sum(antigens * antibodies for antigens, antibodies in self._contests(sizes))

    def _contests(self, sizes: Sizes) -> list[tuple[int, int]]:
        """By population of the antibodies: how many antigens, and antibodies that meet each."""
        hosts = sizes[::-1]  # with two populations each is met by the other
        return [
            (self.numbers(host)[0], self.numbers(size)[1])
            for size, host in zip(sizes, hosts, strict=True)
        ]

    def schedule(
        self, sizes: Sizes, seed: int, generation: int, archives: Archives = ()
    ) -> Schedule:
        """The matches (antibody, antigen), those of an antigen in a row."""
        contests = self._contests(sizes)
        if len(sizes) == 1:
            return Antibodies(sizes[0], *contests[0], seed, generation)
        starts = (0, sizes[0])
        return Chain(
            tuple(
                Placed(
                    Antibodies(
                        sizes[side], *contests[side], seed, generation, sizes[1 - side], f"/{side}"
                    ),
                    side,
                    (side, 1 - side),
                    (starts[side], starts[1 - side]),
                )
                for side in (0, 1)
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
        """Each antigen's points, shared among its victors in proportion to their shares."""
        shares = by_games(sizes, 0.0, self.one_win, self.two_wins)
        total = sum(sizes)
        contests = self._contests(sizes)
        if len(sizes) == 1:
            shared = SharedPoints(schedule, contests[0][1], self.points, shares)
            return Shared(shared, total)
        assert isinstance(schedule, Chain)
        parts = [
            Shared(SharedPoints(part, contests[side][1], self.points, shares, side), total, side)
            for side, part in enumerate(schedule.parts)
        ]
        return InTurn(schedule, tuple(parts))
