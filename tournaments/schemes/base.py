"""What every scheme is: a schedule, a scoring rule, and, for some, rounds and archives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from tournaments.arena.outcomes import Played, Results
from tournaments.errors import TournamentError
from tournaments.options import option
from tournaments.schedules.base import Schedule

Sizes = tuple[int, ...]
"""How many individuals each population has: one population, or one a role."""
Archives = tuple[tuple[tuple[int, ...], ...], ...]
"""By population, by part, rows of its archive; empty where nothing is kept.

Each row is in one part at least. It may be in several: a player may be kept for two reasons.
"""
Kept = tuple[tuple[np.ndarray, ...], ...]
"""By population, by part of its archive, the entrants that make it up in the next generation."""


class Scoring(Protocol):
    """Makes points of the matches of a generation, which come in parts and in any order.

    A scheme in which later matches depend on earlier ones gives them round after round; one that
    keeps earlier individuals says whom. Both do nothing unless a class says otherwise.
    """

    def take(self, played: Played, results: Results) -> None:
        """Take note of a part of the round that is played; each match comes once."""

    def next_round(self) -> Schedule | None:
        """The matches that follow, once all of the round have come; None: there are no more."""
        return None

    def points(self) -> np.ndarray:
        """Raw fitness, float64 ``[N]``, entrant after entrant, once all matches have come."""

    def kept(self) -> Kept:
        """Who makes up the archives of the next generation, once all matches have come."""
        return ()


class Scheme(Protocol):
    """Who meets whom in a generation, and what it is worth.

    The entrants of a generation are the individuals of the first population, then its archive, and
    then, where the seats have roles, the second population and its archive.
    """

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
        """Matches of a generation, all rounds together, once archives are full."""

    def schedule(
        self, sizes: Sizes, seed: int, generation: int, archives: Archives = ()
    ) -> Schedule:
        """The matches of a generation, or of its first round."""

    def scoring(
        self,
        schedule: Schedule,
        sizes: Sizes,
        seed: int = 0,
        generation: int = 0,
        archives: Archives = (),
    ) -> Scoring:
        """What makes raw fitness of them: the points that the scheme awards."""


@dataclass(frozen=True)
class Roster:
    """Who can be met: entrants by population and part of its archive.

    Attributes:
        sizes: of the populations.
        archives: what they have kept.
    """

    sizes: Sizes
    archives: Archives = ()

    @property
    def total(self) -> int:
        """How many entrants there are."""
        return self.start(len(self.sizes))

    @property
    def sides(self) -> range:
        """The populations, by number."""
        return range(len(self.sizes))

    def opponents_of(self, side: int) -> int:
        """The population that one meets: the other one, or itself where it is alone."""
        return len(self.sizes) - 1 - side

    def start(self, side: int) -> int:
        """The first entrant of a population."""
        archived = (1 + max(map(max, filter(None, parts)), default=-1) for parts in self.archives)
        return sum(self.sizes[:side]) + sum(list(archived)[:side])

    def living(self, side: int) -> np.ndarray:
        """The individuals of a population, int32 ``[N]``."""
        return np.arange(self.sizes[side], dtype=np.int32) + np.int32(self.start(side))

    def archived(self, side: int, part: int = 0) -> np.ndarray:
        """A part of a population's archive, int32; nobody where there is none."""
        rows = self.archives[side][part] if self.archives else ()
        return np.array(rows, dtype=np.int32) + np.int32(self.start(side) + self.sizes[side])


def bonus_option() -> Any:
    """The field that every scheme has for what keeps the total above zero."""
    return option(
        0.01,
        "added to each raw fitness before selection, so that the total is never zero (the "
        "published value is not known)",
        low=0.0,
        high=1e9,
    )


def best_share_option(default: float) -> Any:
    """The field that every scheme has for scaling."""
    return option(
        default,
        "share of the next population that the best takes by linear scaling; 0: no scaling",
        low=0.0,
        high=1.0,
    )


def points_option(default: float, doc: str, high: float = 1e9) -> Any:
    """A field that is a number of points, or a share."""
    return option(default, doc, low=0.0, high=high)


def at_least(sizes: Sizes, least: int, name: str) -> None:
    """Refuse populations that are too small.

    Raises:
        TournamentError: one has fewer individuals.
    """
    if min(sizes) < least:
        raise TournamentError(f"population={min(sizes)} given; {name} needs at least {least}")


def enough_opponents(sizes: Sizes, field: str, wanted: int, name: str) -> None:
    """Refuse populations in which nobody has so many different opponents.

    Raises:
        TournamentError: there are too few others.
    """
    at_least(sizes, 2 if len(sizes) == 1 else 1, name)
    others = sizes[0] - 1 if len(sizes) == 1 else min(sizes)
    if wanted > others:
        raise TournamentError(
            f"{field}={wanted} and population={min(sizes)} given; {name} has {others} opponents "
            f"there for each individual: enlarge the population, or set scheme.{field}={others}"
        )


def without_roles(sizes: Sizes, name: str) -> None:
    """Refuse two populations.

    Raises:
        TournamentError: the seats have roles.
    """
    if len(sizes) > 1:
        raise TournamentError(
            f"{name} given for a game whose seats have roles; it ranks one population, of which "
            "any two can meet in both seats: take round-robin or hall-of-fame"
        )
