"""What an outcome is worth: from the matches of a generation to raw fitness.

The three schemes of Weaver and Bossomaier (1998), sections 3 and 3.4. Each is a schedule and a
scoring rule; every published number is a field with that value as its default.
A match is two games with the seats swapped.

Where the seats have roles there are two populations, one a role, each the other's opponents. A
match is then one game, in which population 0 holds seat 0: who wins it has won both games as far as
points go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.fields import checked, option
from tournaments.role_schedules import Chain, EachOther, Placed
from tournaments.schedules import AgainstPanel, Antibodies, EachPair, Schedule
from tournaments.scoring import Played, Points, Results, SharedPoints

Sizes = tuple[int, ...]
"""How many individuals each population has: one population, or one a role."""


class Scoring(Protocol):
    """Makes points of the matches of a generation, which come in parts and in any order."""

    def take(self, played: Played, results: Results) -> None:
        """Take note of a part; each match comes once."""

    def points(self) -> np.ndarray:
        """Raw fitness, float64 ``[N]``, population after population, once all matches have come."""


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

    def check(self, sizes: Sizes) -> None:
        """Raise TournamentError where the scheme cannot serve populations of these sizes."""

    def num_matches(self, sizes: Sizes) -> int:
        """Matches of a generation."""

    def schedule(self, sizes: Sizes, seed: int, generation: int) -> Schedule:
        """The matches of a generation."""

    def scoring(self, schedule: Schedule, sizes: Sizes) -> Scoring:
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

    def check(self, sizes: Sizes) -> None:
        """Any population from one individual on can be evaluated."""
        _at_least(sizes, 1, self.name)

    def num_matches(self, sizes: Sizes) -> int:
        """The same number for each individual."""
        return sum(sizes) * self.matches

    def schedule(self, sizes: Sizes, seed: int, generation: int) -> Schedule:
        """Every individual against the panel's only member."""
        if len(sizes) == 1:
            return AgainstPanel.of_all(sizes[0], self.matches)
        return Chain(
            tuple(
                Placed(AgainstPanel.of_all(size, self.matches), side, (side, -1), (start, 0))
                for side, (size, start) in enumerate(zip(sizes, (0, sizes[0]), strict=True))
            )
        )

    def scoring(self, schedule: Schedule, sizes: Sizes) -> Scoring:
        """1, 0.5 or 0 points a match for two, one or no games won."""
        worth = _by_games(sizes, self.no_wins, self.one_win, self.two_wins)
        total = sum(sizes)
        if len(sizes) == 1:
            return _ByWins(Points(total, worth))
        assert isinstance(schedule, Chain)
        return _InTurn(schedule, tuple(_ByWins(Points(total, worth), side) for side in (0, 1)))


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

    def check(self, sizes: Sizes) -> None:
        """A pair takes two individuals."""
        _at_least(sizes, 2 if len(sizes) == 1 else 1, self.name)

    def num_matches(self, sizes: Sizes) -> int:
        """One a pair."""
        return sizes[0] * (sizes[0] - 1) // 2 if len(sizes) == 1 else sizes[0] * sizes[1]

    def schedule(self, sizes: Sizes, seed: int, generation: int) -> Schedule:
        """Each pair once; of two populations, each of the one with each of the other."""
        if len(sizes) == 1:
            return EachPair(sizes[0])
        return Placed(EachOther(*sizes), 0, (0, 1), (0, sizes[0]))

    def scoring(self, schedule: Schedule, sizes: Sizes) -> Scoring:
        """1 point a match won, 0.5 a match drawn."""
        return _ByVerdict(Points(sum(sizes), (self.loss, self.draw, self.win)))


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

    def schedule(self, sizes: Sizes, seed: int, generation: int) -> Schedule:
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

    def scoring(self, schedule: Schedule, sizes: Sizes) -> Scoring:
        """Each antigen's points, shared among its victors in proportion to their shares."""
        shares = _by_games(sizes, 0.0, self.one_win, self.two_wins)
        total = sum(sizes)
        contests = self._contests(sizes)
        if len(sizes) == 1:
            shared = SharedPoints(schedule, contests[0][1], self.points, shares)
            return _Shared(shared, total)
        assert isinstance(schedule, Chain)
        parts = [
            _Shared(SharedPoints(part, contests[side][1], self.points, shares, side), total, side)
            for side, part in enumerate(schedule.parts)
        ]
        return _InTurn(schedule, tuple(parts))


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


def _at_least(sizes: Sizes, least: int, name: str) -> None:
    if min(sizes) < least:
        raise TournamentError(f"population={min(sizes)} given; {name} needs at least {least}")


def _by_games(sizes: Sizes, none: float, one: float, both: float) -> tuple[float, ...]:
    """What winning 0, 1... games of a match is worth; of two populations a match is one game."""
    return (none, one, both) if len(sizes) == 1 else (none, both)


@dataclass(frozen=True)
class _ByWins:
    """The entrant of a side earns by the number of games that it wins of a match."""

    total: Points
    side: int = 0

    def take(self, played: Played, results: Results) -> None:
        self.total.add(played.pairs[:, self.side], results[self.side])

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
    """The entrant of a side earns a share of what the other gives."""

    total: SharedPoints
    individuals: int
    side: int = 0

    def take(self, played: Played, results: Results) -> None:
        self.total.add(played.first, results[self.side])

    def points(self) -> np.ndarray:
        return self.total.points(self.individuals)


@dataclass(frozen=True)
class _InTurn:
    """Each part of a chain of schedules is scored by itself; points add up."""

    schedule: Chain
    parts: tuple[Scoring, ...]

    def take(self, played: Played, results: Results) -> None:
        last = played.first + len(played.pairs)
        begun = 0
        for number, first, end in self.schedule.stretches(played.first, last):
            here = slice(begun, begun + end - first)
            part = Played(first, played.pairs[here], played.outcomes[here])
            self.parts[number].take(part, Results(results.won[here], results.lost[here]))
            begun = here.stop

    def points(self) -> np.ndarray:
        return sum(part.points() for part in self.parts)  # type: ignore[return-value]
