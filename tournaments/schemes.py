"""What an outcome is worth: from the matches of a generation to raw fitness.

The three schemes of Weaver and Bossomaier (1998), sections 3 and 3.4. Each is a schedule and a
scoring rule; every published number is a field with that value as its default.
A match is two games with the seats swapped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.fields import checked, option
from tournaments.schedules import AgainstPanel, Antibodies, EachPair, Schedule
from tournaments.scoring import Played, Points, Results, SharedPoints


class Scoring(Protocol):
    """Makes points of the matches of a generation, which come in parts and in any order."""

    def take(self, played: Played, results: Results) -> None:
        """Take note of a part; each match comes once."""

    def points(self) -> np.ndarray:
        """Raw fitness, float64 ``[N]``, once all matches have come."""


class Scheme(Protocol):
    """Who meets whom in a generation, and what it is worth."""

    name: ClassVar[str]

    @property
    def bonus(self) -> float:
        """What is added to each raw fitness before selection."""

    @property
    def best_share(self) -> float:
        """Share of the next population that the best takes; 0: no scaling."""

    @property
    def panel(self) -> tuple[str, ...]:
        """The fixed opponents, as :func:`tournaments.players.make` takes them."""

    def check(self, individuals: int) -> None:
        """Raise TournamentError where the scheme cannot serve a population of this size."""

    def num_matches(self, individuals: int) -> int:
        """Matches of a generation."""

    def schedule(self, individuals: int, seed: int, generation: int) -> Schedule:
        """The matches of a generation."""

    def scoring(self, schedule: Schedule, individuals: int) -> Scoring:
        """What makes raw fitness of them: the points that the scheme awards."""


def _bonus() -> Any:
    return option(
        0.01,
        "added to each raw fitness before selection, so that the total is never zero (the "
        "published value is not known)",
        low=0.0,
        high=1e9,
    )


def _best_share(default: float) -> Any:
    return option(
        default,
        "share of the next population that the best takes by linear scaling; 0: no scaling",
        low=0.0,
        high=1.0,
    )


def _number(default: float, doc: str, high: float = 1e9) -> Any:
    return option(default, doc, low=0.0, high=high)


@dataclass(frozen=True)
class Direct:
    """Direct evolution: every individual meets a named opponent in a number of matches."""

    name: ClassVar[str] = "direct"
    opponent: str = option("level-0", "the player to be beaten")
    matches: int = option(10, "two-game matches of each individual", low=1, high=1_000_000_000)
    two_wins: float = _number(1.0, "points for a match with both games won")
    one_win: float = _number(0.5, "points for a match with one game won")
    no_wins: float = _number(0.0, "points for a match with no game won")
    bonus: float = _bonus()
    best_share: float = _best_share(0.1)

    @property
    def panel(self) -> tuple[str, ...]:
        return (self.opponent,)

    def check(self, individuals: int) -> None:
        """Any population from one individual on can be evaluated."""
        _at_least(individuals, 1, self.name)

    def num_matches(self, individuals: int) -> int:
        """The same number for each individual."""
        return individuals * self.matches

    def schedule(self, individuals: int, seed: int, generation: int) -> Schedule:
        """Every individual against the panel's only member."""
        return AgainstPanel.of_all(individuals, self.matches)

    def scoring(self, schedule: Schedule, individuals: int) -> Scoring:
        """1, 0.5 or 0 points a match for two, one or no games won."""
        return _ByWins(Points(individuals, (self.no_wins, self.one_win, self.two_wins)))


@dataclass(frozen=True)
class RoundRobin:
    """Coevolution by round-robin: each pair of individuals meets in one match."""

    name: ClassVar[str] = "round-robin"
    win: float = _number(1.0, "points for winning a match: more games won than lost")
    draw: float = _number(0.5, "points for a drawn match")
    loss: float = _number(0.0, "points for a lost match")
    bonus: float = _bonus()
    best_share: float = _best_share(0.0)

    @property
    def panel(self) -> tuple[str, ...]:
        return ()

    def check(self, individuals: int) -> None:
        """A pair takes two individuals."""
        _at_least(individuals, 2, self.name)

    def num_matches(self, individuals: int) -> int:
        """One a pair."""
        return individuals * (individuals - 1) // 2

    def schedule(self, individuals: int, seed: int, generation: int) -> Schedule:
        """Each pair once."""
        return EachPair(individuals)

    def scoring(self, schedule: Schedule, individuals: int) -> Scoring:
        """1 point a match won, 0.5 a match drawn."""
        return _ByVerdict(Points(individuals, (self.loss, self.draw, self.win)))


@dataclass(frozen=True)
class AntibodyAntigen:
    """Coevolution by antibodies and antigens with implicit fitness sharing.

    Some individuals, the antigens, are each met by a random part of the population, the antibodies;
    those that win share a fixed number of points. Only antibodies earn. An antigen may be an
    antibody to other antigens.
    """

    name: ClassVar[str] = "antibody-antigen"
    antigens: float = _number(0.25, "share of the population that serves as antigens", high=1.0)
    antibodies: float = _number(0.33, "share of the population that meets each antigen", high=1.0)
    points: float = _number(33.0, "points that an antigen's victors share")
    two_wins: float = _number(4.0, "shares of an antibody that wins both games")
    one_win: float = _number(1.0, "shares of an antibody that wins one game")
    bonus: float = _bonus()
    best_share: float = _best_share(0.0)

    @property
    def panel(self) -> tuple[str, ...]:
        return ()

    def numbers(self, individuals: int) -> tuple[int, int]:
        """How many antigens there are, and how many antibodies meet each."""
        return round(self.antigens * individuals), round(self.antibodies * individuals)

    def check(self, individuals: int) -> None:
        """There must be an antigen, and enough others to meet it."""
        antigens, antibodies = self.numbers(individuals)
        if antigens < 1 or antibodies < 1:
            raise TournamentError(
                f"population={individuals} given; {self.name} with antigens={self.antigens} and "
                f"antibodies={self.antibodies} makes {antigens} antigens met by {antibodies} "
                "antibodies each, and needs one of both: enlarge the population or the shares"
            )
        if antibodies > individuals - 1:
            raise TournamentError(
                f"antibodies={self.antibodies} given; {antibodies} of {individuals} individuals "
                f"cannot meet an antigen among them, at most {individuals - 1} can: lower the share"
            )

    def num_matches(self, individuals: int) -> int:
        """One for each antigen and antibody of it."""
        antigens, antibodies = self.numbers(individuals)
        return antigens * antibodies

    def schedule(self, individuals: int, seed: int, generation: int) -> Schedule:
        """The matches (antibody, antigen), those of an antigen in a row."""
        return Antibodies(individuals, *self.numbers(individuals), seed, generation)

    def scoring(self, schedule: Schedule, individuals: int) -> Scoring:
        """Each antigen's points, shared among its victors in proportion to their shares."""
        shares = (0.0, self.one_win, self.two_wins)
        each = self.numbers(individuals)[1]
        return _Shared(SharedPoints(schedule, each, self.points, shares), individuals)


SCHEMES: dict[str, type[Direct] | type[RoundRobin] | type[AntibodyAntigen]] = {
    scheme.name: scheme for scheme in (AntibodyAntigen, Direct, RoundRobin)
}


def make(name: str, **options: Any) -> Scheme:
    """A scheme by name, with its numbers.

    Raises:
        TournamentError: an unknown scheme or field, or a value out of its range.
    """
    if name not in SCHEMES:
        raise unknown("scheme", name, SCHEMES)
    return checked(SCHEMES[name], "scheme.", options)


def _at_least(individuals: int, least: int, name: str) -> None:
    if individuals < least:
        raise TournamentError(f"population={individuals} given; {name} needs at least {least}")


@dataclass(frozen=True)
class _ByWins:
    """Entrant a earns by the number of games that it wins of a match."""

    total: Points

    def take(self, played: Played, results: Results) -> None:
        self.total.add(played.pairs[:, 0], results.won)

    def points(self) -> np.ndarray:
        return self.total.points


@dataclass(frozen=True)
class _ByVerdict:
    """Both entrants earn by whether they lost (0), drew (1) or won (2) the match."""

    total: Points

    def take(self, played: Played, results: Results) -> None:
        verdict = np.sign(results.won - results.lost)
        self.total.add(played.pairs[:, 0], 1 + verdict)
        self.total.add(played.pairs[:, 1], 1 - verdict)

    def points(self) -> np.ndarray:
        return self.total.points


@dataclass(frozen=True)
class _Shared:
    """Entrant a earns a share of what b gives."""

    total: SharedPoints
    individuals: int

    def take(self, played: Played, results: Results) -> None:
        self.total.add(played.first, results.won)

    def points(self) -> np.ndarray:
        return self.total.points(self.individuals)
