"""Antibodies and antigens: the antibodies that beat an antigen share its points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tournaments.errors import TournamentError
from tournaments.schedules.base import Schedule
from tournaments.schemes.base import Roster, Scheme, Scoring, Sizes, points_option
from tournaments.schemes.scoring import Shared, antibodies_of, by_games, in_turn


@dataclass(frozen=True)
class AntibodyAntigen(Scheme):
    """Coevolution by antibodies and antigens with implicit fitness sharing.

    Some individuals are antigens. Each antigen meets a random part of the population, its
    antibodies. The antibodies that win share a fixed number of points, in proportion to their
    shares. Antigens earn no points. An antigen may be an antibody to other antigens.

    Attributes:
        antigens: share of the population that serves as antigens
        antibodies: share of the population that meets each antigen
        points: points that an antigen's victors share
        two_wins: shares of an antibody that wins both games
        one_win: shares of an antibody that wins one game
    """

    name: ClassVar[str] = "antibody-antigen"
    antigens: float = points_option(0.25, high=1.0)
    antibodies: float = points_option(0.33, high=1.0)
    points: float = points_option(33.0)
    two_wins: float = points_option(4.0)
    one_win: float = points_option(1.0)

    def numbers(self, individuals: int) -> tuple[int, int]:
        """Return the number of antigens in a generation, and the number of antibodies per antigen.

        ``individuals`` is the size of the population.
        """
        return round(self.antigens * individuals), round(self.antibodies * individuals)

    def check(self, sizes: Sizes) -> None:
        """Raise if populations of these sizes give no antigens, or too few antibodies for each."""
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

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return the matches of antibodies with antigens, grouped by antigen, and their scoring."""
        worth = by_games(roster, 0.0, self.one_win, self.two_wins)
        parts = []
        for side, size in enumerate(roster.sizes):
            antigens, _ = self.numbers(roster.sizes[roster.opponents_of(side)])
            _, antibodies = self.numbers(size)
            name = "" if roster.alone else f"/{side}"
            schedule = antibodies_of(roster, side, antigens, antibodies, name)
            parts.append((schedule, Shared(schedule, antibodies, self.points, worth, roster.total)))
        return in_turn(parts)


SCHEME = AntibodyAntigen
