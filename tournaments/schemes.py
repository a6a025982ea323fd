"""What an outcome is worth: from the matches of a generation to raw fitness.

The three schemes of Weaver and Bossomaier (1998), sections 3 and 3.4. Each is a schedule and a
scoring rule, both pure functions; every published number is a field with that value as its default.
A match is two games with the seats swapped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.fields import checked, option
from tournaments.schedules import against_panel, antibodies_against_antigens, round_robin


def results_of_a(outcomes: np.ndarray) -> np.ndarray:
    """Each game as entrant a sees it: +1 won, 0 drawn, -1 lost, int8 ``[M, games]``.

    Args:
        outcomes: ``[M, games, 2]``, the score of each seat; a holds seat ``g % 2`` in game ``g``.
    """
    lead = outcomes[:, :, 0].astype(np.int32) - outcomes[:, :, 1]
    lead[:, 1::2] *= -1
    return np.sign(lead).astype(np.int8)


@dataclass(frozen=True)
class Tally:
    """Games of each individual of a population, int32 ``[N]`` each."""

    games: np.ndarray
    wins: np.ndarray
    draws: np.ndarray
    losses: np.ndarray


def tally(pairs: np.ndarray, outcomes: np.ndarray, individuals: int) -> Tally:
    """Count what each individual won, drew and lost, as entrant a and as entrant b."""
    results = results_of_a(outcomes)
    counts = np.zeros((3, individuals), dtype=np.int64)
    for side, sign in ((0, 1), (1, -1)):
        inside = pairs[:, side] >= 0
        who = pairs[inside, side]
        for row, result in enumerate((1, 0, -1)):
            hits = (results[inside] * sign == result).sum(axis=1)
            counts[row] += np.bincount(who, weights=hits, minlength=individuals).astype(np.int64)
    wins, draws, losses = counts.astype(np.int32)
    return Tally(wins + draws + losses, wins, draws, losses)


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

    def schedule(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        """The matches of a generation, int32 ``[M, 2]``."""

    def fitness(self, pairs: np.ndarray, outcomes: np.ndarray, individuals: int) -> np.ndarray:
        """Raw fitness, float64 ``[N]``: the points that the scheme awards."""


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
    matches: int = option(10, "two-game matches of each individual", low=1)
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

    def schedule(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        """Every individual against the panel's only member."""
        return against_panel(individuals, self.matches)

    def fitness(self, pairs: np.ndarray, outcomes: np.ndarray, individuals: int) -> np.ndarray:
        """1, 0.5 or 0 points a match for two, one or no games won."""
        wins = (results_of_a(outcomes) > 0).sum(axis=1)
        worth = np.array([self.no_wins, self.one_win, self.two_wins])
        return _total(pairs[:, 0], wins, worth, individuals)


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

    def schedule(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        """Each pair once."""
        return round_robin(individuals)

    def fitness(self, pairs: np.ndarray, outcomes: np.ndarray, individuals: int) -> np.ndarray:
        """1 point a match won, 0.5 a match drawn."""
        verdict = np.sign(results_of_a(outcomes).sum(axis=1))
        worth = np.array([self.loss, self.draw, self.win])
        who = np.concatenate([pairs[:, 0], pairs[:, 1]])
        return _total(who, np.concatenate([1 + verdict, 1 - verdict]), worth, individuals)


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

    def schedule(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        """The matches (antibody, antigen), those of an antigen in a row."""
        return antibodies_against_antigens(individuals, *self.numbers(individuals), rng)

    def fitness(self, pairs: np.ndarray, outcomes: np.ndarray, individuals: int) -> np.ndarray:
        """Each antigen's points, shared among its victors in proportion to their shares."""
        wins = (results_of_a(outcomes) > 0).sum(axis=1)
        shares = np.array([0.0, self.one_win, self.two_wins])[wins]
        pool = np.bincount(pairs[:, 1], weights=shares, minlength=individuals)[pairs[:, 1]]
        points = self.points * np.divide(shares, pool, out=np.zeros_like(shares), where=pool > 0)
        return np.bincount(pairs[:, 0], weights=points, minlength=individuals)


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


def _total(who: np.ndarray, verdicts: np.ndarray, worth: np.ndarray, size: int) -> np.ndarray:
    """Points of each individual, float64 ``[N]``: counted first, so in whichever order they came.

    Args:
        who: the individual of each match, ``[M]``.
        verdicts: what it made of the match, ``[M]``, a place in ``worth``.
        worth: points for each verdict.
    """
    counts = np.bincount(who * len(worth) + verdicts, minlength=size * len(worth))
    total = np.zeros(size)
    for count, points in zip(counts.reshape(size, len(worth)).T, worth, strict=True):
        total += count * points
    return total
