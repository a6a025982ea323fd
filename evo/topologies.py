"""Topologies of migration: which islands send migrants to which."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice, permutations

from tournaments.errors import ConfigError
from tournaments.options import option

MOST_WAYS = 1_000_000
Way = tuple[int, int]
"""Numbers of two islands: migrants go from the first to the second."""
_EDGE = re.compile(r"(\d{1,9})(-|>)(\d{1,9})", re.ASCII)


@dataclass(frozen=True)
class Topology:
    """Options of a topology. A subclass gives its name and its ways.

    Attributes:
        name: the topology
    """

    name: str

    def ways(self, count: int) -> Iterable[Way]:
        """Return the ways of migrants between islands 0 to count - 1 as pairs, in any order.

        Ways of an island to itself and ways given twice are left out by :func:`distinct_ways`.

        Raises:
            ConfigError: the topology cannot have this number of islands.
        """
        raise NotImplementedError


def distinct_ways(topology: Topology, count: int) -> tuple[Way, ...]:
    """Return each way of migrants in a topology of islands once, sorted by its target.

    Raises:
        ConfigError: as :meth:`Topology.ways`, or there are more than ``MOST_WAYS`` ways.
    """
    given = list(islice(topology.ways(count), MOST_WAYS + 1))
    if len(given) > MOST_WAYS:
        raise ConfigError(
            f"islands.count={count} and islands.topology={topology.name!r} given; that makes more "
            f"than {MOST_WAYS:,} ways: take fewer islands, or another topology"
        )
    ways = {way for way in given if way[0] != way[1]}
    return tuple(sorted(ways, key=lambda way: (way[1], way[0])))


def _both(ways: Iterable[Way]) -> Iterable[Way]:
    """Yield each way of migrants between two islands, and the way back."""
    for source, target in ways:
        yield source, target
        yield target, source


@dataclass(frozen=True)
class Complete(Topology):
    """Each island sends to all others."""

    name: str = option("complete")

    def ways(self, count: int) -> Iterable[Way]:
        return permutations(range(count), 2)


@dataclass(frozen=True)
class GraphTopology(Topology):
    """The ways that the user gives.

    Attributes:
        edges: its ways: "0>1" from island 0 to island 1, "0-1" between them, both ways
    """

    name: str = option("graph")
    edges: tuple[str, ...] = option(())

    def ways(self, count: int) -> Iterable[Way]:
        if not self.edges:
            raise ConfigError(
                "islands.topology='graph' given without edges; a list such as "
                'edges = ["0>1", "1-2"] is expected'
            )
        return [way for edge in self.edges for way in _ways_of(edge, count)]


def _ways_of(edge: str, count: int) -> Iterable[Way]:
    match = _EDGE.fullmatch(edge)
    ends = (int(match[1]), int(match[3])) if match else (0, 0)
    if match is None or max(ends) >= count or ends[0] == ends[1]:
        raise ConfigError(
            f"islands.topology.edges: {edge!r} given; two different islands from 0 to {count - 1} "
            'are expected, as in "0>1" (from the one to the other) or "0-1" (both ways)'
        )
    return [ends] if match[2] == ">" else [ends, ends[::-1]]


@dataclass(frozen=True)
class Isolated(Topology):
    """No migration: the islands are independent runs."""

    name: str = option("none")

    def ways(self, count: int) -> Iterable[Way]:
        return ()


@dataclass(frozen=True)
class Ring(Topology):
    """Each island sends to the next, and the last to the first.

    Attributes:
        both_ways: send to the island before, too
    """

    name: str = option("ring")
    both_ways: bool = option(False)

    def ways(self, count: int) -> Iterable[Way]:
        ways = [(island, (island + 1) % count) for island in range(count)]
        return _both(ways) if self.both_ways else ways


@dataclass(frozen=True)
class Star(Topology):
    """Island 0 sends to all others, and each of them to island 0."""

    name: str = option("star")

    def ways(self, count: int) -> Iterable[Way]:
        return _both((0, island) for island in range(1, count))


@dataclass(frozen=True)
class Torus(Topology):
    """A grid whose ends meet. Each island sends to the islands above, below, left and right.

    Attributes:
        rows: rows of the grid; 0: as near to a square as can be
    """

    name: str = option("torus")
    rows: int = option(0, low=0)

    def ways(self, count: int) -> Iterable[Way]:
        divisors = [rows for rows in range(1, math.isqrt(count) + 1) if count % rows == 0]
        rows = self.rows or divisors[-1]
        if count % rows:
            raise ConfigError(
                f"islands.topology.rows={rows} and islands.count={count} given; rows that divide "
                "the number of islands are expected, or 0"
            )
        columns = count // rows
        places = [divmod(island, columns) for island in range(count)]
        right = [(r * columns + c, r * columns + (c + 1) % columns) for r, c in places]
        below = [(r * columns + c, (r + 1) % rows * columns + c) for r, c in places]
        return _both([*right, *below])


TOPOLOGIES: dict[str, type[Topology]] = {
    kind().name: kind for kind in (Complete, GraphTopology, Isolated, Ring, Star, Torus)
}
"""Topologies by name."""
