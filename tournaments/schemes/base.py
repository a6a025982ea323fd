"""What every scheme is: who meets whom in a generation, and what the outcomes are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from tournaments.arena.outcomes import GameCounter, Played, Results
from tournaments.errors import TournamentError
from tournaments.guard import Guarded, Hook, call_hook, expect, expect_array, type_and_shape
from tournaments.kernels import rng
from tournaments.options import option, shared
from tournaments.schedules.base import Matches, Schedule
from tournaments.schemes import REGISTRY

Sizes = tuple[int, ...]
"""How many individuals each population has: one population, or one a role."""
Archives = tuple[tuple[tuple[int, ...], ...], ...]
"""By population, by part, rows of its archive; empty where nothing is kept.

Each row is in one part at least. It may be in several: a player may be kept for two reasons.
"""
Kept = tuple[tuple[np.ndarray, ...], ...]
"""By population, by part of its archive, the entrants that make it up in the next generation."""


def carried(parts: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """The rows of which an archive is made in the next generation, each once, and its parts.

    Args:
        parts: of a population's archive, rows of the population and of the archive after it.

    Returns:
        These rows, and the parts as places among them: rows of the archive.
    """
    places = {row: place for place, row in enumerate(dict.fromkeys(chain(*parts)))}
    return list(places), [[places[row] for row in part] for part in parts]


def kept_rows(kept: Kept, starts: Sequence[int]) -> list[list[list[int]]]:
    """Return the kept entrants as rows, by population and part of its archive.

    Args:
        kept: as of :meth:`Scoring.kept`.
        starts: the first entrant of each population.

    Returns:
        Rows of the population and of the archive after it, for :func:`carried`.
    """
    pairs = zip(kept, starts, strict=False)
    return [[(part - start).tolist() for part in parts] for parts, start in pairs]


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
        """Raw fitness, float64 ``[N]``, entrant after entrant, once there are no more rounds."""

    def kept(self) -> Kept:
        """Return the archives of the next generation, once there are no more rounds."""
        return ()


class Contest(NamedTuple):
    """The matches of a generation, or of its first round, and what makes fitness of them.

    Attributes:
        schedule: who meets whom; entrants are the individuals, population after population.
        scoring: takes what is played.
        seeds_of: the generation whose seeds are taken.
        games: games a match, the seats swapped after each.
        measured: whether plies and the game's measure are noted.
    """

    schedule: Schedule
    scoring: Scoring
    seeds_of: int
    games: int = 2
    measured: bool = False

    def rounds(self, seed: int) -> Iterator[Matches]:
        """The matches, each round made once those of the round before have been scored.

        Args:
            seed: of the run.
        """
        schedule: Schedule | None = self.schedule
        form, number = (self.seeds_of, self.games, self.measured), 0
        while schedule is not None:
            purpose = f"matches/round-{number}" if number else "matches"
            yield Matches(schedule, seed, purpose, *form)
            schedule, number = self.scoring.next_round(), number + 1

    def play(
        self,
        seed: int,
        entrants: int,
        play: Callable[[Matches], Iterator[Played]],
        note: Callable[[str], None] = lambda part: None,
    ) -> GameCounter:
        """Play all rounds, score every part and return the games of each entrant.

        Args:
            seed: of the run.
            entrants: number of individuals, archives included.
            play: called with the matches of each round; it yields the parts of all of them.
            note: called after each step with ``schedule``, ``play`` or ``score``.
        """
        counter = GameCounter(entrants)
        for matches in self.rounds(seed):
            note("schedule")
            for played in play(matches):
                note("play")
                self.scoring.take(played, counter.take(played))
                note("score")
        return counter


@dataclass(frozen=True)
class Roster:
    """The entrants of a generation, by population and part of its archive.

    Attributes:
        sizes: of the populations.
        seed, generation: of the run; what is drawn depends on them.
        archives: what the populations have kept.
    """

    sizes: Sizes
    seed: int = 0
    generation: int = 0
    archives: Archives = ()

    @property
    def alone(self) -> bool:
        """Whether there is one population, which meets itself."""
        return len(self.sizes) == 1

    @property
    def total(self) -> int:
        """The number of entrants."""
        return self.start(len(self.sizes))

    @property
    def sides(self) -> range:
        """The populations, by number."""
        return range(len(self.sizes))

    @property
    def groups(self) -> tuple[int, int]:
        """The population of the first seat, and that of the second."""
        return 0, len(self.sizes) - 1

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

    def generator(self, purpose: str, index: int = 0) -> np.random.Generator:
        """The stream of a purpose in this generation."""
        return rng.generator(self.seed, purpose, self.generation, index)

    def drawn(self, purpose: str, entrants: np.ndarray, count: int) -> np.ndarray:
        """So many of the entrants at random, rising; all where there are fewer."""
        return np.sort(self.generator(purpose).permutation(entrants)[:count])


def points_option(default: float, doc: str, high: float = 1e9) -> Any:
    """A field that is a number of points, or a share."""
    return option(default, doc, low=0.0, high=high)


def best_share_option(default: float) -> Any:
    """The field for scaling, with a default of a scheme's own."""
    doc = "share of the next population that the best takes by linear scaling; 0: no scaling"
    return shared(points_option(default, doc, high=1.0))


@dataclass(frozen=True)
class Scheme:
    """A scheme: a record of its numbers, which are fields with their published values as defaults.

    The entrants of a generation are the individuals of the first population, then its archive, and
    then, where the seats have roles, the second population and its archive. A subclass is frozen as
    well, and has :meth:`meet`; with rounds or archives :meth:`num_matches`, too.

    Attributes:
        name: as users type it: that of its file, or of the entry point that offers it.
        law: raised by one when a seed gives other matches, or outcomes give other points.
        least: individuals that a population needs in order to meet itself.
        has_roles: whether it serves two populations, too, one a role.
        opponents_field: the field with the number of different opponents of each individual.
        bonus, best_share: what becomes of raw fitness before selection.
    """

    name: ClassVar[str]
    law: ClassVar[int] = 1
    least: ClassVar[int] = 2
    has_roles: ClassVar[bool] = True
    opponents_field: ClassVar[str] = ""
    bonus: float = shared(
        points_option(
            0.01,
            "added to each raw fitness before selection, so that the total is never zero (the "
            "published value is not known)",
        )
    )
    best_share: float = best_share_option(0.0)

    @property
    def panel(self) -> tuple[str, ...]:
        """The fixed opponents, as :func:`tournaments.players.make` takes them."""
        return ()

    def check(self, sizes: Sizes) -> None:
        """Refuse populations that the scheme cannot serve.

        Raises:
            TournamentError: it says what is needed.
        """
        if len(sizes) > 1 and not self.has_roles:
            raise TournamentError(
                f"{self.name} given for a game whose seats have roles; it ranks one population, of "
                "which any two can meet in both seats: take round-robin or hall-of-fame"
            )
        least = self.least if len(sizes) == 1 else 1
        if min(sizes) < least:
            raise TournamentError(
                f"population={min(sizes)} given; {self.name} needs at least {least}"
            )
        others = sizes[0] - 1 if len(sizes) == 1 else min(sizes)
        wanted = getattr(self, self.opponents_field, 0)
        if wanted > others:
            field = self.opponents_field
            raise TournamentError(
                f"{field}={wanted} and population={min(sizes)} given; {self.name} has {others} "
                f"opponents there for each individual: enlarge the population, or set "
                f"scheme.{field}={others}"
            )

    def num_matches(self, sizes: Sizes) -> int:
        """Matches of a generation, all rounds together, once archives are full.

        Those of generation 0, unless a scheme says otherwise.
        """
        return len(self._checked_meet(Roster(sizes))[0])

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """The matches of a generation, or of its first round, and what makes points of them."""
        raise NotImplementedError

    def contest(
        self, sizes: Sizes, seed: int = 0, generation: int = 0, archives: Archives = ()
    ) -> Contest:
        """The matches of a generation and their scoring; where seats have roles a match is a game.

        Args:
            sizes: of the populations, as :meth:`check` accepts them.
            seed, generation: of the run.
            archives: what the generation before has kept.
        """
        schedule, scoring = self._checked_meet(Roster(sizes, seed, generation, archives))
        return Contest(schedule, scoring, generation, games=3 - len(sizes))

    def _checked_meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return what :meth:`meet` gives; the scoring of a scheme of others is guarded."""
        plugin = REGISTRY.plugin(self.name)
        schedule, scoring = call_hook(plugin, MEET, self.meet, roster)
        return schedule, scoring if plugin.is_ours else Guarded(plugin, scoring, SCORING)

    def raw_fitness(self, contest: Contest, entrants: int) -> np.ndarray:
        """Raw fitness, float64 ``[N]``, of a contest of this scheme whose matches were played.

        Raises:
            TournamentError: the scoring does not give each entrant a finite number.
        """

        def form(points: Any) -> None:
            expect_array(points, (entrants,), ("float",), "float64")

        plugin = REGISTRY.plugin(self.name)
        points = call_hook(plugin, Hook("points()", form), contest.scoring.points)
        if (wrong := np.flatnonzero(~np.isfinite(points))).size:
            given = f"points() gave {points[wrong[0]]} to entrant {wrong[0]}"
            raise plugin.error(given, "finite numbers are expected: mend it")
        return points


def _expect_meeting(met: Any, roster: Roster) -> None:
    given = ", ".join(map(type_and_shape, met)) if isinstance(met, tuple) else type_and_shape(met)
    fits = isinstance(met, tuple) and len(met) == 2 and hasattr(met[0], "__len__")
    fits = fits and callable(getattr(met[1], "take", None))
    expect(fits, given, "give a schedule and its scoring")


def _expect_round(schedule: Any) -> None:
    fits = schedule is None or hasattr(schedule, "__len__")
    expect(fits, type_and_shape(schedule), "give a schedule, or None")


def _expect_kept(kept: Any) -> None:
    fits = isinstance(kept, tuple) and all(isinstance(parts, tuple) for parts in kept)
    fits = fits and all(isinstance(part, np.ndarray) for part in chain(*kept))
    expect(fits, type_and_shape(kept), "give a tuple of populations, each a tuple of arrays")


MEET = Hook("meet(roster)", _expect_meeting)
SCORING = {
    "take": Hook("take(played, results)"),
    "next_round": Hook("next_round()", _expect_round),
    "kept": Hook("kept()", _expect_kept),
}
"""Hooks of a scoring, beside ``points``: see :meth:`Scheme.raw_fitness`."""


@dataclass(frozen=True)
class MatchPoints:
    """The fields of schemes in which a match is won, drawn or lost."""

    win: float = shared(points_option(1.0, "points for winning a match: more games won than lost"))
    draw: float = shared(points_option(0.5, "points for a drawn match"))
    loss: float = shared(points_option(0.0, "points for a lost match"))

    @property
    def worth(self) -> tuple[float, float, float]:
        """The points of a match lost, drawn and won."""
        return self.loss, self.draw, self.win
