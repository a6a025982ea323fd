"""Islands: populations that evolve separately and exchange individuals at regular intervals.

    [islands]
    count = 8
    every = 20
    topology = "ring"

    [[islands.each]]
    islands = [0, 1]
    learner = { mutation_probability = 0.005 }

The tables of ``[[islands.each]]`` are laid over the configuration of the run, for those islands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from evo.topologies import TOPOLOGIES, Topology, Way, distinct_ways
from tournaments import options as fields
from tournaments.errors import ConfigError, TournamentError, nearest, unknown
from tournaments.kernels.rng import stream_key
from tournaments.options import option

OWN = ("genome", "learner", "population", "scheme")
"""Fields that an island may change; the game and the form of genomes are common."""


@dataclass(frozen=True)
class IslandOptions:
    """The fields of the table ``[islands]`` without the topology and the fields of single islands.

    Attributes:
        count: islands, each with populations of its own
        every: generations from one migration to the next
        migrants: individuals of each population that an island sends along each of its ways
        choose: who migrates: the best, random ones, or winners of tournaments
        tournament_size: individuals of such a tournament
        replace: whose place migrants take: of the worst, or random ones
    """

    count: int = option(4, low=1, high=10_000)
    every: int = option(20, low=1)
    migrants: int = option(1, low=1)
    choose: str = option("best", known=("best", "random", "tournament"))
    tournament_size: int = option(3, low=1, high=1000)
    replace: str = option("worst", known=("worst", "random"))


@dataclass(frozen=True)
class Islands:
    """The validated islands of a run.

    Attributes:
        law: number to raise by one when the same seed gives other migrations.
        options: the number of islands, and the rules of migration.
        topology: which islands send to which.
        each: the tables of ``[[islands.each]]``.
        kinds: the different configurations of islands, without their seeds.
        numbers: index in ``kinds`` for each island.
    """

    law: ClassVar[int] = 1
    options: IslandOptions
    topology: Topology
    each: tuple[Mapping[str, Any], ...]
    kinds: tuple[Any, ...]
    numbers: tuple[int, ...]

    @property
    def count(self) -> int:
        return self.options.count

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """The ways of migrants between islands as pairs (from, to), sorted by target."""
        return distinct_ways(self.topology, self.count)

    def kind(self, number: int) -> Any:
        """Return the configuration of an island, without its seed."""
        return self.kinds[self.numbers[number]]

    def seed(self, seed: int, number: int) -> int:
        """Return the seed of an island, which depends only on the run's seed and its number."""
        return int(stream_key(seed, "island", 0, number)[0] >> 1)

    def is_due(self, generation: int) -> bool:
        """Return whether individuals migrate between islands after a generation."""
        return bool(self.ways) and generation > 0 and generation % self.options.every == 0

    def total(self, number_of: Callable[[Any], int | None]) -> Any:
        """Return the sum of a number over all islands' configurations; None if any has none.

        ``number_of`` returns the number of a configuration.
        """
        numbers = [number_of(kind) for kind in self.kinds]
        return None if None in numbers else sum(numbers[kind] for kind in self.numbers)

    def written(self) -> dict[str, Any]:
        """Return the islands as the table ``[islands]`` of a run's configuration."""
        written = {**fields.as_options(self.options), "topology": fields.as_options(self.topology)}
        return {**written, "each": [dict(own) for own in self.each]} if self.each else written

    def check(self, config: Any) -> None:
        """Raise if migrants of an island cannot move, or have no island with room to go to.

        Raises:
            ConfigError: the first such island.
        """
        common = [plan.genome.spec() for plan in config.populations]
        for place, kind in enumerate(self.kinds):
            if [plan.genome.spec() for plan in kind.populations] != common:
                raise ConfigError(
                    f"island {self.numbers.index(place)} has genome.encoding="
                    f"{kind.genome.encoding!r} of another form than the run's "
                    f"{config.genome.encoding!r}; migrants need one form on all islands: "
                    "set [genome] for the run, and no genome.encoding for an island"
                )
        migrants = self.options.migrants
        arrivals = Counter(target for _, target in self.ways)
        for number, ways in sorted(arrivals.items()):
            kind = self.kind(number)
            most, coming = kind.learner.room_for_migrants(kind.problem()), ways * migrants
            if not most:
                raise ConfigError(
                    f"islands.topology={self.topology.name!r} and learner={kind.learner.name!r} "
                    f"given; {kind.learner.name} on island {number} cannot take migrants in: set "
                    "islands.topology='none', or a learner such as genetic"
                )
            if coming > most:
                raise ConfigError(
                    f"islands.migrants={migrants} given; island {number} gets {coming} migrants "
                    f"along {ways} ways, but has room for {most} at once: send fewer"
                )
        for number in sorted({source for source, _ in self.ways}):
            kind = self.kind(number)
            if kind.scheme is not None and migrants > kind.run.population:
                raise ConfigError(
                    f"islands.migrants={migrants} given, but island {number} has a population of "
                    f"{kind.run.population}: send that many, or fewer"
                )


def islands_of(
    given: Mapping[str, Any],
    topology: tuple[str, Mapping[str, Any]],
    kind_of: Callable[[Mapping[str, Any]], Any],
) -> Islands:
    """Return the islands that the table ``[islands]`` of a configuration describes.

    Args:
        given: the table.
        topology: its name and options.
        kind_of: (changes of an island) -> its validated configuration.

    Raises:
        ConfigError, TournamentError: the first field that is wrong.
    """
    rest = {key: value for key, value in given.items() if key not in ("topology", "each")}
    options = fields.checked(IslandOptions, "islands.", rest, ConfigError)
    tables: Any = given.get("each", ())
    if not isinstance(tables, list | tuple) or not all(isinstance(own, Mapping) for own in tables):
        raise ConfigError(f"islands.each={tables!r} given; tables are expected: [[islands.each]]")
    each = tuple(_own(own, options.count) for own in tables)
    place_of: dict[int, int] = {}
    for place, own in enumerate(each):
        for number in own["islands"]:
            if place_of.setdefault(number, place) != place:
                raise ConfigError(
                    f"islands.each: island {number} given in two tables; name it in one"
                )
    places = [place_of.get(number, -1) for number in range(options.count)]
    used = sorted(set(places))
    kinds = tuple(kind_of({}) if place < 0 else _kind(each[place], kind_of) for place in used)
    numbers = tuple(map(used.index, places))
    return Islands(options, _topology(*topology), each, kinds, numbers)


def _topology(name: str, options: Mapping[str, Any]) -> Topology:
    if name not in TOPOLOGIES:
        raise ConfigError(str(unknown("topology", name, TOPOLOGIES)))
    given = {**options, "name": name}
    checked: Topology = fields.checked(TOPOLOGIES[name], "islands.topology.", given, ConfigError)
    return checked


def _own(given: Mapping[str, Any], count: int) -> dict[str, Any]:
    """Return a table ``[[islands.each]]`` after a check of its fields and its islands' numbers.

    ``count`` is the number of islands.
    """
    known = ("islands", *OWN)
    for name in given:
        if name not in known:
            raise ConfigError(
                f"unknown field 'islands.each.{name}'{nearest(name, known)} (known: "
                f"{', '.join(known)}; game and length are those of the whole run)"
            )
    numbers: Any = given.get("islands")
    listed = isinstance(numbers, list | tuple) and numbers
    if not listed or not all(type(n) is int and 0 <= n < count for n in numbers):
        raise ConfigError(
            f"islands.each.islands={numbers!r} given; a list of the islands that the table is "
            f"for is expected, with numbers from 0 to {count - 1}"
        )
    return {**given, "islands": list(numbers)}


def _kind(own: Mapping[str, Any], kind_of: Callable[[Mapping[str, Any]], Any]) -> Any:
    """Return the configuration of the islands that a table ``[[islands.each]]`` describes.

    ``kind_of`` makes a validated configuration from the changes of an island.
    """
    try:
        return kind_of({key: value for key, value in own.items() if key != "islands"})
    except (ConfigError, TournamentError) as error:
        numbers = ", ".join(map(str, own["islands"]))
        raise ConfigError(f"islands.each of islands {numbers}: {error}") from None
