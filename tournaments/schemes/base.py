"""The base class of schemes: the matches of a generation, and the points for their outcomes."""

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
from tournaments.registry import late
from tournaments.schedules.base import Matches, Schedule
from tournaments.schemes import REGISTRY

Sizes = tuple[int, ...]
"""How many individuals each population has: one population, or one a role."""
Archives = tuple[tuple[tuple[int, ...], ...], ...]
"""Rows of the archives, by population and by part. Empty if the scheme keeps no players.

Each row is in at least one part. A row may be in several parts if there are several reasons to keep
the player.
"""
Kept = tuple[tuple[np.ndarray, ...], ...]
"""Entrants of the archives of the next generation, by population and by part."""


def carried(parts: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """Return the rows of a population that its next archive keeps, and the archive's parts.

    Args:
        parts: the parts of a population's archive. Rows count through the population and then
            through its present archive.

    Returns:
        The distinct rows, and the parts as positions among these rows: rows of the new archive.
    """
    places = {row: place for place, row in enumerate(dict.fromkeys(chain(*parts)))}
    return list(places), [[places[row] for row in part] for part in parts]


def kept_rows(kept: Kept, starts: Sequence[int]) -> list[list[list[int]]]:
    """Return the entrants that archives keep as rows, by population and part of its archive.

    Args:
        kept: the entrants, as :meth:`Scoring.kept` returns them.
        starts: the first entrant of each population.

    Returns:
        Rows that count through the population and then its archive, for :func:`carried`.
    """
    pairs = zip(kept, starts, strict=False)
    return [[(part - start).tolist() for part in parts] for parts, start in pairs]


class Scoring(Protocol):
    """The scoring of a generation's matches, which arrive in parts and in any order.

    A scheme in which later matches depend on earlier ones overrides :meth:`next_round`. A scheme
    that keeps individuals for later generations overrides :meth:`kept`. By default there is one
    round, and no individual is kept.
    """

    def take(self, played: Played, results: Results) -> None:
        """Record the results of some matches of the current round. Each match is passed once."""

    def next_round(self) -> Schedule | None:
        """Return the matches of the next round of a generation, or None after the last round.

        All results of the round before must be recorded.
        """
        return None

    def points(self) -> np.ndarray:
        """Return the raw fitness of each entrant, float64 ``[N]``, after the last round."""

    def kept(self) -> Kept:
        """Return the entrants that the scheme keeps in its archives for the next generation.

        The entrants are individuals of this generation or of its archives, by population and by
        part of the next archive. All rounds must have been scored.
        """
        return ()


def purpose_of_round(number: int) -> str:
    """Return the purpose of the matches of a round of a generation, by which they are seeded."""
    return f"matches/round-{number}" if number else "matches"


class Contest(NamedTuple):
    """The matches of a generation, or of its first round, and their scoring.

    Attributes:
        schedule: the pairs of entrants. Entrants are numbered population after population.
        scoring: computes fitness from the results.
        seeds_of: the generation whose seeds are used.
        games: games per match. The seats are swapped after each game.
        measured: whether plies and the game's measure are recorded.
    """

    schedule: Schedule
    scoring: Scoring
    seeds_of: int
    games: int = 2
    measured: bool = False

    def rounds(self, seed: int) -> Iterator[Matches]:
        """Yield the matches of each round of a generation. The round before must have been scored.

        Args:
            seed: the seed of the run.
        """
        schedule: Schedule | None = self.schedule
        form, number = (self.seeds_of, self.games, self.measured), 0
        while schedule is not None:
            yield Matches(schedule, seed, purpose_of_round(number), *form)
            schedule, number = self.scoring.next_round(), number + 1

    def play(
        self,
        seed: int,
        entrants: int,
        play: Callable[[Matches], Iterator[Played]],
        note: Callable[[str], None] = lambda part: None,
    ) -> GameCounter:
        """Play all rounds of a generation, score the matches and return the games of each entrant.

        Args:
            seed: the seed of the run.
            entrants: number of individuals, archives included.
            play: called with the matches of each round. It yields all parts of the matches.
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
        sizes: the sizes of the populations.
        seed, generation: the seed and the generation of the run. They seed all random draws.
        archives: the archives of the populations.
        seats: number of entrants of a match.
    """

    sizes: Sizes
    seed: int = 0
    generation: int = 0
    archives: Archives = ()
    seats: int = 2

    @property
    def alone(self) -> bool:
        """Whether there is only one population, whose members meet each other."""
        return len(self.sizes) == 1

    @property
    def total(self) -> int:
        """The number of entrants of this generation, archives included."""
        return self.start(len(self.sizes))

    @property
    def sides(self) -> range:
        """The numbers of the populations, as a range."""
        return range(len(self.sizes))

    @property
    def groups(self) -> tuple[int, int]:
        """The population of the first seat and the population of the second seat."""
        return 0, len(self.sizes) - 1

    def opponents_of(self, side: int) -> int:
        """Return the index of the opposing population, or 0 if there is only one population."""
        return len(self.sizes) - 1 - side

    def start(self, side: int) -> int:
        """Return the number of the first entrant of a population in this generation."""
        archived = (1 + max(map(max, filter(None, parts)), default=-1) for parts in self.archives)
        return sum(self.sizes[:side]) + sum(list(archived)[:side])

    def living(self, side: int) -> np.ndarray:
        """Return the entrants of a population, without its archive, as numbers, int32 ``[N]``."""
        return np.arange(self.sizes[side], dtype=np.int32) + np.int32(self.start(side))

    def archived(self, side: int, part: int = 0) -> np.ndarray:
        """Return the entrants of a part of a population's archive as numbers, int32.

        It is empty without an archive.
        """
        rows = self.archives[side][part] if self.archives else ()
        return np.array(rows, dtype=np.int32) + np.int32(self.start(side) + self.sizes[side])

    def generator(self, purpose: str, index: int = 0) -> np.random.Generator:
        """Return the random generator for a purpose in this generation of the run."""
        return rng.generator(self.seed, purpose, self.generation, index)

    def drawn(self, purpose: str, entrants: np.ndarray, count: int) -> np.ndarray:
        """Return up to ``count`` random ones of the entrants, in rising order."""
        return np.sort(self.generator(purpose).permutation(entrants)[:count])


def points_option(default: float, high: float = 1e9) -> Any:
    """Return a dataclass field of a scheme for a number of points or a share."""
    return option(default, low=0.0, high=high)


def same_games_option() -> Any:
    """Return a dataclass field of a scheme: whether all individuals meet the same games."""
    doc = (
        "whether the individuals of a generation play the same games against these opponents, "
        "other games in each generation"
    )
    return option(False, doc, sparse=True)


@dataclass(frozen=True)
class Scheme:
    """A scheme: a record of its numbers, which are fields with their published values as defaults.

    The entrants of a generation are the individuals of the first population, then its archive. In
    games with roles, the second population and its archive follow. A subclass is frozen and defines
    :meth:`meet`. A subclass with rounds or archives also defines :meth:`num_matches`.

    Attributes:
        name: name that users type: the name of its file, or of the entry point that offers it.
        law: version of the scheme, increased by 1 if a seed gives other matches than before, or
            outcomes give other points.
        least: number of individuals that a population needs in order to meet itself.
        has_roles: whether the scheme can also evaluate two populations, one per role.
        is_relative: whether points depend on the other individuals, so that they cannot be compared
            between generations.
        opponents_field: the field with the number of different opponents of each individual.
        takes_tables: whether the scheme also arranges matches of more than two entrants.
        bonus: added to each raw fitness before selection, so that the total is never zero (the
            published value is not known)
        best_share: share of the next population that the best takes by linear scaling; 0: no
            scaling
        fitness: the outcome of a game: placing (which player scored more) or score (the score
            itself)
        aggregate: how the outcomes against the opponents are combined into fitness: mean, worst,
            quantile or softmin; the mean of placings gives the scheme's usual points
        quantile: share of the opponents whose outcomes are worse, for aggregate=quantile
        softness: factor of the exponent, for aggregate=softmin; a large factor is close to worst
    """

    name: ClassVar[str]
    law: ClassVar[int] = 1
    least: ClassVar[int] = 2
    has_roles: ClassVar[bool] = True
    is_relative: ClassVar[bool] = True
    opponents_field: ClassVar[str] = ""
    takes_tables: ClassVar[bool] = False
    bonus: float = shared(points_option(0.01))
    best_share: float = shared(points_option(0.0, high=1.0))
    fitness: str = shared(option("placing", known=("placing", "score"), sparse=True))
    aggregate: str = shared(
        option("mean", known=("mean", "worst", "quantile", "softmin"), sparse=True)
    )
    quantile: float = shared(option(0.25, low=0.0, high=1.0, sparse=True))
    softness: float = shared(option(1.0, above=0.0, high=1e6, sparse=True))

    @property
    def panel(self) -> tuple[str, ...]:
        """The names of the fixed opponents of a scheme, for :func:`tournaments.players.make`."""
        return ()

    def check(self, sizes: Sizes) -> None:
        """Raise if the scheme cannot evaluate populations of these sizes.

        Raises:
            TournamentError: the message says what is needed.
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

    def check_seats(self, sizes: Sizes, seats: int) -> None:
        """Raise if the scheme cannot arrange matches of this number of entrants.

        Raises:
            TournamentError: the message lists the schemes that can, or the populations are too
                small.
        """
        if seats > 2 and not self.takes_tables:
            able = [name for name, cls in REGISTRY.loadable().items() if cls.takes_tables]
            raise TournamentError(
                f"{self.name} given for matches of {seats} players; it pairs two: take "
                f"{', '.join(able)}"
            )
        if seats > 2 and self.least > 1 and min(sizes) < seats:
            raise TournamentError(
                f"population={min(sizes)} given for matches of {seats} players; at least {seats} "
                "are needed"
            )

    def check_players(self, players: Sequence[Any]) -> None:
        """Raise if a program among the players would meet the same games again and again.

        Raises:
            TournamentError: the message names the program.
        """
        lasting = [each for each in players if getattr(each, "outlives_games", False)]
        if getattr(self, "same_games", False) and lasting:
            raise TournamentError(
                f"same_games given, and {lasting[0].name} is a program that lives through all "
                "games and could remember them: leave same_games out"
            )

    def num_matches(self, sizes: Sizes) -> int:
        """Return the number of matches of a generation of this scheme: all rounds, full archives.

        By default this is the number of matches of generation 0. Schemes with rounds or archives
        override the method.
        """
        return len(self._checked_meet(Roster(sizes))[0])

    def num_tables(self, sizes: Sizes, seats: int) -> int:
        """Return the number of matches of a generation, each of ``seats`` entrants.

        Schemes that take tables, and have rounds or archives, override the method.
        """
        if seats == 2:
            return self.num_matches(sizes)
        return len(self._checked_meet(Roster(sizes, seats=seats))[0])

    def meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return the matches of a generation by this scheme and their scoring.

        Schemes with rounds return the matches of the first round.
        """
        raise NotImplementedError

    def contest(
        self,
        sizes: Sizes,
        seed: int = 0,
        generation: int = 0,
        archives: Archives = (),
        seats: int = 2,
    ) -> Contest:
        """Return the matches of a generation by this scheme, and their scoring.

        A match is a game per seat, or one game if the seats have roles.

        Args:
            sizes: the sizes of the populations, accepted by :meth:`check`.
            seed: the seed of the run.
            generation: the number of the generation.
            archives: the archives of the previous generation.
            seats: number of entrants of a match.
        """
        schedule, scoring = self._checked_meet(Roster(sizes, seed, generation, archives, seats))
        return Contest(schedule, scoring, generation, games=seats if len(sizes) == 1 else 1)

    def _checked_meet(self, roster: Roster) -> tuple[Schedule, Scoring]:
        """Return the matches and the scoring that :meth:`meet` returns.

        The calls of a third-party scheme are guarded: errors name the scheme.
        """
        plugin = REGISTRY.plugin(self.name)
        schedule, scoring = call_hook(plugin, MEET, self.meet, roster)
        scoring = scoring if plugin.is_ours else Guarded(plugin, scoring, SCORING)
        if self.fitness == "placing" and self.aggregate == "mean":
            return schedule, scoring
        return schedule, late("tournaments.schemes.aggregation", "Aggregated")(
            scoring, roster.total, self
        )

    def raw_fitness(self, contest: Contest, entrants: int) -> np.ndarray:
        """Return the raw fitness of each entrant, float64 ``[N]``, after a contest was played.

        Raises:
            TournamentError: the scoring does not return a finite number for each entrant.
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
"""Hooks of a scoring except ``points``, which :meth:`Scheme.raw_fitness` checks."""


@dataclass(frozen=True)
class MatchPoints:
    """The fields of schemes in which a match is won, drawn or lost.

    Attributes:
        win: points for winning a match: more games won than lost
        draw: points for a drawn match
        loss: points for a lost match
    """

    win: float = shared(points_option(1.0))
    draw: float = shared(points_option(0.5))
    loss: float = shared(points_option(0.0))

    @property
    def worth(self) -> tuple[float, float, float]:
        """The points of a lost, a drawn and a won match."""
        return self.loss, self.draw, self.win
